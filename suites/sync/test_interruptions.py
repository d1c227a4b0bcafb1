"""Calls that take the device or the stream away while it captures (API reference 04, 06; dev guide 04-01 is silent).

Plan
- the device is reset, by either call                                                          SYNC-028
- the capturing stream is aborted or stopped                                                   SYNC-029
What the device answers is recorded. Asserted is that a refusal leaves the capture consistent, and that afterwards,
whatever the answer, a fresh capture works.
"""

import pytest

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.aftermath import expect_usable


@each_mode()
@rule("SYNC-028")
@pytest.mark.parametrize("function", ["aclrtResetDevice", "aclrtResetDeviceForce"], ids=["reset", "reset_force"])
def test_device_reset_in_a_capture(device: Device, mode: CaptureMode, function: str) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        if device.call(function, device.session.device_id).observed_acceptance(f"{function} during the capture"):
            capture.open = False
            device.was_reset()
        else:
            capture.mark()
            capture.ends_consistently()
    expect_usable(device)


@each_mode()
@rule("SYNC-029")
@pytest.mark.parametrize("function", ["aclrtStreamAbort", "aclrtStreamStop"], ids=["abort", "stop"])
def test_capturing_stream_is_interrupted(device: Device, mode: CaptureMode, function: str) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        if device.call(function, capture.stream.handle).observed_acceptance(f"{function} during the capture"):
            device.case.observe("status afterwards", capture.info().status.name)
            capture.end().observed("aclmdlRICaptureEnd afterwards")
            capture.abandon()
        else:
            capture.mark()
            capture.ends_consistently()
    expect_usable(device)
