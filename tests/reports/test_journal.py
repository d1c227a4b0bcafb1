"""Reading journals back: what a run was, what did not finish, and each way of being invalid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.verdict import Verdict
from reports.journal import SCHEMA, Journal, OutputError
from reports.read import CaseResult, JournalError, read_run
from reports.summary import rule_verdicts

HEADER = {"type": "header", "schema": SCHEMA, "worker": "gw0"}
STARTED = {"type": "started", "case": "a", "rules": ["SYNC-001"], "params": {"mode": "global"}}
VERDICT = {"type": "verdict", "case": "a", "verdict": "conforms", "red": False, "seconds": 0.5}


def written(folder: Path, *records: object) -> Path:
    lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
    (folder / "gw0.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def test_a_case_is_read_back(tmp_path: Path) -> None:
    run = read_run(written(tmp_path, HEADER, STARTED, VERDICT))
    assert run.cases == (CaseResult("a", ("SYNC-001",), {"mode": "global"}, "conforms", False, seconds=0.5),)
    assert run.unfinished == ()


def test_a_case_without_verdict_is_unfinished(tmp_path: Path) -> None:
    assert read_run(written(tmp_path, HEADER, STARTED)).unfinished == ("a",)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ((HEADER, STARTED, '{"type": "verd'), r"gw0.jsonl:3: not a journal line"),
        ((HEADER, "[1, 2]"), r"gw0.jsonl:2: not a journal record"),
        ((STARTED,), r"gw0.jsonl:1: the first record must be a header"),
        (({**HEADER, "schema": 99},), r"gw0.jsonl:1: journal schema 99"),
        ((HEADER, VERDICT), r"gw0.jsonl:2: a verdict for a, which did not start"),
    ],
)
def test_a_bad_journal_names_file_and_line(tmp_path: Path, records: tuple[object, ...], message: str) -> None:
    with pytest.raises(JournalError, match=message):
        read_run(written(tmp_path, *records))


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no journal here"):
        read_run(tmp_path)


def test_what_is_written_is_on_disk_at_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "gw1.jsonl", "gw1")
    journal.started("b", rules=["SYNC-002"], params={})
    on_disk = json.loads(journal.path.read_text())
    journal.close(status=0)
    assert on_disk["case"] == "b"


def test_an_unwritable_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match="choose a folder with --out"):
        Journal(tmp_path / "file" / "gw0.jsonl", "gw0")


def test_the_worst_case_gives_the_verdict_of_a_rule() -> None:
    words = ("conforms", "deviates", "not-run", "conforms")
    cases = [CaseResult(str(number), ("SYNC-001",), {}, word, False) for number, word in enumerate(words)]
    assert rule_verdicts(cases) == {"SYNC-001": Verdict.DEVIATES}
