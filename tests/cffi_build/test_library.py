"""An open library: absent symbols, constants, several devices in one process, the cache, the toolkit search."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cffi_build import Toolkit, find_toolkit, open_library
from cffi_build import module as module_file
from cffi_build.errors import NoSuchPrefix
from cffi_build.module import module_for
from cffi_build.toolkit import inspect
from tests.cffi_build.toolkits import HEADER, SOURCE, make_toolkit


@pytest.fixture(scope="module")
def toolkit(tmp_path_factory: pytest.TempPathFactory) -> Toolkit:
    return make_toolkit(tmp_path_factory.mktemp("mini"))


def test_calls_go_through(toolkit: Toolkit) -> None:
    library = open_library(toolkit)
    total = library.ffi.new("int32_t *")
    assert library.aclrtMiniAdd(2, 40, total) == 0
    assert total[0] == 42


def test_what_the_library_lacks_is_absent(toolkit: Toolkit) -> None:
    library = open_library(toolkit)
    assert "aclrtMiniAbsent" in library.missing
    assert "aclrtMiniAdd" not in library.missing
    assert not library.has("aclrtMiniAbsent")
    with pytest.raises(AttributeError, match=r"aclrtMiniAbsent is declared by the headers \(version 9\.8\.7\) but"):
        library.aclrtMiniAbsent()


def test_what_the_headers_lack_is_absent(toolkit: Toolkit) -> None:
    with pytest.raises(AttributeError, match=r"aclrtNever is not declared by these headers \(version 9\.8\.7\)"):
        open_library(toolkit).aclrtNever()


def test_variadic_functions_are_left_out(toolkit: Toolkit) -> None:
    assert module_for(toolkit).variadic == ("aclAppMiniLog",)


def test_constants_of_all_kinds_are_read(toolkit: Toolkit) -> None:
    library = open_library(toolkit)
    wanted = {"ACL_MINI_RED": 1, "ACL_MINI_BLUE": 4, "ACL_MINI_NEXT": 5, "ACL_ERROR_MINI": 4711, "ACL_MINI_LIMIT": 32}
    assert {name: library.constants[name] for name in wanted} == wanted
    assert library.enumerators("aclMiniColour") == {1: "ACL_MINI_RED", 4: "ACL_MINI_BLUE", 5: "ACL_MINI_NEXT"}


def test_two_toolkits_with_other_headers_are_open_at_once(toolkit: Toolkit, tmp_path: Path) -> None:
    other_header = HEADER.replace(
        "aclrtMiniAdd(int32_t left, int32_t right,", "aclrtMiniAdd(int64_t left, int8_t right,"
    )
    other_source = SOURCE.replace(
        "aclrtMiniAdd(int32_t left, int32_t right,", "aclrtMiniAdd(int64_t left, int8_t right,"
    )
    other = open_library(make_toolkit(tmp_path / "other", header=other_header, source=other_source))
    first = open_library(toolkit)
    assert first.functions["aclrtMiniAdd"].params[0].ctype == "int32_t"
    assert other.functions["aclrtMiniAdd"].params[0].ctype == "int64_t"


def test_two_copies_of_one_toolkit_keep_their_own_state(toolkit: Toolkit, tmp_path: Path) -> None:
    shutil.copytree(toolkit.prefix, tmp_path / "copy")
    first, second = open_library(toolkit), open_library(inspect(tmp_path / "copy", "a copy"))
    old = first.ffi.new("aclMiniColour *")
    first.aclrtMiniPaint(4, old)
    second.aclrtMiniPaint(5, second_old := second.ffi.new("aclMiniColour *"))
    assert second_old[0] == 1
    first.aclrtMiniPaint(1, old)
    assert old[0] == 4


def test_two_reference_devices_are_open_at_once(tmp_path: Path) -> None:
    built = find_toolkit(None, {})
    shutil.copytree(built.prefix, tmp_path / "copy", symlinks=True)
    one, two = open_library(built), open_library(inspect(tmp_path / "copy", "a copy"))
    assert one.aclInit(one.ffi.NULL) == 0
    assert two.aclInit(two.ffi.NULL) == 0, "the second device must not be the first one again"
    assert (one.aclFinalize(), two.aclFinalize()) == (0, 0)


def test_a_warm_module_compiles_and_preprocesses_nothing(toolkit: Toolkit, monkeypatch: pytest.MonkeyPatch) -> None:
    first = module_for(toolkit)

    def forbidden(*arguments: object, **options: object) -> None:
        raise AssertionError(f"a process was started: {arguments}")

    monkeypatch.setattr(subprocess, "run", forbidden)
    assert module_for(toolkit).path == first.path


def test_a_changed_header_makes_another_module(tmp_path: Path) -> None:
    made = make_toolkit(tmp_path / "mini", source=None)
    before = module_for(made).path
    header = tmp_path / "mini" / "include" / "acl" / "acl.h"
    header.write_text(HEADER.replace("ACL_ERROR_MINI = 4711", "ACL_ERROR_MINI = 4712; static const int ACL_MORE = 1"))
    after = module_for(made)
    assert after.path != before
    assert after.constants["ACL_ERROR_MINI"] == 4712


def test_a_wrong_declaration_does_not_compile(
    toolkit: Toolkit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The generated declarations are checked against the header by the compiler."""
    made = make_toolkit(tmp_path / "wrong", header=HEADER + "/* another hash */\nenum { ACL_WRONG = 1 };\n")
    real = module_file.cdef
    monkeypatch.setattr(module_file, "cdef", lambda found: real(found).replace("int32_t second", "int64_t second"))
    with pytest.raises(Exception, match="aclMiniPair"):
        module_for(made).load().ffi.sizeof("aclMiniPair")


@pytest.mark.parametrize(
    ("environment", "origin"),
    [
        ({"ASCEND_HOME_PATH": "one", "ASCEND_TOOLKIT_HOME": "two"}, "named by ASCEND_HOME_PATH"),
        ({"ASCEND_TOOLKIT_HOME": "two"}, "named by ASCEND_TOOLKIT_HOME"),
        ({}, "the embedded reference device"),
    ],
)
def test_the_search_order(tmp_path: Path, environment: dict[str, str], origin: str) -> None:
    for name in environment.values():
        make_toolkit(tmp_path / name, source=None)
    found = find_toolkit(None, {variable: str(tmp_path / name) for variable, name in environment.items()})
    assert found.origin.startswith(origin)


def test_a_named_prefix_wins_and_is_never_replaced(tmp_path: Path) -> None:
    make_toolkit(tmp_path / "one", source=None)
    assert find_toolkit(tmp_path / "one", {"ASCEND_HOME_PATH": "/nowhere"}).origin == "named by --toolkit"
    with pytest.raises(NoSuchPrefix):
        find_toolkit(None, {"ASCEND_HOME_PATH": str(tmp_path / "two")})


def test_an_architecture_folder_is_a_layout_too(tmp_path: Path) -> None:
    import platform

    inner = tmp_path / f"{platform.machine()}-linux"
    make_toolkit(inner)
    found = inspect(tmp_path, "a test")
    assert found.include == inner / "include"
    assert found.libraries == (inner / "lib64" / "libascendcl.so",)
