"""aclmdlRICaptureGetInfo: status and model of a stream before, in and after a capture (API reference 15).

Plan
- in a capture: it succeeds, says ACTIVE, and gives the handle that End will give               CAP-015 … 017, 023
- a stream that never captured                                                                  CAP-018
- one output NULL, both NULL                                                                    CAP-021, 022
"""

from collections.abc import Callable
from typing import Any

import pytest

from fixtures import CaptureMode, CaptureStatus, Device, each_mode, each_role, rule
from fixtures.modes import ThreadRole


@each_mode()
@each_role()
@rule("CAP-015", "CAP-016", "CAP-017")
def test_info_of_a_capturing_stream(device: Device, mode: CaptureMode, role: ThreadRole) -> None:
    caller = device.caller(role)
    with device.capture(mode) as capture:
        capture.mark()
        info = caller.run(lambda: device.capture_info(capture.stream)).succeeds()
        device.case.expect(
            info.status is CaptureStatus.ACTIVE, what="status", expected="ACTIVE", actual=info.status.name
        )
        given = info.model != device.ffi.NULL
        device.case.expect(given, what="model", expected="a handle", actual=info.model)
        capture.ends_consistently()


@each_mode()
@rule("CAP-018")
def test_info_of_a_stream_that_never_captured(device: Device, mode: CaptureMode) -> None:
    idle = device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        status = device.capture_info(idle).succeeds().status
        device.case.expect(
            status is CaptureStatus.NONE, what="status beside a capture", expected="NONE", actual=status.name
        )
    status = device.capture_info(idle).succeeds().status
    device.case.expect(status is CaptureStatus.NONE, what="status", expected="NONE", actual=status.name)


@each_mode()
@rule("CAP-023")
def test_info_and_end_give_the_same_handle(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        early = capture.info().model
        capture.end().required()
    device.case.expect(
        early == capture.model.handle, what="handle of GetInfo and of End", expected=capture.model.handle, actual=early
    )


OUTPUTS = [
    pytest.param(lambda status, model, null: (status, null), id="status_only"),
    pytest.param(lambda status, model, null: (null, model), id="model_only"),
]


@each_mode()
@pytest.mark.parametrize("chosen", OUTPUTS)
@rule("CAP-022")
def test_info_with_one_output(device: Device, mode: CaptureMode, chosen: Callable[..., tuple[Any, Any]]) -> None:
    status, model = device.ffi.new("aclmdlRICaptureStatus *"), device.ffi.new("aclmdlRI *")
    with device.capture(mode) as capture:
        capture.mark()
        wanted = capture.info()
        outputs = chosen(status, model, device.ffi.NULL)
        device.call("aclmdlRICaptureGetInfo", capture.stream.handle, *outputs).succeeds()
        filled = wanted.status == status[0] if outputs[0] else wanted.model == model[0]
        device.case.expect(filled, what="the other output", expected=wanted, actual=(status[0], model[0]))
        capture.ends_consistently()


@each_mode()
@rule("CAP-021")
def test_info_without_outputs_is_refused(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        device.capture_info(capture.stream).succeeds()  # control
        device.call("aclmdlRICaptureGetInfo", capture.stream.handle, device.ffi.NULL, device.ffi.NULL).refused()
        capture.ends_consistently()
