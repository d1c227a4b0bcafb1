"""From a finding to ``out/repro/<case>.cpp``: which check shows it, and where the file goes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from cffi_build import RawCall, Toolkit, refdevice
from fixtures.verdict import Proof, Verdict
from reports.cpp import About, Check, Kind, program
from reports.minimize import minimized
from reports.script import script_of


def reproducer(
    nodeid: str, finding: str, calls: Sequence[RawCall], check: Check, *, shorten_on: Toolkit | None = None
) -> str:
    """The program for a case's calls; ``shorten_on`` names the toolkit on which it is minimized first."""
    script, about = script_of(calls), About(title=nodeid, finding=finding)
    if shorten_on is not None:
        script = minimized(script, check, about, toolkit=shorten_on, headers=refdevice.SOURCES / "include")
    return program(script, check, about)


def check_of(verdict: Verdict, proof: Proof | None, calls: Sequence[RawCall]) -> Check | None:
    """How a program recognises the finding: by its proof where there is one, else by everything being as recorded.

    None where the recorded calls do not hold what the finding is about (a C++ overload, the text of a message).
    """
    if verdict in {Verdict.CRASHED, Verdict.HUNG}:
        return Check(Kind.DIE if verdict is Verdict.CRASHED else Kind.HANG)
    if proof is None:
        return Check(Kind.SAME)
    number = step_number(calls, proof.function, proof.position)
    if number is None:
        return None
    return Check(Kind.REFUSE if proof.refusal else Kind.ACCEPT, number, proof.allowed)


def step_number(calls: Sequence[RawCall], function: str, position: int) -> int | None:
    """The step of the last call of ``function`` up to a place in the ring."""
    wanted = [one for one in calls if one.function == function and one.sequence <= position]
    if not wanted:
        return None
    before = [one for one in calls if one.sequence <= wanted[-1].sequence]
    script = script_of(before)
    return script.steps[-1].number if script.steps else None


def write(folder: Path, nodeid: str, text: str) -> Path:
    """Write a reproducer; the file is named after the case."""
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9_]+", "-", nodeid.removeprefix("suites/").replace(".py", "")).strip("-")
    path = folder / f"{name}.cpp"
    path.write_text(text, encoding="utf-8")
    return path
