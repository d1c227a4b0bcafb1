"""Streams that join a capture through events, and how they return to its origin (dev guide 04-02).

Plan
- before and after the wait: status and model of the other stream, direct, indirect, further   XSTR-001 … 005
- its work is deferred                                                                         XSTR-006
- returning: directly, through another sub-stream, chains, diamonds                            XSTR-007, 008
- not returning, in each way                                                                   XSTR-009 … 012, 014
- work after a return that returns again                                                       XSTR-013 (recorded)
- Begin and End on a sub-stream                                                                XSTR-015, 016
- after End                                                                                    XSTR-018, 021 (recorded)
- the order of fork and join in a replay                                                       XSTR-019, 020
- a stream of another context                                                                  XSTR-023 (recorded)
"""

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from fixtures import CaptureMode, CaptureStatus, Device, each_mode, rule, variant
from fixtures.aftermath import expect_usable
from fixtures.capture import Capture
from fixtures.counter import Counter
from fixtures.links import fork, join
from fixtures.stream import Stream


def expect_status(capture: Capture, stream: Stream, wanted: CaptureStatus, *, what: str) -> None:
    """Expect the capture status of a stream."""
    status = capture.info(stream).status
    capture.device.case.expect(status is wanted, what=what, expected=wanted.name, actual=status.name)


@each_mode()
@rule("XSTR-001", "XSTR-002", "XSTR-003")
def test_stream_joins_by_waiting(device: Device, mode: CaptureMode) -> None:
    event, sub_stream, eager = device.event(), device.stream(), Counter(device)
    with device.capture(mode) as capture:
        capture.mark()
        capture.stream.record(event).required()
        expect_status(capture, sub_stream, CaptureStatus.NONE, what="status before the wait")
        eager.submit(sub_stream)
        sub_stream.finish()
        sub_stream.wait(event).succeeds()
        expect_status(capture, sub_stream, CaptureStatus.ACTIVE, what="status after the wait")
        models = [capture.info(one).model for one in (capture.stream, sub_stream)]
        device.case.expect(models[0] == models[1], what="model of the sub-stream", expected=models[0], actual=models[1])
        join(device, capture.stream, sub_stream)
        capture.end().succeeds()
    capture.model.replay(capture.stream)
    eager.expect(1, what="work of the other stream before the wait")


@each_mode()
@rule("XSTR-004")
def test_stream_joins_through_another(device: Device, mode: CaptureMode) -> None:
    first, second, third = (device.stream() for _ in range(3))
    with device.capture(mode) as capture:
        fork(device, capture.stream, first)
        fork(device, first, second)
        fork(device, second, third)
        for stream in (second, third):
            expect_status(capture, stream, CaptureStatus.ACTIVE, what="status of an indirectly joined stream")
        join(device, capture.stream, first, second, third)
        capture.end().succeeds()


@each_mode()
@rule("XSTR-005")
def test_one_event_pulls_in_every_waiting_stream(device: Device, mode: CaptureMode) -> None:
    streams = [device.stream() for _ in range(3)]
    with device.capture(mode) as capture:
        fork(device, capture.stream, *streams)
        for stream in streams:
            expect_status(capture, stream, CaptureStatus.ACTIVE, what="status of a stream that waited for the event")
        join(device, capture.stream, *streams)
        capture.end().succeeds()


@each_mode()
@rule("XSTR-006")
def test_work_of_a_sub_stream_is_deferred(device: Device, mode: CaptureMode) -> None:
    sub_stream, counter = device.stream(), Counter(device)
    with device.capture(mode) as capture:
        fork(device, capture.stream, sub_stream)
        counter.submit(sub_stream)
        join(device, capture.stream, sub_stream)
        capture.end().required()
    sub_stream.finish()
    counter.expect(0, what="work of the sub-stream before an execution")
    capture.model.replay(capture.stream)
    counter.expect(1, what="work of the sub-stream after an execution")


def directly(device: Device, origin: Stream, streams: list[Stream]) -> None:
    """Every stream is forked from the origin and returns to it."""
    fork(device, origin, *streams)
    join(device, origin, *streams)


def as_chain(device: Device, origin: Stream, streams: list[Stream]) -> None:
    """Forked one from the other; the last one returns for all: each returns to the next."""
    fork(device, origin, *streams)
    for source, target in itertools.pairwise(streams):
        join(device, target, source)
    join(device, origin, streams[-1])


def as_diamond(device: Device, origin: Stream, streams: list[Stream]) -> None:
    """The first forks the others, they return to it, and it returns to the origin."""
    fork(device, origin, streams[0])
    fork(device, streams[0], *streams[1:])
    join(device, streams[0], *streams[1:])
    join(device, origin, streams[0])


@each_mode()
@pytest.mark.parametrize(
    "shape",
    [
        variant("direct", directly, "XSTR-007"),
        variant("chain", as_chain, "XSTR-008"),
        variant("diamond", as_diamond, "XSTR-008"),
    ],
)
def test_sub_streams_return(
    device: Device, mode: CaptureMode, shape: Callable[[Device, Stream, list[Stream]], None]
) -> None:
    streams = [device.stream() for _ in range(3)]
    with device.capture(mode) as capture:
        capture.mark()
        shape(device, capture.stream, streams)
        capture.end().succeeds()
    capture.expect_marks()


def never_records(device: Device, origin: Stream, first: Stream, second: Stream) -> None:
    """The sub-stream has no task but its wait."""
    fork(device, origin, first)


def ends_with_work(device: Device, origin: Stream, first: Stream, second: Stream) -> None:
    """The sub-stream's last task is no record."""
    fork(device, origin, first)
    first.memset(device.buffer(np.zeros(64, np.uint8), prepared=True), 1).required()


def is_not_waited_for(device: Device, origin: Stream, first: Stream, second: Stream) -> None:
    """The sub-stream records an event that nobody waits for."""
    fork(device, origin, first)
    first.record(device.event()).required()


def works_after_its_return(device: Device, origin: Stream, first: Stream, second: Stream) -> None:
    """A task is added after the sub-stream has returned."""
    fork(device, origin, first)
    join(device, origin, first)
    first.memset(device.buffer(np.zeros(64, np.uint8), prepared=True), 1).required()


def return_to_each_other(device: Device, origin: Stream, first: Stream, second: Stream) -> None:
    """Two sub-streams return to each other only."""
    fork(device, origin, first, second)
    join(device, second, first)
    join(device, first, second)
    join(device, second, first)


UNJOINED = [
    variant("never_records", never_records, "XSTR-009"),
    variant("ends_with_work", ends_with_work, "XSTR-010"),
    variant("not_waited_for", is_not_waited_for, "XSTR-011"),
    variant("works_after_return", works_after_its_return, "XSTR-012"),
    variant("return_to_each_other", return_to_each_other, "XSTR-014"),
]


@each_mode()
@pytest.mark.parametrize("shape", UNJOINED)
@rule("XSTR-021")
def test_unjoined_sub_stream_fails_the_end(
    device: Device, mode: CaptureMode, shape: Callable[[Device, Stream, Stream, Stream], None]
) -> None:
    first, second = device.stream(), device.stream()
    device.prepare(np.zeros(64, np.uint8), count=1)
    with device.capture(mode) as control:
        directly(device, control.stream, [first, second])
        control.end().succeeds()  # control: the same streams, returned
    with device.capture(mode) as capture:
        shape(device, capture.stream, first, second)
        capture.end().refused()
        for name, stream in (("origin", capture.stream), ("sub-stream", first)):
            device.case.observe(f"status of the {name} after the failed End", capture.info(stream).status.name)
        device.abandon_capture(capture.stream)
        capture.open = False
    expect_usable(device, capture.stream, first)


@each_mode()
@rule("XSTR-013")
def test_work_after_a_return_that_returns_again(device: Device, mode: CaptureMode) -> None:
    sub_stream, counter = device.stream(), Counter(device)
    with device.capture(mode) as capture:
        fork(device, capture.stream, sub_stream)
        join(device, capture.stream, sub_stream)
        counter.submit(sub_stream)
        join(device, capture.stream, sub_stream)
        accepted = capture.end().observed_acceptance("End after work that returned again")
        capture.open = False
    if accepted:
        capture.model.replay(capture.stream)
        counter.expect(1, what="work after the first return")


@each_mode()
@rule("XSTR-015")
def test_end_on_a_sub_stream_is_refused(device: Device, mode: CaptureMode) -> None:
    sub_stream = device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        fork(device, capture.stream, sub_stream)
        device.end_capture(sub_stream).refused()
        expect_status(capture, sub_stream, CaptureStatus.ACTIVE, what="status of the sub-stream after the refusal")
        join(device, capture.stream, sub_stream)
        capture.ends_consistently()


@each_mode(name="second")
@each_mode()
@rule("XSTR-016")
def test_begin_on_a_sub_stream_is_refused(device: Device, mode: CaptureMode, second: CaptureMode) -> None:
    sub_stream = device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        fork(device, capture.stream, sub_stream)
        device.begin_capture(sub_stream, second).refused()
        join(device, capture.stream, sub_stream)
        capture.ends_consistently()
    expect_usable(device, sub_stream)


@each_mode()
@rule("XSTR-018")
def test_end_releases_the_sub_streams(device: Device, mode: CaptureMode) -> None:
    streams = [device.stream() for _ in range(3)]
    with device.capture(mode) as capture:
        as_diamond(device, capture.stream, streams)
        capture.end().required()
    for stream in streams:
        expect_status(capture, stream, CaptureStatus.NONE, what="status of a sub-stream after End")
    expect_usable(device, *streams)


@each_mode()
@rule("XSTR-019")
def test_sub_stream_starts_after_the_fork(device: Device, mode: CaptureMode) -> None:
    """The origin's copy before the fork is what the sub-stream reads, in every replay."""
    source, result = device.pinned(np.zeros(64, np.float32)), device.pinned(np.zeros(64, np.float32))
    between, sub_stream = device.buffer(np.zeros(64, np.float32)), device.stream()
    with device.capture(mode) as capture:
        capture.stream.copy(between, source).required()
        fork(device, capture.stream, sub_stream)
        sub_stream.copy(result, between).required()
        join(device, capture.stream, sub_stream)
    for value in (1, 2, 3):
        source.array[...] = value
        capture.model.replay(capture.stream)
        seen = sorted(set(result.array.tolist()))
        device.case.expect(seen == [value], what="what the sub-stream read", expected=[value], actual=seen)


@each_mode()
@rule("XSTR-020")
def test_origin_goes_on_after_the_join(device: Device, mode: CaptureMode) -> None:
    """What the sub-stream wrote is what the origin's copy after the join reads, in every replay."""
    source, result = device.pinned(np.zeros(64, np.float32)), device.pinned(np.zeros(64, np.float32))
    between, sub_stream = device.buffer(np.zeros(64, np.float32)), device.stream()
    with device.capture(mode) as capture:
        fork(device, capture.stream, sub_stream)
        sub_stream.copy(between, source).required()
        join(device, capture.stream, sub_stream)
        capture.stream.copy(result, between).required()
    for value in (1, 2, 3):
        source.array[...] = value
        capture.model.replay(capture.stream)
        seen = sorted(set(result.array.tolist()))
        device.case.expect(seen == [value], what="what the origin read", expected=[value], actual=seen)


@each_mode()
@rule("XSTR-023")
def test_stream_of_another_context(device: Device, mode: CaptureMode) -> None:
    event, elsewhere = device.event(), device.context_thread("elsewhere")
    foreign = elsewhere.run(device.stream)
    with device.capture(mode) as capture:
        capture.mark()
        capture.stream.record(event).required()
        joined = elsewhere.run(lambda: foreign.wait(event)).observed_acceptance("wait on a stream of another context")
        device.case.observe("its status afterwards", capture.info(foreign).status.name)
        if joined:
            join(device, capture.stream, foreign)
        capture.end().observed("End afterwards")
        capture.open = False
