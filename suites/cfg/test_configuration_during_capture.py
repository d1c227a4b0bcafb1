"""Configuration calls inside a capture: they may be refused, but must leave what is captured alone (dev guide 04-01).

Plan
- profiling and dumps are started and stopped                                                  CFG-001 … 003
- overflow detection: switch, attributes, saturation mode, read-out, reset                     CFG-004 … 008
- the failure mode of the stream                                                               CFG-010
What the device answers is recorded. Asserted is only that the capture, its End and its replay agree afterwards, and
that exactly what was captured runs.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.counter import Counter
from fixtures.outcome import Outcome
from fixtures.stream import Stream

FLOAT_OVERFLOW_CHECK, USER_CUSTOM_TAG = 2, 3
FAILURE_MODE_STOP, FAILURE_MODE_CONTINUE = 1, 0
TASK_TIME = 0x2  # ACL_PROF_TASK_TIME
PIPE_UTILIZATION = 1  # ACL_AICORE_PIPE_UTILIZATION
OVERFLOW_BYTES = 64


@dataclass(frozen=True)
class Inside:
    """What a configuration call needs: the device, the capturing stream, a place for files."""

    device: Device
    stream: Stream
    folder: Path


@contextmanager
def survives(device: Device, mode: CaptureMode, folder: Path) -> Iterator[Inside]:
    """Run the block inside a capture, between two pieces of captured work, and expect both to run once."""
    counter = Counter(device, uses=2)
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
        capture.mark()
        yield Inside(device, capture.stream, folder)
        counter.submit(capture.stream)
        capture.mark()
        model = capture.ends_consistently()
    if model is not None:
        counter.expect(2, what="captured work around the configuration call, after one execution")


@contextmanager
def profiling(device: Device, folder: Path) -> Iterator[Any]:
    """A profiling configuration for this device; results go below ``folder``."""
    place = str(folder).encode()
    device.call("aclprofInit", place, len(place)).required()
    ids = device.ffi.new("uint32_t[]", [device.session.device_id])
    config = device.handle("aclprofCreateConfig", ids, 1, PIPE_UTILIZATION, device.ffi.NULL, TASK_TIME)
    yield config
    device.call("aclprofDestroyConfig", config).required()
    device.call("aclprofFinalize").required()


@each_mode()
@rule("CFG-001")
def test_profiling_started_inside(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    with profiling(device, tmp_path) as config:
        with survives(device, mode, tmp_path):
            started = device.call("aclprofStart", config).observed_acceptance("aclprofStart during the capture")
        if started:
            device.call("aclprofStop", config).required()


@each_mode()
@rule("CFG-002")
def test_profiling_stopped_inside(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    with profiling(device, tmp_path) as config:
        device.call("aclprofStart", config).required()
        with survives(device, mode, tmp_path):
            stopped = device.call("aclprofStop", config).observed_acceptance("aclprofStop during the capture")
        if not stopped:
            device.call("aclprofStop", config).required()


@each_mode()
@rule("CFG-003")
def test_dump_configured_inside(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"dump": {"dump_path": str(tmp_path), "dump_mode": "output", "dump_list": []}}))
    device.call("aclmdlInitDump").required()
    with survives(device, mode, tmp_path):
        device.call("aclmdlSetDump", str(path).encode()).observed("aclmdlSetDump during the capture")
    device.call("aclmdlFinalizeDump").required()


def switch_overflow(inside: Inside) -> Outcome[None]:
    return inside.device.call("aclrtSetStreamOverflowSwitch", inside.stream.handle, 1)


def set_attribute(inside: Inside, *, number: int, member: str) -> Outcome[None]:
    return inside.stream.set_attribute(number, member, 1)


def set_failure_mode(inside: Inside, *, mode: int) -> Outcome[None]:
    return inside.device.call("aclrtSetStreamFailureMode", inside.stream.handle, mode)


SETTINGS = [
    variant("overflow_switch", switch_overflow, "CFG-004"),
    variant(
        "overflow_attribute", partial(set_attribute, number=FLOAT_OVERFLOW_CHECK, member="overflowSwitch"), "CFG-005"
    ),
    variant("tag_attribute", partial(set_attribute, number=USER_CUSTOM_TAG, member="userCustomTag"), "CFG-005"),
    variant("failure_mode_stop", partial(set_failure_mode, mode=FAILURE_MODE_STOP), "CFG-010"),
    variant("failure_mode_continue", partial(set_failure_mode, mode=FAILURE_MODE_CONTINUE), "CFG-010"),
]


@each_mode()
@pytest.mark.parametrize("setting", SETTINGS)
def test_setting_of_the_capturing_stream(
    device: Device, mode: CaptureMode, tmp_path: Path, setting: Callable[[Inside], Outcome[None]]
) -> None:
    with survives(device, mode, tmp_path) as inside:
        outcome = setting(inside)
        outcome.observed(f"{outcome.function} during the capture")


@each_mode()
@rule("CFG-006")
def test_saturation_mode_set_inside(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    now = device.ffi.new("aclrtFloatOverflowMode *")
    device.call("aclrtGetDeviceSatMode", now).required()
    other = 1 - int(now[0])
    with survives(device, mode, tmp_path):
        device.call("aclrtSetDeviceSatMode", other).observed("aclrtSetDeviceSatMode during the capture")
    device.call("aclrtSetDeviceSatMode", now[0]).observed("the mode set back")


@each_mode()
@rule("CFG-007")
def test_overflow_status_read_inside(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    status = device.buffer(np.full(OVERFLOW_BYTES, 0xA5, np.uint8))
    with survives(device, mode, tmp_path) as inside:
        call = device.call("aclrtGetOverflowStatus", status.address, status.nbytes, inside.stream.handle)
        call.observed("aclrtGetOverflowStatus during the capture")
    device.case.observe("overflow status after the replay", sorted(set(status.read().tolist())))


@each_mode()
@rule("CFG-008")
def test_overflow_status_reset_inside(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    with survives(device, mode, tmp_path) as inside:
        call = device.call("aclrtResetOverflowStatus", inside.stream.handle)
        call.observed("aclrtResetOverflowStatus during the capture")
