"""The reference device's own promises: unreadable memory, fault and SoC switches, clear errors for bad ones."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap

import pytest

from fixtures.markers import the_catalogue
from tests.harness import ROOT, module
from tests.harness import pytest as run_pytest


def child(body: str) -> int:
    """Run ``body`` with an open device in a process of its own; the exit code (negative: the signal)."""
    start = """
        from cffi_build import find_toolkit
        from fixtures.session import open_session
        session = open_session(find_toolkit(None, {}))
        library, ffi = session.library, session.library.ffi
        pointer = ffi.new("void **")
        assert library.aclrtMalloc(pointer, 64, 0) == 0
    """
    text = textwrap.dedent(start) + textwrap.dedent(body)
    return subprocess.run([sys.executable, "-c", text], cwd=ROOT, stderr=subprocess.DEVNULL, check=False).returncode


@pytest.mark.parametrize("access", ["bytes(ffi.buffer(pointer[0], 8))", "ffi.memmove(pointer[0], b'12345678', 8)"])
def test_the_host_cannot_touch_device_memory(access: str) -> None:
    assert child(access) == -signal.SIGSEGV


def test_the_control_of_that_ends_well() -> None:
    assert child("assert library.aclrtFree(pointer[0]) == 0") == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SYNC-9999:skip", "'SYNC-9999' is neither a rule that this device knows nor an API function"),
        ("SYNC-001", "needs the form NAME:operator"),
        ("SYNC-001:maybe", "a rule takes skip, code, sideeffect or invalidate"),
        ("aclrtMalloc:skip", "an API function takes crash, abort, exit, kill, hang, corrupt or fail"),
        ("SYNC-001:code=x", "code= needs a positive number"),
        ("aclrtMalloc:crash@0", "must be a positive number"),
    ],
)
def test_a_bad_fault_is_a_clear_error(text: str, message: str) -> None:
    ran = module("cffi_build", "--probe", REFDEVICE_FAULT=text)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_a_bad_soc_is_a_clear_error() -> None:
    ran = module("cffi_build", "--probe", REFDEVICE_SOC="Kirin990")
    assert ran.code == 2
    assert "REFDEVICE_SOC=Kirin990 is not a SoC that this device can be; known are Ascend910_93..." in ran.err


def test_the_soc_can_be_chosen() -> None:
    assert '"soc": "Ascend310P3"' in module("cffi_build", "--probe", REFDEVICE_SOC="Ascend310P3").out


def test_every_rule_of_the_device_is_in_the_catalogue() -> None:
    names = (ROOT / "refdevice" / "src" / "rules.def").read_text().split("RULE(")[1:]
    known = {name.split(")")[0].replace("_", "-", 1) for name in names}
    assert known <= set(the_catalogue())


def test_a_refused_call_with_an_effect_is_found(tmp_path: object) -> None:
    ran = run_pytest("suites/mem", "-k", "MEM-001", f"--out={tmp_path}", REFDEVICE_FAULT="MEM-001:sideeffect")
    assert ran.code == 1
    assert "violates MEM-001: a refused call had an effect" in ran.out


def test_a_refusal_may_invalidate_the_capture(tmp_path: object) -> None:
    ran = run_pytest("suites/sync", "-k", "SYNC-001", f"--out={tmp_path}", REFDEVICE_FAULT="SYNC-001:invalidate")
    assert ran.code == 0
    assert "6 cases with observations" in ran.out
