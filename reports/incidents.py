"""A worker that died: what it was doing, from its journal and its call ring.

Three ends look alike from outside and are told apart here: the case crashed or hung (started, no verdict), the worker
asked to be replaced before it began the case (``recycle``), or it died between two cases.
"""

from __future__ import annotations

import contextlib
import signal
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from catalogue import Catalogue
from cffi_build import RawCall, RingFile, read_ring
from cffi_build.errors import BadRingFile
from fixtures.case import rule_lines
from fixtures.trace import render
from fixtures.verdict import Verdict
from reports.read import records_of


class Ending(Enum):
    """How far the case had come when its worker died."""

    RUNNING = "running"
    NOT_STARTED = "not started"
    FINISHED = "finished"


@dataclass(frozen=True)
class Incident:
    """A dead worker and the case that it is charged with. ``call`` is the one in progress, else the last."""

    case: str
    ending: Ending
    verdict: Verdict = Verdict.CRASHED
    reason: str = ""
    rules: tuple[str, ...] = ()
    params: dict[str, str] = field(default_factory=dict)
    call: RawCall | None = None
    calls: tuple[RawCall, ...] = ()
    trace: tuple[str, ...] = ()
    stacks: str = ""
    soc: str = "unknown"

    def message(self, catalogue: Catalogue) -> str:
        """The finding as text: verdict first, then rules, what happened, the calls."""
        lines = [f"{self.verdict.value} {', '.join(self.rules)}: {self.reason}"]
        lines.extend(rule_lines(catalogue[one] for one in self.rules))
        lines.append("  expected  the call returns, and so does the case")
        lines.append(f"  actual    {self.reason}")
        lines.append("  calls")
        lines.extend("    " + line for line in self.trace)
        return "\n".join(lines)


def examine(journal: Path, case: str, *, status: int | None) -> Incident:
    """Read what the worker of ``journal`` left behind. ``status`` is its exit status, negative for a signal."""
    started: dict[str, Any] | None = None
    hung: dict[str, Any] | None = None
    finished, soc = False, "unknown"
    for record in records_of(journal, salvage=True) if journal.is_file() else ():
        if record["type"] == "device":
            soc = record["soc"]
        if record.get("case") != case:
            continue
        if record["type"] == "started":
            started, hung, finished = record, None, False
        elif record["type"] == "hung":
            hung = record
        elif record["type"] == "verdict":
            finished = True
    if started is None:
        return Incident(case, Ending.NOT_STARTED)
    if finished:
        return Incident(case, Ending.FINISHED)
    ring = _ring(journal.with_suffix(".ring"))
    calls = [one for one in ring.calls if one.sequence > started.get("mark", 0)]
    call = next((one for one in reversed(calls) if not one.is_note and not one.returned), None)
    call = call or next((one for one in reversed(calls) if not one.is_note), None)
    where = f"in {call.function}" if call is not None and not call.returned else "outside a call"
    if call is not None and call.returned:
        where += f", after {call.function}"
    if hung is not None:
        verdict, reason = Verdict.HUNG, f"a call did not return within {hung['budget']:g} s: {where}"
    else:
        verdict, reason = Verdict.CRASHED, f"the process died ({_status_word(status)}) {where}"
    return Incident(
        case=case,
        ending=Ending.RUNNING,
        verdict=verdict,
        reason=reason,
        rules=tuple(started["rules"]),
        params=dict(started["params"]),
        soc=soc,
        call=call,
        calls=tuple(calls),
        trace=tuple(render(calls, library=ring)),
        stacks=hung["stacks"] if hung else _fault_text(journal.with_suffix(".fault")),
    )


def forget(journal: Path) -> None:
    """Remove the ring of a worker whose incident is in the journal: it has served."""
    for suffix in (".ring", ".ring.json", ".fault"):
        journal.with_suffix(suffix).unlink(missing_ok=True)


def _ring(path: Path) -> RingFile:
    with contextlib.suppress(BadRingFile):
        return read_ring(path)
    return RingFile((), {})


def _fault_text(path: Path) -> str:
    return path.read_text(errors="replace") if path.is_file() else ""


def _status_word(status: int | None) -> str:
    if status is None:
        return "exit status unknown"
    if status >= 0:
        return f"exit code {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
