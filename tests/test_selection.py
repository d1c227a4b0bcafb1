"""``pytest -k`` with the words of the six named constraints, and with a rule id, selects what a person expects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness import listed_rules
from tests.harness import pytest as run_pytest


def span(area: str, *numbers: int | range) -> set[str]:
    """Rule ids of one area from numbers and ranges."""
    found: set[str] = set()
    for one in numbers:
        found.update(f"{area}-{number:03}" for number in (one if isinstance(one, range) else [one]))
    return found


CONSTRAINTS = {
    # sync and query are illegal during capture, memory-sync calls in GLOBAL
    "sync": span("SYNC", range(1, 16), range(17, 23), range(24, 31), 32, 33)
    | span("MEM", range(1, 12), 34, 35)
    | {"MODE-040", "STRM-019", "STRM-020"},
    # exchange to RELAXED and back
    "relaxed and exchange": span("MODE", 4, 8, 12, 16, 18, 19, 20, *range(22, 27), *range(29, 33), 40, 43)
    | {"MEM-010", "CAP-039"},
    "default_stream": span("STRM", range(1, 14)) | {"EVT-028", "EXE-010"},
    "pinned": span("MEM", range(12, 23), 26, 27, 28, 29, 30, 44, 45, 47, 50, 61, 62) | {"MODE-042", "MODE-043"},
    "task_count": span("UPD", 1, 9, 10, 11, 16),
    "external": span("EVT", range(5, 15), range(16, 20), range(26, 45), range(47, 52), 65, 84)
    | span("RES", 15, 26, 27, 28)
    | {"STRM-007", "XSTR-024", "UPD-017"},
}


@pytest.mark.parametrize("words", CONSTRAINTS)
def test_words_of_a_constraint(words: str) -> None:
    selected = {rule for rule, (_, cases, _) in listed_rules("-k", words).items() if cases}
    assert selected == CONSTRAINTS[words]


@pytest.mark.parametrize("rule", ["SYNC-001", "MODE-042", "UPD-017", "DATA-005"])
def test_a_rule_id(rule: str) -> None:
    listed = listed_rules("-k", rule)
    assert list(listed) == [rule]
    assert listed[rule][1] > 0


def test_a_path_option_without_equals_sign_is_explained(tmp_path: Path) -> None:
    ran = run_pytest("--toolkit", str(tmp_path), "-k", "SYNC-001")
    assert ran.code == 4
    assert f"write --toolkit={tmp_path} with an equals sign" in ran.err
