"""The reference device answers as the open-source runtime does, where the documents leave the code open.

The table is ``observed_calls.toml``; a row with a ``rule`` differs on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from catalogue.toml import read_toml
from fixtures.capture import Capture
from fixtures.device import Device
from fixtures.event import Event
from fixtures.markers import the_catalogue
from fixtures.memory import Buffer, HostArray, PinnedArray
from fixtures.modes import CaptureMode, CaptureStatus
from fixtures.outcome import Outcome
from fixtures.session import DeviceSession
from fixtures.stream import Stream
from tests.devices import case_device

ANSWERS = read_toml(Path(__file__).with_name("observed_calls.toml"))["answer"]
BYTES = 64


@dataclass(frozen=True)
class Scene:
    """An open capture, and what the calls need; all of it made before the capture began."""

    device: Device
    capture: Capture
    other: Stream
    inside: Event
    outside: Event
    buffers: tuple[Buffer, Buffer]
    pinned: PinnedArray
    pageable: HostArray

    @property
    def stream(self) -> Stream:
        """The capturing stream."""
        return self.capture.stream


def rows(stream: Stream, scene: Scene, host: PinnedArray | HostArray) -> Outcome[None]:
    return stream.copy_2d(scene.buffers[0], host, width=8, height=8)


def made(scene: Scene, create: str, kind: str, destroy: str, *arguments: int) -> Outcome[None]:
    """Create something and release it at once."""
    handle = scene.device.ffi.new(f"{kind} *")
    created = scene.device.call(create, handle, *arguments)
    return scene.device.call(destroy, handle[0]) if created.accepted else created


def free_with_sync(scene: Scene) -> Outcome[None]:
    pointer = scene.device.ffi.new("void **")
    scene.device.call("aclrtMalloc", pointer, BYTES, 0).required()
    outcome = scene.device.call("aclrtFreeWithDevSync", pointer[0])
    scene.device.call("aclrtFree", pointer[0]).observed()
    return outcome


CALLS: dict[str, Callable[[Scene], Outcome[object]]] = {
    "create and destroy an event": lambda s: made(s, "aclrtCreateEvent", "aclrtEvent", "aclrtDestroyEvent"),
    "create and destroy a stream": lambda s: made(s, "aclrtCreateStream", "aclrtStream", "aclrtDestroyStream"),
    "destroy an event of the capture": lambda s: s.inside.destroy(),
    "destroy the capturing stream": lambda s: s.stream.destroy(),
    "destroy the capturing stream by force": lambda s: s.stream.destroy_force(),
    "elapsed time of captured events": lambda s: s.device.call(
        "aclrtEventElapsedTime", s.device.ffi.new("float *"), s.inside.handle, s.inside.handle
    ),
    "free with device sync": free_with_sync,
    "host function on the capturing stream": lambda s: s.stream.host_function(lambda: None),
    "device memory made and freed": lambda s: made(s, "aclrtMalloc", "void *", "aclrtFree", BYTES, 0),
    "pinned memory made and freed": lambda s: made(s, "aclrtMallocHost", "void *", "aclrtFreeHost", BYTES),
    "copy within the device": lambda s: s.device.memcpy(*s.buffers),
    "copy to the host": lambda s: s.device.memcpy(s.pageable, s.buffers[0]),
    "copy from pageable memory": lambda s: s.device.memcpy(s.buffers[0], s.pageable),
    "copy from pinned memory": lambda s: s.device.memcpy(s.buffers[0], s.pinned),
    "copy within the host": lambda s: s.device.memcpy(s.pageable, s.pinned),
    "copy of rows": lambda s: s.device.memcpy_2d(s.buffers[0], s.pageable, width=8, height=8),
    "captured copy of pageable rows": lambda s: rows(s.stream, s, s.pageable),
    "captured copy of pinned rows": lambda s: rows(s.stream, s, s.pinned),
    "captured copy within the device": lambda s: s.stream.copy(*s.buffers),
    "captured copy to pageable memory": lambda s: s.stream.copy(s.pageable, s.buffers[0]),
    "captured copy to pinned memory": lambda s: s.stream.copy(s.pinned, s.buffers[0]),
    "captured copy from pageable memory": lambda s: s.stream.copy(s.buffers[0], s.pageable),
    "captured copy from pinned memory": lambda s: s.stream.copy(s.buffers[0], s.pinned),
    "copy within the device on the default stream": lambda s: s.device.default_stream.copy(*s.buffers),
    "pageable copy on the default stream": lambda s: s.device.default_stream.copy(s.buffers[0], s.pageable),
    "pageable copy on another stream": lambda s: s.other.copy(s.buffers[0], s.pageable),
    "pinned copy on another stream": lambda s: s.other.copy(s.buffers[0], s.pinned),
    "memset": lambda s: s.device.memset(s.buffers[0], 1),
    "captured memset": lambda s: s.stream.memset(s.buffers[0], 1),
    "memset on the default stream": lambda s: s.device.default_stream.memset(s.buffers[0], 1),
    "status of an outside event": lambda s: s.outside.query_status(),
    "status of a captured event": lambda s: s.inside.query_status(),
    "wait status of a captured event": lambda s: s.inside.query_wait_status(),
    "record on the default stream": lambda s: s.device.default_stream.record(s.outside),
    "query of the capturing stream": lambda s: s.stream.query(),
    "query of another stream": lambda s: s.other.query(),
    "wait on the default stream for a captured event": lambda s: s.device.default_stream.wait(s.inside),
    "sync of the device": lambda s: s.device.synchronize(),
    "sync of the device with timeout": lambda s: s.device.synchronize_within(100),
    "sync of an outside event": lambda s: s.outside.synchronize(),
    "sync of a captured event": lambda s: s.inside.synchronize(),
    "sync of a captured event with timeout": lambda s: s.inside.synchronize_within(100),
    "sync of the default stream": lambda s: s.device.default_stream.synchronize(),
    "sync of the capturing stream": lambda s: s.stream.synchronize(),
    "sync of another stream": lambda s: s.other.synchronize(),
    "sync of the capturing stream with timeout": lambda s: s.stream.synchronize_within(100),
    "sync of another stream with timeout": lambda s: s.other.synchronize_within(100),
}


@pytest.fixture
def device(session: DeviceSession) -> Iterator[Device]:
    subject = case_device(session)
    yield subject
    subject.close()


EACH = [
    pytest.param(CaptureMode[mode.upper()], one, id=f"{one['call']}-{mode}") for one in ANSWERS for mode in one["modes"]
]


@pytest.mark.parametrize(("mode", "answer"), EACH)
def test_the_device_answers_as_observed(device: Device, mode: CaptureMode, answer: dict[str, object]) -> None:
    fill = np.zeros(BYTES, np.uint8)
    capture = device.capture(mode)
    scene = Scene(
        device,
        capture,
        device.stream(),
        device.event(),
        device.event(),
        (device.buffer(fill), device.buffer(fill)),
        device.pinned(fill),
        device.pageable(fill),
    )
    with capture:
        scene.stream.record(scene.inside).required()
        outcome = CALLS[str(answer["call"])](scene)
        outcome.observed()
        status = capture.info().status
        model = capture.end().required()
    assert outcome.code == answer.get("here", answer["code"])
    assert status is CaptureStatus.ACTIVE
    model.replay(device.stream())


def test_each_difference_names_the_rule_that_decides() -> None:
    different = [one for one in ANSWERS if one.get("here", one["code"]) != one["code"]]
    assert different
    for one in different:
        assert one["rule"] in the_catalogue()
    assert not [one for one in ANSWERS if "rule" in one and one not in different], "a rule, but no difference"
    assert set(CALLS) == {one["call"] for one in ANSWERS}
