"""Events that meet a capture from outside, from before, from another capture, or after it (API reference 07, 25-01).

Plan
- recorded before the capture, never recorded                                                    EVT-053, 054
- captured in another model, and what becomes of both captures                                   EVT-055, 056
- recorded again in the capture: each wait means the latest record before it                     EVT-057
- back to eager use after End                                                                    EVT-063
"""

import numpy as np
import pytest

from fixtures import CaptureMode, Device, ThreadRole, each_mode, each_role, rule
from fixtures import event_kinds as kinds
from fixtures.aftermath import expect_usable
from fixtures.event_kinds import EventKind
from fixtures.links import fork, join

LINKING = [kinds.EX_SYNC, kinds.EX_SYNC_TIME_LINE, kinds.EX_SYNC_PROGRESS]


@each_mode()
@pytest.mark.parametrize("place", ["on_origin", "on_sub_stream"])
@pytest.mark.parametrize("when", ["before_begin", "during_the_capture"])
@pytest.mark.parametrize("which", LINKING, ids=lambda which: which.word)
@rule("EVT-053")
def test_wait_for_an_event_recorded_outside_is_refused(
    device: Device, mode: CaptureMode, which: EventKind, when: str, place: str
) -> None:
    event, outside, sub_stream = which.create(device).required(), device.stream(), device.stream()
    if when == "before_begin":
        outside.record(event).required()
        outside.finish()
    with device.capture(mode) as capture:
        capture.mark()
        fork(device, capture.stream, sub_stream)  # control: an event recorded in the capture
        if when == "during_the_capture":
            outside.record(event).required()
        (capture.stream if place == "on_origin" else sub_stream).wait(event).refused()
        join(device, capture.stream, sub_stream)
        capture.ends_consistently()
    outside.finish()


@each_mode()
@pytest.mark.parametrize("which", LINKING, ids=lambda which: which.word)
@rule("EVT-054")
def test_wait_for_an_event_that_nobody_recorded(device: Device, mode: CaptureMode, which: EventKind) -> None:
    event = which.create(device).required()
    with device.capture(mode) as capture:
        capture.mark()
        capture.stream.wait(event).observed()
        capture.ends_consistently()


@each_mode()
@each_role()
@rule("EVT-055", "EVT-056")
def test_wait_for_an_event_of_another_capture_is_refused(device: Device, mode: CaptureMode, role: ThreadRole) -> None:
    event, streams, caller = device.event(), [device.stream(), device.stream()], device.caller(role)
    with device.capture(mode, streams[0]) as first:
        first.stream.record(event).required()
        second = device.capture(mode, streams[1], marks=0)
        caller.run(second.__enter__)
        own = device.event()
        second.stream.record(own).required()
        caller.run(lambda: second.stream.wait(own)).required()  # control: an event of its own capture
        caller.run(lambda: second.stream.wait(event)).refused("EVT-055")
        for name, one in (("first", first), ("second", second)):
            device.case.observe(f"status of the {name} capture", one.info().status.name)
        caller.run(second.end).observed("End of the waiting capture")
        second.open = False
        first.end().observed("End of the recording capture")
        first.open = False
        for stream in streams:
            device.abandon_capture(stream)
    expect_usable(device, *streams)


@each_mode()
@rule("EVT-057")
def test_each_wait_means_the_latest_record_before_it(device: Device, mode: CaptureMode) -> None:
    """One event, recorded before and after a stop of the origin: one sub-stream passes, the other stands."""
    event, gate, recording = device.event(), device.external_event(), device.stream()
    device.releasing(gate, recording)
    early, late, stream = device.stream(), device.stream(), device.stream()
    source, between = device.pinned(np.full(64, 1, np.uint8)), device.buffer(np.full(64, 0xA5, np.uint8))
    second_source, results = (
        device.pinned(np.full(64, 2, np.uint8)),
        [device.pinned(np.zeros(64, np.uint8)) for _ in "ab"],
    )
    with device.capture(mode) as capture:
        origin = capture.stream
        origin.copy(between, source).required()
        origin.record(event).required()
        early.wait(event).required()
        early.copy(results[0], between).required()
        origin.wait(gate).required()
        origin.reset(gate).required()
        origin.copy(between, second_source).required()
        origin.record(event).required()
        late.wait(event).required()
        late.copy(results[1], between).required()
        join(device, origin, early, late)
    for _ in range(2):
        for result in results:
            result.array[...] = 0
        capture.model.execute(stream).required()
        device.until(lambda: bool((results[0].array == 1).all()), what="the stream that waits for the first record")
        held = not stream.synchronize_within(30).observed_acceptance("replay while the origin is held")
        device.case.expect(held, what="the replay", expected="held between the records", actual="done")
        recording.record(gate).required()
        stream.finish()
        seen = sorted(set(results[1].array.tolist()))
        device.case.expect(seen == [2], what="what the stream after the second record read", expected=[2], actual=seen)


@each_mode()
@pytest.mark.parametrize("which", LINKING, ids=lambda which: which.word)
@rule("EVT-063")
def test_event_of_an_ended_capture_is_back_to_eager_use(device: Device, mode: CaptureMode, which: EventKind) -> None:
    event, sub_stream = which.create(device).required(), device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        capture.stream.record(event).required()
        sub_stream.wait(event).required()
        join(device, capture.stream, sub_stream)
    for stream in (capture.stream, sub_stream, device.stream()):
        stream.record(event).succeeds()
        event.synchronize().succeeds()
    capture.expect_marks()
