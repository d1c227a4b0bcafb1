"""Reproducers: compiled as their head says, they tell the faulty device from the sound one, for every kind of fault."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from cffi_build import find_toolkit
from tests.harness import pytest as run_pytest


@dataclass(frozen=True)
class Fault:
    """A fault of the reference device, and the cases that find it."""

    text: str
    select: str

    @property
    def word(self) -> str:
        return re.sub(r"\W+", "-", self.text)


FAULTS = [
    Fault("SYNC-001:skip", "test_capturing_stream and sync_stream-own_thread-global"),
    Fault("SYNC-014:skip", "test_device and sync_device-other_thread-relaxed"),
    Fault("MODE-006:code", "global-other_thread-exchange_global-memset"),
    Fault("MEM-001:sideeffect", "global-memset and MEM-001"),
    Fault("MODE-025:skip", "MODE-025 and relaxed"),
    Fault("MODE-004:skip", "global-own_thread-exchange_relaxed-memcpy and MODE-004"),
    Fault("DATA-007:skip", "DATA-007"),
    Fault("EVT-016:skip", "EVT-016 and global"),
    Fault("UPD-017:skip", "UPD-017 and update_first and relaxed"),
    Fault("GRP-003:skip", "GRP-003 and relaxed"),
    Fault("aclrtStreamWaitEvent:crash@1", "SYNC-015 and sync_stream-global"),
    Fault("aclrtStreamWaitEvent:abort@1", "SYNC-015 and sync_stream-global"),
    Fault("aclrtStreamWaitEvent:exit@1", "SYNC-015 and sync_stream-global"),
    Fault("aclrtStreamWaitEvent:kill@1", "SYNC-015 and sync_stream-global"),
    Fault("aclrtStreamWaitEvent:hang@1", "SYNC-015 and sync_stream-global"),
    Fault("aclrtCreateStream:corrupt@2", "SYNC-015 and sync_stream-global"),
]


def red_run(fault: Fault, out: Path, *options: str) -> Path:
    """Run one case over the faulty device; its reproducer."""
    ran = run_pytest(
        "suites",
        *("-k", fault.select, f"--out={out}", "--call-timeout=1", "--sync-budget=1500", *options),
        REFDEVICE_FAULT=fault.text,
        MODELRI_NATIVE_STACKS="off",
    )
    assert ran.code == 1, ran.text
    return sorted((out / "repro").glob("*.cpp"))[0]


def compiled(source: Path) -> Path:
    """Compile as the head of the program says."""
    prefix = find_toolkit(None, {}).prefix
    binary = source.with_suffix("")
    command = ["g++", str(source), f"-I{prefix}/include", f"-L{prefix}/lib64", "-lascendcl", "-lnnopbase", "-lopapi"]
    subprocess.run([*command, "-o", str(binary)], check=True)
    return binary


def exit_code(binary: Path, fault: str) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REFDEVICE_")}
    environment["LD_LIBRARY_PATH"] = str(find_toolkit(None, {}).prefix / "lib64")
    environment["REPRO_LIMIT"] = "3" if ":hang" in fault else "30"
    if fault:
        environment["REFDEVICE_FAULT"] = fault
    return subprocess.run(
        [str(binary)], env=environment, cwd=binary.parent, capture_output=True, check=False
    ).returncode


pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="not run: no g++ on PATH")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.word)
def test_it_tells_the_faulty_device_from_the_sound_one(fault: Fault, tmp_path: Path) -> None:
    binary = compiled(red_run(fault, tmp_path))
    assert (exit_code(binary, fault.text), exit_code(binary, "")) == (1, 0)


def calls_in(source: Path) -> list[str]:
    """The API calls that a reproducer makes, without those that open the device."""
    body = source.read_text().split("int calls()")[1].split("}  // namespace")[0]
    found = re.findall(r"\b(acl[A-Za-z0-9]+)\(", body.split("aclrtGetCurrentContext(&context0);")[1])
    return [name for name in found if name not in {"aclrtContext"}]


@pytest.mark.parametrize(
    ("fault", "fewest"),
    [
        (FAULTS[0], ["aclrtCreateStream", "aclmdlRICaptureBegin", "aclrtSynchronizeStream"]),
        (FAULTS[10], ["aclrtCreateStream", "aclrtCreateEventExWithFlag", "aclrtStreamWaitEvent"]),
    ],
    ids=["refusal", "crash"],
)
def test_minimize_leaves_the_fewest_calls(fault: Fault, fewest: list[str], tmp_path: Path) -> None:
    source = red_run(fault, tmp_path, "--minimize")
    assert calls_in(source) == fewest
    binary = compiled(source)
    assert (exit_code(binary, fault.text), exit_code(binary, "")) == (1, 0)


def test_no_program_pretends_to_show_what_no_call_shows(tmp_path: Path) -> None:
    ran = run_pytest("suites", "-k", "MODE-041", f"--out={tmp_path}", REFDEVICE_FAULT="MODE-041:skip")
    assert ran.code == 1
    assert list((tmp_path / "repro").glob("*.cpp")) == []
