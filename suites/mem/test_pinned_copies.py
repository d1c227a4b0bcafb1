"""Copies on a stream and the host memory they may use (dev guide 04-01, item 5; 02-01; readings C-03, C-07, C-08).

Plan
- pinned memory: every direction, 1-D and 2-D, capturable in every mode, replayed with data    MEM-012, 013, 014, 029
  also memory from aclrtMallocHostWithCfg                                                       MEM-026
- ordinary ("unpinned") memory on the capturing stream: refused in every mode, both directions,
  1-D and 2-D, nothing captured                                                                 MEM-015 … 018, 022
- unpinned memory on a stream that does not capture: refused in GLOBAL and THREAD_LOCAL, done
  before returning in RELAXED and outside a capture                                      MEM-019 … 021, 047, 061, 062
- memory pinned by registration                                                                 MEM-027 (recorded)
- copies remember addresses, not contents; parameters are frozen                                MEM-044, 045
- kinds that an asynchronous copy never takes                                                   MEM-028, 050
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.memory import Array, Buffer, HostArray, PinnedArray
from fixtures.modes import CopyKind
from fixtures.outcome import Outcome
from fixtures.stream import Stream

G, T, R = CaptureMode.GLOBAL, CaptureMode.THREAD_LOCAL, CaptureMode.RELAXED
OLD, NEW = 0x11, 0x77


@dataclass(frozen=True)
class Copy:
    """A copy of 64 bytes between the device and one host place, linear or as eight rows of eight bytes."""

    to_host: bool
    rows: bool

    @property
    def word(self) -> str:
        """``to_device``, ``to_host``, ``to_device_2d`` or ``to_host_2d``."""
        return ("to_host" if self.to_host else "to_device") + ("_2d" if self.rows else "")

    def submit(self, stream: Stream, buffer: Buffer, host: PinnedArray | HostArray) -> Outcome[None]:
        """Submit the copy."""
        destination, source = (host, buffer) if self.to_host else (buffer, host)
        if self.rows:
            return stream.copy_2d(destination, source, width=8, height=8)
        return stream.copy(destination, source)

    def written(self, buffer: Buffer, host: PinnedArray | HostArray) -> Array:
        """The content of the side that the copy writes."""
        return host.array.copy() if self.to_host else buffer.read()


UP, DOWN, UP_2D, DOWN_2D = Copy(False, False), Copy(True, False), Copy(False, True), Copy(True, True)
Place = Callable[[Device, Any], PinnedArray | HostArray]


def sides(device: Device, copy: Copy, place: Place) -> tuple[Buffer, PinnedArray | HostArray]:
    """A device buffer and host memory; the written side holds OLD, the read side NEW."""
    buffer = device.buffer(np.full(64, NEW if copy.to_host else OLD, np.uint8))
    return buffer, place(device, np.full(64, OLD if copy.to_host else NEW, np.uint8))


@each_mode()
@pytest.mark.parametrize(
    "copy",
    [
        variant(UP.word, UP, "MEM-012"),
        variant(DOWN.word, DOWN, "MEM-013"),
        variant(UP_2D.word, UP_2D, "MEM-029"),
        variant(DOWN_2D.word, DOWN_2D, "MEM-029"),
    ],
)
def test_pinned_copy_is_captured(device: Device, mode: CaptureMode, copy: Copy) -> None:
    buffer, host = sides(device, copy, Device.pinned)
    with device.capture(mode) as capture:
        copy.submit(capture.stream, buffer, host).succeeds()
    before = copy.written(buffer, host)
    device.case.expect((before == OLD).all(), what="a captured copy ran before the replay", expected=OLD, actual=before)
    capture.model.replay(capture.stream)
    after = copy.written(buffer, host)
    device.case.expect((after == NEW).all(), what="replayed copy", expected=NEW, actual=after)


@each_mode()
@rule("MEM-014")
def test_copy_on_the_device_is_captured(device: Device, mode: CaptureMode) -> None:
    source, destination = device.buffer(np.full(64, NEW, np.uint8)), device.buffer(np.full(64, OLD, np.uint8))
    with device.capture(mode) as capture:
        capture.stream.copy(destination, source).succeeds()
    before = destination.read()
    device.case.expect((before == OLD).all(), what="a captured copy ran before the replay", expected=OLD, actual=before)
    capture.model.replay(capture.stream)
    after = destination.read()
    device.case.expect((after == NEW).all(), what="replayed copy", expected=NEW, actual=after)


@each_mode()
@rule("MEM-026")
def test_configured_pinned_memory_is_captured(device: Device, mode: CaptureMode) -> None:
    pointer = device.ffi.new("void **")
    device.call("aclrtMallocHostWithCfg", pointer, 64, device.ffi.NULL).required()
    device.at_end("aclrtFreeHost", pointer[0])
    host = device.pinned_view(pointer[0], np.full(64, NEW, np.uint8))
    buffer = device.buffer(np.full(64, OLD, np.uint8))
    with device.capture(mode) as capture:
        capture.stream.copy(buffer, host).succeeds()
    capture.model.replay(capture.stream)
    content = buffer.read()
    device.case.expect((content == NEW).all(), what="replayed copy", expected=NEW, actual=content)


CAPTURING_REFUSALS = [
    variant("global-to_device", (G, UP), "MEM-015"),
    variant("thread_local-to_device", (T, UP), "MEM-016"),
    variant("relaxed-to_device", (R, UP), "MEM-017"),
    *(variant(f"{mode.word}-to_host", (mode, DOWN), "MEM-018") for mode in CaptureMode),
    *(
        variant(f"{mode.word}-{copy.word}", (mode, copy), "MEM-022")
        for mode in CaptureMode
        for copy in (UP_2D, DOWN_2D)
    ),
]


@pytest.mark.parametrize(("mode", "copy"), CAPTURING_REFUSALS)
def test_unpinned_copy_on_the_capturing_stream_is_refused(device: Device, mode: CaptureMode, copy: Copy) -> None:
    buffer, host = sides(device, copy, Device.pageable)
    stream, spare, pinned = (
        device.stream(),
        device.buffer(np.zeros(64, np.uint8)),
        device.pinned(np.zeros(64, np.uint8)),
    )
    copy.submit(stream, *sides(device, copy, Device.pageable)).succeeds()  # control: nothing captures
    stream.finish()
    with device.capture(mode, stream) as capture:
        copy.submit(stream, spare, pinned).required()  # control: the same copy, pinned
        copy.submit(stream, buffer, host).refused()
        capture.mark()
        capture.ends_consistently()
    content = copy.written(buffer, host)
    device.case.expect((content == OLD).all(), what="a refused copy was captured", expected=OLD, actual=content)


ELSEWHERE_REFUSALS = [
    *(variant(f"global-{copy.word}", (G, copy), "MEM-019") for copy in (UP, DOWN)),
    *(variant(f"thread_local-{copy.word}", (T, copy), "MEM-020") for copy in (UP, DOWN)),
    *(variant(f"{mode.word}-{copy.word}", (mode, copy), "MEM-061") for mode in (G, T) for copy in (UP_2D, DOWN_2D)),
]
ELSEWHERE_DONE = [
    *(variant(copy.word, copy, "MEM-021") for copy in (UP, DOWN)),
    *(variant(copy.word, copy, "MEM-062") for copy in (UP_2D, DOWN_2D)),
]


@pytest.mark.parametrize(("mode", "copy"), ELSEWHERE_REFUSALS)
def test_unpinned_copy_on_another_stream_is_refused(device: Device, mode: CaptureMode, copy: Copy) -> None:
    buffer, host = sides(device, copy, Device.pageable)
    idle = device.stream()
    copy.submit(idle, *sides(device, copy, Device.pageable)).succeeds()  # control: nothing captures
    with device.capture(mode) as capture:
        capture.mark()
        copy.submit(idle, buffer, host).refused()
        capture.mark()
        capture.ends_consistently()
    idle.finish()
    content = copy.written(buffer, host)
    device.case.expect((content == OLD).all(), what="a refused copy had an effect", expected=OLD, actual=content)


@each_mode(R)
@pytest.mark.parametrize("copy", ELSEWHERE_DONE)
def test_unpinned_copy_on_another_stream_is_done_on_return(device: Device, mode: CaptureMode, copy: Copy) -> None:
    buffer, host = sides(device, copy, Device.pageable)
    idle = device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        copy.submit(idle, buffer, host).succeeds()
        content = copy.written(buffer, host)
        device.case.expect((content == NEW).all(), what="effect on return", expected=NEW, actual=content)
        capture.ends_consistently()


@rule("MEM-047")
@pytest.mark.parametrize("copy", [pytest.param(one, id=one.word) for one in (UP, DOWN, UP_2D, DOWN_2D)])
def test_unpinned_copy_outside_a_capture_is_done_on_return(device: Device, copy: Copy) -> None:
    buffer, host = sides(device, copy, Device.pageable)
    copy.submit(device.stream(), buffer, host).succeeds()
    content = copy.written(buffer, host)
    device.case.expect((content == NEW).all(), what="effect on return", expected=NEW, actual=content)


@each_mode()
@rule("MEM-027")
def test_host_memory_pinned_by_registration(device: Device, mode: CaptureMode) -> None:
    pages = np.full(3 * 4096, NEW, np.uint8)
    start = -pages.ctypes.data % 4096
    host = device.pageable_view(pages[start : start + 4096])
    flag = device.library.constants.get("ACL_HOST_REG_PINNED", 0x10000000)
    if not device.call("aclrtHostRegisterV2", host.address, 4096, flag).observed_acceptance("aclrtHostRegisterV2"):
        return
    device.at_end("aclrtHostUnregister", host.address)
    buffer = device.buffer(np.full(4096, OLD, np.uint8))
    with device.capture(mode) as capture:
        capture.stream.copy(buffer, host).observed("captured copy from registered memory")
        capture.mark()
        capture.ends_consistently()


@each_mode()
@rule("MEM-044")
def test_pinned_source_is_read_again_at_every_replay(device: Device, mode: CaptureMode) -> None:
    host, buffer = device.pinned(np.full(16, 1, np.uint8)), device.buffer(np.zeros(16, np.uint8))
    with device.capture(mode) as capture:
        capture.stream.copy(buffer, host).required()
    seen = []
    for value in (1, 2, 3):
        host.array[...] = value
        capture.model.replay(capture.stream)
        seen.append(int(buffer.read()[0]))
    device.case.expect(seen == [1, 2, 3], what="content after each replay", expected=[1, 2, 3], actual=seen)


@each_mode()
@rule("MEM-045")
def test_pinned_copy_keeps_its_parameters(device: Device, mode: CaptureMode) -> None:
    host = device.pinned(np.full(16, 5, np.uint8))
    first, second = device.buffer(np.zeros(16, np.uint8)), device.buffer(np.zeros(16, np.uint8))
    slot = device.ffi.new("void *[1]", [first.address])
    with device.capture(mode) as capture:
        kind = CopyKind.HOST_TO_DEVICE
        device.call("aclrtMemcpyAsync", slot[0], 16, host.address, 16, kind, capture.stream.handle).required()
        slot[0] = second.address
    capture.model.replay(capture.stream)
    seen = [int(first.read()[0]), int(second.read()[0])]
    device.case.expect(seen == [5, 0], what="captured destination, later destination", expected=[5, 0], actual=seen)


@rule("MEM-028")
def test_pinned_copy_from_host_to_host_is_refused(device: Device) -> None:
    source, destination = device.pinned(np.full(16, 5, np.uint8)), device.pinned(np.zeros(16, np.uint8))
    buffer, stream = device.buffer(np.zeros(16, np.uint8)), device.stream()
    stream.copy(buffer, source).succeeds()  # control: the same source, to the device
    stream.copy(destination, source).refused()
    stream.finish()
    device.case.expect(
        not destination.array.any(), what="a refused copy had an effect", expected=0, actual=destination.array
    )


@each_mode()
@rule("MEM-028")
def test_captured_pinned_copy_from_host_to_host_is_refused(device: Device, mode: CaptureMode) -> None:
    source, destination = device.pinned(np.full(16, 5, np.uint8)), device.pinned(np.zeros(16, np.uint8))
    buffer = device.buffer(np.zeros(16, np.uint8))
    with device.capture(mode) as capture:
        capture.stream.copy(buffer, source).succeeds()  # control: the same source, to the device
        capture.stream.copy(destination, source).refused()
        capture.mark()
        capture.ends_consistently()
    device.case.expect(
        not destination.array.any(), what="a refused copy was captured", expected=0, actual=destination.array
    )


@rule("MEM-050")
def test_pinned_2d_copy_from_host_to_host_is_refused(device: Device) -> None:
    source, destination = device.pinned(np.full(64, 5, np.uint8)), device.pinned(np.zeros(64, np.uint8))
    buffer, stream = device.buffer(np.zeros(64, np.uint8)), device.stream()
    stream.copy_2d(buffer, source, width=8, height=8).succeeds()  # control: the same source, to the device
    stream.copy_2d(destination, source, width=8, height=8).refused()
    stream.finish()
    device.case.expect(
        not destination.array.any(), what="a refused copy had an effect", expected=0, actual=destination.array
    )
