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


def read_run(folder: Path) -> Run:
    """Read every journal of ``folder``; raises ``JournalError`` for a truncated or foreign line."""
    paths = sorted(folder.glob("*.jsonl"))
    if not paths:
        raise JournalError(f"{folder}: no journal here (*.jsonl); was anything run with this --out folder?")
    found = _Collected()
    for path in paths:
        _read_one(path, found)
    return Run(tuple(found.cases), tuple(found.headers), tuple(found.devices), tuple(found.unfinished))


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise JournalError(f"{path}:{number}: not a journal line ({error.msg}); the file is cut off") from error
            if not isinstance(record, dict) or "type" not in record:
                raise JournalError(f"{path}:{number}: not a journal record")
            yield number, record


def _read_one(path: Path, found: _Collected) -> None:
    open_cases: dict[str, dict[str, Any]] = {}
    for number, record in _records(path):
        kind = record["type"]
        if number == 1 and kind != "header":
            raise JournalError(f"{path}:1: the first record must be a header, found {kind!r}: a foreign file?")
        if kind == "header":
            if record.get("schema") != SCHEMA:
                raise JournalError(f"{path}:{number}: journal schema {record.get('schema')}, this reads {SCHEMA}")
            found.headers.append(record)
        elif kind == "device":
            found.devices.append(record)
        elif kind == "started":
            open_cases[record["case"]] = record
        elif kind == "verdict":
            started = open_cases.pop(record["case"], None)
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
    )
