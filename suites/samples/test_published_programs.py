"""The published programs, call by call, with their numbers (dev guide 04-01 … 04-03; 0_simple_model, 1_model_update).

Plan
- single-stream capture of the developer guide: out = self + 1.1 * other, copied back over its own input, eight
  executions: 1.1 * k; the second operand is copied once, at capture time                        DATA-001, 002
- the same over two streams                                                                       DATA-003
- task update of the developer guide: 2.2, then 6.6; round 0 is an empty update, which the rules
  of updates forbid (C-12), so its closing call is only recorded                                  DATA-004
- 0_simple_model: (self + 1.1 * other) * other, four executions, 6.4 … 20.4 each                  DATA-005
- 1_model_update: 5.4 … 12.4, after the update 7.6 … 14.6, a difference of 2.2                     DATA-006 … 008
- equal inputs give bit-identical results                                                         DATA-024
"""

import itertools
import json
from pathlib import Path

import numpy as np

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.memory import Array

G, R = CaptureMode.GLOBAL, CaptureMode.RELAXED
SHAPE = (4, 2)


def expect_close(device: Device, seen: Array, wanted: object, *, tolerance: float, what: str) -> None:
    """Every element of ``seen`` is within ``tolerance`` of ``wanted``."""
    close = np.allclose(seen, wanted, rtol=0, atol=tolerance)
    device.case.expect(close, what=what, expected=wanted, actual=np.asarray(seen).ravel().tolist())


def single_stream(device: Device, *, path: Path) -> list[Array]:
    """The single-stream program of dev guide 04-01; the content of ``self_h`` after each of eight executions."""
    self_d, other_d, out_d = (device.empty(*SHAPE) for _ in range(3))
    add = device.add(self_d, other_d, out_d, alpha=1.1)
    self_h, other_h = device.pinned(np.zeros(SHAPE, np.float32)), device.pinned(np.ones(SHAPE, np.float32))
    with device.capture(G, marks=0) as capture:
        stream = capture.stream
        stream.copy(self_d, self_h).succeeds()
        previous = device.exchange_mode(R).succeeds()
        device.memcpy(other_d, other_h).succeeds()
        device.exchange_mode(previous).succeeds()
        add.launch(stream).succeeds()
        stream.copy(self_h, out_d).succeeds()
        capture.end().succeeds()
    capture.model.print_json(path).succeeds()
    results = []
    for _ in range(8):
        capture.model.execute(stream).succeeds()
        stream.synchronize().succeeds()
        results.append(self_h.array.copy())
        other_h.array[...] = 77  # the program leaves it alone; a replay must not read it again
    return results


@rule("DATA-001")
def test_single_stream_capture(device: Device, tmp_path: Path) -> None:
    path = tmp_path / "modelRI.json"
    for number, seen in enumerate(single_stream(device, path=path), start=1):
        expect_close(device, seen, 1.1 * number, tolerance=1e-5 * number, what=f"execution {number}")
    device.case.expect(
        bool(json.loads(path.read_text())), what="modelRI.json", expected="JSON", actual=path.read_text()
    )


@rule("DATA-002")
def test_single_stream_capture_copies_its_second_operand_once(device: Device, tmp_path: Path) -> None:
    results = single_stream(device, path=tmp_path / "modelRI.json")
    for number, (before, after) in enumerate(itertools.pairwise(results), start=2):
        expect_close(device, after - before, 1.1, tolerance=1e-4, what=f"increment of execution {number}")


@rule("DATA-003")
def test_cross_stream_capture(device: Device) -> None:
    self_d, other_d, out_d = (device.empty(*SHAPE) for _ in range(3))
    add = device.add(self_d, other_d, out_d, alpha=1.1)
    self_h, other_h = device.pinned(np.zeros(SHAPE, np.float32)), device.pinned(np.ones(SHAPE, np.float32))
    stream2, event1, event2 = device.stream(), device.event(), device.event()
    with device.capture(G, marks=0) as capture:
        stream1 = capture.stream
        stream1.copy(self_d, self_h).succeeds()
        previous = device.exchange_mode(R).succeeds()
        device.memcpy(other_d, other_h).succeeds()
        device.exchange_mode(previous).succeeds()
        stream1.record(event1).succeeds()
        stream2.wait(event1).succeeds()
        add.launch(stream2).succeeds()
        stream2.record(event2).succeeds()
        stream1.wait(event2).succeeds()
        stream1.copy(self_h, out_d).succeeds()
        capture.end().succeeds()
    for number in range(1, 9):
        capture.model.execute(stream1).succeeds()
        stream1.synchronize().succeeds()
        expect_close(device, self_h.array, 1.1 * number, tolerance=1e-5 * number, what=f"execution {number}")


@rule("DATA-004")
def test_task_update_of_the_guide(device: Device) -> None:
    self_d, other_d, middle_d, out_d = (device.empty(*SHAPE) for _ in range(4))
    lead = device.add(self_d, other_d, middle_d, alpha=1.1)
    member = device.add(middle_d, other_d, out_d, alpha=1.1)
    replacement = device.add(middle_d, other_d, out_d, alpha=5.5)
    self_h, other_h = device.pinned(np.zeros(SHAPE, np.float32)), device.pinned(np.ones(SHAPE, np.float32))
    out_h, event = device.pinned(np.zeros(SHAPE, np.float32)), device.external_event()
    with device.capture(G, marks=0) as capture:
        stream1 = capture.stream
        stream1.copy(self_d, self_h).succeeds()
        stream1.copy(other_d, other_h).succeeds()
        lead.launch(stream1).succeeds()
        stream1.wait(event).succeeds()
        stream1.reset(event).succeeds()
        stream1.begin_group().succeeds()
        member.launch(stream1).succeeds()
        group = stream1.end_group().succeeds()
        stream1.copy(out_h, out_d).succeeds()
        capture.end().succeeds()
    update_stream = device.stream()
    device.releasing(event, update_stream)
    for number, wanted in enumerate((2.2, 6.6)):
        capture.model.execute(stream1).succeeds()
        update_stream.begin_update(group).succeeds()
        if number == 1:
            replacement.launch(update_stream).succeeds()
        closing = update_stream.end_update()
        closing.observed("UpdateEnd of the empty update") if number == 0 else closing.succeeds()
        update_stream.record(event).succeeds()
        update_stream.synchronize().succeeds()
        stream1.synchronize().succeeds()
        expect_close(device, out_h.array, wanted, tolerance=1e-5, what=f"loop {number}")


@rule("DATA-005")
def test_0_simple_model(device: Device) -> None:
    numbers, twos = np.arange(1, 9, dtype=np.float32).reshape(SHAPE), np.full(SHAPE, 2, np.float32)
    self_d, other_d, middle_d, out_d = (device.empty(*SHAPE) for _ in range(4))
    add, mul = device.add(self_d, other_d, middle_d, alpha=1.1), device.mul(middle_d, other_d, out_d)
    self_h, other_h = device.pinned(numbers), device.pageable(twos)
    with device.capture(G, marks=0) as capture:
        stream = capture.stream
        stream.copy(self_d, self_h).succeeds()
        previous = device.exchange_mode(R).succeeds()
        device.memcpy(other_d, other_h).succeeds()
        device.exchange_mode(previous).succeeds()
        add.launch(stream).succeeds()
        mul.launch(stream).succeeds()
        capture.end().succeeds()
    for number in range(1, 5):
        capture.model.execute(stream).succeeds()
        stream.synchronize().succeeds()
        wanted = [6.4, 8.4, 10.4, 12.4, 14.4, 16.4, 18.4, 20.4]
        expect_close(device, out_d.read().ravel(), wanted, tolerance=1e-4, what=f"execution {number}")


def model_update(device: Device) -> list[Array]:
    """The program 1_model_update; the output of its two rounds."""
    numbers, twos = np.arange(1, 9, dtype=np.float32).reshape(SHAPE), np.full(SHAPE, 2, np.float32)
    self_d, other_d, middle_d, out_d = (device.empty(*SHAPE) for _ in range(4))
    lead = device.add(self_d, other_d, middle_d, alpha=1.1)
    member = device.add(middle_d, other_d, out_d, alpha=1.1)
    replacement = device.add(middle_d, other_d, out_d, alpha=2.2)
    event = device.external_event()
    with device.capture(R, marks=0) as capture:
        stream = capture.stream
        device.memcpy(self_d, device.pageable(numbers)).succeeds()
        device.memcpy(other_d, device.pageable(twos)).succeeds()
        lead.launch(stream).succeeds()
        stream.wait(event).succeeds()
        stream.reset(event).succeeds()
        stream.begin_group().succeeds()
        member.launch(stream).succeeds()
        group = stream.end_group().succeeds()
        capture.end().succeeds()
    update_stream = device.stream()
    device.releasing(event, update_stream)
    rounds = []
    for number in range(2):
        capture.model.execute(stream).succeeds()
        if number == 1:
            update_stream.update(group, replacement).succeeds()
        update_stream.record(event).succeeds()
        update_stream.synchronize().succeeds()
        stream.synchronize().succeeds()
        rounds.append(out_d.read().ravel())
    return rounds


@rule("DATA-006")
def test_1_model_update_before_the_update(device: Device) -> None:
    wanted = [5.4, 6.4, 7.4, 8.4, 9.4, 10.4, 11.4, 12.4]
    expect_close(device, model_update(device)[0], wanted, tolerance=1e-4, what="loop 1")


@rule("DATA-007")
def test_1_model_update_after_the_update(device: Device) -> None:
    wanted = [7.6, 8.6, 9.6, 10.6, 11.6, 12.6, 13.6, 14.6]
    expect_close(device, model_update(device)[1], wanted, tolerance=1e-4, what="loop 2")


@rule("DATA-008")
def test_1_model_update_shifts_every_element_alike(device: Device) -> None:
    before, after = model_update(device)
    expect_close(device, after - before, 2.2, tolerance=1e-4, what="difference of the loops")


@each_mode()
@rule("DATA-024")
def test_equal_inputs_give_identical_results(device: Device, mode: CaptureMode) -> None:
    values = np.random.default_rng(7).standard_normal(SHAPE).astype(np.float32)
    first, second, out = device.buffer(values), device.buffer(values[::-1]), device.empty(*SHAPE)
    add = device.add(first, second, out, alpha=0.3)
    with device.capture(mode) as capture:
        add.launch(capture.stream).required()
    results = []
    for _ in range(5):
        out.write(0)
        capture.model.replay(capture.stream)
        results.append(out.read().tobytes())
    device.case.expect(
        len(set(results)) == 1, what="bytes of five replays", expected="identical", actual=len(set(results))
    )
