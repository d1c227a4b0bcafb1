"""The open-source runtime's profile with its expectations is green, and red if one behaviour changes either way."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from cffi_build import find_toolkit
from tests.harness import ROOT
from tests.harness import pytest as run_pytest

FILE = Path("suites/expectations/open-source-runtime-2026-08.toml")
EXPECT = f"--expectations={FILE}"


def profile() -> list[str]:
    """The faults that @observed stands for."""
    library = ctypes.CDLL(str(find_toolkit(None, {}).libraries[0]))
    library.refdeviceObservedProfile.restype = ctypes.c_char_p
    text: bytes = library.refdeviceObservedProfile()
    return text.decode().split(",")


def recorded() -> list[str]:
    """The rules that the expectations file names."""
    return [line.split('"')[1] for line in (ROOT / FILE).read_text().splitlines() if line.startswith("rule = ")]


def suite_of(rule: str) -> str:
    """The folder that holds the cases of a rule."""
    return f"suites/{rule.split('-')[0].lower()}"


def test_the_profile_with_its_expectations_is_green(tmp_path: Path) -> None:
    ran = run_pytest("suites", "-n2", EXPECT, f"--out={tmp_path}", REFDEVICE_FAULT="@observed")
    assert ran.code == 0, ran.text
    assert "75 xfailed" in ran.out


@pytest.mark.parametrize("rule", recorded())
def test_an_improvement_is_red(tmp_path: Path, rule: str) -> None:
    faults = ",".join(one for one in profile() if not one.startswith(rule))
    ran = run_pytest(suite_of(rule), "-n0", "-k", rule, EXPECT, f"--out={tmp_path}", REFDEVICE_FAULT=faults)
    assert ran.code == 1
    assert "improved: the device conforms, remove the expectation" in ran.out


@pytest.mark.parametrize("rule", recorded())
def test_a_behaviour_that_nobody_recorded_is_red(tmp_path: Path, rule: str) -> None:
    blocks = (ROOT / FILE).read_text().split("[[expect]]")
    shorter = tmp_path / "shorter.toml"
    shorter.write_text("[[expect]]".join(one for one in blocks if f'"{rule}"' not in one))
    ran = run_pytest(
        suite_of(rule), "-n0", "-k", rule, f"--expectations={shorter}", f"--out={tmp_path}", REFDEVICE_FAULT="@observed"
    )
    assert ran.code == 1
    assert f" {rule}: " in ran.out


def test_another_outcome_is_red(tmp_path: Path) -> None:
    ran = run_pytest("suites/strm", "-k", "STRM-004", EXPECT, f"--out={tmp_path}", REFDEVICE_FAULT="STRM-004:code")
    assert ran.code == 1
    assert "another outcome than the recorded one" in ran.out


def test_the_patch_makes_a_red_run_green(tmp_path: Path) -> None:
    """--update-expectations on a device that breaks two rules, from an empty file; the patched file waives them."""
    known = tmp_path / "known.toml"
    known.write_text("# nothing yet\n")
    faults = {"REFDEVICE_FAULT": "SYNC-001:skip,SYNC-004:code"}
    arguments = ("suites/sync", "-k", "SYNC-001 or SYNC-004", f"--expectations={known}", f"--out={tmp_path}/out")
    assert run_pytest(*arguments, "--update-expectations", **faults).code == 1
    patch = (tmp_path / "out" / "expectations.patch").read_text()
    subprocess.run(["patch", "--quiet", str(known)], input=patch, text=True, check=True)
    ran = run_pytest(*arguments, **faults)
    assert ran.code == 0, ran.text
    assert "12 xfailed" in ran.out


def test_undocumented_codes_can_be_taken_mildly(tmp_path: Path) -> None:
    arguments = ("suites/sync", "-k", "SYNC-004", f"--out={tmp_path}")
    assert run_pytest(*arguments, REFDEVICE_FAULT="SYNC-004:code").code == 1
    ran = run_pytest(*arguments, "--codes=documented", REFDEVICE_FAULT="SYNC-004:code")
    assert ran.code == 0
    assert "deviates  SYNC-004" in ran.out


def test_a_bad_file_ends_the_run_with_one_message(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("[[expect]]\nrule = 'SYNC-001'\n")
    ran = run_pytest("suites/sync", f"--expectations={tmp_path}/x.toml", f"--out={tmp_path}")
    assert ran.code == 2
    assert "missing outcome, issue, expires, reason" in ran.text
    assert "Traceback" not in ran.text
