"""The default-stream ban: illegal between Begin and End, whoever touches it (dev guide 04-01, item 6; C-05, C-09).

Plan
- the default stream is never the origin: Begin (NULL, explicit handle), End                        STRM-001 … 003
- every operation on it while a capture is open: copy, memset, kernel, record, wait, wait and query by the host,
  replay; in every mode; by NULL and by explicit handle                                               STRM-004 … 011
- before and after the capture it works                                                               STRM-012
A refused operation must have no effect: its buffer keeps the old bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.capture import Model
from fixtures.event import Event
from fixtures.memory import Buffer, PinnedArray
from fixtures.operators import Operator
from fixtures.outcome import Outcome
from fixtures.stream import Stream

OLD, NEW = 1.0, 7.0
HANDLES = pytest.mark.parametrize(
    "default",
    [lambda device: device.default_stream, lambda device: device.explicit_default_stream],
    ids=["null", "handle"],
)


@dataclass(frozen=True)
class Site:
    """Everything an operation needs, prepared before the capture: the target buffer holds OLD, the source NEW."""

    buffer: Buffer
    source: PinnedArray
    kernel: Operator
    event: Event
    model: Model


def site(device: Device) -> Site:
    """A fresh site; its model sets the buffer to 2 * OLD."""
    buffer, one = device.buffer(np.full(8, OLD, np.float32)), device.buffer(np.full(8, OLD, np.float32))
    with device.capture(CaptureMode.RELAXED) as capture:
        device.add(one, one, buffer).launch(capture.stream).required()
    return Site(
        buffer=buffer,
        source=device.pinned(np.full(8, NEW, np.float32)),
        kernel=device.add(one, one, buffer),
        event=device.event(),
        model=capture.model,
    )


Operation = Callable[[Stream, Site], Outcome[object]]

OPERATIONS = [
    variant("copy", lambda stream, at: stream.copy(at.buffer, at.source), "STRM-004"),
    variant("memset", lambda stream, at: stream.memset(at.buffer, 0), "STRM-005"),
    variant("kernel", lambda stream, at: at.kernel.launch(stream), "STRM-006"),
    variant("record", lambda stream, at: stream.record(at.event), "STRM-007"),
    variant("host_wait", lambda stream, at: stream.synchronize(), "STRM-009"),
    variant("host_wait_timeout", lambda stream, at: stream.synchronize_within(1000), "STRM-009"),
    variant("query", lambda stream, at: stream.query(), "STRM-010"),
    variant("replay", lambda stream, at: stream.execute(at.model), "STRM-011"),
]


@each_mode()
@HANDLES
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operation_during_a_capture(
    device: Device, mode: CaptureMode, default: Callable[[Device], Stream], operation: Operation
) -> None:
    stream, control, at = default(device), site(device), site(device)
    operation(stream, control).succeeds()  # control: nothing captures
    stream.finish()
    with device.capture(mode) as capture:
        capture.mark()
        operation(stream, at).refused()
        capture.mark()
        capture.ends_consistently()
    stream.finish()
    content = at.buffer.read()
    device.case.expect((content == OLD).all(), what="a refused operation had an effect", expected=OLD, actual=content)


@each_mode()
@HANDLES
@rule("STRM-008")
def test_wait_for_a_captured_event(device: Device, mode: CaptureMode, default: Callable[[Device], Stream]) -> None:
    stream, captured, eager = default(device), device.event(), device.event()
    device.stream().record(eager).required()
    stream.wait(eager).succeeds()  # control: nothing captures
    with device.capture(mode) as capture:
        capture.stream.record(captured).required()
        stream.wait(captured).refused()
        capture.mark()
        capture.ends_consistently()


@each_mode()
@pytest.mark.parametrize(
    "default",
    [
        variant("null", lambda device: device.default_stream, "STRM-001"),
        variant("handle", lambda device: device.explicit_default_stream, "STRM-002"),
    ],
)
def test_begin(device: Device, mode: CaptureMode, default: Callable[[Device], Stream]) -> None:
    device.begin_capture(default(device), mode).refused()
    with device.capture(mode) as capture:  # control: an explicit stream, right after the refusal
        capture.mark()
        capture.ends_consistently()


@each_mode()
@HANDLES
@rule("STRM-003")
def test_end(device: Device, mode: CaptureMode, default: Callable[[Device], Stream]) -> None:
    stream = default(device)
    with device.capture(mode) as capture:
        capture.mark()
        device.end_capture(stream).refused()
        capture.ends_consistently()  # control: the right stream can still be ended


@each_mode()
@HANDLES
@rule("STRM-012")
def test_work_before_and_after_a_capture(
    device: Device, mode: CaptureMode, default: Callable[[Device], Stream]
) -> None:
    stream = default(device)
    buffer, source = device.buffer(np.zeros(8, np.float32)), device.pinned(np.full(8, NEW, np.float32))
    stream.copy(buffer, source).succeeds()
    stream.synchronize_within(device.budget_ms).succeeds()
    with device.capture(mode) as capture:
        capture.mark()
        capture.ends_consistently()
    stream.memset(buffer, 0).succeeds()
    stream.copy(buffer, source).succeeds()
    stream.synchronize_within(device.budget_ms).succeeds()
    content = buffer.read()
    device.case.expect((content == NEW).all(), what="default stream after a capture", expected=NEW, actual=content)
