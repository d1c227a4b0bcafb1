"""A capture that has failed: what its status says, and what Begin and End on its stream return.

The documents name one way to spoil a capture on purpose: an event of another capture (EVT-055, 056). A device whose
capture survives that leaves these rules not-run; whether it fails is recorded in suites/evt.

Plan
- status INVALIDATED, from the failure to the End                                            CAP-020
- Begin on its stream                                                                        CAP-011
- End on it                                                                                  CAP-030
"""

import pytest

from catalogue import number_of
from fixtures import CaptureMode, CaptureStatus, Device, each_mode, rule
from fixtures.aftermath import expect_usable
from fixtures.capture import INVALIDATED, Capture
from fixtures.verdict import NotRun


def conflicting(device: Device, mode: CaptureMode) -> tuple[Capture, Capture]:
    """Two open captures; the first one waited for an event that the second one recorded."""
    event = device.event()
    waiting, recording = device.capture(mode), device.capture(mode)
    for capture in (waiting, recording):
        capture.__enter__()
        capture.mark()
    recording.stream.record(event).required()
    waiting.stream.wait(event).observed("wait for an event of another capture")
    return waiting, recording


@pytest.fixture
def spoiled(device: Device, mode: CaptureMode) -> Capture:
    """A capture that the device calls INVALIDATED."""
    waiting, _ = conflicting(device, mode)
    status = waiting.info().status
    if status is not CaptureStatus.INVALIDATED:
        raise NotRun(f"the capture is {status.name} after the conflict; nothing documented spoils it on this device")
    return waiting


@each_mode()
@rule("CAP-020")
def test_status_of_a_failed_capture(device: Device, mode: CaptureMode) -> None:
    waiting, _ = conflicting(device, mode)
    status = waiting.info().status
    end = waiting.end()
    end.observed("End after the conflict")
    if end.code != number_of(INVALIDATED):
        raise NotRun("End does not call the capture invalidated; nothing documented spoils one on this device")
    device.case.expect(
        status is CaptureStatus.INVALIDATED,
        what="status of a capture whose End says that it was invalidated",
        expected="INVALIDATED",
        actual=status.name,
    )


@each_mode()
@rule("CAP-011")
def test_begin_on_a_spoiled_capture_is_refused(device: Device, mode: CaptureMode, spoiled: Capture) -> None:
    device.begin_capture(spoiled.stream, mode).refused()


@each_mode()
@rule("CAP-030")
def test_end_of_a_spoiled_capture_is_refused(device: Device, mode: CaptureMode, spoiled: Capture) -> None:
    spoiled.end().refused()
    for stream, _ in list(device.open_captures()):
        device.abandon_capture(stream)
    expect_usable(device, spoiled.stream)  # control: a capture that nothing spoiled
