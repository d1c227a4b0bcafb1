"""``pytest --update-expectations``: the change to an expectations file that this run asks for, as a patch.

Adds an entry for every red outcome that has none, removes entries that the run proves wrong. Nobody's file is changed:
a person reads the patch and applies it.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

from catalogue import name_of
from fixtures.expectations import Expectation
from fixtures.verdict import Verdict
from reports.read import CaseResult, Run

HALF_A_YEAR = timedelta(days=182)
_BLOCK = re.compile(r"(?m)^(?=\[\[expect\]\])")
_NEEDED = {Verdict.VIOLATES.value, Verdict.DEVIATES.value, Verdict.CRASHED.value, Verdict.HUNG.value}


def stale(run: Run, expectations: Iterable[Expectation]) -> list[Expectation]:
    """Expectations whose rule has run, but which no case has used: they record what no longer happens."""
    ran = {rule for case in run.cases for rule in case.rules}
    used = {case.expectation for case in run.cases}
    return [one for one in expectations if one.rule in ran and one.key not in used]


def patch(run: Run, path: Path, expectations: Iterable[Expectation], *, version: str, today: date) -> str:
    """A unified diff against ``path`` (which need not exist); empty when nothing has to change."""
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    gone = {one.key for one in stale(run, expectations)}
    gone |= {case.expectation for case in run.cases if case.red and case.expectation}
    head, *blocks = _BLOCK.split(old)
    kept = [block for block in blocks if not _describes(block, gone)]
    entries = "".join(_entry(group, run, version=version, today=today) for group in _groups(run))
    new = head + "".join(kept).rstrip("\n") + ("\n\n" if kept or head else "") + entries
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), (new.rstrip("\n") + "\n").splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return "".join(lines)


def _describes(block: str, keys: set[str]) -> bool:
    """Whether a block of the file is the expectation with one of ``keys``."""
    fields = dict(re.findall(r'(?m)^(rule|outcome|code) = "([^"]*)"', block))
    cases = re.search(r"(?ms)^cases = \[(.*?)\]", block)
    words = "|".join(re.findall(r'"([^"]*)"', cases[1])) if cases else ""
    key = " ".join(filter(None, (fields.get("rule"), fields.get("outcome"), fields.get("code"), words)))
    return key in keys


def _groups(run: Run) -> list[list[CaseResult]]:
    """Red cases that one entry can describe: same rules, outcome and code."""
    groups: dict[tuple[tuple[str, ...], str, int | None], list[CaseResult]] = defaultdict(list)
    for case in run.cases:
        if case.red and case.verdict in _NEEDED:
            groups[case.rules, case.verdict, case.code].append(case)
    return list(groups.values())


def _entry(group: list[CaseResult], run: Run, *, version: str, today: date) -> str:
    first = group[0]
    socs = sorted({str(one["soc"]) for one in run.devices})
    lines = ["[[expect]]", f'rule = "{first.rules[0]}"']
    lines += [f"soc = [{', '.join(repr(one) for one in socs)}]".replace("'", '"')] if socs else []
    lines += [f'versions = "=={version}"'] if version else []
    lines.append(f'outcome = "{first.verdict}"')
    if first.code is not None:
        name = name_of(first.code).split(" ")[0]
        lines.append(f'code = "{first.code if name == "undocumented" else name}"')
    if len(group) < sum(first.rules[0] in case.rules for case in run.cases):
        names = "".join(f'    "{case.case.partition("::")[2]}",\n' for case in sorted(group, key=lambda one: one.case))
        lines.append(f"cases = [\n{names}]")
    reason = first.reason.replace("\\", "/").replace('"', "'")
    lines += ['issue = "name the issue that tracks this"', f"expires = {today + HALF_A_YEAR}", f'reason = "{reason}"']
    return "\n".join(lines) + "\n\n"
