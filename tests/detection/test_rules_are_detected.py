"""Every asserted rule that is tested, broken by name in the reference device, turns the cases that cite it red.

One inner session runs all cases with each of their rules broken (``kill_plugin``); the tests here read its record.
The finding must name the rule, its statement and source, what was expected and what came, and the calls.
"""

from __future__ import annotations

import json

import pytest

from catalogue import Kind, Rule, Status
from cffi_build.files import locked
from fixtures.markers import the_catalogue
from tests.harness import pytest as run_pytest

TESTED = [one for one in the_catalogue().values() if one.status is Status.TESTED and one.kind.asserted]
CODED = [one for one in TESTED if one.kind is Kind.MUST_FAIL and one.codes]

Lines = list[dict[str, object]]


def record(operator: str, tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """The kill record for one fault operator; made once, also with several workers."""
    shared = tmp_path_factory.getbasetemp().parent
    path = shared / f"kill-{operator}.jsonl"
    with locked(shared / f"kill-{operator}.lock"):
        if not path.exists():
            partial = shared / f"kill-{operator}.partial"
            arguments = ("suites", "-n0", "-p", "tests.detection.kill_plugin", "--sync-budget=2000")
            quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning", f"--out={shared}/{operator}")
            ran = run_pytest(*arguments, *quiet, KILL_RECORD=str(partial), KILL_OPERATOR=operator)
            assert partial.exists(), ran.text
            partial.rename(path)
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def skipped(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    return record("skip", tmp_path_factory)


@pytest.fixture(scope="module")
def recoded(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    return record("code", tmp_path_factory)


@pytest.mark.parametrize("rule", TESTED, ids=lambda rule: rule.id)
def test_a_broken_rule_turns_its_cases_red(rule: Rule, skipped: Lines) -> None:
    lines = [one for one in skipped if one["rule"] == rule.id]
    assert lines, "no case cites the rule"
    assert all(one["known"] for one in lines), "the reference device has no place where this rule can be broken"
    survivors = [one["case"] for one in lines if one["verdict"] not in {"violates", "deviates"}]
    assert not survivors, "cases that cite the rule and do not notice that it is broken"


@pytest.mark.parametrize("rule", TESTED, ids=lambda rule: rule.id)
def test_the_finding_explains_itself(rule: Rule, skipped: Lines) -> None:
    text = next(str(one["text"]) for one in skipped if one["rule"] == rule.id)
    for part in (rule.id, rule.statement, *rule.source, "  expected  ", "  actual    ", "  calls\n", "suites/"):
        assert part in text


@pytest.mark.parametrize("rule", CODED, ids=lambda rule: rule.id)
def test_another_refusal_code_deviates(rule: Rule, recoded: Lines) -> None:
    lines = [one for one in recoded if one["rule"] == rule.id]
    assert {one["verdict"] for one in lines} == {"deviates"}
    assert "undocumented code (599999)" in str(lines[0]["text"])


def test_the_record_holds_the_whole_suite(skipped: Lines) -> None:
    assert {one["rule"] for one in skipped} == {one.id for one in TESTED}
