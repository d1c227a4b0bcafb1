"""``--minimize``: shorten a script to the fewest steps that still show the violation.

One program is compiled; candidates leave out steps through ``REPRO_SKIP``, so that a trial costs a short run or two. A
candidate counts only if the tested device shows the violation and the reference device, as the contract has it, does
not: otherwise anything that is accepted without a capture would pass for a minimal violation. What makes a handle
goes only together with every step that uses it, and never where the finding itself needs it.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cffi_build import Toolkit, refdevice
from cffi_build.compilers import cxx_compiler
from reports.cpp import About, Check, Kind, program
from reports.script import Script, Step

TRIAL_SECONDS = 2
BUDGET_SECONDS = 60


@dataclass(frozen=True)
class Compiled:
    """A reproducer ready to run, on the tested toolkit and on the sound reference device (``oracle``)."""

    path: Path
    toolkit: Toolkit
    oracle: Path

    def tells_apart(self, skip: frozenset[int] = frozenset()) -> bool:
        """Whether, without ``skip``, the violation is there on the toolkit and not on the reference device."""
        return self.run(self.toolkit.libraries[0].parent, skip) == 1 and self.run(self.oracle, skip, sound=True) == 0

    def run(self, libraries: Path, skip: frozenset[int] = frozenset(), *, sound: bool = False) -> int:
        """The program's exit code with the libraries of one folder; ``sound`` switches off the faults."""
        faults = {"REFDEVICE_FAULT", "REFDEVICE_CHAOS"} if sound else set()
        environment = {name: value for name, value in os.environ.items() if name not in faults}
        environment["REPRO_SKIP"] = ",".join(map(str, sorted(skip)))
        environment["LD_LIBRARY_PATH"] = ":".join(filter(None, (str(libraries), os.environ.get("LD_LIBRARY_PATH"))))
        done = subprocess.run([str(self.path)], env=environment, capture_output=True, check=False, cwd=self.path.parent)
        return done.returncode


def compile_program(text: str, folder: Path, toolkit: Toolkit, headers: Path) -> Compiled | None:
    """Compile a reproducer; None where there is no C++ compiler or the headers do not take it.

    ``headers`` is a second include folder, for operator headers that the toolkit lacks.
    """
    compiler = cxx_compiler()
    if compiler is None:
        return None
    source, binary = folder / "repro.cpp", folder / "repro"
    source.write_text(text, encoding="utf-8")
    command = [compiler, "-std=c++17", "-w", "-pthread", str(source), f"-I{toolkit.include}", f"-I{headers}"]
    command += [*map(str, toolkit.libraries), "-o", str(binary)]
    done = subprocess.run(command, capture_output=True, check=False)
    return Compiled(binary, toolkit, refdevice.ensure_built() / "lib64") if done.returncode == 0 else None


def minimized(script: Script, check: Check, about: About, *, toolkit: Toolkit, headers: Path) -> Script:
    """The shortest script found; the script itself where it cannot be compiled or does not show the violation."""
    with tempfile.TemporaryDirectory() as folder:
        text = program(script, check, about, limit=TRIAL_SECONDS)
        compiled = compile_program(text, Path(folder), toolkit, headers)
        if compiled is None or not compiled.tells_apart():
            return script
        return script.without(_shortest(script, check, compiled))


def _shortest(script: Script, check: Check, compiled: Compiled) -> frozenset[int]:
    needed = _needed(script, check)
    removed: frozenset[int] = frozenset()
    size, end = max(len(script.steps) // 2, 1), time.monotonic() + BUDGET_SECONDS
    while True:
        for chunk in _chunks(script, size):
            trial = _closed(script, removed | chunk)
            if trial == removed or trial & needed:
                continue
            if time.monotonic() > end:
                return removed
            if compiled.tells_apart(trial):
                removed = trial
        if size == 1:
            return removed
        size //= 2


def _chunks(script: Script, size: int) -> Iterator[frozenset[int]]:
    """Runs of ``size`` steps, the last first: what comes late depends on less."""
    numbers = [one.number for one in script.steps]
    for end in range(len(numbers), 0, -size):
        yield frozenset(numbers[max(end - size, 0) : end])


def _closed(script: Script, numbers: frozenset[int]) -> frozenset[int]:
    """The steps together with every later step that uses what they make."""
    gone: set[str] = set()
    found = set(numbers)
    for step in script.steps:
        if step.number in numbers or step.uses & gone:
            found.add(step.number)
            gone |= step.makes
    return frozenset(found)


def _needed(script: Script, check: Check) -> frozenset[int]:
    """The steps that the finding is about, with everything that makes what they use."""
    anchors = _anchors(script, check)
    wanted: set[str] = set()
    found = set()
    for step in reversed(script.steps):
        if step.number in anchors or step.makes & wanted:
            found.add(step.number)
            wanted |= step.uses
    return frozenset(found)


def _anchors(script: Script, check: Check) -> set[int]:
    if check.number:
        return {check.number}
    calls = [one for one in script.steps if one.function]
    looks = [one for one in script.steps if one.action == "seen"]
    last: list[Step] = [*calls[-1:], *(looks[-1:] if check.kind is Kind.SAME else [])]
    return {one.number for one in last}
