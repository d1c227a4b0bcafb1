"""Stale expectations, and the patch that a run asks for."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from fixtures.expectations import Expectation
from fixtures.verdict import Verdict
from reports.expectation_patch import patch, stale
from reports.read import CaseResult, Run

KNOWN = Expectation("STRM-004", Verdict.VIOLATES, "an issue", date(2027, 3, 1), "known", code="ACL_SUCCESS")
FILE = """\
# a comment stays

[[expect]]
rule = "STRM-004"
outcome = "violates"
code = "ACL_SUCCESS"
issue = "an issue"
expires = 2027-03-01
reason = "known"

[[expect]]
rule = "STRM-005"
outcome = "violates"
issue = "another issue"
expires = 2027-03-01
reason = "kept as it is"
"""


def case(
    name: str, verdict: Verdict, *, rule: str = "STRM-004", red: bool = False, expectation: str = ""
) -> CaseResult:
    code = 0 if verdict is Verdict.VIOLATES else None
    return CaseResult(
        f"x.py::{name}", (rule,), {}, verdict.value, red, reason="a reason", code=code, expectation=expectation
    )


def test_an_expectation_that_no_case_used_is_stale() -> None:
    assert stale(Run((case("a", Verdict.CONFORMS),)), [KNOWN]) == [KNOWN]


def test_one_that_was_used_or_could_not_be_is_not() -> None:
    used = Run((case("a", Verdict.WAIVED, expectation=KNOWN.key),))
    elsewhere = Run((case("a", Verdict.CONFORMS, rule="SYNC-001"),))
    assert stale(used, [KNOWN]) == []
    assert stale(elsewhere, [KNOWN]) == []


def changed(run: Run, path: Path) -> tuple[list[str], list[str]]:
    """The lines that the patch removes and adds."""
    text = patch(run, path, [KNOWN], version="1.17.0", today=date(2026, 12, 1))
    lines = [line for line in text.splitlines() if not line.startswith(("---", "+++"))]
    return [one[1:] for one in lines if one.startswith("-")], [one[1:] for one in lines if one.startswith("+")]


def test_what_is_gone_is_removed_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(FILE)
    removed, added = changed(Run((case("a", Verdict.CONFORMS, red=True, expectation=KNOWN.key),)), path)
    assert 'rule = "STRM-004"' in removed
    assert 'rule = "STRM-005"' not in removed
    assert added == []


def test_what_is_new_is_added_for_the_cases_that_show_it(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(FILE)
    cases = (case("a", Verdict.VIOLATES, rule="SYNC-001", red=True), case("b", Verdict.CONFORMS, rule="SYNC-001"))
    removed, added = changed(Run((*cases, case("c", Verdict.WAIVED, expectation=KNOWN.key))), path)
    assert removed == []
    assert 'rule = "SYNC-001"' in added
    assert 'code = "ACL_SUCCESS"' in added
    assert '    "a",' in added
    assert "expires = 2027-06-01" in added
