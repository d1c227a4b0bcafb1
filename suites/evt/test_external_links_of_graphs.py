"""External records and waits in replays: with streams, with other graphs, once per graph (API 07; sample 4).

Plan
- an event has one external use in a graph                                                       EVT-037 … 039
- recorded by one graph, waited for by another                                                   EVT-040
- the three orders: graph before stream, stream before graph, graph before graph                 EVT-040, 047
- a wait in a replay that starts before any record                                               EVT-065 (recorded)
Orders are made visible by a gate that holds the earlier side.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.gate import Gate
from fixtures.memory import Buffer, PinnedArray
from fixtures.stream import Stream

DEFAULT, EXTERNAL = 0, 1


def use(stream: Stream, event: object, how: str) -> object:
    """An external record or wait."""
    return stream.record_flagged(event, EXTERNAL) if how == "record" else stream.wait_flagged(event, EXTERNAL)


@each_mode()
@pytest.mark.parametrize(
    ("first", "second"),
    [
        variant("record_twice", ("record", "record"), "EVT-037"),
        variant("wait_twice", ("wait", "wait"), "EVT-038"),
        variant("record_then_wait", ("record", "wait"), "EVT-039"),
        variant("wait_then_record", ("wait", "record"), "EVT-039"),
    ],
)
def test_second_external_use_in_a_graph_is_refused(device: Device, mode: CaptureMode, first: str, second: str) -> None:
    event = device.event()
    with device.capture(mode) as capture:
        capture.mark()
        use(capture.stream, event, first).required()
        use(capture.stream, device.event(), second).required()  # control: another event
        use(capture.stream, event, second).refused()
        capture.ends_consistently()


@each_mode()
@rule("EVT-040")
def test_event_recorded_in_one_graph_and_waited_for_in_another(device: Device, mode: CaptureMode) -> None:
    event = device.event()
    for how in ("record", "wait"):
        with device.capture(mode) as capture:
            use(capture.stream, event, how).succeeds()
            capture.end().succeeds()


@dataclass(frozen=True)
class Pipe:
    """Host to ``between`` by the earlier side, ``between`` to host by the later one."""

    source: PinnedArray
    between: Buffer
    result: PinnedArray

    def fill(self, stream: Stream) -> None:
        """The earlier side's work."""
        stream.copy(self.between, self.source).required()

    def drain(self, stream: Stream) -> None:
        """The later side's work."""
        stream.copy(self.result, self.between).required()


def pipe(device: Device) -> Pipe:
    """A pipe with poison in it."""
    return Pipe(
        device.pinned(np.zeros(64, np.uint8)),
        device.buffer(np.full(64, 0xA5, np.uint8)),
        device.pinned(np.zeros(64, np.uint8)),
    )


def run(device: Device, at: Pipe, gate: Gate, early: Stream, late: Stream, value: int) -> None:
    """Both sides are submitted; the gate held the earlier one, so nothing may have come through before it opens."""
    waiting = not late.synchronize_within(30).observed_acceptance(
        "waiting for the later side while the earlier is held"
    )
    device.case.expect(waiting, what="the later side", expected="waits for the earlier one", actual="is done")
    at.source.array[...] = value
    gate.open()
    late.finish()
    early.finish()
    seen = sorted(set(at.result.array.tolist()))
    device.case.expect(seen == [value], what="what came through", expected=[value], actual=seen)


@each_mode()
@rule("EVT-047")
def test_graph_before_stream(device: Device, mode: CaptureMode) -> None:
    """The graph records, a stream outside waits by a plain wait."""
    event, at, late = device.event(), pipe(device), device.stream()
    with device.capture(mode) as capture:
        at.fill(capture.stream)
        capture.stream.record_flagged(event, EXTERNAL).required()
    for value in (1, 2, 3):
        gate = Gate(device)
        gate.hold(capture.stream)
        capture.model.execute(capture.stream).required()
        late.wait(event).succeeds()
        at.drain(late)
        run(device, at, gate, capture.stream, late, value)


@each_mode()
@rule("EVT-047")
def test_stream_before_graph(device: Device, mode: CaptureMode) -> None:
    """A stream outside records by a plain record, the graph waits."""
    event, at, early = device.event(), pipe(device), device.stream()
    with device.capture(mode) as capture:
        capture.stream.wait_flagged(event, EXTERNAL).required()
        at.drain(capture.stream)
    for value in (1, 2, 3):
        gate = Gate(device)
        gate.hold(early)
        at.fill(early)
        early.record(event).succeeds()
        capture.model.execute(capture.stream).required()
        run(device, at, gate, early, capture.stream, value)


@each_mode()
@rule("EVT-040")
def test_graph_before_graph(device: Device, mode: CaptureMode) -> None:
    """One graph records, the other waits; each has a stream of its own."""
    event, at = device.event(), pipe(device)
    with device.capture(mode) as recording:
        at.fill(recording.stream)
        recording.stream.record_flagged(event, EXTERNAL).required()
    with device.capture(mode) as waiting:
        waiting.stream.wait_flagged(event, EXTERNAL).succeeds()
        at.drain(waiting.stream)
    for value in (1, 2, 3):
        gate = Gate(device)
        gate.hold(recording.stream)
        recording.model.execute(recording.stream).required()
        waiting.model.execute(waiting.stream).required()
        run(device, at, gate, recording.stream, waiting.stream, value)


@each_mode()
@rule("EVT-065")
def test_external_wait_before_any_record(device: Device, mode: CaptureMode) -> None:
    event, stream, recording = device.event(), device.stream(), device.stream()
    device.releasing(event, recording)
    with device.capture(mode) as capture:
        capture.mark()
        capture.stream.wait_flagged(event, EXTERNAL).required()
    capture.model.execute(stream).required()
    passed = stream.synchronize_within(50).observed_acceptance("replay whose external event nobody has recorded")
    recording.record(event).required()
    if not passed:
        stream.synchronize_within(device.budget_ms).observed("the same replay after a record")
    capture.model.execute(stream).required()
    stream.finish()
    capture.expect_marks()
