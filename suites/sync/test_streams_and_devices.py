"""Waiting for, and asking about, what a capture holds: streams and the device (dev guide 04-01, item 2).

Plan
- the capturing stream: synchronize (no limit, -1, finite), query; every mode; own and other thread  SYNC-001 … 004
- a sub-stream that joined the capture: the same four calls                                          SYNC-015
- the device: both calls, own thread and another thread of the context                               SYNC-012 … 014
- the documented fix: wait before the capture, or after its replay                                   SYNC-021, 022
- what the refusal does to the capture                                                               SYNC-020
- the refusal is the calling thread's last error, and nobody else's                                  SYNC-032
Each refusal has its control in the same case: the same call before the capture succeeds.
"""

from collections.abc import Callable

import numpy as np
import pytest

from fixtures import CaptureMode, Device, ThreadRole, each_mode, each_role, rule, variant
from fixtures.outcome import Outcome
from fixtures.stream import Stream

Wait = Callable[[Stream], Outcome[object]]
DeviceWait = Callable[[Device], Outcome[None]]

STREAM_WAITS = [
    variant("sync_stream", Stream.synchronize, "SYNC-001"),
    variant("sync_stream_no_limit", lambda stream: stream.synchronize_within(-1), "SYNC-002"),
    variant("sync_stream_timeout", lambda stream: stream.synchronize_within(1000), "SYNC-003"),
    variant("query_stream", Stream.query, "SYNC-004"),
]
SUB_STREAM_WAITS = [variant(one.id, one.values[0], "SYNC-015") for one in STREAM_WAITS]


@each_mode()
@each_role()
@pytest.mark.parametrize("wait", STREAM_WAITS)
def test_capturing_stream(device: Device, mode: CaptureMode, role: ThreadRole, wait: Wait) -> None:
    stream, caller = device.stream(), device.caller(role)
    caller.run(lambda: wait(stream)).succeeds()  # control: the stream does not capture yet
    with device.capture(mode, stream) as capture:
        capture.mark()
        caller.run(lambda: wait(stream)).refused()
        capture.mark()
        capture.ends_consistently()


@each_mode()
@pytest.mark.parametrize("wait", SUB_STREAM_WAITS)
def test_sub_stream(device: Device, mode: CaptureMode, wait: Wait) -> None:
    sub_stream, fork, join = device.stream(), device.event(), device.event()
    wait(sub_stream).succeeds()  # control: the stream has not joined yet
    with device.capture(mode) as capture:
        capture.stream.record(fork).required()
        sub_stream.wait(fork).required()
        wait(sub_stream).refused()
        sub_stream.record(join).required()
        capture.stream.wait(join).required()
        capture.mark()
        capture.ends_consistently()


@each_mode()
@pytest.mark.parametrize(
    ("role", "wait"),
    [
        variant("sync_device", (ThreadRole.OWN, Device.synchronize), "SYNC-012"),
        variant("sync_device_timeout", (ThreadRole.OWN, lambda d: d.synchronize_within(1000)), "SYNC-013"),
        variant("sync_device-other_thread", (ThreadRole.OTHER, Device.synchronize), "SYNC-014"),
        variant(
            "sync_device_timeout-other_thread",
            (ThreadRole.OTHER, lambda d: d.synchronize_within(1000)),
            "SYNC-014",
        ),
    ],
)
def test_device(device: Device, mode: CaptureMode, role: ThreadRole, wait: DeviceWait) -> None:
    caller = device.caller(role)
    caller.run(lambda: wait(device)).succeeds()  # control: nothing captures yet
    with device.capture(mode) as capture:
        capture.mark()
        caller.run(lambda: wait(device)).refused()
        capture.mark()
        capture.ends_consistently()


@each_mode()
@rule("SYNC-020")
@pytest.mark.parametrize("refused", [1, 3], ids=["once", "thrice"])
def test_capture_after_refused_sync(device: Device, mode: CaptureMode, refused: int) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        codes = [capture.stream.synchronize().observed() or device.last_error(keep=False) for _ in range(refused)]
        device.case.expect(all(codes), what="the refusal must not wear off", expected="nonzero", actual=codes)
        capture.mark()
        capture.ends_consistently()


@each_mode()
@rule("SYNC-021")
def test_sync_before_capture(device: Device, mode: CaptureMode) -> None:
    stream, source, buffer = (
        device.stream(),
        device.pinned(np.arange(8, dtype=np.float32)),
        device.buffer(np.zeros(8, np.float32)),
    )
    stream.copy(buffer, source).required()
    stream.synchronize_within(device.budget_ms).succeeds()
    with device.capture(mode, stream) as capture:
        capture.mark()
        capture.ends_consistently()


@each_mode()
@rule("SYNC-022")
def test_sync_after_capture_and_replay(device: Device, mode: CaptureMode) -> None:
    source, buffer = device.pinned(np.arange(8, dtype=np.float32)), device.buffer(np.zeros(8, np.float32))
    with device.capture(mode) as capture:
        capture.stream.copy(buffer, source).required()
    capture.model.execute(capture.stream).required()
    capture.stream.synchronize_within(device.budget_ms).succeeds()
    content = buffer.read()
    device.case.expect(
        np.array_equal(content, source.array),
        what="synchronised replay",
        expected=source.array,
        actual=content,
    )


@each_mode()
@rule("SYNC-032")
def test_refused_sync_is_the_last_error_of_its_thread(device: Device, mode: CaptureMode) -> None:
    bystander = device.thread()
    device.last_error(keep=False)
    with device.capture(mode) as capture:
        capture.mark()
        refusal = capture.stream.synchronize()
        refusal.observed()
        seen = [device.last_error(keep=True), device.last_error(keep=False), device.last_error(keep=False)]
        other = bystander.run(lambda: device.last_error(keep=True))
        device.case.expect(
            refusal.code != 0 and seen == [refusal.code, refusal.code, 0],
            what="aclrtPeekAtLastError, aclrtGetLastError, aclrtGetLastError after a refused call",
            expected=[refusal.code, refusal.code, 0],
            actual=seen,
        )
        device.case.expect(other == 0, what="last error of another thread", expected=0, actual=other)
        capture.ends_consistently()
