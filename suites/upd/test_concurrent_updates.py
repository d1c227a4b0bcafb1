"""An update that runs beside a replay, made safe by an external event (dev guide 04-03, second method).

The replay stands at the captured wait until the update stream, which has carried out the update, records the event;
the captured reset re-arms it. Each round brings new parameters, and the round's own result must show them.

Plan
- wait and reset before the group, update, record: the same execution uses the new parameters        UPD-017
- success of UpdateEnd is not the update: only synchronising the update stream completes it           UPD-015
"""

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule

ROUNDS = 6


@each_mode()
@rule("UPD-017")
@pytest.mark.parametrize("replay_first", [True, False], ids=["replay_first", "update_first"])
def test_external_event_orders_update_and_replay(device: Device, mode: CaptureMode, replay_first: bool) -> None:
    first, second = device.buffer(np.full(8, 1, np.float32)), device.buffer(np.full(8, 2, np.float32))
    middle, out = device.buffer(np.zeros(8, np.float32)), device.buffer(np.zeros(8, np.float32))
    event, gate = device.external_event(), device.gate_event()
    arrived, result = device.pinned(np.zeros(8, np.float32)), device.pinned(np.zeros(8, np.float32))
    lead, member = device.add(first, second, middle, alpha=1), device.add(middle, second, out, alpha=1)
    replacements = [device.add(middle, second, out, alpha=number) for number in range(ROUNDS)]
    with device.capture(mode) as capture:
        lead.launch(capture.stream).required()
        capture.stream.copy(arrived, middle).required()
        capture.stream.wait(event).required()
        capture.stream.reset(event).required()
        with capture.stream.group() as groups:
            member.launch(capture.stream).required()
        capture.stream.copy(result, out).required()
    stream, update_stream, releaser = capture.stream, device.stream(), device.stream()
    device.releasing(event, releaser)
    device.releasing(gate, releaser)
    seen = []
    for replacement in replacements:
        arrived.array[...] = 0
        # The update stands behind the gate until the replay has reached the event: it can only win by the event.
        update_stream.wait(gate).required()
        update_stream.reset(gate).required()
        if replay_first:
            capture.model.execute(stream).required()
        update_stream.update(groups[0], replacement).required()
        update_stream.record(event).required()
        if not replay_first:
            capture.model.execute(stream).required()
        device.until(lambda: bool((arrived.array == 3).all()), what="work of the replay before the event")
        stream.synchronize_within(20).observed("sync while the update is held")
        releaser.record(gate).required()
        update_stream.finish()
        stream.finish()
        seen.append(float(result.array[0]))
    wanted = [3.0 + 2 * number for number in range(ROUNDS)]
    device.case.expect(seen == wanted, what="result of each round", expected=wanted, actual=seen)


@rule("UPD-015")
def test_update_is_complete_after_its_stream(device: Device) -> None:
    first, second = device.buffer(np.full(8, 1, np.float32)), device.buffer(np.full(8, 2, np.float32))
    out, gate, busy = device.buffer(np.zeros(8, np.float32)), device.gate_event(), device.stream()
    member, replacement = device.add(first, second, out, alpha=1), device.add(first, second, out, alpha=5)
    with device.capture(CaptureMode.RELAXED) as capture, capture.stream.group() as groups:
        member.launch(capture.stream).required()
    update_stream = device.stream()
    device.releasing(gate, busy)
    update_stream.wait(gate).required()
    update_stream.update(groups[0], replacement).succeeds()
    capture.model.replay(capture.stream)
    before = out.read()
    busy.record(gate).required()
    update_stream.finish()
    capture.model.replay(capture.stream)
    after = out.read()
    device.case.expect(
        (before == 3).all() and (after == 11).all(),
        what="replay while the update stream is held, replay after it finished",
        expected=(3, 11),
        actual=(float(before[0]), float(after[0])),
    )
