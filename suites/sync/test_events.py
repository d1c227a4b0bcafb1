"""Waiting for, and asking about, events that a capture holds (dev guide 04-01, item 2; API reference 07).

Plan
- an event recorded in the capture: host wait (no limit, finite), query of status, deprecated query, query of the
  wait status; every mode; own and other thread                                                  SYNC-005 … 009
- timing of captured events: recorded, not asserted                                              SYNC-010, 011
SYNC-008 and SYNC-009 are refused for two reasons (only Ex events may be captured, and those queries do not take Ex
events at all), so any code conforms; their control uses an event of aclrtCreateEvent.
"""

from collections.abc import Callable

import pytest

from fixtures import CaptureMode, Device, ThreadRole, each_mode, each_role, rule, variant
from fixtures.event import Event
from fixtures.outcome import Outcome

EventWait = Callable[[Event], Outcome[object]]


def control_event(device: Device, wait: EventWait) -> Event:
    """An event that ``wait`` takes outside a capture, recorded and complete."""
    legacy = wait in (Event.query, Event.query_wait_status)
    event = device.create_event("aclrtCreateEvent").required() if legacy else device.event()
    stream = device.stream()
    stream.record(event).required()
    stream.finish()
    return event


@each_mode()
@each_role()
@pytest.mark.parametrize(
    "wait",
    [
        variant("sync_event", Event.synchronize, "SYNC-005"),
        variant("sync_event_timeout", lambda event: event.synchronize_within(1000), "SYNC-006"),
        variant("query_event_status", Event.query_status, "SYNC-007"),
        variant("query_event", Event.query, "SYNC-008"),
        variant("query_event_wait_status", Event.query_wait_status, "SYNC-009"),
    ],
)
def test_event_recorded_in_the_capture(device: Device, mode: CaptureMode, role: ThreadRole, wait: EventWait) -> None:
    event, caller = device.event(), device.caller(role)
    outside = control_event(device, wait)
    caller.run(lambda: wait(outside)).succeeds()
    with device.capture(mode) as capture:
        capture.stream.record(event).required()
        caller.run(lambda: wait(event)).refused()
        capture.mark()
        capture.ends_consistently()


@each_mode()
@pytest.mark.parametrize(
    "ask",
    [
        variant("elapsed_time", lambda event: event.elapsed_since(event), "SYNC-010"),
        variant("timestamp", Event.timestamp, "SYNC-011"),
    ],
)
def test_timing_of_a_captured_event(device: Device, mode: CaptureMode, ask: EventWait) -> None:
    event = device.event()
    with device.capture(mode) as capture:
        capture.stream.record(event).required()
        ask(event).observed()
        capture.mark()
        capture.ends_consistently()


@each_mode()
@rule("SYNC-025")
def test_event_identity_during_capture(device: Device, mode: CaptureMode) -> None:
    event = device.event()
    with device.capture(mode) as capture:
        capture.stream.record(event).required()
        event.identity().observed()
        capture.mark()
        capture.ends_consistently()
