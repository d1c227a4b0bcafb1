"""Which events a capture takes: every creation call and flag, recorded, waited for, reset, by each kind of stream.

Plan (API reference 07; dev guide 04-02)
- forks and joins                                                                EVT-001
- recorded in a capture, on the origin and on a sub-stream                       EVT-002, 003, 020, 023, 064
- waited for in a capture                                                        EVT-002 … 004, 021, 023
- reset in a capture, by the capture's streams and by a stream beside it         EVT-023, 058
- used by a stream that takes no part, while the capture is open                 EVT-067
- used by the default stream while the capture is open                           STRM-007
- creation: flags that stand alone                                               EVT-022
- created by the C++ overload                                                    EVT-085
ACL_EVENT_EXTERNAL is the matter of test_external_events.py.
"""

from collections.abc import Callable

import numpy as np
import pytest

from fixtures import CaptureMode, CaptureStatus, Device, EventFlag, each_mode, rule, variant
from fixtures import event_kinds as kinds
from fixtures.capture import Capture
from fixtures.event import Event
from fixtures.event_kinds import EventKind
from fixtures.links import fork, join
from fixtures.overloads import overloads_of
from fixtures.stream import Stream

G = CaptureMode.GLOBAL


def kind(which: EventKind, *ids: str) -> object:
    """A parameter: an event kind and what its use proves."""
    return variant(which.word, which, *ids)


RECORDED = [
    kind(kinds.PLAIN, "EVT-002"),
    kind(kinds.FLAG_SYNC, "EVT-003"),
    kind(kinds.FLAG_TIME_LINE, "EVT-003"),
    kind(kinds.FLAG_PROGRESS, "EVT-003"),
    kind(kinds.IPC, "EVT-020"),
    kind(kinds.DEVICE_ONLY, "EVT-023"),
    kind(kinds.EX_TIME_LINE, "EVT-064"),
    kind(kinds.EX_PROGRESS, "EVT-064"),
]
WAITED = [
    kind(kinds.PLAIN, "EVT-002"),
    kind(kinds.FLAG_SYNC, "EVT-003"),
    kind(kinds.EX_TIME_LINE, "EVT-004"),
    kind(kinds.EX_PROGRESS, "EVT-004"),
    kind(kinds.IPC, "EVT-021"),
    kind(kinds.DEVICE_ONLY, "EVT-023"),
]
RESET = [
    kind(kinds.EX_SYNC, "EVT-058"),
    kind(kinds.EX_TIME_LINE, "EVT-058"),
    kind(kinds.EX_SYNC_TIME_LINE, "EVT-058"),
    kind(kinds.EX_SYNC_PROGRESS, "EVT-058"),
    kind(kinds.DEVICE_ONLY, "EVT-023"),
]
Place = Callable[[Capture, Stream], Stream]
ON_THE_ORIGIN = pytest.param(lambda capture, sub_stream: capture.stream, id="on_origin")
ON_A_SUB_STREAM = pytest.param(lambda capture, sub_stream: sub_stream, id="on_sub_stream")
CAPTURED = pytest.mark.parametrize("place", [ON_THE_ORIGIN, ON_A_SUB_STREAM])


@each_mode()
@pytest.mark.parametrize("streams", [1, 2], ids=["one_sub_stream", "two_sub_streams"])
@pytest.mark.parametrize(
    "which", [kind(one, "EVT-001") for one in (kinds.EX_SYNC, kinds.EX_SYNC_TIME_LINE, kinds.EX_SYNC_PROGRESS)]
)
def test_event_that_links_streams(device: Device, mode: CaptureMode, streams: int, which: EventKind) -> None:
    """One event forks, others of its kind lead each sub-stream back."""
    forking, sub_streams = which.create(device).required(), [device.stream() for _ in range(streams)]
    returning = [which.create(device).required() for _ in sub_streams]
    with device.capture(mode) as capture:
        capture.stream.record(forking).succeeds()
        capture.mark()
        for sub_stream, event in zip(sub_streams, returning, strict=True):
            sub_stream.wait(forking).succeeds()
            sub_stream.record(event).succeeds()
            capture.stream.wait(event).succeeds()
        capture.end().succeeds()
    capture.expect_marks()


@each_mode()
@CAPTURED
@pytest.mark.parametrize("which", RECORDED)
def test_event_recorded_in_a_capture(device: Device, mode: CaptureMode, place: Place, which: EventKind) -> None:
    event, control, sub_stream = which.create(device).required(), device.event(), device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        fork(device, capture.stream, sub_stream)
        stream = place(capture, sub_stream)
        stream.record(control).required()  # control: the kind that captures are documented for
        stream.record(event).by_kind()
        join(device, capture.stream, sub_stream)
        capture.ends_consistently()


@each_mode()
@CAPTURED
@pytest.mark.parametrize("which", WAITED)
def test_event_waited_for_in_a_capture(device: Device, mode: CaptureMode, place: Place, which: EventKind) -> None:
    event, control, sub_stream = which.create(device).required(), device.event(), device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        fork(device, capture.stream, sub_stream)
        stream = place(capture, sub_stream)
        # The other kinds cannot be recorded here, which test_event_recorded_in_a_capture shows.
        capture.stream.record(control).required()
        stream.wait(control).required()  # control
        stream.wait(event).by_kind()
        join(device, capture.stream, sub_stream)
        capture.ends_consistently()


@each_mode()
@pytest.mark.parametrize(
    "place",
    [ON_THE_ORIGIN, ON_A_SUB_STREAM, pytest.param(lambda capture, sub_stream: capture.device.stream(), id="beside")],
)
@pytest.mark.parametrize("which", RESET)
def test_event_reset_during_a_capture(device: Device, mode: CaptureMode, place: Place, which: EventKind) -> None:
    event, control, sub_stream = which.create(device).required(), device.external_event(), device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        fork(device, capture.stream, sub_stream)
        stream = place(capture, sub_stream)
        stream.reset(control).required()  # control: an event that can be reset
        stream.reset(event).by_kind()
        join(device, capture.stream, sub_stream)
        capture.ends_consistently()


@pytest.mark.parametrize("which", RESET)
def test_event_reset_outside_captures(device: Device, which: EventKind) -> None:
    event, control, stream = which.create(device).required(), device.gate_event(), device.stream()
    stream.reset(control).required()  # control
    stream.reset(event).by_kind()


@each_mode()
@pytest.mark.parametrize("beside", ["never_captured", "captured_before"])
@pytest.mark.parametrize(
    "which",
    [
        kind(one, "EVT-067")
        for one in (
            kinds.PLAIN,
            kinds.FLAG_SYNC,
            kinds.EX_SYNC,
            kinds.EX_SYNC_TIME_LINE,
            kinds.EX_SYNC_PROGRESS,
        )
    ],
)
def test_event_of_streams_beside_a_capture(device: Device, mode: CaptureMode, beside: str, which: EventKind) -> None:
    """Two streams that take no part order their work by the event as ever."""
    event, gate, gate_stream = which.create(device).required(), device.gate_event(), device.stream()
    first, second = device.stream(), device.stream()
    device.releasing(gate, gate_stream)
    source, result = device.pinned(np.full(64, 7, np.uint8)), device.pinned(np.zeros(64, np.uint8))
    between = device.buffer(np.zeros(64, np.uint8))
    if beside == "captured_before":
        with device.capture(mode, first, marks=0):
            fork(device, first, second)
            join(device, first, second)
    with device.capture(mode) as capture:
        capture.mark()
        first.wait(gate).required()
        first.copy(between, source).required()
        first.record(event).succeeds()
        second.wait(event).succeeds()
        second.copy(result, between).required()
        capture.ends_consistently()
    held = not second.synchronize_within(30).observed_acceptance("waiting for a stream behind a held one")
    device.case.expect(held, what="stream that waits for a held one", expected="busy", actual="complete")
    gate_stream.record(gate).required()
    for stream in (first, second):
        stream.finish()
    seen = sorted(set(result.array.tolist()))
    device.case.expect(seen == [7], what="what the waiting stream read", expected=[7], actual=seen)


@each_mode()
@pytest.mark.parametrize(
    "which",
    [
        kind(one, "STRM-007")
        for one in (
            kinds.PLAIN,
            kinds.FLAG_SYNC,
            kinds.EXTERNAL,
            kinds.EX_SYNC,
            kinds.EX_TIME_LINE,
            kinds.EX_SYNC_PROGRESS,
        )
    ],
)
def test_event_recorded_on_the_default_stream(device: Device, mode: CaptureMode, which: EventKind) -> None:
    event = which.create(device).required()
    device.default_stream.record(which.create(device).required()).required()  # control: nothing captures
    with device.capture(mode) as capture:
        capture.mark()
        device.default_stream.record(event).refused()
        capture.ends_consistently()


@rule("EVT-022")
@pytest.mark.parametrize(
    "beside",
    [EventFlag.SYNC, EventFlag.CAPTURE_STREAM_PROGRESS, EventFlag.TIME_LINE],
    ids=["linking", "progress", "time_line"],
)
def test_ipc_flag_with_another_flag(device: Device, beside: EventFlag) -> None:
    device.create_event(kinds.IPC.function, EventFlag.IPC | beside).observed()
    kinds.IPC.create(device).required()


@each_mode()
@rule("EVT-085")
def test_event_of_the_overload_links_streams(device: Device, mode: CaptureMode) -> None:
    device.needs("aclrtCreateEvent")
    device.case.note("C++ overload aclrtCreateEvent(event, ACL_EVENT_SYNC)")
    code, address = overloads_of(device.library.toolkit).create_event(EventFlag.SYNC)
    device.outcome("aclrtCreateEvent(event, flag)", code).succeeds()
    event, sub_stream = Event(device, device.ffi.cast("aclrtEvent", address)), device.stream()
    device.at_end("aclrtDestroyEvent", event.handle)
    with device.capture(mode) as capture:
        capture.mark()
        capture.stream.record(event).succeeds()
        sub_stream.wait(event).succeeds()
        status = capture.info(sub_stream).status
        device.case.expect(
            status is CaptureStatus.ACTIVE, what="status of the waiting stream", expected="ACTIVE", actual=status.name
        )
        join(device, capture.stream, sub_stream)
        capture.end().succeeds()
    capture.expect_marks()
