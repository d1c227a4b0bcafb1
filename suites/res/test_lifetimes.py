"""Who may be destroyed when: models, and the streams they were captured from (API reference 15).

Plan
- an idle model, one that is executing, none at all                                            RES-006 … 008
- capture and destroy again and again                                                          RES-010
- destroying a capturing stream; the stream of a finished capture                              RES-031, 032 (recorded)
"""

from collections.abc import Callable

import pytest

from fixtures import CaptureMode, CaptureStatus, Device, each_mode, rule
from fixtures.aftermath import expect_usable
from fixtures.capture import Model
from fixtures.counter import Counter
from fixtures.gate import Gate
from fixtures.limits import limits_of
from fixtures.outcome import Outcome
from fixtures.stream import Stream

R = CaptureMode.RELAXED


@each_mode()
@rule("RES-006")
def test_idle_model_is_destroyed(device: Device, mode: CaptureMode) -> None:
    counter = Counter(device)
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
    capture.model.replay(capture.stream)
    capture.model.destroy().succeeds()
    counter.expect(1, what="the execution before")


@each_mode()
@rule("RES-007")
def test_destroying_an_executing_model_is_refused(device: Device, mode: CaptureMode) -> None:
    gate, counter = Gate(device), Counter(device)
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
    gate.hold(capture.stream)
    capture.model.execute(capture.stream).required()
    capture.model.destroy().refused()
    gate.open()
    capture.stream.finish()
    counter.expect(1, what="the execution goes on")
    capture.model.destroy().succeeds()  # control: it has finished


@rule("RES-008")
def test_destroying_no_model_is_refused(device: Device) -> None:
    with device.capture(R) as capture:
        capture.mark()
    Model(device, device.ffi.NULL).destroy().refused()
    capture.model.destroy().succeeds()  # control


@each_mode()
@rule("RES-010")
def test_captures_give_back_what_they_took(device: Device, mode: CaptureMode) -> None:
    """More captures than the device has streams, each destroyed before the next."""
    rounds, stream, counter = limits_of(device).streams + 64, device.stream(), Counter(device)
    begin, end = device.bare("aclmdlRICaptureBegin"), device.bare("aclmdlRICaptureEnd")
    memset, destroy = device.bare("aclrtMemsetAsync"), device.bare("aclmdlRIDestroy")
    model, target = device.ffi.new("aclmdlRI *"), device.allocate(64)
    for _ in range(rounds):
        codes = [
            begin(stream.handle, mode),
            memset(target, 64, 0, 64, stream.handle),
            end(stream.handle, model),
            destroy(model[0]),
        ]
        if any(codes):
            device.case.expect(
                False, what=f"captures and destructions, {rounds} rounds", expected=[0] * 4, actual=codes
            )
    with device.capture(mode, stream, marks=0) as capture:
        counter.submit(stream)
    capture.model.execute(stream).succeeds()
    stream.finish()
    counter.expect(1, what="the capture after all of them")


DESTROY = [
    pytest.param(Stream.destroy, id="destroy"),
    pytest.param(Stream.destroy_force, id="destroy_force"),
]
Destroy = Callable[[Stream], Outcome[None]]


@each_mode()
@pytest.mark.parametrize("destroy", DESTROY)
@rule("RES-031")
def test_destroying_a_capturing_stream(device: Device, mode: CaptureMode, destroy: Destroy) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        if destroy(capture.stream).observed_acceptance("destruction of a capturing stream"):
            capture.open = False
            device.forget_capture(capture.stream)
        else:
            status = capture.info().status
            device.case.observe("status afterwards", status.name)
            if status is not CaptureStatus.NONE:
                capture.ends_consistently()
    expect_usable(device)


@each_mode()
@pytest.mark.parametrize("destroy", DESTROY)
@rule("RES-032")
def test_model_without_its_captured_stream(device: Device, mode: CaptureMode, destroy: Destroy) -> None:
    counter, elsewhere = Counter(device), device.stream()
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
    destroy(capture.stream).observed("destruction of the captured stream while the model lives")
    if capture.model.execute(elsewhere).observed_acceptance("execution on another stream"):
        elsewhere.synchronize_within(device.budget_ms).observed("synchronization")
        counter.expect(1, what="the execution")
