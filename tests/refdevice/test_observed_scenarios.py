"""Sequences of calls that were observed on the open-source runtime in August 2026, on the reference device.

Each scenario yields the codes of its calls; they are the observed ones, except where ``Differs`` names the rule of the
documents that decides otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pytest

from fixtures.capture import Model
from fixtures.device import Device
from fixtures.markers import the_catalogue
from fixtures.memory import Buffer
from fixtures.modes import CaptureMode, CaptureStatus
from fixtures.session import DeviceSession
from fixtures.stream import Stream, TaskGroup
from tests.devices import case_device
from tests.refdevice import fork_scenarios as forks
from tests.refdevice.scenario import G, R, begun, code


def grouped(device: Device) -> tuple[Model, TaskGroup, Stream]:
    """A model with an empty task group."""
    with device.capture(G) as capture:
        capture.stream.begin_group().required()
        group = capture.stream.end_group().required()
    return capture.model, group, capture.stream


def group_calls_on_nothing(device: Device) -> Iterator[int]:
    yield code(device.call("aclmdlRICaptureTaskGrpBegin", device.ffi.NULL))
    yield code(device.call("aclmdlRICaptureTaskGrpEnd", device.ffi.NULL, device.ffi.new("aclrtTaskGrp *")))
    yield code(device.call("aclmdlRICaptureTaskGrpEnd", device.stream().handle, device.ffi.NULL))


def group_begun_twice(device: Device) -> Iterator[int]:
    capture = begun(device)
    yield code(capture.stream.begin_group())
    yield code(capture.stream.begin_group())
    yield code(capture.stream.end_group())
    yield code(capture.end())


def capture_ended_in_a_group(device: Device) -> Iterator[int]:
    capture = begun(device)
    yield code(capture.stream.begin_group())
    yield code(capture.end())
    yield capture.info().status
    capture.abandon()
    again = device.capture(G, capture.stream)
    again.__enter__()
    yield code(capture.stream.begin_group())
    again.abandon()


def group_interrupted_by_a_sub_stream(device: Device) -> Iterator[int]:
    event, sub_stream, buffer = device.event(), device.stream(), device.buffer(np.zeros(8, np.uint8))
    capture = begun(device)
    yield code(capture.stream.record(event))
    yield code(sub_stream.wait(event))
    yield code(capture.stream.begin_group())
    yield code(sub_stream.memset(buffer, 1))
    yield code(capture.stream.end_group())
    yield code(capture.end())
    capture.abandon()


def update_on_a_capturing_stream(device: Device) -> Iterator[int]:
    capture = begun(device)
    capture.stream.begin_group().required()
    group = capture.stream.end_group().required()
    yield code(capture.stream.begin_update(group))
    yield code(capture.stream.end_update())
    yield code(capture.end())


def updates_out_of_order(device: Device) -> Iterator[int]:
    _, group, stream = grouped(device)
    other, nothing = device.stream(), device.ffi.NULL
    yield code(stream.begin_update(TaskGroup(nothing)))
    yield code(device.call("aclmdlRICaptureTaskUpdateBegin", nothing, group.handle))
    yield code(device.call("aclmdlRICaptureTaskUpdateEnd", nothing))
    yield code(stream.end_update())
    yield code(stream.begin_update(group))
    yield code(stream.begin_update(group))
    yield code(other.begin_update(group))
    yield code(stream.end_update())
    yield code(other.end_update())


def no_operators_in_an_update(device: Device) -> Iterator[int]:
    buffer, pinned = device.buffer(np.zeros(8, np.uint8)), device.pinned(np.zeros(8, np.uint8))
    event, (_, group, stream) = device.event(), grouped(device)
    yield code(stream.begin_update(group))
    yield code(stream.copy(buffer, pinned))
    yield code(stream.memset(buffer, 1))
    yield code(stream.record(event))
    yield code(stream.end_update())


def nothing_executed_and_destroyed(device: Device) -> Iterator[int]:
    yield code(device.stream().execute(device.ffi.NULL))
    yield code(device.call("aclmdlRIDestroy", device.ffi.NULL))


def a_destroyed_model(device: Device) -> Iterator[int]:
    with device.capture(G) as capture:
        capture.mark()
    yield code(capture.model.destroy())
    yield code(capture.model.destroy())
    yield code(capture.model.execute(capture.stream))


def a_captured_model_run_synchronously(device: Device) -> Iterator[int]:
    with device.capture(G) as capture:
        capture.mark()
    yield code(capture.model.execute(capture.stream))
    yield code(capture.stream.synchronize())
    yield code(device.call("aclmdlRIExecute", capture.model.handle, -1))
    yield code(device.call("aclmdlRIExecute", device.ffi.NULL, -1))


def execution_into_a_capture(device: Device) -> Iterator[int]:
    with device.capture(G) as first:
        first.mark()
    capture = begun(device)
    yield code(first.model.execute(capture.stream))
    yield capture.info().status
    yield code(capture.end())


def execution_beside_a_capture(device: Device) -> Iterator[int]:
    with device.capture(G) as first:
        first.mark()
    capture = begun(device)
    yield code(first.model.execute(first.stream))
    yield code(first.stream.synchronize())
    yield code(capture.end())


def two_captures_of_one_thread(device: Device) -> Iterator[int]:
    buffer = device.buffer(np.zeros(8, np.uint8))
    relaxed = begun(device, R)
    yield code(device.memset(buffer, 1))
    strict = begun(device, G)
    yield code(device.memset(buffer, 1))
    yield code(strict.end())
    yield code(device.memset(buffer, 1))
    yield code(relaxed.end())
    yield code(device.memset(buffer, 1))


def modes_exchanged(device: Device) -> Iterator[int]:
    yield code(device.call("aclmdlRICaptureThreadExchangeMode", device.ffi.NULL))
    for mode in (3, 100, -1, 2, 1, 0):
        yield code(device.exchange_mode(mode))


def ends_without_a_capture(device: Device) -> Iterator[int]:
    stream, output = device.stream(), device.ffi.new("aclmdlRI *")
    yield code(device.end_capture(stream))
    yield code(device.begin_capture(stream, G))
    yield code(device.begin_capture(stream, G))
    yield code(device.call("aclmdlRICaptureEnd", stream.handle, device.ffi.NULL))
    yield code(device.end_capture(stream))
    yield code(device.call("aclmdlRICaptureEnd", stream.handle, output))
    yield code(device.begin_capture(stream, device.ffi.cast("aclmdlRICaptureMode", -1)))


def ended_by_another_thread(device: Device) -> Iterator[int]:
    for mode in (CaptureMode.THREAD_LOCAL, R):
        capture, other = begun(device, mode), device.thread()
        yield code(other.run(capture.end))
        yield code(capture.end())
        capture.abandon()


def not_safe_calls(device: Device, buffer: Buffer, other: Stream) -> tuple[int, int]:
    """A memset, and a pageable copy on a stream that does not capture."""
    pageable = device.pageable(np.zeros(8, np.uint8))
    return code(device.memset(buffer, 1)), code(other.copy(buffer, pageable))


def exchanged_there_and_back(device: Device) -> Iterator[int]:
    buffer, other = device.buffer(np.zeros(8, np.uint8)), device.stream()
    for mode in CaptureMode:
        device.exchange_mode(G).required()
        capture = begun(device, mode)
        for new in (R, CaptureMode.THREAD_LOCAL, G):
            yield device.exchange_mode(new).required()
            yield from not_safe_calls(device, buffer, other)
        yield code(capture.end())


def exchanged_on_another_thread(device: Device) -> Iterator[int]:
    buffer, other = device.buffer(np.zeros(8, np.uint8)), device.stream()
    for mode, new in ((G, R), (R, G), (R, CaptureMode.THREAD_LOCAL), (R, R)):
        capture, thread = begun(device, mode), device.thread()
        yield thread.run(partial(device.exchange_mode, new)).required()
        yield from thread.run(partial(not_safe_calls, device, buffer, other))
        yield code(thread.run(other.synchronize))
        yield code(thread.run(capture.stream.synchronize))
        yield code(thread.run(device.synchronize))
        yield code(thread.run(capture.stream.query))
        yield code(capture.end())


def mode_kept_after_the_capture(device: Device) -> Iterator[int]:
    capture = begun(device)
    device.exchange_mode(R).required()
    yield code(capture.end())
    yield device.exchange_mode(G).required()


def info_of_what_does_not_capture(device: Device) -> Iterator[int]:
    stream, null = device.stream().handle, device.ffi.NULL
    status, model = device.ffi.new("aclmdlRICaptureStatus *"), device.ffi.new("aclmdlRI *")
    info = partial(device.call, "aclmdlRICaptureGetInfo")
    yield code(info(stream, status, model))
    yield int(status[0])
    yield int(model[0] != null)
    yield code(info(null, status, model))
    yield code(info(stream, null, null))
    yield code(info(stream, status, null))
    yield code(info(stream, null, model))


def id_and_abort(device: Device) -> Iterator[int]:
    with device.capture(G) as capture:
        capture.mark()
    number, null = device.ffi.new("uint32_t *"), device.ffi.NULL
    yield code(device.call("aclmdlRIGetId", capture.model.handle, number))
    yield code(device.call("aclmdlRIGetId", null, number))
    yield code(device.call("aclmdlRIAbort", capture.model.handle))
    yield code(device.call("aclmdlRIAbort", null))


@dataclass(frozen=True)
class Differs:
    """At this place the documents decide otherwise: the reference device's value, and the rule."""

    here: int
    rule: str


@dataclass(frozen=True)
class Scenario:
    """A sequence of calls, what was observed, and where the documents say something else."""

    play: Callable[[Device], Iterator[int]]
    observed: tuple[int, ...]
    differs: dict[int, Differs] = field(default_factory=dict)


SCENARIOS = [
    Scenario(group_calls_on_nothing, (100000, 100000, 100000)),
    Scenario(group_begun_twice, (0, 107033, 0, 0)),
    Scenario(capture_ended_in_a_group, (0, 107033, CaptureStatus.NONE, 107033), {3: Differs(0, "GRP-007")}),
    Scenario(group_interrupted_by_a_sub_stream, (0, 0, 0, 107034, 107034, 507903)),
    Scenario(update_on_a_capturing_stream, (107027, 107027, 0)),
    Scenario(updates_out_of_order, (100000, 100000, 100000, 107033, 0, 107033, 107033, 0, 107033)),
    Scenario(no_operators_in_an_update, (0, 507009, 507009, 507009, 0)),
    Scenario(nothing_executed_and_destroyed, (100000, 100000)),
    Scenario(a_destroyed_model, (0, 107017, 107017)),
    Scenario(a_captured_model_run_synchronously, (0, 0, 107000, 100000)),
    Scenario(execution_into_a_capture, (107027, CaptureStatus.ACTIVE, 0)),
    Scenario(execution_beside_a_capture, (0, 0, 0)),
    Scenario(forks.forked_and_not_joined, (CaptureStatus.ACTIVE, 0, 107025, CaptureStatus.NONE)),
    Scenario(forks.forked_recorded_and_not_waited_for, (0, 107025)),
    Scenario(forks.forked_and_joined, (0, CaptureStatus.NONE, 0, 0)),
    Scenario(forks.ended_and_begun_on_the_sub_stream, (107036, 107027, CaptureStatus.ACTIVE, 0)),
    Scenario(
        forks.event_of_another_capture_waited_for,
        (0, 107032, CaptureStatus.ACTIVE, CaptureStatus.ACTIVE, 507903, 507903),
        {2: Differs(CaptureStatus.INVALIDATED, "CAP-020"), 3: Differs(CaptureStatus.INVALIDATED, "CAP-020")},
    ),
    Scenario(forks.event_of_another_capture_recorded, (0, 0, 0, 0)),
    Scenario(forks.captured_event_after_the_capture, (0, 0, 0, 0, 0)),
    Scenario(
        forks.external_records_and_waits, (107029, 107029, 0, 107000, 107000, 0, 207000, 207000, 107000, 100000, 0)
    ),
    Scenario(two_captures_of_one_thread, (0, 107030, 0, 0, 0, 0)),
    Scenario(
        exchanged_there_and_back,
        (
            *(0, 0, 0, 2, 107030, 107041, 1, 107030, 107041, 0),
            *(0, 0, 0, 2, 107030, 107041, 1, 107030, 107041, 0),
            *(0, 0, 0, 2, 0, 0, 1, 0, 0, 0),
        ),
    ),
    Scenario(exchanged_on_another_thread, (0, 0, 0, 0, 107027, 107027, 107027, 0) * 4),
    Scenario(mode_kept_after_the_capture, (0, 2)),
    Scenario(info_of_what_does_not_capture, (0, CaptureStatus.NONE, 0, 100000, 100000, 0, 0)),
    Scenario(id_and_abort, (0, 100000, 0, 107000), {2: Differs(207000, "EXE-027")}),
    Scenario(modes_exchanged, (100000, 107000, 107000, 107000, 0, 0, 0)),
    Scenario(ends_without_a_capture, (107029, 0, 107027, 107000, 0, 107029, 107000)),
    Scenario(ended_by_another_thread, (107038, 107029, 0, 107029), {1: Differs(0, "CAP-029")}),
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.play.__name__)
def test_a_scenario_goes_as_observed(session: DeviceSession, scenario: Scenario) -> None:
    device = case_device(session)
    try:
        seen = tuple(int(one) for one in scenario.play(device))
    finally:
        device.close()
    wanted = list(scenario.observed)
    for place, differs in scenario.differs.items():
        assert differs.rule in the_catalogue()
        assert wanted[place] != differs.here, "no difference, yet a rule that decides"
        wanted[place] = differs.here
    assert seen == tuple(wanted)
