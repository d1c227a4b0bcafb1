"""The order of torch_npu's NPUGraph: capture_begin, the caching allocator, capture_end, replay (github Ascend/pytorch).

Plan
- Begin, GetInfo at once; at each allocation GetInfo again, and a device allocation with the thread relaxed for it;
  End gives the handle that GetInfo gave                                          CAP-015 … 017, 023
- replay on another stream with new inputs, many times; on the default stream     EXE-004, 008, EXE-010 (recorded)
- a capture that failed, then the next one on the same stream                     CAP-031
"""

import numpy as np

from fixtures import CaptureMode, CaptureStatus, Device, each_mode, rule
from fixtures.aftermath import expect_usable
from fixtures.capture import CaptureInfo
from fixtures.chain import random_chain
from fixtures.links import fork

ALLOCATIONS = 8


def allocate_as_the_allocator_does(device: Device) -> None:
    """Exchange the thread to RELAXED, allocate, exchange back."""
    before = device.exchange_mode(CaptureMode.RELAXED).required()
    device.allocate(512)
    device.exchange_mode(before).required()


@each_mode()
@rule("CAP-015", "CAP-016", "CAP-017", "CAP-023", "EXE-004", "EXE-008")
def test_status_at_every_allocation_and_replay_elsewhere(device: Device, mode: CaptureMode) -> None:
    chains, elsewhere = [random_chain(device, seed=seed) for seed in range(ALLOCATIONS)], device.stream()
    case = device.case
    with device.capture(mode) as capture:
        first = device.capture_info(capture.stream).succeeds()
        for chain in chains:
            now: CaptureInfo = device.capture_info(capture.stream).succeeds()
            case.expect(
                now.status is CaptureStatus.ACTIVE and now.model == first.model,
                what="status and handle at an allocation",
                expected=("ACTIVE", first.model),
                actual=(now.status.name, now.model),
            )
            allocate_as_the_allocator_does(device)
            chain.submit(capture.stream)
        model = capture.end().succeeds()
        case.expect(model.handle == first.model, what="handle of End", expected=first.model, actual=model.handle)
    for seed in range(3):
        wanted = [chain.fill(seed=seed) for chain in chains]
        # The handle that is replayed is the one that GetInfo gave.
        elsewhere.execute(first.model).succeeds()
        elsewhere.finish()
        for chain, values in zip(chains, wanted, strict=True):
            chain.expect(values, what=f"replay {seed}")


@each_mode()
@rule("EXE-010")
def test_replay_on_the_default_stream(device: Device, mode: CaptureMode) -> None:
    chain, default = random_chain(device, seed=3), device.explicit_default_stream
    with device.capture(mode) as capture:
        chain.submit(capture.stream)
    wanted = chain.fill(seed=4)
    if capture.model.execute(default).observed_acceptance("aclmdlRIExecuteAsync on the default stream"):
        default.finish()
        chain.expect(wanted, what="replay on the default stream")


@each_mode()
@rule("CAP-031")
def test_new_capture_after_a_failed_one(device: Device, mode: CaptureMode) -> None:
    """A side stream that never returns makes the first capture fail; the client catches that and captures again."""
    chain, stream, stray = random_chain(device, seed=5), device.stream(), device.stream()
    lost = device.buffer(np.zeros(16, np.uint8))
    with device.capture(mode, stream) as failing:
        fork(device, stream, stray)
        stray.memset(lost, 1).required()
        if failing.end().observed_acceptance("aclmdlRICaptureEnd with an unjoined stream"):
            failing.model.destroy().required()
        failing.abandon()
    with device.capture(mode, stream) as again:
        chain.submit(stream)
    for seed in (1, 2):
        wanted = chain.fill(seed=seed)
        again.model.replay(stream)
        chain.expect(wanted, what="replay of the second capture")
    content = np.unique(lost.read()).tolist()
    device.case.expect(content == [0], what="work of the failed capture", expected=[0], actual=content)
    expect_usable(device, stream, stray)
