"""A case's view of an open device, outside a conformance run."""

from __future__ import annotations

from fixtures.case import Case
from fixtures.device import Device
from fixtures.markers import the_catalogue
from fixtures.session import DeviceSession


def case_device(session: DeviceSession, *rules: str) -> Device:
    """The device of a case that cites ``rules`` (CAP-001 by default)."""
    case = Case(nodeid="x", rules=tuple(the_catalogue()[one] for one in rules or ("CAP-001",)))
    case.attach(session.library)
    return Device(session, case, budget_ms=2000)
