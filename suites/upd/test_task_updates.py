"""Task updates: new parameters for the operators of a group, without a new capture (dev guide 04-03; API ref. 15).

Plan
- the count of tasks must be equal: equal, fewer, more, none, and with two groups               UPD-009 … 011
- the type of tasks must be equal: copies, memsets, events in an update                         UPD-012, 014
- who may update what, where: capturing stream, NULL handle, NULL stream, wrong stream, without begin, twice, one
  group from two streams                                                                        UPD-001 … 008
- what an update does: takes effect at the next execution and stays, replaces inputs and scalars, executes nothing
  by itself, is independent for each group, leaves the rest of the model alone                  UPD-016, 018 … 021, 033
- in every capture mode                                                                         UPD-029
- concurrent with a replay, made safe by an external event                                      UPD-015, 017
A refused update must leave the parameters as they were: the next replay shows it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.grouped import BASE, STEP, Grouped, grouped, same
from fixtures.memory import Buffer
from fixtures.outcome import Outcome
from fixtures.stream import Stream, TaskGroup

R = CaptureMode.RELAXED


@rule("UPD-001", "UPD-016")
@pytest.mark.parametrize("size", [1, 3], ids=["one_task", "three_tasks"])
def test_update_with_equal_task_count(device: Device, size: int) -> None:
    subject, update_stream = grouped(device, size), device.stream()
    subject.expect([1] * size, what="before the update")
    operators = [subject.operator(2 + task, task=task) for task in range(size)]
    update_stream.begin_update(subject.groups[0]).succeeds()
    for operator in operators:
        operator.launch(update_stream).succeeds()
    update_stream.end_update().succeeds()
    update_stream.finish()
    subject.expect([2 + task for task in range(size)], what="after the update")


@dataclass(frozen=True)
class OtherCount:
    """An update with another number of tasks: its first refusal (or UpdateEnd), and whether UpdateEnd accepted it.

    When a surplus task is refused at its submission, UpdateEnd may still carry out the tasks before it.
    """

    refusal: Outcome[None]
    carried_out: bool


def update_with_count(subject: Grouped, update_stream: Stream, count: int, *, group: int = 0) -> OtherCount:
    """Update a group with ``count`` tasks of alpha 9."""
    size = len(subject.outs[group])
    operators = [subject.operator(9, group=group, task=min(task, size - 1)) for task in range(count)]
    update_stream.begin_update(subject.groups[group]).required()
    launches = [operator.launch(update_stream) for operator in operators]
    closing = update_stream.end_update()
    for launch in [*launches, closing]:
        launch.observed()
    refusal = next((launch for launch in launches if not launch.accepted), closing)
    return OtherCount(refusal, closing.accepted)


@pytest.mark.parametrize(
    ("size", "count"),
    [
        variant("fewer", (2, 1), "UPD-009"),
        variant("fewer_by_two", (3, 1), "UPD-009"),
        variant("more", (1, 2), "UPD-010"),
        variant("more_by_two", (2, 4), "UPD-010"),
        variant("none", (1, 0), "UPD-011"),
        variant("none_of_three", (3, 0), "UPD-011"),
    ],
)
def test_update_with_other_task_count_is_refused(device: Device, size: int, count: int) -> None:
    subject, update_stream = grouped(device, size), device.stream()
    attempt = update_with_count(subject, update_stream, count)
    attempt.refusal.refused()
    update_stream.finish()
    subject.expect([9 if attempt.carried_out else 1] * size, what="parameters after a refused update")
    replacements = [subject.operator(2, task=task) for task in range(size)]
    update_stream.update(subject.groups[0], *replacements).succeeds()  # control: equal count, on the same stream
    update_stream.finish()
    subject.expect([2] * size, what="parameters after the update")


@pytest.mark.parametrize(
    "count",
    [variant("fewer", 1, "UPD-009"), variant("more", 3, "UPD-010"), variant("none", 0, "UPD-011")],
)
def test_task_count_is_that_of_the_named_group(device: Device, count: int) -> None:
    """Two groups of different size: the count of one must not pass for the other."""
    subject, update_stream = grouped(device, 2, count or 1), device.stream()
    attempt = update_with_count(subject, update_stream, count)
    attempt.refusal.refused()
    update_stream.finish()
    first = [9 if attempt.carried_out else 1] * 2
    subject.expect(first, [1] * (count or 1), what="parameters after a refused update")


OTHER_TYPES = [
    variant("copy", lambda stream, at: stream.copy(at.buffer, at.source), "UPD-014"),
    variant("memset", lambda stream, at: stream.memset(at.buffer, 0), "UPD-012"),
    variant("record", lambda stream, at: stream.record(at.event), "UPD-014"),
]


@dataclass(frozen=True)
class Foreign:
    """What a task that is no operator needs."""

    buffer: Buffer
    source: object
    event: object


@pytest.mark.parametrize("work", OTHER_TYPES)
def test_update_with_other_task_type_is_refused(
    device: Device, work: Callable[[Stream, Foreign], Outcome[None]]
) -> None:
    subject, update_stream = grouped(device, 1), device.stream()
    at = Foreign(device.buffer(np.zeros(8, np.float32)), device.pinned(np.zeros(8, np.float32)), device.event())
    work(update_stream, at).succeeds()  # control: no update is open
    update_stream.begin_update(subject.groups[0]).required()
    submission = work(update_stream, at)
    closing = update_stream.end_update()
    (closing if submission.accepted else submission).refused()
    for outcome in (submission, closing):
        outcome.observed()
    update_stream.finish()
    subject.expect([1], what="parameters after a refused update")


@each_mode()
@rule("UPD-002")
def test_update_on_a_capturing_stream_is_refused(device: Device, mode: CaptureMode) -> None:
    subject, stream = grouped(device, 1), device.stream()
    with device.capture(mode, stream) as capture:
        stream.begin_update(subject.groups[0]).refused()
        capture.mark()
        capture.ends_consistently()
    stream.update(subject.groups[0], subject.operator(2)).succeeds()  # control: the stream no longer captures


@pytest.mark.parametrize(
    "begin",
    [
        variant(
            "no_group",
            lambda subject, stream: stream.begin_update(TaskGroup(subject.device.ffi.NULL)),
            "UPD-003",
        ),
        variant(
            "no_stream",
            lambda subject, stream: Stream(subject.device, subject.device.ffi.NULL).begin_update(subject.groups[0]),
            "UPD-004",
        ),
    ],
)
def test_update_of_nothing_is_refused(device: Device, begin: Callable[[Grouped, Stream], Outcome[None]]) -> None:
    subject, stream = grouped(device, 1), device.stream()
    begin(subject, stream).refused()
    stream.update(subject.groups[0], subject.operator(2)).succeeds()  # control


@rule("UPD-005")
def test_update_ended_on_another_stream_is_refused(device: Device) -> None:
    subject, stream, other = grouped(device, 1), device.stream(), device.stream()
    stream.begin_update(subject.groups[0]).required()
    subject.operator(2).launch(stream).required()
    other.end_update().refused()
    stream.end_update().succeeds()  # control


@rule("UPD-006")
def test_update_ended_without_begin_is_refused(device: Device) -> None:
    subject, stream = grouped(device, 1), device.stream()
    stream.end_update().refused()
    stream.update(subject.groups[0], subject.operator(2)).succeeds()  # control


@rule("UPD-007")
def test_update_begun_twice_is_refused(device: Device) -> None:
    subject, stream = grouped(device, 1, 1), device.stream()
    replacement = subject.operator(2)
    stream.begin_update(subject.groups[0]).required()
    stream.begin_update(subject.groups[1]).refused()
    replacement.launch(stream).required()
    stream.end_update().succeeds()  # control: the first update is still open
    stream.finish()
    subject.expect([2], [1], what="only the first update took place")


@rule("UPD-008")
def test_one_group_updated_from_two_streams_is_refused(device: Device) -> None:
    subject, stream, other = grouped(device, 1), device.stream(), device.stream()
    replacement = subject.operator(2)
    stream.begin_update(subject.groups[0]).required()
    other.begin_update(subject.groups[0]).refused()
    replacement.launch(stream).required()
    stream.end_update().succeeds()  # control
    stream.finish()
    subject.expect([2], what="after the first stream's update")


@rule("UPD-018")
def test_update_stays_effective(device: Device) -> None:
    subject, stream = grouped(device, 1), device.stream()
    stream.update(subject.groups[0], subject.operator(3)).required()
    stream.finish()
    results = [subject.replay() for _ in range(3)]
    wanted = [[[BASE + 3 * STEP]]] * 3
    device.case.expect(results == wanted, what="three replays after one update", expected=wanted, actual=results)


@rule("UPD-019")
def test_update_executes_nothing_by_itself(device: Device) -> None:
    subject, stream = grouped(device, 1), device.stream()
    out = subject.outs[0][0]
    out.write(-5)
    stream.update(subject.groups[0], subject.operator(3)).required()
    stream.finish()
    device.case.expect(same(out) == -5, what="result buffer after the update alone", expected=-5, actual=same(out))


@rule("UPD-020")
def test_update_leaves_the_rest_of_the_model_alone(device: Device) -> None:
    first, second = device.buffer(np.full(8, BASE, np.float32)), device.buffer(np.full(8, STEP, np.float32))
    plain_out, group_out = device.buffer(np.zeros(8, np.float32)), device.buffer(np.zeros(8, np.float32))
    plain, member = (
        device.add(first, second, plain_out, alpha=4),
        device.add(first, second, group_out, alpha=1),
    )
    with device.capture(R) as capture:
        plain.launch(capture.stream).required()
        with capture.stream.group() as groups:
            member.launch(capture.stream).required()
    stream = device.stream()
    stream.update(groups[0], device.add(first, second, group_out, alpha=2)).required()
    stream.finish()
    capture.model.replay(capture.stream)
    seen = [same(plain_out), same(group_out)]
    wanted = [BASE + 4 * STEP, BASE + 2 * STEP]
    device.case.expect(seen == wanted, what="ungrouped and grouped result", expected=wanted, actual=seen)


@rule("UPD-021")
@pytest.mark.parametrize("updated", [0, 1], ids=["first_group", "second_group"])
def test_groups_are_updated_independently(device: Device, updated: int) -> None:
    subject, stream = grouped(device, 1, 2), device.stream()
    size = len(subject.outs[updated])
    replacements = [subject.operator(5, group=updated, task=task) for task in range(size)]
    stream.update(subject.groups[updated], *replacements).required()
    stream.finish()
    alphas = [[1.0], [1.0, 1.0]]
    alphas[updated] = [5.0] * size
    subject.expect(*alphas, what="only the updated group changed")


@each_mode()
@rule("UPD-029")
def test_group_of_any_capture_mode_is_updated(device: Device, mode: CaptureMode) -> None:
    subject, stream = grouped(device, 1, mode=mode), device.stream()
    replacement = subject.operator(6)
    stream.begin_update(subject.groups[0]).succeeds()
    replacement.launch(stream).succeeds()
    stream.end_update().succeeds()
    stream.finish()
    subject.expect([6], what="after the update")


@each_mode()
@rule("UPD-033")
def test_update_with_other_inputs(device: Device, mode: CaptureMode) -> None:
    subject, stream = grouped(device, 1, mode=mode), device.stream()
    elsewhere = device.buffer(np.full(8, 100, np.float32))
    stream.update(subject.groups[0], device.add(elsewhere, subject.second, subject.outs[0][0], alpha=1)).required()
    stream.finish()
    subject.first.write(-1)
    seen = subject.replay()
    wanted = [[100 + STEP]]
    device.case.expect(seen == wanted, what="result from the new input buffer", expected=wanted, actual=seen)
