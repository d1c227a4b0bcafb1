"""The generated part of each area's README, and the command that keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalogue import CatalogueError
from catalogue.coverage import BEGIN, END, coverage, readmes
from fixtures.markers import ROOT, the_catalogue
from tests.harness import module


def test_every_readme_is_up_to_date() -> None:
    stale = [path for path, text in readmes(the_catalogue(), ROOT) if path.read_text(encoding="utf-8") != text]
    assert not stale, "run python -m catalogue --write"


def test_the_command_agrees() -> None:
    assert module("catalogue").code == 0


def test_a_readme_without_the_marked_part_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="needs a README with the lines"):
        list(readmes(the_catalogue(), tmp_path))


def test_coverage_shows_modes_ranges_and_reasons() -> None:
    text = coverage(one for one in the_catalogue().values() if one.area == "SYNC")
    assert "| aclrtSynchronizeStream |" in text
    assert "- SYNC-016: " in text
    assert "*no public call synchronises a context alone" in text
    assert BEGIN not in text
    assert END not in text
