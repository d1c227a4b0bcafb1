"""Beginning and ending a capture: what succeeds, what is refused, and what a stream is good for afterwards.

Plan
- a capture in each mode: Begin, End, its model                                              CAP-001 … 003, 024
- End without Begin, and on a stream that does not capture while another does                  CAP-007, 008
- Begin twice, with and without a failed capture in between                                    CAP-009 … 011
- after End: status, immediate work, another capture with a model of its own                   CAP-012 … 014
- modes that do not exist                                                                      CAP-034
- recorded: End without an output, after a failed End, what it puts out, empty captures        CAP-025, 031 … 033
After a refusal the capture that was open ends as it should, and fresh captures work (``expect_usable``).
"""

import numpy as np
import pytest

from fixtures import CaptureMode, CaptureStatus, Device, each_mode, rule, variant
from fixtures.aftermath import expect_usable
from fixtures.counter import Counter

G, T, R = CaptureMode.GLOBAL, CaptureMode.THREAD_LOCAL, CaptureMode.RELAXED


@pytest.mark.parametrize(
    "mode", [variant(G.word, G, "CAP-001"), variant(T.word, T, "CAP-002"), variant(R.word, R, "CAP-003")]
)
def test_capture_of_an_idle_stream(device: Device, mode: CaptureMode) -> None:
    stream, counter = device.stream(), Counter(device)
    device.begin_capture(stream, mode).succeeds()
    counter.submit(stream)
    device.end_capture(stream).succeeds().replay(stream)
    counter.expect(1, what="one execution of the captured work")


@each_mode()
@rule("CAP-024")
def test_end_gives_a_model(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        model = capture.end().succeeds()
    given = model.handle != device.ffi.NULL
    device.case.expect(given, what="model that End put out", expected="a handle", actual=model.handle)


@each_mode()
@rule("CAP-007")
def test_end_without_begin_is_refused(device: Device, mode: CaptureMode) -> None:
    stream = device.stream()
    with device.capture(mode, stream) as capture:
        capture.mark()
        capture.end().succeeds()  # control: with a Begin
    device.end_capture(stream).refused()
    device.end_capture(device.stream()).refused()
    expect_usable(device, stream)


@each_mode()
@rule("CAP-008")
def test_end_on_an_unrelated_stream_is_refused(device: Device, mode: CaptureMode) -> None:
    unrelated = device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        device.end_capture(unrelated).refused()
        status = capture.info().status
        device.case.expect(
            status is CaptureStatus.ACTIVE, what="status of the real capture", expected="ACTIVE", actual=status.name
        )
        capture.ends_consistently()
    expect_usable(device, capture.stream, unrelated)


@each_mode(name="second")
@each_mode()
@rule("CAP-009", "CAP-010")
def test_begin_on_a_capturing_stream_is_refused(device: Device, mode: CaptureMode, second: CaptureMode) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        device.begin_capture(capture.stream, second).refused("CAP-009")
        device.case.observe("status after the second Begin", capture.info().status.name)
        capture.mark()
        capture.ends_consistently()
    expect_usable(device, capture.stream)


@each_mode()
@rule("CAP-012")
def test_status_after_end(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        capture.end().required()
    status = capture.info().status
    device.case.expect(status is CaptureStatus.NONE, what="status after End", expected="NONE", actual=status.name)


@each_mode()
@rule("CAP-013")
def test_stream_is_immediate_again_after_end(device: Device, mode: CaptureMode) -> None:
    buffer = device.buffer(np.zeros(32, np.uint8))
    with device.capture(mode) as capture:
        capture.mark()
    capture.stream.memset(buffer, 7).succeeds()
    capture.stream.synchronize_within(device.budget_ms).succeeds()
    content = buffer.read()
    device.case.expect((content == 7).all(), what="eager memset after the capture", expected=7, actual=content)


@each_mode()
@rule("CAP-014")
def test_stream_is_captured_again(device: Device, mode: CaptureMode) -> None:
    stream, counters = device.stream(), [Counter(device), Counter(device)]
    models = []
    for counter in counters:
        device.begin_capture(stream, mode).succeeds()
        counter.submit(stream)
        models.append(device.end_capture(stream).succeeds())
    distinct = models[0].handle != models[1].handle
    device.case.expect(distinct, what="models of two captures", expected="two handles", actual="one and the same")
    for number in (1, 0, 1):
        models[number].execute(stream).succeeds()
    stream.finish()
    counters[0].expect(1, what="work of the first capture")
    counters[1].expect(2, what="work of the second capture")


@pytest.mark.parametrize("mode", [0xFFFFFFFF, 3, 1 << 30], ids=["minus_one", "above", "far_above"])
@rule("CAP-034")
def test_mode_that_does_not_exist_is_refused(device: Device, mode: int) -> None:
    stream = device.stream()
    device.begin_capture(stream, mode).refused()
    status = device.capture_info(stream).required().status
    device.case.expect(
        status is CaptureStatus.NONE, what="status after the refused Begin", expected="NONE", actual=status.name
    )
    expect_usable(device, stream)  # control: the modes that exist, on the same stream


@each_mode()
@rule("CAP-025")
def test_end_without_an_output(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        outcome = device.call("aclmdlRICaptureEnd", capture.stream.handle, device.ffi.NULL)
        if not outcome.observed_acceptance("End with a NULL output"):
            device.case.observe("status afterwards", capture.info().status.name)
            capture.end().observed("End with an output afterwards")


@each_mode()
@rule("CAP-031", "CAP-032")
def test_after_a_failed_end(device: Device, mode: CaptureMode) -> None:
    fork, sub_stream, counter = device.event(), device.stream(), Counter(device)
    output = device.ffi.new("aclmdlRI *")
    with device.capture(mode) as capture:
        capture.stream.record(fork).required()
        sub_stream.wait(fork).required()
        counter.submit(sub_stream)
        outcome = device.call("aclmdlRICaptureEnd", capture.stream.handle, output)
        if outcome.observed_acceptance("End with a sub-stream that did not return"):
            return
        device.case.observe("model output of the failed End", "NULL" if output[0] == device.ffi.NULL else "not NULL")
        device.case.observe("status of the origin afterwards", capture.info().status.name)
        device.case.observe("status of the sub-stream afterwards", capture.info(sub_stream).status.name)
        if device.begin_capture(capture.stream, mode).observed_acceptance("Begin on the same stream afterwards"):
            capture.end().observed("End of that capture")
    counter.expect(0, what="work of the failed capture has no effect")


@each_mode()
@rule("CAP-033")
def test_empty_capture(device: Device, mode: CaptureMode) -> None:
    stream = device.stream()
    device.begin_capture(stream, mode).observed("Begin")
    if device.end_capture(stream).observed_acceptance("End without a task"):
        device.case.observe("model of an empty capture", "put out")
    expect_usable(device, stream)
