"""An open device: the vendor's functions as fast callables, each call on record in the ring."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cffi_build.declarations import Function
from cffi_build.errors import ForeignLibrary, LibraryDoesNotLoad, NoCallRing
from cffi_build.files import write_whole
from cffi_build.module import module_for
from cffi_build.ring import Ring, sidecar_of
from cffi_build.toolkit import Toolkit, require_library

RING_CAPACITY = 4096
_open_prefixes: dict[Path, str] = {}


class Library:
    """The functions of one toolkit. ``library.aclrtMalloc(pointer, 64, 0)`` calls it and returns its result.

    A function that is not declared, or not exported, is absent: ``AttributeError`` with the reason.
    """

    def __init__(self, toolkit: Toolkit, *, ring_path: Path | None) -> None:
        """Load the toolkit; use :func:`open_library`."""
        module = module_for(toolkit)
        native = module.load()
        self.toolkit = toolkit
        self.ffi: Any = native.ffi
        self.functions: Mapping[str, Function] = module.functions
        self.constants: Mapping[str, int] = module.constants
        self._enums = module.enums
        self._table = self._open(native.lib, ring_path)
        self.missing = frozenset(self._bind(native.lib))
        self._refuse_foreign(native.lib)
        self.ring = self._ring(native.lib)
        if ring_path is not None:
            functions = [asdict(one) for one in self.functions.values()]
            write_whole(sidecar_of(ring_path), json.dumps({"functions": functions, "enums": self._enums}))

    def _open(self, lib: Any, ring_path: Path | None) -> Any:
        ffi = self.ffi
        error = ffi.new("char[1024]")
        paths = [ffi.new("char[]", str(one).encode()) for one in self.toolkit.libraries]
        ring = ffi.new("char[]", str(ring_path).encode()) if ring_path else ffi.NULL
        table = lib.mri_open(ffi.new("char *[]", paths), len(paths), ring, RING_CAPACITY, error, 1024)
        if not table:
            text = ffi.string(error).decode(errors="replace")
            if text.startswith("cannot make the call ring"):
                raise NoCallRing(f"{text}; free some room, or choose another folder with --out")
            raise LibraryDoesNotLoad(
                f"{self.toolkit.prefix} ({self.toolkit.origin}) does not load: {text}\n"
                "source the toolkit's set_env.sh and check that the driver is installed"
            )
        return table

    def _bind(self, lib: Any) -> list[str]:
        missing = []
        for number, name in enumerate(self.functions):
            if lib.mri_address(self._table, number):
                setattr(self, name, functools.partial(getattr(lib, f"mri_{name}"), self._table))
            else:
                missing.append(name)
        return missing

    def _refuse_foreign(self, lib: Any) -> None:
        """A loader may hand out another open toolkit's library under the same name; such results would be lies."""
        prefix = self.toolkit.prefix.resolve()
        for number, name in enumerate(self.functions):
            path = lib.mri_file_of(self._table, number)
            if not path:
                continue
            file = Path(self.ffi.string(path).decode()).resolve()
            for other in _open_prefixes:
                if other != prefix and other in file.parents and prefix not in file.parents:
                    raise ForeignLibrary(
                        f"{name} of {prefix} came from {file}, a toolkit open already; use two processes"
                    )
            break
        _open_prefixes[prefix] = self.toolkit.origin

    def _ring(self, lib: Any) -> Ring:
        memory = self.ffi.buffer(lib.mri_ring_memory(self._table), lib.mri_ring_bytes(self._table))
        return Ring(
            memory,
            tuple(self.functions.values()),
            note=lambda text: lib.mri_note(self._table, text.encode()),
            mark=functools.partial(lib.mri_mark, self._table),
            oldest=functools.partial(lib.mri_oldest, self._table),
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Reached only for names that are not bound: say why."""
        raise AttributeError(self.why_absent(name))

    def has(self, name: str) -> bool:
        """Whether ``name`` can be called."""
        return name in self.functions and name not in self.missing

    def why_absent(self, name: str) -> str:
        """Why ``name`` cannot be called."""
        version = self.toolkit.version_text
        if name not in self.functions:
            return f"{name} is not declared by these headers (version {version})"
        return (
            f"{name} is declared by the headers (version {version}) but exported by no library of {self.toolkit.prefix}"
        )

    def enumerators(self, ctype: str) -> dict[int, str]:
        """Value → name of an enum type of the headers; empty for a type that is no enum."""
        return {value: name for name, value in reversed(self._enums.get(ctype, {}).items())}


def open_library(toolkit: Toolkit, *, ring_path: Path | None = None) -> Library:
    """Open the libraries of ``toolkit``; calls are recorded in ``ring_path`` (default: memory of this process).

    Raises ``NoLibrary``, ``LibraryDoesNotLoad`` or another ``ToolkitError``.
    """
    require_library(toolkit)
    return Library(toolkit, ring_path=ring_path)
