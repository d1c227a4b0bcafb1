"""Everything that can be wrong with a toolkit or a machine is one clear message and exit code 2."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from cffi_build import refdevice
from cffi_build.errors import NoCompiler, NoPythonHeaders, RefdeviceDoesNotBuild, UnwritableBuildFolder
from cffi_build.files import writable_folder
from cffi_build.preprocess import python_include
from tests.cffi_build.toolkits import HEADER, make_toolkit
from tests.harness import module


def no_folder(place: Path) -> dict[str, str]:
    return {}


def no_headers(place: Path) -> dict[str, str]:
    (place / "lib64").mkdir(parents=True)
    return {}


def headers_only(place: Path) -> dict[str, str]:
    make_toolkit(place, source=None)
    return {}


def not_a_library(place: Path) -> dict[str, str]:
    make_toolkit(place, source=None)
    (place / "lib64").mkdir()
    (place / "lib64" / "libascendcl.so").write_text("not an ELF file")
    return {}


def no_c(place: Path) -> dict[str, str]:
    make_toolkit(place, header=HEADER + "this is not C at all;", source=None)
    return {}


def does_not_preprocess(place: Path) -> dict[str, str]:
    make_toolkit(place, header='#include "acl/missing.h"\n', source=None)
    return {}


def no_compiler(place: Path) -> dict[str, str]:
    make_toolkit(place, header=HEADER + "/* for no compiler */", source=None)
    return {"CC": "no-such-compiler"}


@pytest.mark.parametrize(
    ("break_it", "command", "message"),
    [
        (no_folder, "--probe", "is not a folder; name an existing CANN prefix"),
        (no_headers, "--probe", "has no include/acl/acl.h; install the CANN toolkit there"),
        (headers_only, "--probe", "has headers but no lib64/libascendcl.so; install the CANN runtime there"),
        (not_a_library, "--probe", "does not load: "),
        (no_c, "--build", "the headers are not C that pycparser can read"),
        (does_not_preprocess, "--list", "the preprocessor cannot read the headers; is the prefix complete?"),
        (no_compiler, "--build", "no C compiler (no-such-compiler) on PATH; install gcc, or set CC to one"),
    ],
)
def test_one_clear_error(
    tmp_path: Path, break_it: Callable[[Path], dict[str, str]], command: str, message: str
) -> None:
    place = tmp_path / "prefix"
    environment = break_it(place)
    ran = module("cffi_build", "--toolkit", str(place), command, **environment)
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("error: ") - ran.err.count(" error: ") == 1
    assert "Traceback" not in ran.text


def test_python_without_headers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(NoPythonHeaders, match=r"Python\.h is missing; install the Python headers"):
        python_include()


def test_no_cplusplus_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(refdevice, "BUILD", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoCompiler, match="install g"):
        refdevice.ensure_built()


def test_no_cmake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(refdevice, "BUILD", tmp_path)
    monkeypatch.setattr(refdevice.sys, "executable", str(tmp_path / "python"))
    (tmp_path / "g++").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RefdeviceDoesNotBuild, match="cmake is missing; run make once"):
        refdevice.ensure_built()


def test_a_reference_device_that_does_not_compile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "CMakeLists.txt").write_text('message(FATAL_ERROR "broken on purpose")\n')
    monkeypatch.setattr(refdevice, "SOURCES", tmp_path / "source")
    monkeypatch.setattr(refdevice, "BUILD", tmp_path / "build")
    with pytest.raises(RefdeviceDoesNotBuild, match="broken on purpose"):
        refdevice.ensure_built()


def test_a_build_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnwritableBuildFolder, match="cannot make"):
        writable_folder(tmp_path / "file" / "build")


@pytest.mark.skipif(os.geteuid() == 0, reason="not run: root may write everywhere")
def test_a_build_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UnwritableBuildFolder, match="cannot write into"):
        writable_folder(tmp_path)
