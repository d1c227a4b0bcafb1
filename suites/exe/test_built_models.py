"""Executing models of the build API: aclmdlRIExecute, aclmdlRIExecuteAsync, aclmdlRIAbort (API reference 15).

Plan
- both calls run a complete model; timeouts                                                    EXE-002, 016, 018, 019
- a model without its end mark, or whose build has not ended                                   EXE-023, 024
- a stream that belongs to a model executes none                                               EXE-013
- abort stops an execution, and the model runs again                                           EXE-025, 026
- recorded: other timeouts, a model that outlives its timeout                                  EXE-020 … 022
"""

from collections.abc import Callable

import pytest

from fixtures import Device, rule
from fixtures.build import BuiltModel, begin_build, building
from fixtures.counter import Counter
from fixtures.event import Event
from fixtures.outcome import Outcome


def counting(device: Device) -> tuple[BuiltModel, Counter]:
    """A built model that counts its executions."""
    counter = Counter(device)
    with building(device) as (model, stream):
        counter.submit(stream)
    return model, counter


def held(device: Device) -> tuple[BuiltModel, Event, Counter]:
    """A built counting model that waits for an event first."""
    counter, event = Counter(device), device.gate_event()
    with building(device) as (model, stream):
        stream.wait(event).required()
        counter.submit(stream)
    device.releasing(event, device.stream())
    return model, event, counter


@rule("EXE-016", "EXE-018")
def test_built_model_runs_while_the_host_waits(device: Device) -> None:
    model, counter = counting(device)
    for number in (1, 2):
        model.run(-1).succeeds()
        counter.expect(number, what="results on return")


@rule("EXE-019")
def test_built_model_runs_within_its_timeout(device: Device) -> None:
    model, counter = counting(device)
    model.run(device.budget_ms).succeeds()
    counter.expect(1, what="results on return")


@rule("EXE-002")
def test_built_model_runs_on_a_stream(device: Device) -> None:
    (model, counter), stream = counting(device), device.stream()
    model.execute(stream).succeeds()
    stream.finish()
    counter.expect(1, what="the execution")


RUNS = [
    pytest.param(lambda model, stream: model.run(1000), id="host_waits"),
    pytest.param(lambda model, stream: model.execute(stream), id="on_a_stream"),
]
Run = Callable[[BuiltModel, object], Outcome[None]]


@pytest.mark.parametrize("run", RUNS)
@rule("EXE-023")
def test_running_before_the_build_ended_is_refused(device: Device, run: Run) -> None:
    counter, model, stream = Counter(device), begin_build(device), device.stream()
    assert model.stream is not None
    counter.submit(model.stream)
    model.end_task().required()
    run(model, stream).refused()
    counter.expect(0, what="the refused execution")
    model.end_build().required()
    run(model, stream).succeeds()  # control: the build has ended
    stream.finish()
    counter.expect(1, what="the execution afterwards")


@rule("EXE-024")
def test_running_without_an_end_mark_is_refused(device: Device) -> None:
    counter, model = Counter(device), begin_build(device)
    assert model.stream is not None
    counter.submit(model.stream)
    model.run(1000).refused()
    counter.expect(0, what="the refused execution")
    model.end_task().required()
    model.end_build().required()
    model.run(1000).succeeds()  # control: with its end mark


@rule("EXE-013")
def test_execution_on_a_stream_of_a_model_is_refused(device: Device) -> None:
    (model, counter), (other, _), stream = counting(device), counting(device), device.stream()
    assert other.stream is not None
    model.execute(other.stream).refused()
    model.execute(stream).succeeds()  # control
    stream.finish()
    counter.expect(1, what="only the control ran")


@rule("EXE-025", "EXE-026")
def test_aborted_model_runs_again(device: Device) -> None:
    (model, event, counter), stream, releasing = held(device), device.stream(), device.stream()
    model.execute(stream).required()
    model.abort().succeeds()
    stream.synchronize_within(device.budget_ms).observed("synchronization after the abort")
    counter.expect(0, what="the aborted execution")
    releasing.record(event).required()
    releasing.finish()
    again = device.stream()
    model.execute(again).succeeds()
    again.finish()
    counter.expect(1, what="an execution after the abort")


@pytest.mark.parametrize("run", RUNS)
@rule("EXE-026")
def test_each_call_runs_an_aborted_model(device: Device, run: Run) -> None:
    (model, counter), stream = counting(device), device.stream()
    model.abort().required()
    run(model, stream).succeeds()
    stream.finish()
    counter.expect(1, what="an execution after the abort")


@pytest.mark.parametrize("timeout", [0, -2], ids=["zero", "minus_two"])
@rule("EXE-020", "EXE-021")
def test_timeout_that_is_not_documented(device: Device, timeout: int) -> None:
    model, counter = counting(device)
    model.run(timeout).observed(f"aclmdlRIExecute with timeout {timeout}")
    device.synchronize_within(device.budget_ms).required()
    model.run(-1).required()
    device.case.observe("executions counted", counter.total.read().tolist()[0])


@rule("EXE-022")
def test_model_that_outlives_its_timeout(device: Device) -> None:
    (model, event, counter), releasing = held(device), device.stream()
    model.run(30).observed("aclmdlRIExecute of a held model")
    releasing.record(event).required()
    device.synchronize_within(device.budget_ms).required()
    device.case.observe("executions counted", counter.total.read().tolist()[0])
