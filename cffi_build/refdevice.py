"""Building the embedded reference device: from ``refdevice/`` to the toolkit prefix ``build/refdevice``.

Rebuilt only when its sources change; safe when several processes ask at once.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from cffi_build.compilers import cxx_compiler
from cffi_build.errors import NoCompiler, RefdeviceDoesNotBuild
from cffi_build.files import locked, writable_folder

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "refdevice"
BUILD = ROOT / "build"


def ensure_built(*, sanitize: str = "", force: bool = False) -> Path:
    """The prefix of an up-to-date reference device; ``sanitize`` names sanitizers (``address,undefined``, ``thread``).

    Raises ``NoCompiler``, ``RefdeviceDoesNotBuild`` or ``UnwritableBuildFolder``.
    """
    name = "refdevice" + (f"-{sanitize.replace(',', '-')}" if sanitize else "")
    prefix, stamp = BUILD / name, BUILD / f"{name}.stamp"
    wanted = _fingerprint(SOURCES)
    writable_folder(BUILD)
    with locked(BUILD / f"{name}.lock"):
        if force or not (stamp.is_file() and stamp.read_text() == wanted and (prefix / "lib64").is_dir()):
            _build(name, prefix, sanitize)
            stamp.write_text(wanted)
    return prefix


def _fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(one for one in folder.rglob("*") if one.is_file() and one.suffix != ".md"):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _build(name: str, prefix: Path, sanitize: str) -> None:
    if cxx_compiler() is None:
        raise NoCompiler("the reference device needs a C++17 compiler; install g++ (or set CXX), or name a CANN prefix")
    cmake, ninja = _tool("cmake"), _tool("ninja")
    objects, log = BUILD / f"{name}-obj", BUILD / f"{name}.log"
    configure: list[str | Path] = [
        cmake,
        "-S",
        SOURCES,
        "-B",
        objects,
        "-G",
        "Ninja",
        f"-DCMAKE_MAKE_PROGRAM={ninja}",
        f"-DCMAKE_INSTALL_PREFIX={prefix}",
        f"-DREFDEVICE_SANITIZE={sanitize}",
    ]
    print(f"building the reference device into {prefix} (log: {log})", file=sys.stderr, flush=True)
    with log.open("w") as output:
        steps: list[list[str | Path]] = [
            configure,
            [cmake, "--build", objects],
            [cmake, "--install", objects],
        ]
        for command in steps:
            if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False).returncode != 0:
                output.flush()
                raise RefdeviceDoesNotBuild(f"the reference device does not build; {log} ends with:\n{_end(log)}")


def _tool(name: str) -> str:
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise RefdeviceDoesNotBuild(
            f"{name} is missing; run make once (it installs it into .venv), or pip install {name}"
        )
    return found


def _end(log: Path, *, lines: int = 15) -> str:
    text: Iterable[str] = log.read_text(errors="replace").splitlines()[-lines:]
    return "\n".join(text)
