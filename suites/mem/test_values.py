"""Words in device memory that streams write and wait for, and memsets of 32-bit words (API reference 11-03, 11-09).

Plan
- capturing a write, a wait                                                                    MEM-038, 039
- the four conditions of a wait, eager and in a replay: held below, released at               MEM-055 … 058
- a write replaces all 8 bytes, at every execution                                             MEM-059
- memsets: bytes and words, captured; rows beyond the limit                                    MEM-031, 032, 049
- recorded: memsets of host memory, synchronous word memset, allocation during a capture       MEM-033, 034, 040, 041
"""

from collections.abc import Callable

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.memory import Buffer
from fixtures.stream import Stream

R = CaptureMode.RELAXED
GEQ, EQ, AND, NOR = range(4)
ALL = (1 << 64) - 1


def word(device: Device, value: int) -> Buffer:
    """A 64-bit word in device memory."""
    return device.buffer(np.array([value], dtype=np.uint64))


@each_mode()
@rule("MEM-038", "MEM-059")
def test_value_write_is_captured(device: Device, mode: CaptureMode) -> None:
    target = word(device, ALL)
    with device.capture(mode) as capture:
        capture.stream.write_value(target, 0x0123456789ABCDEF).succeeds()
    content = int(target.read()[0])
    device.case.expect(content == ALL, what="word before an execution", expected=hex(ALL), actual=hex(content))
    for _ in range(2):
        target.write(ALL)
        capture.model.replay(capture.stream)
        content = int(target.read()[0])
        wanted = 0x0123456789ABCDEF
        device.case.expect(content == wanted, what="word after an execution", expected=hex(wanted), actual=hex(content))


@each_mode()
@rule("MEM-039")
def test_value_wait_is_captured(device: Device, mode: CaptureMode) -> None:
    target, result = word(device, 5), device.pinned(np.zeros(8, np.uint8))
    source = device.buffer(np.ones(8, np.uint8))
    with device.capture(mode) as capture:
        capture.stream.wait_value(target, 5, GEQ).succeeds()
        capture.stream.copy(result, source).required()
    capture.model.replay(capture.stream)
    seen = result.array.tolist()
    device.case.expect(seen == [1] * 8, what="copy after a wait that holds", expected=[1] * 8, actual=seen)


# condition, the value waited for, a word that holds the stream, words that release it
CONDITIONS = [
    variant("geq", (GEQ, 10, 9, (10, 11)), "MEM-055"),
    variant("geq_signed", (GEQ, 1, ALL, (1, 2)), "MEM-055"),
    variant("eq", (EQ, 10, 11, (10,)), "MEM-056"),
    variant("and", (AND, 0b0110, 0b1001, (0b0100, 0b1110)), "MEM-057"),
    variant("nor", (NOR, 0xFF, ALL & ~0xFF, (0, ALL & ~0x1FF)), "MEM-058"),
]


def wait_eagerly(device: Device, target: Buffer, value: int, condition: int) -> Callable[[Stream], None]:
    """Submit the wait itself."""
    return lambda stream: stream.wait_value(target, value, condition).required()


def wait_in_replay(device: Device, target: Buffer, value: int, condition: int) -> Callable[[Stream], None]:
    """Capture the wait once, and execute the model."""
    with device.capture(R) as capture:
        capture.stream.wait_value(target, value, condition).required()
    return lambda stream: capture.model.execute(stream).required()


WAYS = [pytest.param(wait_eagerly, id="eager"), pytest.param(wait_in_replay, id="replay")]


@pytest.mark.parametrize(("condition", "value", "holding", "releasing"), CONDITIONS)
@pytest.mark.parametrize("way", WAYS)
def test_value_wait_holds_until_its_condition(
    device: Device,
    way: Callable[[Device, Buffer, int, int], Callable[[Stream], None]],
    condition: int,
    value: int,
    holding: int,
    releasing: tuple[int, ...],
) -> None:
    target, stream, writer = word(device, holding), device.stream(), device.stream()
    submit = way(device, target, value, condition)
    for release in releasing:
        target.write(holding)
        submit(stream)
        early = stream.synchronize_within(30)
        early.observed(f"synchronization at {hex(holding)}")
        device.case.expect(
            not early.accepted, what=f"wait for {hex(value)} at {hex(holding)}", expected="held", actual="released"
        )
        writer.write_value(target, release).required()
        stream.synchronize_within(device.budget_ms).succeeds()


@each_mode()
@pytest.mark.parametrize(
    "fill",
    [
        variant("bytes", lambda stream, buffer: stream.memset(buffer, 7), "MEM-031"),
        variant("words", lambda stream, buffer: stream.memset_words(buffer, 0x07070707), "MEM-032"),
    ],
)
def test_memset_is_captured(device: Device, mode: CaptureMode, fill: Callable[[Stream, Buffer], object]) -> None:
    buffer = device.buffer(np.full(64, 0xA5, np.uint8))
    with device.capture(mode) as capture:
        fill(capture.stream, buffer).succeeds()  # type: ignore[attr-defined]
    content = buffer.read()
    device.case.expect((content == 0xA5).all(), what="buffer before an execution", expected=0xA5, actual=content)
    for _ in range(2):
        buffer.write(0xA5)
        capture.model.replay(capture.stream)
        content = buffer.read()
        device.case.expect((content == 7).all(), what="buffer after an execution", expected=7, actual=content)


@rule("MEM-049")
def test_copy_of_too_many_rows_is_refused(device: Device) -> None:
    rows = 5 * 1024 * 1024
    source, target, stream = device.pinned(np.ones(rows + 1, np.uint8)), device.allocate(rows + 1), device.stream()
    buffer = Buffer(device, target, (rows + 1,), np.dtype(np.uint8))
    stream.copy_2d(buffer, source, width=1, height=rows + 1).refused()
    stream.copy_2d(buffer, source, width=1, height=1024).succeeds()  # control
    stream.finish()


@each_mode()
@rule("MEM-033")
def test_memset_of_host_memory(device: Device, mode: CaptureMode) -> None:
    pinned = device.pinned(np.zeros(64, np.uint8))
    host = Buffer(device, pinned.address, (64,), np.dtype(np.uint8))
    with device.capture(mode) as capture:
        capture.mark()
        capture.stream.memset(host, 1).observed("aclrtMemsetAsync of host memory")
        capture.stream.memset_words(host, 1).observed("aclrtMemsetD32Async of host memory")
        capture.ends_consistently()


@each_mode()
@rule("MEM-034")
def test_synchronous_word_memset_during_a_capture(device: Device, mode: CaptureMode) -> None:
    buffer = device.buffer(np.zeros(64, np.uint8))
    with device.capture(mode) as capture:
        capture.mark()
        outcome = device.call("aclrtMemsetD32", buffer.address, buffer.nbytes, 0x05050505, 16)
        accepted = outcome.observed_acceptance("aclrtMemsetD32 during a capture")
        capture.ends_consistently()
    content = sorted(set(buffer.read().tolist()))
    wanted = [5 if accepted else 0]
    device.case.expect(content == wanted, what="the buffer afterwards", expected=wanted, actual=content)


@each_mode()
@pytest.mark.parametrize(
    ("allocate", "release"),
    [
        variant("device_memory", ("aclrtMalloc", "aclrtFree"), "MEM-040"),
        variant("host_memory", ("aclrtMallocHost", "aclrtFreeHost"), "MEM-041"),
    ],
)
def test_allocation_during_a_capture(device: Device, mode: CaptureMode, allocate: str, release: str) -> None:
    pointer = device.ffi.new("void **")
    policy = (0,) if allocate == "aclrtMalloc" else ()
    with device.capture(mode) as capture:
        capture.mark()
        if device.call(allocate, pointer, 64, *policy).observed_acceptance(allocate):
            device.call(release, pointer[0]).observed(release)
        capture.mark()
        capture.ends_consistently()
