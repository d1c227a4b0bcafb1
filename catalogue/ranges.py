"""Rule ids for people: runs of neighbours as ranges, ``001–004 012``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable


def ranges(ids: Iterable[str]) -> str:
    """The numbers of rules of one area, in order: ``001–004 012``."""
    parts: list[list[int]] = []
    for number in sorted({int(one.split("-")[1]) for one in ids}):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return " ".join(f"{one[0]:03}" if len(one) == 1 else f"{one[0]:03}–{one[-1]:03}" for one in parts)


def by_area(ids: Iterable[str]) -> str:
    """Rules of any areas: ``CAP 001–018 020, MODE 003``."""
    areas: dict[str, list[str]] = defaultdict(list)
    for one in ids:
        areas[one.split("-")[0]].append(one)
    return ", ".join(f"{area} {ranges(found)}" for area, found in sorted(areas.items()))
