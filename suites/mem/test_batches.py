"""Batches of copies in and beside a capture (API reference 11-03, aclrtMemcpyBatch…).

Plan
- on the capturing stream: pageable memory refused, pinned memory captured                     MEM-023, 024, 030
- pageable on another stream: refused by GLOBAL and THREAD_LOCAL, allowed by RELAXED           MEM-063, 064
- recorded: the synchronous calls, mixed directions, very many copies                          MEM-035, 052, RES-016
"""

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.batch import Batch

G, T, R = CaptureMode.GLOBAL, CaptureMode.THREAD_LOCAL, CaptureMode.RELAXED
VERSIONS = pytest.mark.parametrize("version", [1, 2], ids=["batch", "batch_v2"])
COUNT = 3


def zeros(device: Device) -> list[object]:
    """Device buffers for a batch."""
    return [device.buffer(np.zeros(16, np.float32)) for _ in range(COUNT)]


def expect_copied(device: Device, targets: list[object], *, what: str) -> None:
    """Each buffer holds the number of its copy, counted from one."""
    seen = [sorted(set(one.read().tolist())) for one in targets]  # type: ignore[attr-defined]
    wanted = [[float(number)] for number in range(1, COUNT + 1)]
    device.case.expect(seen == wanted, what=what, expected=wanted, actual=seen)


def from_host(device: Device, targets: list[object], *, pinned: bool) -> Batch:
    """Copies of 1, 2, 3 … from host memory into the buffers."""
    make = device.pinned if pinned else device.pageable
    sources = [make(np.full(16, number, np.float32)) for number in range(1, COUNT + 1)]
    return Batch(device, list(zip(targets, sources, strict=True)))  # type: ignore[arg-type]


@each_mode()
@pytest.mark.parametrize("version", [variant("batch", 1, "MEM-023"), variant("batch_v2", 2, "MEM-024")])
def test_pageable_batch_on_the_capturing_stream_is_refused(device: Device, mode: CaptureMode, version: int) -> None:
    targets = zeros(device)
    batch, control = from_host(device, targets, pinned=False), from_host(device, targets, pinned=True)
    with device.capture(mode) as capture:
        capture.mark()
        batch.submit(capture.stream, version=version).refused()
        control.submit(capture.stream, version=version).succeeds()  # control: pinned memory
        capture.ends_consistently()
    expect_copied(device, targets, what="the control's copies after a replay")


@each_mode()
@rule("MEM-030")
def test_pinned_batch_is_captured(device: Device, mode: CaptureMode) -> None:
    targets = zeros(device)
    batch = from_host(device, targets, pinned=True)
    with device.capture(mode) as capture:
        batch.submit(capture.stream).succeeds()
    before = [sorted(set(one.read().tolist())) for one in targets]  # type: ignore[attr-defined]
    device.case.expect(before == [[0.0]] * COUNT, what="buffers before an execution", expected="zeros", actual=before)
    capture.model.replay(capture.stream)
    expect_copied(device, targets, what="copies after a replay")


@each_mode(G, T)
@VERSIONS
@rule("MEM-063")
def test_pageable_batch_on_another_stream_is_refused(device: Device, mode: CaptureMode, version: int) -> None:
    targets, bystander = zeros(device), device.stream()
    batch = from_host(device, targets, pinned=False)
    with device.capture(mode) as capture:
        capture.mark()
        batch.submit(bystander, version=version).refused()
        capture.ends_consistently()
    batch.submit(bystander, version=version).succeeds()  # control: no capture is open
    bystander.finish()
    expect_copied(device, targets, what="the control's copies")


@each_mode(R)
@VERSIONS
@rule("MEM-064")
def test_pageable_batch_beside_a_relaxed_capture(device: Device, mode: CaptureMode, version: int) -> None:
    targets, bystander = zeros(device), device.stream()
    batch = from_host(device, targets, pinned=False)
    with device.capture(mode) as capture:
        capture.mark()
        batch.submit(bystander, version=version).succeeds()
        expect_copied(device, targets, what="copies on return")
        capture.ends_consistently()


@each_mode()
@VERSIONS
@rule("MEM-035")
def test_synchronous_batch_during_a_capture(device: Device, mode: CaptureMode, version: int) -> None:
    targets = zeros(device)
    batch = from_host(device, targets, pinned=True)
    with device.capture(mode) as capture:
        capture.mark()
        batch.copy(version=version).observed("synchronous batch during a capture")
        capture.ends_consistently()
    batch.copy(version=version).succeeds()
    expect_copied(device, targets, what="the batch after the capture")


@each_mode()
@VERSIONS
@rule("MEM-052")
def test_batch_of_two_directions(device: Device, mode: CaptureMode, version: int) -> None:
    first, second = device.buffer(np.zeros(16, np.float32)), device.buffer(np.ones(16, np.float32))
    up, down = device.pinned(np.ones(16, np.float32)), device.pinned(np.zeros(16, np.float32))
    batch = Batch(device, [(first, up), (down, second)])
    with device.capture(mode) as capture:
        capture.mark()
        batch.submit(capture.stream, version=version).observed("captured batch of two directions")
        capture.ends_consistently()


@each_mode()
@rule("RES-016")
def test_captured_batch_of_very_many_copies(whole_device: Device, mode: CaptureMode) -> None:
    device = whole_device
    source, target = device.pinned(np.ones(1, np.uint8)), device.buffer(np.zeros(1, np.uint8))
    batch = Batch(device, [(target, source)] * 4096)
    with device.capture(mode) as capture:
        capture.mark()
        batch.submit(capture.stream).observed("captured batch of 4096 copies")
        capture.end().observed("End")
        capture.open = False
