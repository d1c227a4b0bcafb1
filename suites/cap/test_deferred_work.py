"""What a capture does to work: before it immediate, in it deferred, once per execution (dev guide 04-01).

Plan
- work before Begin runs by itself and is not in the model                                     CAP-004
- captured work has no effect up to and including End                                          CAP-005
- it takes effect once per execution                                                           CAP-006
"""

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.counter import Counter


@each_mode()
@rule("CAP-004")
def test_work_before_begin_is_not_captured(device: Device, mode: CaptureMode) -> None:
    before, inside, stream = Counter(device), Counter(device), device.stream()
    before.submit(stream)
    stream.finish()
    before.expect(1, what="work before Begin, after a synchronization")
    with device.capture(mode, stream) as capture:
        inside.submit(stream)
    before.next_total.write(50)  # what a captured copy of the work before Begin would bring back
    capture.model.replay(stream)
    before.expect(1, what="work before Begin, after an execution of the model")
    inside.expect(1, what="captured work")


@each_mode()
@rule("CAP-005")
def test_captured_work_waits_for_the_execution(device: Device, mode: CaptureMode) -> None:
    counter = Counter(device)
    source, target = device.pinned(np.full(64, 9, np.uint8)), device.buffer(np.full(64, 0xA5, np.uint8))
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
        capture.stream.copy(target, source).required()
    capture.stream.finish()
    content = target.read()
    device.case.expect((content == 0xA5).all(), what="buffer after End", expected=0xA5, actual=content)
    counter.expect(0, what="operators before the execution")
    capture.model.replay(capture.stream)  # control: now it runs
    counter.expect(1, what="operators after the execution")


@each_mode()
@pytest.mark.parametrize("times", [1, 2, 25], ids=["once", "twice", "many_times"])
@rule("CAP-006")
def test_captured_work_runs_once_per_execution(device: Device, mode: CaptureMode, times: int) -> None:
    counter = Counter(device)
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
    for _ in range(times):
        capture.model.execute(capture.stream).required()
    capture.stream.finish()
    counter.expect(times, what=f"{times} executions")
