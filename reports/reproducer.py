"""From a finding to ``out/repro/<case>.cpp``: which check shows it, and where the file goes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from cffi_build import RawCall, Toolkit, refdevice
from fixtures.plugin import toolkit_of
from fixtures.verdict import Proof, Verdict
from reports.cpp import About, Check, Kind, program
from reports.minimize import minimized
from reports.output import leave_word
from reports.script import Script, script_of


def leave_reproducer(
    config: pytest.Config,
    nodeid: str,
    finding: str,
    calls: Sequence[RawCall],
    *,
    verdict: Verdict,
    proof: Proof | None = None,
) -> str | None:
    """Write the program that shows a case's finding into the output folder; its text, or None where none can.

    ``--minimize`` shortens it on the tested toolkit first.
    """
    toolkit = toolkit_of(config) if config.getoption("minimize") else None
    text = reproducer(nodeid, finding, calls, verdict=verdict, proof=proof, shorten_on=toolkit)
    if text is not None:
        try:
            _write(Path(config.getoption("out")) / "repro", nodeid, text)
        except OSError as error:
            leave_word(error)
    return text


def reproducer(
    nodeid: str,
    finding: str,
    calls: Sequence[RawCall],
    *,
    verdict: Verdict,
    proof: Proof | None = None,
    shorten_on: Toolkit | None = None,
) -> str | None:
    """The program for a case's calls; ``shorten_on`` names the toolkit on which it is minimized first.

    None where the recorded calls do not hold what the finding is about (a C++ overload, the text of a message).
    """
    script, about = script_of(calls), About(title=nodeid, finding=finding)
    check = check_of(verdict, proof, script)
    if check is None:
        return None
    if shorten_on is not None:
        script = minimized(script, check, about, toolkit=shorten_on, headers=refdevice.SOURCES / "include")
    return program(script, check, about)


def check_of(verdict: Verdict, proof: Proof | None, script: Script) -> Check | None:
    """How a program recognises the finding: by its proof where there is one, else by everything being as recorded."""
    if verdict in {Verdict.CRASHED, Verdict.HUNG}:
        return Check(Kind.DIE if verdict is Verdict.CRASHED else Kind.HANG)
    if proof is None:
        return Check(Kind.SAME)
    # The proof's position was read after its call, so the last call of that function up to there is meant.
    made = [one for one in script.steps if one.function == proof.function and one.sequence <= proof.position]
    if not made:
        return None
    return Check(Kind.REFUSE if proof.refusal else Kind.ACCEPT, made[-1].number, proof.allowed)


def _write(folder: Path, nodeid: str, text: str) -> None:
    """Write a reproducer; the file is named after the case."""
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9_]+", "-", nodeid.removeprefix("suites/").replace(".py", "")).strip("-")
    (folder / f"{name}.cpp").write_text(text, encoding="utf-8")
