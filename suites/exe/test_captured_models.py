"""Executing captured models with aclmdlRIExecuteAsync: where, how often, and in which order (API reference 15).

Plan
- on the captured stream, on another one, many times, by the handle of GetInfo                 EXE-001, 003 … 005, 008
- it does not block; done after a synchronization; later work runs after it                    EXE-006, 007, 034
- what cannot be executed, and where not                                                       EXE-009, 014, 028
- several models at once                                                                       EXE-032
- recorded: NULL stream, capturing stream, empty model, synchronous call, abort               EXE-010 … 012, 017, 027
- recorded: a sub-model                                                                         EXE-015
- recorded: other threads, overlapping executions, during a capture                            EXE-030, 031, 033
A replay is held by an event of ACL_EVENT_EXTERNAL, which the model waits for.
"""

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.capture import Model
from fixtures.conditional import branch
from fixtures.counter import Counter
from fixtures.event import Event
from fixtures.modes import StreamFlag
from fixtures.stream import Stream

G, R = CaptureMode.GLOBAL, CaptureMode.RELAXED
NOT_READY, COMPLETE = 1, 0


def counting(device: Device, mode: CaptureMode) -> tuple[Model, Stream, Counter]:
    """A model that counts its executions, and the stream that it was captured from."""
    counter = Counter(device)
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
    return capture.model, capture.stream, counter


def held(device: Device, mode: CaptureMode) -> tuple[Model, Event, Counter]:
    """A counting model that waits for the event first, and re-arms it."""
    counter, event = Counter(device), device.external_event()
    with device.capture(mode) as capture:
        capture.stream.wait(event).required()
        capture.stream.reset(event).required()
        counter.submit(capture.stream)
    device.releasing(event, device.stream())
    return capture.model, event, counter


@each_mode()
@rule("EXE-001", "EXE-003")
def test_model_runs_on_its_captured_stream(device: Device, mode: CaptureMode) -> None:
    model, stream, counter = counting(device, mode)
    model.execute(stream).succeeds()
    stream.finish()
    counter.expect(1, what="execution on the captured stream")


@each_mode()
@rule("EXE-004")
def test_model_runs_on_another_stream(device: Device, mode: CaptureMode) -> None:
    (model, _, counter), elsewhere = counting(device, mode), device.stream()
    model.execute(elsewhere).succeeds()
    elsewhere.finish()
    counter.expect(1, what="execution on a stream that took no part in the capture")


@each_mode()
@rule("EXE-005")
def test_model_runs_many_times(device: Device, mode: CaptureMode) -> None:
    model, stream, counter = counting(device, mode)
    for _ in range(100):
        model.execute(stream).succeeds()
    stream.finish()
    counter.expect(100, what="executions without another capture")


@each_mode()
@rule("EXE-008")
def test_model_runs_by_the_handle_of_info(device: Device, mode: CaptureMode) -> None:
    counter = Counter(device)
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
        handle = capture.info().model
    capture.stream.execute(handle).succeeds()
    capture.stream.finish()
    counter.expect(1, what="execution by the handle that GetInfo gave during the capture")


@each_mode()
@rule("EXE-034")
def test_execution_does_not_block(device: Device, mode: CaptureMode) -> None:
    (model, event, counter), stream, releasing = held(device, mode), device.stream(), device.stream()
    model.execute(stream).succeeds()
    status = stream.query().required()
    device.case.expect(status == NOT_READY, what="stream of a held replay", expected=NOT_READY, actual=status)
    releasing.record(event).required()
    stream.finish()
    counter.expect(1, what="the execution after its release")


@each_mode()
@rule("EXE-006")
def test_execution_is_done_after_a_wait(device: Device, mode: CaptureMode) -> None:
    (model, event, counter), stream, releasing = held(device, mode), device.stream(), device.stream()
    model.execute(stream).required()
    early = stream.synchronize_within(30)
    early.observed("synchronization of a held replay")
    device.case.expect(
        not early.accepted, what="synchronization of a held replay", expected="a timeout", actual="success"
    )
    releasing.record(event).required()
    stream.synchronize_within(device.budget_ms).succeeds()
    counter.expect(1, what="the execution after a synchronization")


@each_mode()
@rule("EXE-007")
def test_later_work_runs_after_the_execution(device: Device, mode: CaptureMode) -> None:
    model, stream, counter = counting(device, mode)
    result = device.pinned(np.full(16, -1, np.float32))
    for number in (1, 2, 3):
        model.execute(stream).required()
        stream.copy(result, counter.total).required()
        stream.finish()
        seen = sorted(set(result.array.tolist()))
        device.case.expect(seen == [number], what="copy after the execution", expected=[number], actual=seen)


@rule("EXE-009")
def test_executing_no_model_is_refused(device: Device) -> None:
    model, stream, _ = counting(device, R)
    stream.execute(device.ffi.NULL).refused()
    model.execute(stream).succeeds()  # control
    stream.finish()


@pytest.mark.parametrize("flag", [StreamFlag.PERSISTENT, StreamFlag.CPU_SCHEDULE, StreamFlag.DEVICE_USE_ONLY])
@rule("EXE-014")
def test_executing_on_an_unsuitable_stream_is_refused(device: Device, flag: StreamFlag) -> None:
    (model, stream, counter), unsuitable = counting(device, R), device.create_stream(flag).required()
    model.execute(unsuitable).refused()
    model.execute(stream).succeeds()  # control
    stream.finish()
    counter.expect(1, what="only the control ran")


@each_mode()
@rule("EXE-028")
def test_executing_a_model_of_another_context_is_refused(device: Device, mode: CaptureMode) -> None:
    (model, stream, counter), elsewhere = counting(device, mode), device.context_thread("elsewhere")
    foreign = elsewhere.run(device.stream)
    elsewhere.run(lambda: model.execute(foreign)).refused()
    model.execute(stream).succeeds()  # control
    stream.finish()
    counter.expect(1, what="only the control ran")


@each_mode()
@rule("EXE-032")
def test_models_run_at_once(device: Device, mode: CaptureMode) -> None:
    (first, event, waiting), releasing = held(device, mode), device.stream()
    second, stream, counter = counting(device, mode)
    own = device.stream()
    first.execute(own).required()
    second.execute(stream).succeeds()
    stream.finish()
    counter.expect(1, what="the second model, while the first one is held")
    releasing.record(event).required()
    own.finish()
    waiting.expect(1, what="the first model after its release")


@rule("EXE-010")
def test_execution_on_the_default_stream(device: Device) -> None:
    model, _, counter = counting(device, R)
    if model.execute(device.default_stream).observed_acceptance("ExecuteAsync with a NULL stream"):
        device.default_stream.finish()
        counter.expect(1, what="execution on the default stream")


@each_mode()
@rule("EXE-011")
def test_execution_on_a_capturing_stream(device: Device, mode: CaptureMode) -> None:
    model, _, counter = counting(device, mode)
    with device.capture(mode) as capture:
        capture.mark()
        accepted = model.execute(capture.stream).observed_acceptance("ExecuteAsync on a capturing stream")
        capture.ends_consistently()
    if not accepted:
        counter.expect(0, what="the refused execution")


@each_mode()
@rule("EXE-012")
def test_execution_of_an_empty_model(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        pass
    capture.model.execute(capture.stream).observed("ExecuteAsync of an empty model")
    capture.stream.synchronize_within(device.budget_ms).observed("synchronization afterwards")


@each_mode()
@rule("EXE-017")
def test_blocking_execution_of_a_captured_model(device: Device, mode: CaptureMode) -> None:
    model, stream, counter = counting(device, mode)
    accepted = device.call("aclmdlRIExecute", model.handle, -1).observed_acceptance("aclmdlRIExecute")
    counter.expect(int(accepted), what="executions by aclmdlRIExecute")
    model.replay(stream)
    counter.expect(int(accepted) + 1, what="executions after ExecuteAsync")


@each_mode()
@rule("EXE-027")
def test_abort_of_a_captured_model(device: Device, mode: CaptureMode) -> None:
    model, stream, counter = counting(device, mode)
    device.call("aclmdlRIAbort", model.handle).observed("aclmdlRIAbort of an idle captured model")
    model.replay(stream)
    counter.expect(1, what="an execution afterwards")


@each_mode()
@rule("EXE-030")
def test_execution_from_another_thread(device: Device, mode: CaptureMode) -> None:
    (model, stream, counter), other = counting(device, mode), device.thread()
    if other.run(lambda: model.execute(stream)).observed_acceptance("ExecuteAsync from another thread"):
        stream.finish()
        counter.expect(1, what="the execution")


@each_mode()
@rule("EXE-031")
def test_overlapping_executions_of_one_model(device: Device, mode: CaptureMode) -> None:
    (model, event, counter), streams, releasing = (
        held(device, mode),
        [device.stream(), device.stream()],
        device.stream(),
    )
    model.execute(streams[0]).required()
    second = model.execute(streams[1]).observed_acceptance("second execution while the first one is held")
    for _ in range(1 + second):
        releasing.record(event).required()
        releasing.finish()
    for stream in streams:
        stream.synchronize_within(1000).observed("synchronization")
    device.case.observe("executions counted", counter.total.read().tolist()[0])


@each_mode()
@rule("EXE-033")
def test_execution_while_another_stream_captures(device: Device, mode: CaptureMode) -> None:
    model, stream, counter = counting(device, mode)
    with device.capture(mode) as capture:
        capture.mark()
        accepted = model.execute(stream).observed_acceptance("ExecuteAsync while another stream captures")
        capture.ends_consistently()
    stream.finish()
    counter.expect(int(accepted), what="executions during the capture")


@each_mode()
@rule("EXE-015")
def test_sub_model_on_its_own(device: Device, mode: CaptureMode) -> None:
    counter, elsewhere = Counter(device), device.stream()
    with device.capture(mode) as root, branch(root, mode) as sub:
        counter.submit(sub.stream)
        sub.end().required()
    ran = elsewhere.execute(sub.handle).observed_acceptance("aclmdlRIExecuteAsync of the sub-model")
    elsewhere.finish()
    root.model.replay(elsewhere)  # control: its root runs it
    counter.expect(1 + ran, what="executions of the branch")
