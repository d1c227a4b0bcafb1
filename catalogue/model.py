"""What a rule is, and each way in which a catalogue can be invalid."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

# Who calls, and on which stream, where a rule says so: threads by who began the capture, streams by their part in it.
ROLES = (
    "own thread",
    "other thread",
    "origin stream",
    "sub-stream",
    "other stream",
    "default stream",
    "other context",
)


class Kind(str, Enum):
    """The polarity of a rule: what a device that keeps it does."""

    MUST_FAIL = "must-fail"
    MUST_SUCCEED = "must-succeed"
    VALUE = "value"
    DATA = "data"
    ORDERING = "ordering"
    MAY_FAIL = "may-fail"
    UNSPECIFIED = "unspecified"
    USER_OBLIGATION = "user-obligation"

    @property
    def asserted(self) -> bool:
        """Whether a device can violate such a rule; the others are only exercised and recorded."""
        return self not in {Kind.MAY_FAIL, Kind.UNSPECIFIED, Kind.USER_OBLIGATION}


class Status(str, Enum):
    """Whether the suites prove a rule."""

    TESTED = "tested"
    UNTESTED = "untested"
    UNTESTABLE = "untestable"


class Severity(str, Enum):
    """Allure severities that the catalogue uses."""

    CRITICAL = "critical"
    NORMAL = "normal"
    MINOR = "minor"


@dataclass(frozen=True)
class Rule:
    """One testable sentence of the contract (``suites/<area>/rules.toml``).

    ``codes`` is the set of documented refusal codes by name; empty means that the documents name none, so that any
    refusal conforms. ``roles`` are those that the statement names (``ROLES``). ``socs`` lists SoC families; empty means
    "wherever the API exists" (``catalogue/support.toml``).
    ``readings`` names the entries of ``catalogue/readings.toml`` that settle a disagreement between documents.
    ``observed`` is what the open-source runtime was seen to do: background, never a criterion.
    """

    id: str
    area: str
    folder: str
    statement: str
    kind: Kind
    severity: Severity
    expected: str
    source: tuple[str, ...]
    status: Status
    api: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    socs: tuple[str, ...] = ()
    needs: str = ""
    readings: tuple[str, ...] = ()
    note: str = ""
    observed: str = ""
    reason: str = ""


class CatalogueError(Exception):
    """The catalogue is not valid; the message names file and rule and says what to change."""


class UnknownRule(CatalogueError):
    """A rule id that the catalogue lacks; the message suggests the nearest ids."""


class DuplicateRule(CatalogueError):
    """One id, two rules."""


class InvalidRule(CatalogueError):
    """A rule with a missing, unknown or impossible field."""
