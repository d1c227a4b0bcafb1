"""Task groups: the part of a capture that may be updated later (API reference 15, CaptureTaskGrpBegin / End).

Plan
- open, close, non-null handle, several tasks, several groups, on a sub-stream      GRP-001, 003, 009 … 011, 023
- on a stream that does not capture; closed without being opened; opened twice; closed on another stream; capture
  ended while open                                                                    GRP-002, 004 … 007
- work that is no operator: copies, memsets, record, wait, value write, host function GRP-012 … 017
- NULL arguments; while an update is open on the stream                               GRP-008, 022
- recorded: after an interruption, empty groups                                       GRP-020, 021
- a group in use elsewhere: work on another stream of the capture                     GRP-019
- without an update a group is like any other work                                    GRP-025
"""

from collections.abc import Callable

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.aftermath import expect_usable
from fixtures.hostlog import address_of
from fixtures.links import fork, join
from fixtures.memory import Buffer
from fixtures.outcome import Outcome
from fixtures.stream import Stream

R = CaptureMode.RELAXED


def ones(device: Device) -> tuple[Buffer, Buffer, Buffer]:
    """Three float32 buffers of eight elements: 1, 2, and 0 for the result."""
    return tuple(device.buffer(np.full(8, value, np.float32)) for value in (1, 2, 0))  # type: ignore[return-value]


@each_mode()
@rule("GRP-001", "GRP-003", "GRP-009")
def test_group_with_one_operator(device: Device, mode: CaptureMode) -> None:
    add = device.add(*ones(device))
    with device.capture(mode) as capture:
        capture.stream.begin_group().succeeds()
        add.launch(capture.stream).succeeds()
        group = capture.stream.end_group().succeeds()
        device.case.expect(bool(group.handle), what="group handle", expected="not NULL", actual=group.handle)
        capture.end().succeeds()


@each_mode()
@rule("GRP-010")
def test_group_with_several_operators(device: Device, mode: CaptureMode) -> None:
    operators = [device.add(*ones(device)) for _ in range(3)]
    with device.capture(mode) as capture:
        capture.stream.begin_group().required()
        for operator in operators:
            operator.launch(capture.stream).succeeds()
        capture.stream.end_group().succeeds()
        capture.end().succeeds()


@each_mode()
@rule("GRP-023")
def test_group_on_a_sub_stream(device: Device, mode: CaptureMode) -> None:
    first, second, out = ones(device)
    add, sub_stream = device.add(first, second, out), device.stream()
    with device.capture(mode) as capture:
        fork(device, capture.stream, sub_stream)
        sub_stream.begin_group().succeeds()
        add.launch(sub_stream).succeeds()
        group = sub_stream.end_group().succeeds()
        device.case.expect(bool(group.handle), what="group handle", expected="not NULL", actual=group.handle)
        join(device, capture.stream, sub_stream)
        capture.end().succeeds()
    capture.model.replay(capture.stream)
    seen = out.read().tolist()
    device.case.expect(seen == [3.0] * 8, what="result of the grouped operator", expected=[3.0] * 8, actual=seen)


@each_mode()
@rule("GRP-011")
def test_several_groups_in_one_model(device: Device, mode: CaptureMode) -> None:
    operators = [device.add(*ones(device)) for _ in range(3)]
    handles = set()
    with device.capture(mode) as capture:
        for operator in operators:
            capture.stream.begin_group().succeeds()
            operator.launch(capture.stream).required()
            handles.add(address_of(device.ffi, capture.stream.end_group().succeeds().handle))
        capture.end().succeeds()
    device.case.expect(len(handles) == 3, what="distinct group handles", expected=3, actual=len(handles))


@rule("GRP-002")
def test_group_outside_a_capture_is_refused(device: Device) -> None:
    stream, add = device.stream(), device.add(*ones(device))
    stream.begin_group().refused()
    with device.capture(R, stream) as capture:  # control: the same stream, capturing
        stream.begin_group().succeeds()
        add.launch(stream).required()
        stream.end_group().succeeds()
        capture.end().succeeds()


@each_mode()
@rule("GRP-004")
def test_group_closed_on_another_stream_is_refused(device: Device, mode: CaptureMode) -> None:
    add, fork, join, sub_stream = device.add(*ones(device)), device.event(), device.event(), device.stream()
    with device.capture(mode) as capture:
        capture.stream.record(fork).required()
        sub_stream.wait(fork).required()
        capture.stream.begin_group().required()
        add.launch(capture.stream).required()
        sub_stream.end_group().refused()
        capture.stream.end_group().succeeds()  # control: the stream that opened it
        sub_stream.record(join).required()
        capture.stream.wait(join).required()
        capture.end().succeeds()


@each_mode()
@rule("GRP-005")
def test_group_closed_without_being_opened_is_refused(device: Device, mode: CaptureMode) -> None:
    add = device.add(*ones(device))
    with device.capture(mode) as capture:
        capture.stream.end_group().refused()
        capture.stream.begin_group().succeeds()  # control
        add.launch(capture.stream).required()
        capture.stream.end_group().succeeds()
        capture.end().succeeds()


@each_mode()
@rule("GRP-006")
def test_group_opened_twice_is_refused(device: Device, mode: CaptureMode) -> None:
    add = device.add(*ones(device))
    with device.capture(mode) as capture:
        capture.stream.begin_group().succeeds()
        add.launch(capture.stream).required()
        capture.stream.begin_group().refused()
        capture.stream.end_group().succeeds()  # control: the first group is still there
        capture.end().succeeds()


@each_mode()
@rule("GRP-007")
def test_capture_ended_inside_a_group_is_refused(device: Device, mode: CaptureMode) -> None:
    operators = [device.add(*ones(device)) for _ in range(2)]
    capture = device.capture(mode)
    capture.__enter__()
    capture.stream.begin_group().required()
    operators[0].launch(capture.stream).required()
    capture.end().refused()
    capture.abandon()
    with device.capture(mode, capture.stream) as fresh:  # control: a group that is closed in time, on the same stream
        fresh.stream.begin_group().succeeds()
        operators[1].launch(fresh.stream).required()
        fresh.stream.end_group().required()
        fresh.end().succeeds()


FOREIGN_WORK = [
    variant("copy", lambda stream, at: stream.copy(at["buffer"], at["pinned"]), "GRP-012"),
    variant("memset", lambda stream, at: stream.memset(at["buffer"], 0), "GRP-013"),
    variant("record", lambda stream, at: stream.record(at["event"]), "GRP-014"),
    variant("wait", lambda stream, at: stream.wait(at["external"]), "GRP-015"),
    variant("value_write", lambda stream, at: stream.write_value(at["buffer"], 1), "GRP-016"),
]


@each_mode()
@pytest.mark.parametrize("work", FOREIGN_WORK)
def test_work_that_is_no_operator_is_refused(
    device: Device, mode: CaptureMode, work: Callable[[Stream, dict[str, object]], Outcome[None]]
) -> None:
    at: dict[str, object] = {
        "buffer": device.buffer(np.zeros(8, np.float32)),
        "pinned": device.pinned(np.zeros(8, np.float32)),
        "event": device.event(),
        "external": device.external_event(),
    }
    with device.capture(mode) as outside:  # control: captured, but in no group
        work(outside.stream, at).succeeds()
        outside.end().succeeds()
    capture = device.capture(mode)
    capture.__enter__()
    capture.stream.begin_group().required()
    submission = work(capture.stream, at)
    closing = capture.stream.end_group()
    (closing if submission.accepted else submission).refused()
    for outcome in (submission, closing):
        outcome.observed()
    capture.end().observed("CaptureEnd after a refused group task")
    capture.abandon()
    expect_usable(device, capture.stream)


@each_mode()
@rule("GRP-019")
def test_work_on_another_stream_while_a_group_is_open_is_refused(device: Device, mode: CaptureMode) -> None:
    buffer, fork, sub_stream = device.buffer(np.zeros(16, np.uint8)), device.event(), device.stream()
    capture = device.capture(mode)
    capture.__enter__()
    capture.stream.record(fork).required()
    sub_stream.wait(fork).required()
    sub_stream.memset(buffer, 1).succeeds()  # control: no group is open
    capture.stream.begin_group().required()
    sub_stream.memset(buffer, 2).refused()
    capture.stream.end_group().observed("GrpEnd after the interruption")
    capture.end().observed("CaptureEnd after the interruption")
    capture.abandon()
    expect_usable(device, capture.stream, sub_stream)


@each_mode()
@rule("GRP-025")
def test_group_runs_like_any_other_work(device: Device, mode: CaptureMode) -> None:
    first, second, out = ones(device)
    add = device.add(first, second, out, alpha=0.5)  # type: ignore[arg-type]
    with device.capture(mode) as capture, capture.stream.group():
        add.launch(capture.stream).required()
    capture.model.replay(capture.stream)
    content = out.read()  # type: ignore[attr-defined]
    device.case.expect((content == 2.0).all(), what="1 + 0.5 * 2", expected=2.0, actual=content)


@each_mode()
@rule("GRP-017")
def test_host_function_in_a_group_is_refused(device: Device, mode: CaptureMode) -> None:
    calls: list[int] = []
    eager = device.stream()
    eager.host_function(lambda: calls.append(1)).succeeds()  # control: on a stream that does not capture
    eager.finish()
    capture = device.capture(mode)
    capture.__enter__()
    capture.stream.begin_group().required()
    submission = capture.stream.host_function(lambda: calls.append(2))
    closing = capture.stream.end_group()
    (closing if submission.accepted else submission).refused()
    for outcome in (submission, closing):
        outcome.observed()
    capture.end().observed("CaptureEnd after a refused group task")
    capture.abandon()
    expect_usable(device, capture.stream)
    device.case.expect(calls == [1], what="host functions that ran", expected=[1], actual=calls)


@each_mode()
@rule("GRP-008")
def test_group_on_an_updating_stream_is_refused(device: Device, mode: CaptureMode) -> None:
    first, second, out = ones(device)
    captured, replacement = (device.add(first, second, out, alpha=alpha) for alpha in (1, 2))
    with device.capture(mode) as capture, capture.stream.group() as groups:
        captured.launch(capture.stream).required()
    update_stream = device.stream()
    update_stream.begin_update(groups[0]).required()
    update_stream.begin_group().refused()
    replacement.launch(update_stream).required()
    update_stream.end_update().succeeds()  # control: the update is still open
    update_stream.finish()
    capture.model.replay(capture.stream)
    seen = sorted(set(out.read().tolist()))
    device.case.expect(seen == [5.0], what="result after the update", expected=[5.0], actual=seen)


@rule("GRP-022")
def test_group_calls_without_a_stream_or_an_output_are_refused(device: Device) -> None:
    null, handle, add = device.ffi.NULL, device.ffi.new("aclrtTaskGrp *"), device.add(*ones(device))
    with device.capture(R) as capture:
        device.call("aclmdlRICaptureTaskGrpBegin", null).refused()
        capture.stream.begin_group().succeeds()  # control
        add.launch(capture.stream).required()
        device.call("aclmdlRICaptureTaskGrpEnd", null, handle).refused()
        device.call("aclmdlRICaptureTaskGrpEnd", capture.stream.handle, null).refused()
        capture.stream.end_group().succeeds()  # control
        capture.end().succeeds()


@each_mode()
@rule("GRP-021")
def test_empty_group(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        capture.stream.begin_group().observed("CaptureTaskGrpBegin")
        capture.stream.end_group().observed("CaptureTaskGrpEnd of an empty group")
        capture.end().observed("CaptureEnd")
        capture.open = False


@each_mode()
@rule("GRP-020")
def test_interrupted_group(device: Device, mode: CaptureMode) -> None:
    add, fork, sub_stream = device.add(*ones(device)), device.event(), device.stream()
    device.prepare(np.zeros(16, np.uint8), count=1)
    capture = device.capture(mode)
    with capture:
        capture.stream.record(fork).required()
        sub_stream.wait(fork).required()
        capture.stream.begin_group().required()
        add.launch(capture.stream).required()
        sub_stream.memset(device.buffer(np.zeros(16, np.uint8), prepared=True), 1).observed("work on the sub-stream")
        capture.stream.end_group().observed("CaptureTaskGrpEnd after the interruption")
        capture.end().observed("CaptureEnd after the interruption")
        capture.abandon()
