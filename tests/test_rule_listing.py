"""``pytest --rules``: complete, consistent with the suites, and usable where nothing is built or installed."""

from __future__ import annotations

import pytest

from catalogue import Status
from fixtures.markers import the_catalogue
from tests.harness import listed_rules
from tests.harness import pytest as run_pytest


@pytest.fixture(scope="module")
def listed() -> dict[str, tuple[str, int, str]]:
    return listed_rules()


def test_every_rule_is_listed_once(listed: dict[str, tuple[str, int, str]]) -> None:
    assert len(listed) == 957
    assert list(listed) == list(the_catalogue())


def test_a_tested_rule_has_cases_and_no_other_has(listed: dict[str, tuple[str, int, str]]) -> None:
    wrong = {rule: row for rule, row in listed.items() if (row[0] == Status.TESTED.value) != (row[1] > 0)}
    assert not wrong, "statuses in rules.toml that do not fit the suites"


def test_an_untestable_rule_has_a_reason(listed: dict[str, tuple[str, int, str]]) -> None:
    assert not [rule for rule, (status, _, reason) in listed.items() if status == "untestable" and not reason]


def test_paths_narrow_it() -> None:
    assert {rule.split("-")[0] for rule in listed_rules("suites/upd")} == {"UPD"}
    assert set(listed_rules("suites/upd/test_concurrent_updates.py")) == {"UPD-015", "UPD-017"}


def test_k_also_finds_rules_without_cases() -> None:
    listed = listed_rules("-k", "BLD-001 or SYNC-001")
    assert listed["BLD-001"][:2] == ("untested", 0)
    assert listed["SYNC-001"][:2] == ("tested", 6)


def test_it_needs_no_toolkit(tmp_path: object) -> None:
    ran = run_pytest("--rules", "-k", "SYNC-001", ASCEND_HOME_PATH=f"{tmp_path}/nothing-here")
    assert (ran.code, ran.out) == (0, "SYNC-001\ttested\t6\t\n")
