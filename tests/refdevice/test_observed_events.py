"""Each kind of event on a capturing stream, as observed on the open-source runtime in August 2026.

The codes of creation, record, wait, reset and End; a creation that is refused ends the row.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixtures.device import Device
from fixtures.modes import CaptureMode
from fixtures.session import DeviceSession
from tests.devices import case_device

PLAIN, FLAG, EX = "aclrtCreateEvent", "aclrtCreateEventWithFlag", "aclrtCreateEventExWithFlag"
INSIDE, FIRST, OUTSIDE = "recorded_inside", "waited_first", "recorded_outside"
UNFIT, BAD = 207000, 107000

# creation call, flags, what is done, observed codes
ROWS: list[tuple[str, int, str, tuple[int, ...]]] = [
    (EX, 0x1, INSIDE, (0, 0, 0, UNFIT, 0)),
    (EX, 0x1, FIRST, (0, 0, 0)),
    (EX, 0x8, INSIDE, (0, 0, UNFIT, UNFIT, 0)),
    (EX, 0x8, FIRST, (0, UNFIT, 0)),
    (EX, 0x8, OUTSIDE, (0, 0, UNFIT, UNFIT, 0)),
    (EX, 0x2, INSIDE, (0, 0, UNFIT, UNFIT, 0)),
    (EX, 0x2, FIRST, (0, UNFIT, 0)),
    (EX, 0x9, INSIDE, (0, 0, 0, UNFIT, 0)),
    (EX, 0x9, FIRST, (0, 0, 0)),
    (EX, 0xB, FIRST, (0, 0, 0)),
    (EX, 0x20, INSIDE, (BAD,)),
    (EX, 0x20, OUTSIDE, (BAD,)),
    (EX, 0x10, FIRST, (BAD,)),
    (EX, 0x10, OUTSIDE, (BAD,)),
    (EX, 0x0, INSIDE, (BAD,)),
    (FLAG, 0x1, FIRST, (0, UNFIT, 0)),
    (FLAG, 0x8, INSIDE, (0, UNFIT, UNFIT, UNFIT, 0)),
    (FLAG, 0x8, FIRST, (0, UNFIT, 0)),
    (FLAG, 0x8, OUTSIDE, (0, 0, UNFIT, UNFIT, 0)),
    (FLAG, 0x2, INSIDE, (0, UNFIT, UNFIT, UNFIT, 0)),
    (FLAG, 0x9, INSIDE, (0, UNFIT, UNFIT, UNFIT, 0)),
    (FLAG, 0x9, FIRST, (0, UNFIT, 0)),
    (FLAG, 0x20, INSIDE, (0, 0, 0, 0, 0)),
    (FLAG, 0x20, FIRST, (0, 0, 0)),
    (FLAG, 0x20, OUTSIDE, (0, 0, 0, 0, 0)),
    (FLAG, 0x40, INSIDE, (BAD,)),
    (FLAG, 0x40, FIRST, (BAD,)),
    (FLAG, 0x0, INSIDE, (BAD,)),
    (FLAG, 0x0, FIRST, (BAD,)),
    (FLAG, 0x0, OUTSIDE, (BAD,)),
    (PLAIN, 0x0, INSIDE, (0, UNFIT, UNFIT, UNFIT, 0)),
    (PLAIN, 0x0, FIRST, (0, UNFIT, 0)),
]


def played(device: Device, function: str, flags: int, what: str) -> Iterator[int]:
    """The codes of the calls of one row."""
    created = device.create_event(function, *([] if function == PLAIN else [flags]))
    created.observed()
    yield created.code
    if not created.accepted:
        return
    event, outside = created.value, device.stream()
    if what == OUTSIDE:
        yield outside.record(event).code
    capture = device.capture(CaptureMode.GLOBAL)
    capture.__enter__()
    if what == INSIDE:
        yield capture.stream.record(event).code
    yield capture.stream.wait(event).code
    if what != FIRST:
        yield capture.stream.reset(event).code
    yield capture.end().code
    capture.abandon()


@pytest.mark.parametrize(
    ("function", "flags", "what", "observed"), [pytest.param(*one, id=f"{one[0]}-{one[1]:#x}-{one[2]}") for one in ROWS]
)
def test_an_event_goes_as_observed(
    session: DeviceSession, function: str, flags: int, what: str, observed: tuple[int, ...]
) -> None:
    device = case_device(session)
    seen = tuple(played(device, function, flags, what))
    device.close()
    assert seen == observed


def test_ipc_events_differ_because_rules_speak_of_them(session: DeviceSession) -> None:
    """Observed: 207000 at creation. EVT-020 and EVT-021 say what such an event does on a capturing stream."""
    device = case_device(session, "EVT-020", "EVT-021")
    assert tuple(played(device, EX, 0x40, INSIDE))[:2] == (0, UNFIT)
    assert device.close() == []
