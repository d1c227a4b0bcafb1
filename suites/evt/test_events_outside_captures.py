"""Events on their own: what every order in and around a capture rests on (API reference 07).

Plan
- record and wait: one and several waiting streams, the latest record, a second round after a reset   EVT-067, 068, 077
- an event after an execution                                                                    EVT-069
- queries: before, while pending, after; never recorded; Ex events                               EVT-059 … 061, 070, 071
- waiting by the host: without and with a timeout, undocumented timeouts                         EVT-072 … 074
- destroying a pending event                                                                     EVT-075
- events without ACL_EVENT_SYNC                                                                  EVT-076
- how long a stream waits                                                                        EVT-080 … 083
"""

from collections.abc import Callable

import numpy as np
import pytest

from catalogue import name_of, number_of
from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures import event_kinds as kinds
from fixtures.counter import Counter
from fixtures.event import Event
from fixtures.event_kinds import EventKind
from fixtures.gate import Gate
from fixtures.outcome import Outcome
from fixtures.stream import Stream

NOT_READY, COMPLETE = 0, 1
EX = [kinds.EX_SYNC, kinds.EX_TIME_LINE, kinds.EX_SYNC_TIME_LINE, kinds.EX_PROGRESS]
# What the host's own patience ends with.
HOST_LIMIT = "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT"
ORDERING = [kinds.PLAIN, kinds.FLAG_SYNC, kinds.EX_SYNC, kinds.EX_SYNC_TIME_LINE]


def word(which: EventKind) -> str:
    """The word of a kind in a test id."""
    return which.word


def expect_status(event: Event, wanted: int, *, what: str) -> None:
    """Expect the recorded status of an event."""
    status = event.query_status().succeeds()
    event.device.case.expect(status == wanted, what=what, expected=wanted, actual=status)


def is_busy(stream: Stream) -> bool:
    """Whether the stream is still at work after a while."""
    return not stream.synchronize_within(30).observed_acceptance("waiting for a held stream")


@pytest.mark.parametrize("waiters", [1, 2], ids=["one_stream", "two_streams"])
@pytest.mark.parametrize("which", ORDERING, ids=word)
@rule("EVT-067")
def test_waiting_streams_go_on_after_the_record(device: Device, which: EventKind, waiters: int) -> None:
    gate, event, early = Gate(device), which.create(device).required(), device.stream()
    source, between = device.pinned(np.full(64, 7, np.uint8)), device.buffer(np.zeros(64, np.uint8))
    late = [(device.stream(), device.pinned(np.zeros(64, np.uint8))) for _ in range(waiters)]
    gate.hold(early)
    early.copy(between, source).required()
    early.record(event).succeeds()
    for stream, result in late:
        stream.wait(event).succeeds()
        stream.copy(result, between).required()
        device.case.expect(is_busy(stream), what="stream that waits for a held one", expected="busy", actual="done")
    gate.open()
    for stream, result in late:
        stream.finish()
        seen = sorted(set(result.array.tolist()))
        device.case.expect(seen == [7], what="what the waiting stream read", expected=[7], actual=seen)


@rule("EVT-068")
def test_wait_means_the_latest_record_when_it_was_submitted(device: Device) -> None:
    first_gate, last_gate, event, stream = Gate(device), Gate(device), device.event(), device.stream()
    first, last, counter = device.stream(), device.stream(), Counter(device)
    first.record(event).required()
    first.finish()
    first_gate.hold(stream)
    stream.wait(event).required()
    counter.submit(stream)
    last_gate.hold(last)
    last.record(event).required()
    first_gate.open()
    stream.synchronize_within(2000).succeeds()
    counter.expect(1, what="work that waits for the earlier record while the later one is pending")
    last_gate.open()
    last.finish()


@rule("EVT-077")
def test_second_round_after_a_reset(device: Device) -> None:
    event, early, late = device.gate_event(), device.stream(), device.stream()
    device.releasing(event, early)
    for number in (1, 2, 3):
        counter = Counter(device)
        late.wait(event).succeeds()
        late.reset(event).succeeds()
        counter.submit(late)
        device.case.expect(is_busy(late), what=f"waiting stream in round {number}", expected="busy", actual="done")
        early.record(event).succeeds()
        late.finish()
        counter.expect(1, what=f"work after the wait in round {number}")


@each_mode()
@rule("EVT-069")
def test_event_after_an_execution_completes_with_the_graph(device: Device, mode: CaptureMode) -> None:
    gate, event, counter, stream = Gate(device), device.event(), Counter(device), device.stream()
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
    gate.hold(stream)
    capture.model.execute(stream).required()
    stream.record(event).required()
    expect_status(event, NOT_READY, what="event behind a held execution")
    gate.open()
    event.synchronize_within(device.budget_ms).succeeds()
    counter.expect(1, what="results of the execution when its event is complete")
    expect_status(event, COMPLETE, what="event behind a finished execution")


@pytest.mark.parametrize("which", ORDERING, ids=word)
@rule("EVT-070")
def test_status_while_pending_and_afterwards(device: Device, which: EventKind) -> None:
    gate, event, stream = Gate(device), which.create(device).required(), device.stream()
    gate.hold(stream)
    stream.record(event).required()
    expect_status(event, NOT_READY, what="pending event")
    gate.open()
    stream.finish()
    expect_status(event, COMPLETE, what="finished event")


@pytest.mark.parametrize(
    ("which", "wanted"),
    [
        *(variant(one.word, (one, COMPLETE), "EVT-061") for one in EX),
        *(
            variant(one.word, (one, NOT_READY), "EVT-071")
            for one in (kinds.PLAIN, kinds.FLAG_SYNC, kinds.FLAG_TIME_LINE)
        ),
    ],
)
def test_status_of_an_event_that_nobody_recorded(device: Device, which: EventKind, wanted: int) -> None:
    expect_status(which.create(device).required(), wanted, what=f"status of a new {which.word} event")


@pytest.mark.parametrize("recorded", [False, True], ids=["new", "recorded"])
@pytest.mark.parametrize("which", EX, ids=word)
@pytest.mark.parametrize(
    "query",
    [
        variant("query_event", Event.query, "EVT-059"),
        variant("query_event_wait_status", Event.query_wait_status, "EVT-060"),
    ],
)
def test_old_query_of_an_ex_event_is_refused(
    device: Device, query: Callable[[Event], Outcome[int]], which: EventKind, recorded: bool
) -> None:
    event, control, stream = which.create(device).required(), kinds.PLAIN.create(device).required(), device.stream()
    for one in (control, event):
        if recorded:
            stream.record(one).required()
    stream.finish()
    query(control).required()  # control: an event that these calls are for
    query(event).refused()


@pytest.mark.parametrize("which", ORDERING, ids=word)
@rule("EVT-072")
def test_host_waits_for_the_event(device: Device, which: EventKind) -> None:
    event, stream = which.create(device).required(), device.stream()
    source, long = device.buffer(np.full(64, 7, np.uint8)), device.buffer(np.zeros(1 << 22, np.uint8))
    result = device.pinned(np.zeros(64, np.uint8))
    for _ in range(40):
        stream.memset(long, 1).required()
    stream.copy(result, source).required()
    stream.record(event).required()
    event.synchronize().succeeds()
    seen = sorted(set(result.array.tolist()))
    device.case.expect(seen == [7], what="result when the call returned", expected=[7], actual=seen)
    expect_status(event, COMPLETE, what="status after the wait")


@pytest.mark.parametrize("which", ORDERING, ids=word)
@rule("EVT-073")
def test_expired_wait_of_the_host_is_refused(device: Device, which: EventKind) -> None:
    gate, event, stream = Gate(device), which.create(device).required(), device.stream()
    gate.hold(stream)
    stream.record(event).required()
    event.synchronize_within(30).refused()
    gate.open()
    event.synchronize_within(device.budget_ms).succeeds()  # control: long enough


@pytest.mark.parametrize("timeout", [-1, 0, -2], ids=["minus_one", "zero", "minus_two"])
@rule("EVT-074")
def test_undocumented_timeout_of_a_wait(device: Device, timeout: int) -> None:
    event, stream = device.event(), device.stream()
    stream.record(event).required()
    stream.finish()
    event.synchronize_within(timeout).observed(f"timeout {timeout}")


@pytest.mark.parametrize("which", ORDERING, ids=word)
@rule("EVT-075")
def test_pending_event_may_be_destroyed(device: Device, which: EventKind) -> None:
    gate, event = Gate(device), which.create(device).required()
    stream, counter = device.stream(), Counter(device)
    gate.hold(stream)
    stream.record(event).required()
    counter.submit(stream)
    event.destroy().succeeds()
    device.case.expect(is_busy(stream), what="stream of the destroyed event", expected="still held", actual="done")
    gate.open()
    stream.finish()
    counter.expect(1, what="work behind the record")


@rule("EVT-076")
@pytest.mark.parametrize("which", [kinds.FLAG_TIME_LINE, kinds.FLAG_PROGRESS], ids=word)
@pytest.mark.parametrize("act", [Stream.wait, Stream.reset], ids=["wait", "reset"])
def test_flag_event_that_is_not_waitable(
    device: Device, act: Callable[[Stream, Event], Outcome[None]], which: EventKind
) -> None:
    event, stream = which.create(device).required(), device.stream()
    stream.record(event).required()
    act(stream, event).observed()
    stream.finish()


def held_wait(
    device: Device, seconds: int | None, *, after_hold: Callable[[], None] = lambda: None
) -> tuple[Gate, Stream, Counter]:
    """A stream that waits for a held one, by the plain call or with a timeout, and then works."""
    gate, event, counter = Gate(device), device.event(), Counter(device)
    early, late = device.stream(), device.stream()
    gate.hold(early)
    early.record(event).required()
    after_hold()  # a limit set here is none of the gate's
    if seconds is None:
        late.wait(event).required()
    else:
        late.wait_within(event, seconds).required()
    counter.submit(late)
    return gate, late, counter


@pytest.mark.parametrize(
    "seconds", [variant("plain_wait", None, "EVT-080"), variant("timeout_zero", 0, "EVT-080", "EVT-082")]
)
def test_wait_without_a_limit(device: Device, seconds: int | None) -> None:
    gate, late, counter = held_wait(device, seconds)
    outcome = late.synchronize_within(1200)
    outcome.observed("waiting for the stream")
    device.case.expect(
        outcome.code == number_of(HOST_LIMIT),
        what="wait without a limit",
        expected=HOST_LIMIT,
        actual=name_of(outcome.code),
    )
    gate.open()
    late.synchronize_within(device.budget_ms).succeeds()
    counter.expect(1, what="work behind the wait")


def expect_expired(device: Device, late: Stream) -> None:
    """The stream's wait gives up: the host learns of an error, not of its own patience."""
    outcome = late.synchronize_within(device.budget_ms)
    outcome.refused()
    device.case.expect(
        outcome.code != number_of(HOST_LIMIT),
        what="the expired wait of the stream",
        expected="its error",
        actual=f"none in {device.budget_ms} ms",
    )


@rule("EVT-081")
def test_expired_wait_of_a_stream_is_refused(device: Device) -> None:
    device.spoiled = True  # what the failed wait leaves behind is not documented
    device.at_end("aclrtSetOpWaitTimeout", 0)

    def limit() -> None:
        device.call("aclrtSetOpWaitTimeout", 100).required()
        device.call("aclrtSetOpWaitTimeout", 1).required()  # the last value counts
        done, stream = device.event(), device.stream()
        stream.record(done).required()
        stream.wait(done).required()  # control: a wait that does not last
        stream.finish()

    gate, late, _ = held_wait(device, None, after_hold=limit)
    expect_expired(device, late)
    gate.open()


@rule("EVT-082")
def test_expired_wait_with_a_timeout_is_refused(device: Device) -> None:
    device.spoiled = True  # what the failed wait leaves behind is not documented
    gate, late, _ = held_wait(device, 1)
    expect_expired(device, late)
    gate.open()


@rule("EVT-083")
def test_negative_timeout_of_a_wait(device: Device) -> None:
    event, stream = device.event(), device.stream()
    stream.record(event).required()
    stream.wait_within(event, -1).observed()
    stream.finish()
