"""``make soak``: the suites over a reference device that goes wrong at random points: 300 incidents or ten minutes.

After each round everything that the run left behind is held against the device's own log of what it did: no result may
be lost or doubled, and each incident must be charged to the case and the call that it struck.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from reports.read import records_of
from tests.harness import pytest as run_pytest

# Strikes that end the process; a corrupt handle shows in the case's own verdict instead.
FATAL = {"crash": "crashed", "abort": "crashed", "exit": "crashed", "kill": "crashed", "hang": "hung"}


@dataclass
class Tally:
    """What was found over all rounds."""

    incidents: Counter[str] = field(default_factory=Counter)
    cases: int = 0
    problems: list[str] = field(default_factory=list)


def all_cases() -> list[str]:
    """The node ids of every conformance case."""
    listed = run_pytest("suites", "-n0", "--collect-only", "-q")
    found = [line for line in listed.out.splitlines() if "::" in line]
    if not found:
        raise SystemExit(f"error: no cases collected:\n{listed.text}")
    return found


def check_round(out: Path, strikes: list[list[str]], wanted: list[str], tally: Tally) -> None:
    """Hold one round's journal, record, JUnit and Allure results against the log of strikes."""
    record = json.loads((out / "record.json").read_text())
    results = Counter(one["case"] for one in record["cases"])
    junit = Counter(
        f"{one.get('classname', '').replace('.', '/')}.py::{one.get('name')}"
        for one in ET.parse(out / "junit.xml").getroot().iter("testcase")
    )
    shown = [json.loads(path.read_text()) for path in (out / "allure-results").glob("*-result.json")]
    allure = Counter(f"{one['fullName'].split('#')[0].replace('.', '/')}.py::{one['name']}" for one in shown)
    for name, counts in (("record", results), ("JUnit", junit), ("Allure", allure)):
        tally.problems += [f"{name}: lost {case}" for case in wanted if counts[case] == 0]
        tally.problems += [f"{name}: {count} results for {case}" for case, count in counts.items() if count > 1]
    tally.problems += [f"unfinished: {case}" for case in record["unfinished"]]
    check_attribution(out, strikes, tally)


def check_attribution(out: Path, strikes: list[list[str]], tally: Tally) -> None:
    """Every fatal strike has one verdict, of the worker it killed, naming the call that it struck."""
    workers = {}
    for path in (out / "journal").glob("gw*.jsonl"):
        header = next(records_of(path, salvage=True), None)
        if header is not None:
            workers[str(header["pid"])] = path.stem
    charged: dict[str, list[tuple[str, str]]] = {}
    for one in records_of(out / "journal" / "controller.jsonl"):
        if one["type"] == "verdict":
            charged.setdefault(one["worker"], []).append((one["verdict"], one["last_call"]))
    for pid, function, kind in strikes:
        if pid not in workers:
            continue  # the probe before the run, which has no cases
        tally.incidents[kind] += 1
        if kind in FATAL and charged.get(workers[pid]) != [(FATAL[kind], function)]:
            tally.problems.append(f"{workers[pid]}: {kind} in {function} charged as {charged.get(workers[pid])}")


def main() -> int:
    """Run rounds until the goal is met; exit code 0 when nothing was lost, doubled or wrongly charged."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--incidents", type=int, default=300)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--per-million", type=int, default=4000, help="strikes in a million calls")
    chosen = parser.parse_args()
    end, tally, seed = time.monotonic() + chosen.seconds, Tally(), 0
    wanted = all_cases()
    while tally.incidents.total() < chosen.incidents and time.monotonic() < end:
        seed += 1
        with TemporaryDirectory() as folder:
            log, out = Path(folder) / "strikes", Path(folder) / "out"
            log.touch()
            ran = run_pytest(
                "suites",
                "-n2",
                "--call-timeout=1",
                "--sync-budget=500",
                f"--out={out}",
                REFDEVICE_CHAOS=f"{chosen.per_million}:{seed}:{log}",
                MODELRI_NATIVE_STACKS="off",
            )
            if ran.code not in {0, 1}:
                tally.problems.append(f"round {seed} ended with exit code {ran.code}:\n{ran.text[-2000:]}")
            else:
                check_round(out, [line.split() for line in log.read_text().splitlines()], wanted, tally)
            tally.cases += len(wanted)
        print(f"round {seed}: {tally.incidents.total()} incidents so far {dict(tally.incidents)}", flush=True)
    print(f"{tally.cases} cases, {tally.incidents.total()} incidents, {len(tally.problems)} problems")
    for one in tally.problems[:50]:
        print(f"  {one}")
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
