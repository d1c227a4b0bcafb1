"""The rule catalogue: complete, and each way of being invalid is one clear error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from catalogue import CatalogueError, Kind, Status, UnknownRule, applies, family_of, load, name_of, number_of, supports
from catalogue.model import DuplicateRule, InvalidRule
from fixtures.markers import the_catalogue

GOOD = """\
area = "AAA"
[[rule]]
id = "AAA-001"
statement = "A sentence."
kind = "must-fail"
severity = "critical"
codes = ["ACL_ERROR_RT_STREAM_CAPTURED"]
source = ["docs/x.md:L1"]
status = "untested"
"""


def loaded(root: Path, text: str, *, folder: str = "aaa") -> object:
    place = root / "suites" / folder
    place.mkdir(parents=True)
    (place / "rules.toml").write_text(text)
    return load(root)


def test_all_rules_of_all_areas_are_there() -> None:
    catalogue = the_catalogue()
    assert len(catalogue) == 957
    assert len(catalogue.areas) == 21


def test_a_good_file_loads(tmp_path: Path) -> None:
    catalogue = loaded(tmp_path, GOOD)
    assert list(catalogue) == ["AAA-001"]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('area = "AAA"', "", 'needs area = "'),
        ('statement = "A sentence."\n', "", "missing statement"),
        ('severity = "critical"', 'severity = "critical"\nurgency = "high"', "unknown field urgency"),
        ("AAA-001", "BBB-001", "must begin with AAA-"),
        ("must-fail", "must-not", "'must-not' is not a kind; one of must-fail"),
        ("ACL_ERROR_RT_STREAM_CAPTURED", "ACL_ERROR_NO_SUCH", "is not a documented return code"),
        (
            'severity = "critical"',
            'severity = "critical"\nroles = ["driver"]',
            "'driver' is not a role; one of own thread",
        ),
        ('status = "untested"', 'status = "untestable"', "needs a reason"),
        ('status = "untested"', "status = untested", "not valid TOML"),
    ],
)
def test_a_bad_file_says_what_is_wrong_and_where(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(CatalogueError, match=re.escape(message)) as found:
        loaded(tmp_path, GOOD.replace(old, new, 1))
    assert "suites/aaa/rules.toml" in str(found.value)
    assert isinstance(found.value, InvalidRule) or "TOML" in message


def test_an_id_is_defined_once(tmp_path: Path) -> None:
    with pytest.raises(DuplicateRule, match=r"AAA-001 is already defined in suites/aaa/rules\.toml"):
        loaded(tmp_path, GOOD + GOOD.split("\n", 1)[1])


def test_an_unknown_rule_is_suggested() -> None:
    with pytest.raises(UnknownRule, match="did you mean"):
        the_catalogue()["SYNC-1"]


def test_no_rule_that_a_device_can_break_lacks_a_source() -> None:
    assert not [one.id for one in the_catalogue().values() if one.kind.asserted and not one.source]


def test_user_obligations_are_not_tested() -> None:
    kept = [one for one in the_catalogue().values() if one.kind is Kind.USER_OBLIGATION]
    assert {one.status for one in kept} == {Status.UNTESTABLE}


def test_codes_have_names_both_ways() -> None:
    assert name_of(107027) == "ACL_ERROR_RT_STREAM_CAPTURED (107027)"
    assert name_of(0) == "ACL_SUCCESS (0)"
    assert name_of(12) == "undocumented code (12)"
    assert number_of("ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED") == 507903


@pytest.mark.parametrize(
    ("soc", "family"),
    [
        ("Ascend910B2", "A2"),
        ("Ascend910B4-1", "A2"),
        ("Ascend910_9391", "A3"),
        ("Ascend950PR_9579", "950"),
        ("Ascend310P3", "310p"),
        ("Ascend310B1", "310b"),
        ("Ascend910A", "910"),
        ("Ascend910ProB", "910"),
        ("IPV350", "IPV350"),
        ("Kirin990", "unknown"),
    ],
)
def test_soc_names_have_families(soc: str, family: str) -> None:
    assert family_of(soc) == family


def test_support_follows_the_family() -> None:
    assert supports("Ascend910B2", "aclmdlRICaptureBegin") is True
    assert supports("Ascend310B1", "aclmdlRICaptureBegin") is False
    assert supports("Ascend910B2", "aclrtNoSuchCall") is None


def test_products_of_one_family_can_differ() -> None:
    rule = the_catalogue()["EVT-020"]
    assert applies(rule, "Ascend950PR_9579")
    assert not applies(rule, "Ascend950DT_9591")
