"""Which toolkit prefix is used, and what is in it.

A prefix is a folder laid out as a CANN installation: ``include/acl/acl.h`` and ``lib64/libascendcl.so``. The embedded
reference device is one too, so nothing downstream needs to know which it is.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cffi_build import refdevice
from cffi_build.errors import NoHeaders, NoLibrary, NoSuchPrefix

ROOT = Path(__file__).resolve().parent.parent
_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
_INSTALLED = ("cann/latest", "ascend-toolkit/latest", "cann", "ascend-toolkit")
_INSTALL_ROOT = Path("/usr/local/Ascend")
_MAIN_LIBRARY = "libascendcl.so"
_OTHER_LIBRARIES = ("libacl_rt.so", "libmsprofiler.so", "libnnopbase.so", "libopapi.so", "libopapi_*.so")


@dataclass(frozen=True)
class Toolkit:
    """A usable prefix. ``origin`` says why it was taken; ``libraries`` is empty for a prefix of headers only."""

    prefix: Path
    origin: str
    include: Path
    libraries: tuple[Path, ...]
    header_version: tuple[int, int, int] | None

    @property
    def is_reference(self) -> bool:
        """Whether this is the reference device, of which each process has one of its own."""
        return (self.include / "refdevice" / "refdevice.h").is_file()

    @property
    def version_text(self) -> str:
        """The header version as text."""
        return ".".join(map(str, self.header_version)) if self.header_version else "unknown"

    def deprecates(self, function: str) -> bool:
        """Whether the headers declare ``function`` with a deprecation attribute, before its name or after it."""
        for header in sorted((self.include / "acl").rglob("*.h")):
            text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(errors="replace"), flags=re.DOTALL)
            if found := re.search(rf"[^;{{}}]*\b{function}\s*\([^;]*;", text):
                return "deprecated" in found[0].lower()
        return False


def find_toolkit(explicit: Path | None = None, environ: Mapping[str, str] = os.environ) -> Toolkit:
    """The toolkit to use: ``explicit``, else the environment, else an installed CANN, else the reference device.

    Builds the reference device if it is needed. Raises ``ToolkitError``; a prefix that somebody named is never
    silently replaced by another one.
    """
    if explicit is not None:
        return inspect(explicit, "named by --toolkit")
    for variable in _VARIABLES:
        if environ.get(variable):
            return inspect(Path(environ[variable]), f"named by {variable}")
    for name in _INSTALLED:
        candidate = _INSTALL_ROOT / name
        if _include_of(candidate) is not None:
            return inspect(candidate, f"installed at {candidate}")
    prefix = refdevice.ensure_built()
    return inspect(prefix, "the embedded reference device: no --toolkit, no ASCEND_HOME_PATH, no CANN installed")


def inspect(prefix: Path, origin: str) -> Toolkit:
    """Look at ``prefix``; raises ``NoSuchPrefix`` or ``NoHeaders``."""
    prefix = prefix.expanduser().absolute()
    if not prefix.is_dir():
        raise NoSuchPrefix(f"toolkit prefix {prefix} ({origin}) is not a folder; name an existing CANN prefix")
    include = _include_of(prefix)
    if include is None:
        raise NoHeaders(
            f"toolkit prefix {prefix} ({origin}) has no include/acl/acl.h; "
            "install the CANN toolkit there (the runtime package alone has no headers), or name another prefix"
        )
    return Toolkit(prefix, origin, include, _libraries_of(prefix), _version(include))


def require_library(toolkit: Toolkit) -> None:
    """Raise ``NoLibrary`` for a prefix of headers only."""
    if not toolkit.libraries:
        raise NoLibrary(
            f"toolkit prefix {toolkit.prefix} ({toolkit.origin}) has headers but no lib64/{_MAIN_LIBRARY}; "
            "install the CANN runtime there, or name a prefix that has both"
        )


def describe(toolkit: Toolkit) -> list[str]:
    """The lines that a run prints first: what was taken and why, header version, libraries."""
    libraries = ", ".join(map(str, toolkit.libraries)) or "none (headers only)"
    return [
        f"toolkit:   {toolkit.prefix} ({toolkit.origin})",
        f"headers:   {toolkit.include}, version {toolkit.version_text}",
        f"libraries: {libraries}",
    ]


def _layouts(prefix: Path) -> list[Path]:
    return [prefix, prefix / f"{platform.machine()}-linux"]


def _include_of(prefix: Path) -> Path | None:
    candidates = [layout / "include" for layout in _layouts(prefix)] + [prefix]
    return next((one for one in candidates if (one / "acl" / "acl.h").is_file()), None)


def _libraries_of(prefix: Path) -> tuple[Path, ...]:
    for folder in [layout / "lib64" for layout in _layouts(prefix)]:
        if (folder / _MAIN_LIBRARY).exists():
            others = [path for pattern in _OTHER_LIBRARIES for path in sorted(folder.glob(pattern))]
            return (folder / _MAIN_LIBRARY, *others)
    return ()


def _version(include: Path) -> tuple[int, int, int] | None:
    text = "".join(
        (include / "acl" / name).read_text(errors="replace")
        for name in ("acl.h", "acl_rt.h")
        if (include / "acl" / name).is_file()
    )
    found = [re.search(rf"#define\s+ACL_{part}_VERSION\s+(\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
    numbers = [int(one[1]) for one in found if one]
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) == 3 else None
