"""A worker that dies or hangs: the right case is charged with the right call, once, and nothing else is lost."""

from __future__ import annotations

import json
import signal
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from fixtures.markers import the_catalogue
from fixtures.verdict import Verdict
from reports.incidents import Ending, examine
from reports.journal import SCHEMA
from reports.workers import REQUEUE_LIMIT, WorkerDeaths
from tests.harness import Ran
from tests.harness import pytest as run_pytest

CALL = "aclrtStreamWaitEvent"
WAYS = {
    "crash": ("crashed", "the process died (SIGSEGV) in"),
    "abort": ("crashed", "the process died (SIGABRT) in"),
    "exit": ("crashed", "the process died (exit code 3) in"),
    "kill": ("crashed", "the process died (SIGKILL) in"),
    "hang": ("hung", "a call did not return within 1 s: in"),
}


@pytest.mark.parametrize("way", WAYS)
def test_twelve_cases_of_which_some_go_wrong(way: str, tmp_path: Path) -> None:
    """The fifth wait for an event of each worker goes wrong; one run, held against all that must be true of it."""
    quiet = {"REFDEVICE_FAULT": f"{CALL}:{way}@5", "MODELRI_NATIVE_STACKS": "off"}
    ran = run_pytest("suites", "-k", "SYNC-015", "--call-timeout=1", f"--out={tmp_path}", **quiet)
    the_session_goes_on_and_loses_nothing(ran, tmp_path)
    the_finding_names_case_call_and_way(way, ran, tmp_path)
    junit_and_allure_have_one_result_a_case(way, tmp_path)


def charged(out: Path) -> list[dict[str, object]]:
    record = json.loads((out / "record.json").read_text())
    return [one for one in record["cases"] if one["verdict"] in {"crashed", "hung"}]


def the_session_goes_on_and_loses_nothing(ran: Ran, out: Path) -> None:
    record = json.loads((out / "record.json").read_text())
    assert ran.code == 1
    assert len({one["case"] for one in record["cases"]}) == len(record["cases"]) == 12
    assert record["unfinished"] == []
    assert 1 <= len(charged(out)) < 12


def the_finding_names_case_call_and_way(way: str, ran: Ran, out: Path) -> None:
    verdict, reason = WAYS[way]
    for one in charged(out):
        assert one["verdict"] == verdict
        assert one["reason"] == f"{reason} {CALL}"
        assert one["rules"] == ["SYNC-015"]
        assert f"{CALL}(stream1, event1) -> has not returned" in str(one["message"])
        assert "aclrtRecordEvent(event1, stream2) -> ACL_SUCCESS (0)" in str(one["message"])
    assert f"{verdict} SYNC-015: {reason} {CALL}" in ran.out


def junit_and_allure_have_one_result_a_case(way: str, out: Path) -> None:
    junit = Counter(one.get("name") for one in ET.parse(out / "junit.xml").getroot().iter("testcase"))
    results = [json.loads(one.read_text()) for one in (out / "allure-results").glob("*-result.json")]
    assert set(junit.values()) == {1}
    assert len(junit) == len(results) == len({one["historyId"] for one in results}) == 12
    dead = [one for one in results if one["status"] == "broken"]
    assert len(dead) == len(charged(out))
    for one in dead:
        labels = {label["name"]: label["value"] for label in one["labels"]}
        assert labels["verdict"] == WAYS[way][0]
        assert (labels["feature"], labels["soc"]) == ("SYNC", "Ascend910B2")
        assert {"finding", "calls", "repro.cpp"} <= {attachment["name"] for attachment in one["attachments"]}


def test_a_hang_comes_with_stacks(tmp_path: Path) -> None:
    fault = f"{CALL}:hang@1"
    select = "XSTR-024 and outside and global"
    run_pytest("suites", "-k", select, "--call-timeout=0.5", f"--out={tmp_path}", REFDEVICE_FAULT=fault)
    lines = [json.loads(one) for one in (tmp_path / "journal" / "controller.jsonl").read_text().splitlines()]
    stacks = next(one["stacks"] for one in lines if one["type"] == "verdict")
    assert "Python stacks" in stacks
    assert "test_external_event_joins_no_stream" in stacks


HEADER = {"type": "header", "schema": SCHEMA, "worker": "gw0"}
STARTED = {"type": "started", "case": "x", "rules": ["SYNC-001"], "params": {}, "mark": 0}


def journal(folder: Path, *records: object) -> Path:
    path = folder / "gw0.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def test_a_death_between_two_cases_charges_neither(tmp_path: Path) -> None:
    ended = {"type": "verdict", "case": "x", "verdict": "conforms", "red": False}
    path = journal(tmp_path, HEADER, STARTED, ended)
    assert examine(path, "x", status=-9).ending is Ending.FINISHED
    assert examine(path, "y", status=-9).ending is Ending.NOT_STARTED


def test_a_cut_off_last_line_does_not_hide_the_case(tmp_path: Path) -> None:
    path = journal(tmp_path, HEADER, STARTED)
    path.write_text(path.read_text() + '{"type":"verd')
    found = examine(path, "x", status=-int(signal.SIGKILL))
    assert (found.ending, found.verdict) == (Ending.RUNNING, Verdict.CRASHED)
    assert "SIGKILL" in found.message(the_catalogue())


def test_a_worker_that_left_nothing_started_nothing(tmp_path: Path) -> None:
    assert examine(tmp_path / "none.jsonl", "x", status=1).ending is Ending.NOT_STARTED


def test_a_case_that_never_started_goes_back_into_the_queue_but_not_for_ever(tmp_path: Path) -> None:
    path = journal(tmp_path, HEADER)
    queue: list[str] = []
    speaker = SimpleNamespace(path=path.with_name("controller.jsonl"))
    deaths = WorkerDeaths(SimpleNamespace(), speaker)  # type: ignore[arg-type]
    worker = SimpleNamespace(gateway=SimpleNamespace(id="gw0"))
    sched = SimpleNamespace(mark_test_pending=queue.append)
    for _ in range(REQUEUE_LIMIT):
        report = SimpleNamespace(node=worker, outcome="failed")
        deaths.pytest_handlecrashitem("x", report, sched)  # type: ignore[arg-type]
        assert report.outcome == "rerun"
    assert queue == ["x"] * REQUEUE_LIMIT
    charges: list[str] = []
    deaths._charge = lambda incident, report, path: charges.append(incident.reason)  # type: ignore[method-assign]
    deaths.pytest_handlecrashitem("x", SimpleNamespace(node=worker), sched)  # type: ignore[arg-type]
    assert charges == [f"its worker died {REQUEUE_LIMIT + 1} times before the case began"]


def test_a_dirty_device_is_reset(tmp_path: Path) -> None:
    """A capture that cannot be ended stays open in its context; the cases after it must not meet it."""
    faults = "aclmdlRICaptureEnd:fail@3,SYNC-001:skip"
    ran = run_pytest("suites", "-n1", "-k", "SYNC-001 or MEM-001", f"--out={tmp_path}", REFDEVICE_FAULT=faults)
    record = json.loads((tmp_path / "record.json").read_text())
    others = [one for one in record["cases"] if one["rules"] != ["SYNC-001"]]
    assert ran.code == 1
    assert [one["verdict"] for one in others] == ["conforms"] * len(others)
    assert len(list((tmp_path / "journal").glob("gw*.jsonl"))) == 1


def test_a_worker_whose_device_cannot_be_reset_is_replaced(tmp_path: Path) -> None:
    faults = "aclmdlRICaptureEnd:fail@3,aclrtSetDevice:fail@2,SYNC-001:skip"
    run_pytest("suites", "-n1", "-k", "SYNC-001", f"--out={tmp_path}", REFDEVICE_FAULT=faults)
    record = json.loads((tmp_path / "record.json").read_text())
    journals = sorted((tmp_path / "journal").glob("gw*.jsonl"))
    assert len(journals) > 1
    assert '"type":"recycle"' in journals[0].read_text()
    assert Counter(one["verdict"] for one in record["cases"]) == {"violates": 6}
    assert record["unfinished"] == []
