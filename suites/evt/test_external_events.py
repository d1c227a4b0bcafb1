"""ACL_EVENT_EXTERNAL: the event that holds a replay until an update stream records it (dev guide 04-03; API ref. 07).

Plan
- creation: aclrtCreateEventWithFlag alone; no other flag beside it; not by the Ex call        EVT-005 … 010
- a capturing stream may wait on it before anybody recorded it, and reset it, in every mode    EVT-011 … 014
- a replay stops at the wait until the event is recorded: work before it is done, work after
  it is not                                                                                    EVT-016
- the captured reset re-arms it: every replay waits afresh, N rounds                           EVT-017
- without the reset                                                                            EVT-018 (recorded)
- host calls on it                                                                             EVT-019 (recorded)
- it never pulls a stream into the capture                                                     XSTR-024
Orders are forced by the event itself and seen through host memory and sync calls with a timeout, never by sleeping.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from fixtures import CaptureMode, CaptureStatus, Device, EventFlag, each_mode, rule, variant
from fixtures.capture import Model
from fixtures.event import Event
from fixtures.memory import PinnedArray
from fixtures.outcome import Outcome
from fixtures.stream import Stream

G, T, R = CaptureMode.GLOBAL, CaptureMode.THREAD_LOCAL, CaptureMode.RELAXED
WITH_FLAG, EX = "aclrtCreateEventWithFlag", "aclrtCreateEventExWithFlag"


@rule("EVT-009")
def test_external_event_is_created_with_its_flag(device: Device) -> None:
    device.create_event(WITH_FLAG, EventFlag.EXTERNAL).succeeds()


@pytest.mark.parametrize(
    "flag",
    [
        variant("with_wait_flag", EventFlag.SYNC, "EVT-005"),
        variant("with_progress", EventFlag.CAPTURE_STREAM_PROGRESS, "EVT-006"),
        variant("with_time_line", EventFlag.TIME_LINE, "EVT-007"),
        variant("with_device_use_only", EventFlag.DEVICE_USE_ONLY, "EVT-008"),
    ],
)
def test_external_flag_with_another_flag(device: Device, flag: EventFlag) -> None:
    device.create_event(WITH_FLAG, EventFlag.EXTERNAL | flag).observed()
    device.create_event(WITH_FLAG, EventFlag.EXTERNAL).required()


@rule("EVT-010")
def test_external_flag_in_the_ex_call_is_refused(device: Device) -> None:
    device.create_event(EX, EventFlag.SYNC).succeeds()  # control
    device.create_event(EX, EventFlag.EXTERNAL).refused()


@pytest.mark.parametrize(
    "mode", [variant(G.word, G, "EVT-011"), variant(T.word, T, "EVT-012"), variant(R.word, R, "EVT-013")]
)
def test_wait_for_an_unrecorded_external_event_is_captured(device: Device, mode: CaptureMode) -> None:
    event = device.external_event()
    with device.capture(mode) as capture:
        capture.stream.wait(event).succeeds()
        capture.end().succeeds()


@each_mode()
@rule("EVT-014")
def test_reset_of_an_external_event_is_captured(device: Device, mode: CaptureMode) -> None:
    event = device.external_event()
    with device.capture(mode) as capture:
        capture.stream.wait(event).required()
        capture.stream.reset(event).succeeds()
        capture.end().succeeds()


@dataclass(frozen=True)
class Gate:
    """A model that copies its input to ``before``, waits for the event, and copies its input to ``after``."""

    device: Device
    event: Event
    model: Model
    source: PinnedArray
    before: PinnedArray
    after: PinnedArray

    def start(self, stream: Stream, value: int) -> None:
        """Replay with ``value`` as the input and wait until the part before the event is done."""
        self.source.array[...] = value
        self.model.execute(stream).required()
        self.device.until(lambda: bool((self.before.array == value).all()), what="work before the event")

    def is_held(self, stream: Stream, value: int) -> bool:
        """Whether the replay stands at the event: the stream does not finish and ``after`` lacks ``value``."""
        still_busy = not stream.synchronize_within(50).observed_acceptance("sync while the event is not recorded")
        return still_busy and not bool((self.after.array == value).any())


def gate(device: Device, mode: CaptureMode, *, reset: bool = True) -> Gate:
    """Capture the gated model in ``mode``; ``reset`` also captures the reset that re-arms the event."""
    event, buffer = device.external_event(), device.buffer(np.zeros(64, np.uint8))
    source, before, after = (device.pinned(np.zeros(64, np.uint8)) for _ in range(3))
    with device.capture(mode) as capture:
        capture.stream.copy(buffer, source).required()
        capture.stream.copy(before, buffer).required()
        capture.stream.wait(event).required()
        if reset:
            capture.stream.reset(event).required()
        capture.stream.copy(after, buffer).required()
    return Gate(device, event, capture.model, source, before, after)


@each_mode()
@rule("EVT-016")
def test_replay_waits_for_the_external_event(device: Device, mode: CaptureMode) -> None:
    held, stream, update_stream = gate(device, mode), device.stream(), device.stream()
    device.releasing(held.event, update_stream)
    held.start(stream, 1)
    device.case.expect(held.is_held(stream, 1), what="replay at an unrecorded event", expected="held", actual="passed")
    update_stream.record(held.event).required()
    stream.synchronize_within(device.budget_ms).succeeds()
    after = held.after.array
    device.case.expect((after == 1).all(), what="work after the event", expected=1, actual=after)


@each_mode()
@rule("EVT-017")
def test_reset_re_arms_the_external_event(device: Device, mode: CaptureMode) -> None:
    held, stream, update_stream = gate(device, mode), device.stream(), device.stream()
    device.releasing(held.event, update_stream)
    seen = []
    for number in range(1, 6):
        held.start(stream, number)
        waited = held.is_held(stream, number)
        update_stream.record(held.event).required()
        stream.finish()
        seen.append((waited, int(held.after.array[0])))
    wanted = [(True, number) for number in range(1, 6)]
    device.case.expect(seen == wanted, what="(held, result) of each replay", expected=wanted, actual=seen)


@each_mode()
@rule("EVT-018")
def test_external_event_without_a_reset(device: Device, mode: CaptureMode) -> None:
    held, stream, update_stream = gate(device, mode, reset=False), device.stream(), device.stream()
    device.releasing(held.event, update_stream)
    held.start(stream, 1)
    update_stream.record(held.event).required()
    stream.finish()
    held.start(stream, 2)
    device.case.observe("second replay without a reset", "held" if held.is_held(stream, 2) else "passed")
    update_stream.record(held.event).observed("second record")
    stream.finish()


@rule("EVT-019")
@pytest.mark.parametrize(
    "ask",
    [
        lambda event: event.synchronize_within(50),
        Event.query_status,
        Event.query_wait_status,
        Event.timestamp,
    ],
    ids=["host_wait", "query_status", "query_wait_status", "timestamp"],
)
def test_host_call_on_an_external_event(device: Device, ask: Callable[[Event], Outcome[object]]) -> None:
    event, stream = device.external_event(), device.stream()
    stream.record(event).required()
    stream.finish()
    ask(event).observed()


@each_mode()
@rule("XSTR-024")
@pytest.mark.parametrize("recorder", ["origin", "outside"])
def test_external_event_joins_no_stream(device: Device, mode: CaptureMode, recorder: str) -> None:
    event, other = device.external_event(), device.stream()
    if recorder == "outside":
        other.record(event).required()
        other.finish()
    with device.capture(mode) as capture:
        if recorder == "origin":
            capture.stream.record(event).required()
        else:
            capture.stream.wait(event).required()
            capture.stream.reset(event).required()
        status = capture.info(other).status
        device.case.expect(
            status is CaptureStatus.NONE,
            what="a stream that shares an external event",
            expected="NONE",
            actual=status.name,
        )
        capture.end().succeeds()
