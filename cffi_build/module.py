"""The compiled module of a set of headers: built once, found again by the hash of what it was made from.

A stamp (file sizes and times) lets a warm run skip the preprocessor; where it does not fit, content decides.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import json
import re
import subprocess
import sysconfig
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cffi import FFI

from cffi_build.declarations import Declarations, Function, Param, parse
from cffi_build.errors import HeadersDoNotParse, ModuleDoesNotCompile
from cffi_build.files import locked, writable_folder, write_whole
from cffi_build.preprocess import Headers, Preprocessed, compiler, headers_of, preprocess, python_include
from cffi_build.source import c_source, cdef
from cffi_build.toolkit import ROOT, Toolkit

CACHE = ROOT / "build" / "cffi"
_SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


@dataclass(frozen=True)
class Module:
    """A compiled module and what it declares."""

    name: str
    path: Path
    functions: dict[str, Function]
    variadic: tuple[str, ...]
    constants: dict[str, int]
    enums: dict[str, dict[str, int]]

    def load(self) -> Any:
        """Import the extension; several modules of different headers can live in one process."""
        spec = importlib.util.spec_from_file_location(self.name, self.path)
        if spec is None or spec.loader is None:
            raise ModuleDoesNotCompile(f"{self.path} is not an importable module; delete {CACHE} and run again")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def module_for(toolkit: Toolkit) -> Module:
    """The module of the toolkit's headers, compiled if need be. Raises ``ToolkitError``."""
    headers = headers_of(toolkit)
    writable_folder(CACHE)
    stamp = CACHE / f"stamp-{_digest(_key_of_place(headers))[:16]}.json"
    if found := _from_stamp(stamp):
        return found
    with locked(CACHE / "lock"):
        source = preprocess(headers)
        key = _digest(source.declarations + json.dumps(source.macros) + headers.text + _own_fingerprint())[:16]
        folder = CACHE / key
        if not (folder / "module.json").is_file():
            _build(headers, source, folder, f"mri_{key}")
        files = [_stat(one) for one in source.files]
        write_whole(stamp, json.dumps({"own": _own_fingerprint(), "files": files, "folder": str(folder)}))
        return _read(folder)


def declarations_of(toolkit: Toolkit) -> Declarations:
    """What the headers declare, without compiling anything."""
    return parse(preprocess(headers_of(toolkit)))


def _from_stamp(stamp: Path) -> Module | None:
    try:
        content = json.loads(stamp.read_text())
    except (OSError, json.JSONDecodeError):
        return None
    if content["own"] != _own_fingerprint() or not all(_unchanged(*one) for one in content["files"]):
        return None
    folder = Path(content["folder"])
    return _read(folder) if (folder / "module.json").is_file() else None


def _stat(path: Path) -> tuple[str, int, int]:
    state = path.stat()
    return str(path), state.st_mtime_ns, state.st_size


def _unchanged(name: str, mtime: int, size: int) -> bool:
    try:
        state = Path(name).stat()
    except OSError:
        return False
    return (state.st_mtime_ns, state.st_size) == (mtime, size)


def _key_of_place(headers: Headers) -> str:
    return headers.text + "".join(map(str, headers.folders)) + compiler()


def _own_fingerprint() -> str:
    own = sorted(Path(__file__).parent.glob("*.[ph]*"))
    return _digest("".join(one.read_text(encoding="utf-8") for one in own) + str(_SUFFIX))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _build(headers: Headers, source: Preprocessed, folder: Path, name: str) -> None:
    found = parse(source)
    include = python_include()
    builder = FFI()
    try:
        builder.cdef(cdef(found))
    except Exception as error:  # cffi raises several unrelated classes for declarations that it cannot take
        raise HeadersDoNotParse(f"cffi cannot take the declarations of the headers: {error}") from error
    builder.set_source(name, c_source(headers, found))
    writable_folder(folder)
    c_file, shared = folder / f"{name}.c", folder / f"{name}{_SUFFIX}"
    with contextlib.redirect_stdout(io.StringIO()):
        builder.emit_c_code(str(c_file))
    command = [
        compiler(),
        "-shared",
        "-fPIC",
        "-O1",
        "-w",
        f"-I{include}",
        *(f"-I{one}" for one in headers.folders),
        str(c_file),
        "-o",
        str(shared),
        "-ldl",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        (folder / "compile.log").write_text(done.stderr)
        errors = [line for line in done.stderr.splitlines() if re.search(r"\berror\b", line)][:5]
        raise ModuleDoesNotCompile(
            f"the generated module does not compile (log: {folder}/compile.log):\n" + "\n".join(errors)
        )
    meta = {"name": name, "path": str(shared), **asdict(found)}
    meta.pop("types")
    write_whole(folder / "module.json", json.dumps(meta))


def _read(folder: Path) -> Module:
    meta = json.loads((folder / "module.json").read_text())
    functions = [
        Function(one["name"], one["result"], tuple(Param(**param) for param in one["params"]))
        for one in meta["functions"]
    ]
    return Module(
        name=meta["name"],
        path=Path(meta["path"]),
        functions={one.name: one for one in functions},
        variadic=tuple(meta["variadic"]),
        constants=meta["constants"],
        enums=meta["enums"],
    )
