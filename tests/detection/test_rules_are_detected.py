"""Every asserted rule that is tested, broken by name in the reference device, turns the cases that cite it red.

One inner session runs all cases with each of their rules broken (``kill_plugin``); the tests here read its record.
The finding must name the rule, its statement and source, what was expected and what came, and the calls.
"""

from __future__ import annotations

import json

import pytest

from catalogue import Kind, Rule, Status, applies
from cffi_build.files import locked
from fixtures.markers import the_catalogue
from tests.harness import pytest as run_pytest

# What headers say is broken in tests/cffi_build instead: no switch of the device can change a declaration.
IN_HEADERS = {"DBG-019"}

TESTED = [
    one
    for one in the_catalogue().values()
    if one.status is Status.TESTED and one.kind.asserted and one.id not in IN_HEADERS
]
CODED = [one for one in TESTED if one.kind is Kind.MUST_FAIL and one.codes]

# A rule is broken on the first of these SoCs that it holds on.
SOCS = ("Ascend910B2", "Ascend310P3", "Ascend310B4", "Ascend910A", "Ascend950PR_9599", "Ascend910_9362")

Lines = list[dict[str, object]]


def elsewhere() -> dict[str, list[str]]:
    """The rules that do not hold on the first SoC, by the one that they are broken on."""
    found: dict[str, list[str]] = {}
    for rule in TESTED:
        soc = next(one for one in SOCS if applies(rule, one))
        if soc != SOCS[0]:
            found.setdefault(soc, []).append(rule.id)
    return found


def record(operator: str, tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """The kill record for one fault operator; made once, also with several workers."""
    shared = tmp_path_factory.getbasetemp().parent
    path = shared / f"kill-{operator}.jsonl"
    with locked(shared / f"kill-{operator}.lock"):
        if not path.exists():
            partial = shared / f"kill-{operator}.partial"
            arguments = ("suites", "-n0", "-p", "tests.detection.kill_plugin", "--sync-budget=2000")
            quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning", f"--out={shared}/{operator}")
            fault = {"KILL_RECORD": str(partial), "KILL_OPERATOR": operator}
            ran = run_pytest(*arguments, *quiet, REFDEVICE_SOC=SOCS[0], **fault)
            assert partial.exists(), ran.text
            for soc, rules in elsewhere().items():
                run_pytest(*arguments, *quiet, "-k", " or ".join(rules), REFDEVICE_SOC=soc, **fault)
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
    assert {one["rule"] for one in skipped} - IN_HEADERS == {one.id for one in TESTED}
