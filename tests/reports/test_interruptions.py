"""A full disk, Ctrl-C, a damaged journal: one clear message, an exit code, and everything that ran is still there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.harness import ROOT, Ran, module
from tests.harness import pytest as run_pytest

# A case that takes long enough to be interrupted: the device delays every call.
SLOW = {"REFDEVICE_JITTER": "20000"}


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A file system at ``folder`` that a run fills."""
    folder.mkdir(exist_ok=True)
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=False)
    if made.returncode != 0:
        pytest.skip("not run: this user may not mount a small file system")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def stopped_in_order(ran: Ran) -> None:
    assert ran.code == 2
    assert "No space left on device; the run stops here" in ran.text
    assert "conformance by area and rule" in ran.out
    assert "INTERNALERROR" not in ran.text
    assert "Traceback" not in ran.text


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_full_disk_stops_the_run_in_order(tmp_path: Path, workers: str) -> None:
    with small_disk(tmp_path, "2500k"):
        stopped_in_order(run_pytest("suites", workers, f"--out={tmp_path}/out"))


@pytest.mark.parametrize(
    ("workers", "fault"),
    [("-n0", "SYNC-001:skip"), ("-n2", "SYNC-001:skip"), ("-n2", "aclmdlRICaptureBegin:crash@3")],
)
def test_so_does_a_disk_that_a_reproducer_fills(tmp_path: Path, workers: str, fault: str) -> None:
    with small_disk(tmp_path / "repro", "4k"):
        ran = run_pytest("suites", "-k", "SYNC-001", workers, f"--out={tmp_path}", REFDEVICE_FAULT=fault)
        stopped_in_order(ran)


@pytest.mark.parametrize("name", ["junit.xml", "record.json"])
def test_a_disk_that_fills_at_the_very_end_is_told_the_same_way(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to("/dev/full")
    ran = run_pytest("suites", "-k", "SYNC-001", "-n0", f"--out={tmp_path}")
    assert f"cannot write into {tmp_path}" in ran.text
    stopped_in_order(ran)


def test_ctrl_c_ends_with_a_summary_of_what_ran(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "suites", "-n1", f"--out={tmp_path}"]
    keep = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    child = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**keep, **SLOW},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell lets what it starts in the background ignore Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    journal = tmp_path / "journal" / "gw0.jsonl"
    while not journal.exists() or journal.read_text().count('"type":"verdict"') < 5:
        assert child.poll() is None, "the run ended before it could be interrupted"
    os.killpg(child.pid, signal.SIGINT)
    text, _ = child.communicate(timeout=60)
    assert child.returncode == 2
    assert "conformance by area and rule" in text
    record = json.loads((tmp_path / "record.json").read_text())
    assert len(record["cases"]) >= 5


def test_a_damaged_journal_is_named_and_its_readable_part_can_be_used(tmp_path: Path) -> None:
    run_pytest("suites", "-k", "SYNC-001", f"--out={tmp_path}")
    journal = next(iter((tmp_path / "journal").glob("gw*.jsonl")))
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:8]) + lines[8][:20])
    ran = module("reports", f"--out={tmp_path}")
    assert ran.code == 2
    assert f"{journal}:9: not a journal line" in ran.err
    assert "--salvage uses what can be read" in ran.err
    assert "Traceback" not in ran.text
    salvaged = module("reports", f"--out={tmp_path}", "--salvage")
    assert "SYNC" in salvaged.out
    assert "3 cases" in salvaged.out


def test_a_finished_run_can_be_reported_again(tmp_path: Path) -> None:
    run_pytest("suites", "-k", "SYNC-001", f"--out={tmp_path}")
    before = (tmp_path / "record.json").read_text()
    (tmp_path / "record.json").unlink()
    ran = module("reports", f"--out={tmp_path}")
    assert ran.code == 0
    assert (tmp_path / "record.json").read_text() == before


def test_every_journal_line_fits_the_schema(tmp_path: Path) -> None:
    import jsonschema

    schema = json.loads((ROOT / "reports" / "schema.json").read_text())
    switches = {"REFDEVICE_FAULT": "SYNC-001:skip,aclrtStreamQuery:hang@2", "MODELRI_NATIVE_STACKS": "off"}
    run_pytest("suites", "-k", "SYNC-001 or SYNC-004", "--call-timeout=0.5", f"--out={tmp_path}", **switches)
    validator = jsonschema.Draft202012Validator(schema)
    lines = [one for path in (tmp_path / "journal").glob("*.jsonl") for one in path.read_text().splitlines()]
    kinds = set()
    for line in lines:
        record = json.loads(line)
        kinds.add(record["type"])
        assert [error.message for error in validator.iter_errors(record)] == []
    assert {"header", "device", "started", "hung", "verdict", "footer"} <= kinds
