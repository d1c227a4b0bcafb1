"""Running the C preprocessor over the headers of a prefix, and keeping what belongs to it.

Old header generations say ``constexpr``, which C lacks; the spelling is mapped, nothing else is touched.
"""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from cffi_build.compilers import c_compiler
from cffi_build.errors import HeadersDoNotParse, NoCompiler, NoPythonHeaders
from cffi_build.refdevice import SOURCES as REFDEVICE_SOURCES
from cffi_build.toolkit import Toolkit

# The operator headers are not in every prefix; the reference device's own stand in for them.
ACL = "acl/acl.h"
# Parts of the interface that acl.h does not include; a prefix without them lacks only their functions.
MORE = ("acl/acl_prof.h", "acl/acl_rt_memory_soma.h")
OPERATORS = ("aclnn/acl_meta.h", "aclnnop/aclnn_add.h", "aclnnop/aclnn_mul.h")
PRELUDE = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
SPELLING = "-Dconstexpr=static const"
_MARKER = re.compile(r'^#\s+(\d+)\s+"([^"]*)"(.*)$')


@dataclass(frozen=True)
class Headers:
    """The headers a module is made of: what to include, where from, and the folders that count as the prefix."""

    includes: tuple[str, ...]
    folders: tuple[Path, ...]

    @property
    def text(self) -> str:
        """The include lines."""
        return PRELUDE + "".join(f"#include <{one}>\n" for one in self.includes)


@dataclass(frozen=True)
class Preprocessed:
    """Declarations of the prefix as plain C, its integer macros, and every file that they came from."""

    declarations: str
    macros: dict[str, int]
    files: tuple[Path, ...]


def headers_of(toolkit: Toolkit) -> Headers:
    """Which headers to read: those of the prefix, and operator headers of the prefix or the reference device."""
    places = [toolkit.include, toolkit.prefix / "aclnn", REFDEVICE_SOURCES / "include"]
    folders, includes = [toolkit.include], [ACL, *(one for one in MORE if (toolkit.include / one).is_file())]
    for name in OPERATORS:
        place = next((one for one in places if (one / name).is_file()), None)
        if place is not None:
            includes.append(name)
            folders.append(place)
    return Headers(tuple(includes), tuple(dict.fromkeys(folders)))


def compiler() -> str:
    """The C compiler: ``$CC``, cc, gcc or clang; raises ``NoCompiler``."""
    found = c_compiler()
    if found is None:
        wanted = os.environ.get("CC") or "cc, gcc, clang"
        raise NoCompiler(f"no C compiler ({wanted}) on PATH; install gcc, or set CC to one")
    return found


def python_include() -> Path:
    """The folder of ``Python.h``; raises ``NoPythonHeaders``."""
    folder = Path(sysconfig.get_path("include"))
    if not (folder / "Python.h").is_file():
        raise NoPythonHeaders(f"{folder}/Python.h is missing; install the Python headers (Debian: python3-dev)")
    return folder


def preprocess(headers: Headers) -> Preprocessed:
    """Preprocess ``headers``; raises ``NoCompiler`` or ``HeadersDoNotParse``."""
    folders = [f"-I{one}" for one in headers.folders]
    text = _run([compiler(), "-E", "-x", "c", SPELLING, "-D__attribute__(x)=", *folders, "-"], headers.text)
    declarations, files = _own_part(text, headers.folders)
    return Preprocessed(declarations, _integer_macros(headers, folders, files), files)


def _run(command: list[str], text: str) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        first = "\n".join(done.stderr.splitlines()[:8])
        raise HeadersDoNotParse(f"the preprocessor cannot read the headers; is the prefix complete?\n{first}")
    return done.stdout


def _own_part(text: str, folders: tuple[Path, ...]) -> tuple[str, tuple[Path, ...]]:
    roots = tuple(f"{one}{os.sep}" for one in folders)
    kept: list[str] = []
    files: dict[str, None] = {}
    own = False
    for line in text.splitlines():
        if marker := _MARKER.match(line):
            own = marker[2].startswith(roots)
            if own:
                files.setdefault(marker[2])
        elif own and line.strip():
            kept.append(line)
    return "\n".join(kept), tuple(Path(one) for one in files)


def _integer_macros(headers: Headers, folders: list[str], files: tuple[Path, ...]) -> dict[str, int]:
    own = {name for one in files for name in re.findall(r"#\s*define\s+(\w+)[ \t]+\S", one.read_text(errors="replace"))}
    text = _run([compiler(), "-E", "-dM", "-x", "c", SPELLING, *folders, "-"], headers.text)
    found = {}
    for name, value in re.findall(r"^#define (\w+) \(?(-?(?:0[xX][0-9a-fA-F]+|\d+))[uUlL]*\)?$", text, re.M):
        if name in own:
            found[name] = int(value, 0) if not re.fullmatch(r"-?0\d+", value) else int(value, 8)
    return found
