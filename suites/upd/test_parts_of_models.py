"""Updates that take a model apart: parts captured on their own, and groups inside sub-models (dev guide 04-03).

Plan
- the first method: what changes is left out, and the parts before and after it are models of their own   UPD-028
- a group inside a sub-model is updated as any other                                                      UPD-030
"""

import numpy as np

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.conditional import branch
from fixtures.grouped import same

SEED, STEP = 1.0, 2.0


@each_mode()
@rule("UPD-028")
def test_parts_run_in_turn_equal_one_model(device: Device, mode: CaptureMode) -> None:
    """The middle term of three sums is eager between two models, with a new alpha each time."""
    seed, step = device.buffer(np.full(8, SEED, np.float32)), device.buffer(np.full(8, STEP, np.float32))
    middle, changed, out, whole = (device.buffer(np.zeros(8, np.float32)) for _ in range(4))
    before, after = device.add(seed, step, middle), device.add(changed, step, out)
    with device.capture(mode) as first:
        before.launch(first.stream).required()
    with device.capture(mode) as second:
        after.launch(second.stream).required()
    stream, alphas, seen, wanted = device.stream(), (1, 7, -2), [], []
    for alpha in alphas:
        parts = device.add(seed, step, middle), device.add(middle, step, changed, alpha=alpha)
        last = device.add(changed, step, whole)
        with device.capture(mode) as single:
            for operator in (*parts, last):
                operator.launch(single.stream).required()
        single.model.replay(stream)
        wanted.append(same(whole))
        for buffer in (middle, changed, out):
            buffer.write(0)
        eager = device.add(middle, step, changed, alpha=alpha)
        first.model.execute(stream).succeeds()
        eager.launch(stream).succeeds()
        second.model.execute(stream).succeeds()
        stream.finish()
        seen.append(same(out))
    device.case.require(
        wanted == [5 + 2 * alpha for alpha in alphas], what="a single model", expected="5 + 2 alpha", actual=wanted
    )
    device.case.expect(seen == wanted, what="parts in turn, and a single model", expected=wanted, actual=seen)


@each_mode()
@rule("UPD-030")
def test_group_in_a_sub_model_is_updated(device: Device, mode: CaptureMode) -> None:
    first, second, out = (device.buffer(np.full(8, value, np.float32)) for value in (SEED, STEP, 0))
    member, replacement = device.add(first, second, out, alpha=1), device.add(first, second, out, alpha=6)
    with device.capture(mode) as root, branch(root, mode) as sub:
        sub.stream.begin_group().succeeds()
        member.launch(sub.stream).succeeds()
        group = sub.stream.end_group().succeeds()
        sub.end().succeeds()
    stream, seen = device.stream(), []
    root.model.replay(stream)
    seen.append(same(out))
    stream.update(group, replacement).succeeds()
    stream.finish()
    root.model.replay(stream)
    seen.append(same(out))
    wanted = [SEED + STEP, SEED + 6 * STEP]
    device.case.expect(seen == wanted, what="branch before and after the update", expected=wanted, actual=seen)
