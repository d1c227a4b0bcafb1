"""Streams on their own: timeouts, queries, independence, destruction, kinds that nobody waits for (API reference 06).

Plan
- synchronization with a timeout: expired, sufficient, undocumented values                     STRM-023 … 025
- queries                                                                                      STRM-026
- streams do not wait for each other; the device waits for all                                 STRM-027, 028
- destroying waits, destroying by force does not                                               STRM-029, 032
- PERSISTENT, DEVICE_USE_ONLY, CPU_SCHEDULE: nothing to wait for                               STRM-019, 020
"""

from collections.abc import Callable

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.counter import Counter
from fixtures.gate import Gate
from fixtures.modes import StreamFlag
from fixtures.outcome import Outcome
from fixtures.stream import Stream

R = CaptureMode.RELAXED
COMPLETE, NOT_READY = 0, 1
UNAWAITED = [StreamFlag.PERSISTENT, StreamFlag.DEVICE_USE_ONLY, StreamFlag.CPU_SCHEDULE]


def eager(device: Device, stream: Stream, counter: Counter) -> None:
    """The counter's work, submitted to the stream."""
    counter.submit(stream)


def replayed(device: Device, stream: Stream, counter: Counter) -> None:
    """The counter's work, in a model that the stream executes."""
    with device.capture(R) as capture:
        counter.submit(capture.stream)
    capture.model.execute(stream).required()


WORK = [pytest.param(eager, id="eager"), pytest.param(replayed, id="replay")]
Submit = Callable[[Device, Stream, Counter], None]


@pytest.mark.parametrize("flag", UNAWAITED, ids=lambda flag: flag.name.lower())
@pytest.mark.parametrize(
    "synchronize",
    [
        variant("sync_stream", Stream.synchronize, "STRM-019"),
        variant("sync_stream_timeout", lambda stream: stream.synchronize_within(1000), "STRM-020"),
    ],
)
def test_stream_that_hosts_do_not_wait_for(
    device: Device, flag: StreamFlag, synchronize: Callable[[Stream], Outcome[None]]
) -> None:
    synchronize(device.create_stream(flag).required()).succeeds()


@pytest.mark.parametrize("submit", WORK)
@rule("STRM-023")
def test_expired_timeout_of_a_wait_is_refused(device: Device, submit: Submit) -> None:
    gate, stream, counter = Gate(device), device.stream(), Counter(device)
    gate.hold(stream)
    submit(device, stream, counter)
    stream.synchronize_within(30).refused()
    gate.open()
    stream.synchronize_within(device.budget_ms).succeeds()  # control: long enough
    counter.expect(1, what="the work after all")


@pytest.mark.parametrize("timeout", [-1, 10_000], ids=["without_limit", "sufficient"])
@pytest.mark.parametrize("submit", WORK)
@rule("STRM-024")
def test_sufficient_timeout_of_a_wait(device: Device, submit: Submit, timeout: int) -> None:
    stream, counter = device.stream(), Counter(device)
    submit(device, stream, counter)
    stream.synchronize_within(timeout).succeeds()
    counter.expect(1, what="results after the synchronization")


@pytest.mark.parametrize("timeout", [0, -2], ids=["zero", "minus_two"])
@rule("STRM-025")
def test_undocumented_timeout_of_a_wait_for_streams(device: Device, timeout: int) -> None:
    device.stream().synchronize_within(timeout).observed(f"timeout {timeout}")


@pytest.mark.parametrize("submit", WORK)
@rule("STRM-026")
def test_query_of_a_busy_and_an_idle_stream(device: Device, submit: Submit) -> None:
    gate, stream, counter = Gate(device), device.stream(), Counter(device)
    gate.hold(stream)
    submit(device, stream, counter)
    busy = stream.query().succeeds()
    device.case.expect(busy == NOT_READY, what="query of a held stream", expected=NOT_READY, actual=busy)
    gate.open()
    stream.finish()
    idle = stream.query().succeeds()
    device.case.expect(idle == COMPLETE, what="query of a finished stream", expected=COMPLETE, actual=idle)


@pytest.mark.parametrize("submit", WORK)
@pytest.mark.parametrize("held_default", [False, True], ids=["explicit_is_held", "default_is_held"])
@rule("STRM-027")
def test_default_and_explicit_streams_do_not_wait_for_each_other(
    device: Device, submit: Submit, held_default: bool
) -> None:
    gate, stream, counter, held_counter = Gate(device), device.stream(), Counter(device), Counter(device)
    held, free = (device.default_stream, stream) if held_default else (stream, device.default_stream)
    gate.hold(held)
    if held_default:
        held_counter.submit(held)
        submit(device, free, counter)
    else:
        submit(device, held, held_counter)
        counter.submit(free)
    free.synchronize_within(2000).succeeds()
    counter.expect(1, what="work of the stream that nothing holds")
    gate.open()
    held.finish()
    held_counter.expect(1, what="work of the held stream after its release")


@pytest.mark.parametrize("submit", WORK)
@rule("STRM-028")
def test_waiting_for_the_device_waits_for_all_streams(device: Device, submit: Submit) -> None:
    gate, streams, counters = Gate(device), [device.stream(), device.stream()], [Counter(device), Counter(device)]
    gate.hold(streams[1])
    for stream, counter in zip(streams, counters, strict=True):
        submit(device, stream, counter)
    early = device.synchronize_within(30)
    early.observed("device synchronization while one stream is held")
    device.case.expect(not early.accepted, what="device sync with a held stream", expected="a timeout", actual="0")
    gate.open()
    device.synchronize().succeeds()
    for counter in counters:
        counter.expect(1, what="results of every stream")


@pytest.mark.parametrize("submit", WORK)
@rule("STRM-029")
def test_destroying_a_stream_waits_for_its_work(device: Device, submit: Submit) -> None:
    stream, counter = device.stream(), Counter(device)
    result, long = device.pinned(np.zeros(16, np.float32)), device.buffer(np.zeros(1 << 22, np.uint8))
    submit(device, stream, counter)
    for _ in range(40):
        stream.memset(long, 1).required()
    stream.copy(result, counter.total).required()
    stream.destroy().succeeds()
    seen = sorted(set(result.array.tolist()))
    device.case.expect(seen == [1], what="pending work after the stream was destroyed", expected=[1], actual=seen)


@pytest.mark.parametrize("pending", [False, True], ids=["after_a_finished_replay", "with_work_pending"])
@each_mode()
@rule("STRM-032")
def test_destroying_a_stream_by_force(device: Device, mode: CaptureMode, pending: bool) -> None:
    gate, counter = Gate(device), Counter(device)
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
    capture.model.replay(capture.stream)
    capture.model.destroy().required()
    if pending:
        gate.hold(capture.stream)
    capture.stream.destroy_force().succeeds()
    counter.expect(1, what="the finished replay")
