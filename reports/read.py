"""Reading journals back: from JSONL files to the cases of a run, with one error for each way of being invalid."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reports.journal import SCHEMA


class JournalError(Exception):
    """A journal that cannot be used; names file and line."""


@dataclass(frozen=True)
class CaseResult:
    """One case as the journal has it. ``verdict`` is a word of the closed list; ``message`` is the whole finding."""

    case: str
    rules: tuple[str, ...]
    params: dict[str, str]
    verdict: str
    red: bool
    reason: str = ""
    message: str = ""
    observations: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    calls: int = 0
    code: int | None = None
    expectation: str = ""


@dataclass(frozen=True)
class Run:
    """All cases of a run, and who ran them. ``unfinished`` names cases that started and have no verdict."""

    cases: tuple[CaseResult, ...]
    headers: tuple[dict[str, Any], ...] = ()
    devices: tuple[dict[str, Any], ...] = ()
    unfinished: tuple[str, ...] = ()


@dataclass
class _Collected:
    cases: list[CaseResult] = field(default_factory=list)
    headers: list[dict[str, Any]] = field(default_factory=list)
    devices: list[dict[str, Any]] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)


def read_run(folder: Path, *, salvage: bool = False) -> Run:
    """Read every journal of ``folder``; raises ``JournalError`` for a truncated or foreign line.

    ``salvage`` uses the readable part of each file instead.
    """
    paths = sorted(folder.glob("*.jsonl"))
    if not paths:
        raise JournalError(f"{folder}: no journal here (*.jsonl); was anything run with this --out folder?")
    found = _Collected()
    for path in paths:
        _read_one(path, found, salvage=salvage)
    settled = {one.case for one in found.cases}
    unfinished = tuple(case for case in dict.fromkeys(found.unfinished) if case not in settled)
    return Run(tuple(found.cases), tuple(found.headers), tuple(found.devices), unfinished)


def records_of(path: Path, *, salvage: bool = False) -> Iterator[dict[str, Any]]:
    """The records of one journal file; ``salvage`` stops at the first line that cannot be read."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            problem = ""
            try:
                record = json.loads(line)
                if not isinstance(record, dict) or "type" not in record:
                    problem = "not a journal record"
                elif number == 1 and record["type"] != "header":
                    problem = f"the first record must be a header, found {record['type']!r}: a foreign file?"
                elif number == 1 and record.get("schema") != SCHEMA:
                    problem = f"journal schema {record.get('schema')}, this reads {SCHEMA}"
            except json.JSONDecodeError as error:
                problem = f"not a journal line ({error.msg}); the file is cut off"
            if problem and salvage:
                return
            if problem:
                raise JournalError(f"{path}:{number}: {problem}")
            yield record


def _read_one(path: Path, found: _Collected, *, salvage: bool) -> None:
    open_cases: dict[str, dict[str, Any]] = {}
    for number, record in enumerate(records_of(path, salvage=salvage), start=1):
        kind = record["type"]
        if kind == "header":
            found.headers.append(record)
        elif kind == "device":
            found.devices.append(record)
        elif kind == "started":
            open_cases[record["case"]] = record
        elif kind == "verdict":
            started = open_cases.pop(record["case"], None) or (record if "rules" in record else None)
            if started is None:
                raise JournalError(f"{path}:{number}: a verdict for {record['case']}, which did not start")
            found.cases.append(_case(started, record))
    found.unfinished.extend(open_cases)


def _case(started: dict[str, Any], record: dict[str, Any]) -> CaseResult:
    return CaseResult(
        case=record["case"],
        rules=tuple(started["rules"]),
        params=dict(started["params"]),
        verdict=record["verdict"],
        red=record["red"],
        reason=record.get("reason", ""),
        message=record.get("message", ""),
        observations=tuple((label, value) for label, value in record.get("observations", ())),
        seconds=record.get("seconds", 0.0),
        calls=record.get("calls", 0),
        code=record.get("code"),
        expectation=record.get("expectation", ""),
    )
