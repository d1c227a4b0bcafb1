"""aclrtRecordEventWithFlag and aclrtStreamWaitEventWithFlag: flags, fitting events, bonds (API reference 07).

Plan
- flag DEFAULT is the plain call, captured and eager                                             EVT-024, 025
- flag EXTERNAL: on a capturing stream only, never on the default stream                         EVT-026 … 030
- which events it takes                                                                          EVT-031 … 036, 084
- an event's records (waits) keep the flag of the first of them, also when that one failed       EVT-041 … 046, 048
- record flag and wait flag are independent                                                      EVT-047
- timeouts and unknown flags                                                                     EVT-051, 052
What external records and waits do in a replay: test_external_links_of_graphs.py.
"""

from collections.abc import Callable

import numpy as np
import pytest

from fixtures import CaptureMode, CaptureStatus, Device, each_mode, rule, variant
from fixtures import event_kinds as kinds
from fixtures.event import Event
from fixtures.event_kinds import EventKind
from fixtures.gate import Gate
from fixtures.links import fork, join
from fixtures.outcome import Outcome
from fixtures.stream import Stream

DEFAULT, EXTERNAL = 0, 1

Use = Callable[[Stream, Event, int], Outcome[None]]


def record(stream: Stream, event: Event, flag: int) -> Outcome[None]:
    """aclrtRecordEventWithFlag."""
    return stream.record_flagged(event, flag)


def wait(stream: Stream, event: Event, flag: int) -> Outcome[None]:
    """aclrtStreamWaitEventWithFlag without a timeout."""
    return stream.wait_flagged(event, flag)


def plain_record(stream: Stream, event: Event, flag: int) -> Outcome[None]:
    """aclrtRecordEvent, which has no flag."""
    return stream.record(event)


def plain_wait(stream: Stream, event: Event, flag: int) -> Outcome[None]:
    """aclrtStreamWaitEvent, which has no flag."""
    return stream.wait(event)


BOTH = pytest.mark.parametrize("use", [pytest.param(record, id="record"), pytest.param(wait, id="wait")])


@each_mode()
@pytest.mark.parametrize(
    ("recording", "waiting"),
    [
        variant("record", (record, plain_wait), "EVT-024"),
        variant("wait", (plain_record, wait), "EVT-025"),
        variant("both", (record, wait), "EVT-024", "EVT-025"),
    ],
)
def test_default_flag_joins_like_the_plain_call(
    device: Device, mode: CaptureMode, recording: Use, waiting: Use
) -> None:
    event, sub_stream = device.event(), device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        recording(capture.stream, event, DEFAULT).succeeds()
        waiting(sub_stream, event, DEFAULT).succeeds()
        status = capture.info(sub_stream).status
        device.case.expect(
            status is CaptureStatus.ACTIVE, what="status of the waiting stream", expected="ACTIVE", actual=status.name
        )
        join(device, capture.stream, sub_stream)
        capture.end().succeeds()
    capture.expect_marks()


@pytest.mark.parametrize(
    ("recording", "waiting"),
    [variant("record", (record, plain_wait), "EVT-024"), variant("wait", (plain_record, wait), "EVT-025")],
)
def test_default_flag_orders_like_the_plain_call(device: Device, recording: Use, waiting: Use) -> None:
    gate, event, first, second = Gate(device), device.event(), device.stream(), device.stream()
    source, result = device.pinned(np.full(64, 7, np.uint8)), device.pinned(np.zeros(64, np.uint8))
    between = device.buffer(np.zeros(64, np.uint8))
    gate.hold(first)
    first.copy(between, source).required()
    recording(first, event, DEFAULT).succeeds()
    waiting(second, event, DEFAULT).succeeds()
    second.copy(result, between).required()
    gate.open()
    second.finish()
    seen = sorted(set(result.array.tolist()))
    device.case.expect(seen == [7], what="what the waiting stream read", expected=[7], actual=seen)


@pytest.mark.parametrize("before", ["never_captured", "captured_before"])
@pytest.mark.parametrize("use", [variant("record", record, "EVT-026"), variant("wait", wait, "EVT-027")])
def test_external_flag_outside_captures_is_refused(device: Device, use: Use, before: str) -> None:
    stream = device.stream()
    with device.capture(CaptureMode.RELAXED, stream) as control:
        use(control.stream, device.event(), EXTERNAL).required()  # control: the stream captures
    use(stream if before == "captured_before" else device.stream(), device.event(), EXTERNAL).refused()


@pytest.mark.parametrize("capturing", [False, True], ids=["idle", "during_a_capture"])
@BOTH
@rule("EVT-028")
def test_external_flag_on_the_default_stream_is_refused(device: Device, use: Use, capturing: bool) -> None:
    with device.capture(CaptureMode.RELAXED) as capture:
        use(capture.stream, device.event(), EXTERNAL).required()  # control
        if capturing:
            use(device.default_stream, device.event(), EXTERNAL).refused()
    if not capturing:
        use(device.default_stream, device.event(), EXTERNAL).refused()


@each_mode()
@pytest.mark.parametrize("place", ["on_origin", "on_sub_stream"])
@pytest.mark.parametrize("use", [variant("record", record, "EVT-029"), variant("wait", wait, "EVT-030")])
def test_external_flag_in_a_capture(device: Device, mode: CaptureMode, use: Use, place: str) -> None:
    event, sub_stream = device.event(), device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        fork(device, capture.stream, sub_stream)
        use(capture.stream if place == "on_origin" else sub_stream, event, EXTERNAL).succeeds()
        join(device, capture.stream, sub_stream)
        capture.end().succeeds()
    capture.expect_marks()


UNFIT = [
    variant(which.word, which, rule_id)
    for which, rule_id in (
        (kinds.PLAIN, "EVT-031"),
        (kinds.FLAG_SYNC, "EVT-032"),
        (kinds.EXTERNAL, "EVT-033"),
        (kinds.EX_TIME_LINE, "EVT-034"),
        (kinds.EX_SYNC_TIME_LINE, "EVT-035"),
        (kinds.IPC, "EVT-036"),
        (kinds.EX_PROGRESS, "EVT-084"),
        (kinds.EX_SYNC_PROGRESS, "EVT-084"),
    )
]


@each_mode()
@BOTH
@pytest.mark.parametrize("which", UNFIT)
def test_external_flag_with_an_unfit_event(device: Device, mode: CaptureMode, use: Use, which: EventKind) -> None:
    event = which.create(device).required()
    with device.capture(mode) as capture:
        capture.mark()
        use(capture.stream, device.event(), EXTERNAL).required()  # control: a fitting event
        use(capture.stream, event, EXTERNAL).by_kind()
        capture.ends_consistently()


@each_mode()
@pytest.mark.parametrize("eager", [False, True], ids=["captured_first", "eager_first"])
@pytest.mark.parametrize(
    ("first", "then"),
    [
        variant("record", (record, record), "EVT-041"),
        variant("plain_record", (plain_record, record), "EVT-048"),
        variant("wait", (wait, wait), "EVT-043"),
        variant("plain_wait", (plain_wait, wait), "EVT-043"),
    ],
)
def test_external_call_after_a_default_one_is_refused(
    device: Device, mode: CaptureMode, eager: bool, first: Use, then: Use
) -> None:
    event, beside = device.event(), device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        stream = beside if eager else capture.stream
        if then is wait and not eager:
            stream.record(event).required()
        first(stream, event, DEFAULT).required()
        then(capture.stream, device.event(), EXTERNAL).required()  # control: an event without a past
        then(capture.stream, event, EXTERNAL).refused()
        capture.ends_consistently()


@each_mode()
@pytest.mark.parametrize("after_end", [False, True], ids=["in_the_capture", "after_end"])
@pytest.mark.parametrize(
    ("first", "then"),
    [
        variant("record", (record, record), "EVT-042"),
        variant("record_plain", (record, plain_record), "EVT-042"),
        variant("wait", (wait, wait), "EVT-044"),
        variant("wait_plain", (wait, plain_wait), "EVT-044"),
    ],
)
def test_default_call_after_an_external_one_is_refused(
    device: Device, mode: CaptureMode, after_end: bool, first: Use, then: Use
) -> None:
    event, other = device.event(), device.event()
    with device.capture(mode) as capture:
        capture.mark()
        first(capture.stream, event, EXTERNAL).required()
        if not after_end:
            capture.stream.record(other).required()
            then(capture.stream, other, DEFAULT).required()  # control: an event without an external past
            then(capture.stream, event, DEFAULT).refused()
        capture.ends_consistently()
    if after_end:
        stream = device.stream()
        then(stream, other, DEFAULT).required()  # control
        then(stream, event, DEFAULT).refused()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        variant("record", (record, record), "EVT-045"),
        variant("record_plain", (record, plain_record), "EVT-045"),
        variant("wait", (wait, wait), "EVT-046"),
        variant("wait_plain", (wait, plain_wait), "EVT-046"),
    ],
)
def test_a_failed_call_binds_the_flag_too(device: Device, first: Use, then: Use) -> None:
    event, stream = device.event(), device.stream()
    refusal = first(stream, event, EXTERNAL)
    refusal.observed("EXTERNAL on a stream that does not capture")
    device.case.expect(
        not refusal.accepted, what="EXTERNAL on a stream that does not capture", expected="a refusal", actual="0"
    )
    then(stream, device.event(), DEFAULT).required()  # control: an event without a failed call
    then(stream, event, DEFAULT).refused()


@each_mode()
@pytest.mark.parametrize(
    ("recording", "waiting"),
    [
        pytest.param((plain_record, DEFAULT), (wait, EXTERNAL), id="plain_record_external_wait"),
        pytest.param((record, DEFAULT), (wait, EXTERNAL), id="default_record_external_wait"),
        pytest.param((record, EXTERNAL), (plain_wait, DEFAULT), id="external_record_plain_wait"),
        pytest.param((record, EXTERNAL), (wait, DEFAULT), id="external_record_default_wait"),
    ],
)
@rule("EVT-047")
def test_record_flag_and_wait_flag_are_independent(
    device: Device, mode: CaptureMode, recording: tuple[Use, int], waiting: tuple[Use, int]
) -> None:
    event, outside = device.event(), device.stream()
    with device.capture(mode) as capture:
        for use, flag in (recording, waiting):
            use(capture.stream if flag == EXTERNAL else outside, event, flag).succeeds()
        capture.end().succeeds()


@each_mode()
@rule("EVT-051")
def test_external_wait_with_a_timeout(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        capture.stream.wait_flagged(device.event(), EXTERNAL, seconds=0).required()
        capture.stream.wait_flagged(device.event(), EXTERNAL, seconds=1).observed()
        capture.ends_consistently()


@pytest.mark.parametrize("flag", [2, 3, 0xFFFFFFFF], ids=["two", "three", "all_bits"])
@pytest.mark.parametrize("capturing", [False, True], ids=["eager", "captured"])
@BOTH
@rule("EVT-052")
def test_unknown_flag_is_refused(device: Device, use: Use, capturing: bool, flag: int) -> None:
    eager = device.stream()
    with device.capture(CaptureMode.RELAXED) as capture:
        capture.mark()
        stream = capture.stream if capturing else eager
        event = device.event()
        stream.record(event).required()
        use(stream, event, DEFAULT).required()  # control
        use(stream, device.event(), flag).refused()
        capture.ends_consistently()
