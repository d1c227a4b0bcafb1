"""The terminal summary and the machine-readable record: verdicts by area and rule."""

from __future__ import annotations

import json
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from catalogue import Catalogue, by_area
from fixtures.verdict import Verdict
from reports.read import CaseResult, Run

# Where nothing is red, these say why a case did not apply: one line a reason, not one a rule.
_WITHOUT_FINDING = {Verdict.UNSUPPORTED, Verdict.NOT_RUN}
_WIDTH = 116


def rule_verdicts(cases: Iterable[CaseResult]) -> dict[str, Verdict]:
    """The verdict of each rule: the worst one of the cases that cite it."""
    worst: dict[str, Verdict] = {}
    for case in cases:
        verdict = Verdict(case.verdict)
        for rule in case.rules:
            if rule not in worst or verdict.severity > worst[rule].severity:
                worst[rule] = verdict
    return worst


def summary_lines(run: Run, catalogue: Catalogue) -> list[str]:
    """The summary as text: one line an area, then every rule that does not conform."""
    verdicts = rule_verdicts(run.cases)
    areas: dict[str, Counter[Verdict]] = defaultdict(Counter)
    for rule, verdict in verdicts.items():
        areas[catalogue[rule].area][verdict] += 1
    cases = Counter(catalogue[rule].area for case in run.cases for rule in case.rules[:1])
    shown = [one for one in Verdict if any(counts[one] for counts in areas.values())]
    lines = [f"{'area':6} {'cases':>6} {'rules':>6}  " + "  ".join(f"{one.value:>11}" for one in shown)]
    for area, counts in sorted(areas.items()):
        row = "  ".join(f"{counts[one] or '.':>11}" for one in shown)
        lines.append(f"{area:6} {cases[area]:>6} {counts.total():>6}  {row}")
    lines.extend(_findings(run, catalogue, verdicts))
    observed = sum(1 for case in run.cases if case.observations)
    lines.append(f"{len(run.cases)} cases, {len(verdicts)} rules, {observed} cases with observations (see the record)")
    return lines


def _findings(run: Run, catalogue: Catalogue, verdicts: dict[str, Verdict]) -> list[str]:
    lines = []
    skipped: dict[tuple[Verdict, str], Counter[str]] = defaultdict(Counter)
    for rule, verdict in sorted(verdicts.items()):
        if verdict is Verdict.CONFORMS:
            continue
        cases = [case for case in run.cases if rule in case.rules and case.verdict == verdict.value]
        if verdict in _WITHOUT_FINDING and not any(case.red for case in cases):
            for case in cases:
                skipped[verdict, case.reason][rule] += 1
            continue
        lines.append(f"{verdict.value:>11}  {rule}  {catalogue[rule].statement}")
        reasons = Counter(case.reason for case in cases)
        lines.extend(f"{'':13}{count} x {reason}" for reason, count in reasons.most_common(3))
    for (verdict, reason), rules in skipped.items():
        lines.append(f"{verdict.value:>11}  {rules.total()} x {reason}")
        lines.extend(textwrap.wrap(by_area(rules), width=_WIDTH, initial_indent=" " * 13, subsequent_indent=" " * 13))
    improved = Counter(case.reason for case in run.cases if case.red and case.verdict == Verdict.CONFORMS.value)
    lines.extend(f"{'red':>11}  {count} x {reason}" for reason, count in improved.items())
    lines.extend(f"  unfinished  {one}" for one in run.unfinished)
    return lines


def write_record(run: Run, path: Path) -> None:
    """Write the whole run as one JSON file: devices, rules with verdicts, cases with observations."""
    record = {
        "headers": run.headers,
        "devices": run.devices,
        "rules": {rule: verdict.value for rule, verdict in sorted(rule_verdicts(run.cases).items())},
        "cases": [asdict(case) for case in run.cases],
        "unfinished": run.unfinished,
    }
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
