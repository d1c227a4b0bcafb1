"""Captures longer than one hardware queue (dev guide 04; API reference 15).

Plan
- thousands of tasks replay correctly, also a hundred thousand                                 RES-020
- the model says that it takes more streams                                                    RES-021
"""

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.capture import Capture
from fixtures.memory import Buffer

R = CaptureMode.RELAXED
DEVICE_TO_DEVICE = 3


def capture_shifts(device: Device, capture: Capture, buffer: Buffer, *, tasks: int) -> None:
    """Capture ``tasks`` copies, each moving the next element of the first half one place further into the second."""
    copy, stream, base = (
        device.bare("aclrtMemcpyAsync"),
        capture.stream.handle,
        int(device.ffi.cast("uintptr_t", buffer.address)),
    )
    half = buffer.nbytes // 2
    addresses = [device.ffi.cast("void *", base + offset) for offset in range(buffer.nbytes)]
    failed = 0
    for number in range(tasks):
        place = number % half
        failed += copy(addresses[half + place], 1, addresses[place], 1, DEVICE_TO_DEVICE, stream) != 0
    device.case.expect(
        failed == 0, what=f"{tasks} captured copies", expected="all accepted", actual=f"{failed} refused"
    )


LENGTHS = [pytest.param(5000, id="thousands"), pytest.param(100_000, id="a_hundred_thousand")]


@each_mode()
@pytest.mark.parametrize("tasks", LENGTHS)
@rule("RES-020")
def test_long_capture_replays(device: Device, mode: CaptureMode, tasks: int) -> None:
    half = np.arange(1000, dtype=np.uint8)
    buffer = device.buffer(np.concatenate([half, np.zeros_like(half)]))
    with device.capture(mode) as capture:
        capture_shifts(device, capture, buffer, tasks=tasks)
        capture.end().succeeds()
    for start in (half, half[::-1]):
        buffer.write(np.concatenate([start, np.zeros_like(start)]))
        capture.model.replay(capture.stream)
        moved = buffer.read()[len(half) :]
        same = np.array_equal(moved, start)
        device.case.expect(same, what=f"result of {tasks} copies", expected=start[:8], actual=moved[:8])


@each_mode()
@rule("RES-021")
def test_long_capture_takes_more_streams(device: Device, mode: CaptureMode) -> None:
    counts = []
    for tasks in (10, 20_000):
        buffer, count = device.buffer(np.zeros(200, np.uint8)), device.ffi.new("uint32_t *")
        with device.capture(mode) as capture:
            capture_shifts(device, capture, buffer, tasks=tasks)
        device.call("aclmdlRIGetStreams", capture.model.handle, device.ffi.NULL, count).required()
        counts.append(int(count[0]))
    device.case.expect(
        counts[1] > counts[0], what="streams of a short and of a long model", expected="more", actual=counts
    )
