"""Device work that the memory pages offer and leave open inside a capture (API reference 11-03, 11-06, 11-10, 12).

Plan
- copies by descriptor and by offset, within the device                                        MEM-036
- reductions                                                                                   MEM-037
- allocation and release in stream order, from a pool                                          MEM-042
- prefetch into the cache                                                                      MEM-043
Each is done eagerly first, as the control. What the capture answers, and what its replay does, is recorded. Asserted
is only that the capture, its End and its replay agree afterwards.
"""

from collections.abc import Callable

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.memory import Buffer
from fixtures.modes import CopyKind
from fixtures.operators import ACL_FLOAT
from fixtures.outcome import Outcome
from fixtures.stream import Stream

WITHIN = CopyKind.DEVICE_TO_DEVICE
SUM = 10  # ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM
PREFETCH = 0  # ACL_RT_CMO_TYPE_PREFETCH
SMALL, DEVICE_LOCATION = 1 << 12, 1  # bytes of a pool's allocation; ACL_MEM_LOCATION_TYPE_DEVICE

Submit = Callable[[Stream], Outcome[None]]


def described_copy(device: Device, source: Buffer, target: Buffer) -> Submit:
    """``aclrtMemcpyAsyncWithDesc``: what to copy is described in device memory."""
    size = device.ffi.new("size_t *")
    device.call("aclrtGetMemcpyDescSize", WITHIN, size).required()
    description, null = device.allocate(int(size[0])), device.ffi.NULL
    device.call(
        "aclrtSetMemcpyDesc", description, WITHIN, source.address, target.address, source.nbytes, null
    ).required()
    return lambda stream: device.call("aclrtMemcpyAsyncWithDesc", description, WITHIN, stream.handle)


def offset_copy(device: Device, source: Buffer, target: Buffer) -> Submit:
    """``aclrtMemcpyAsyncWithOffset``: both addresses stand in device memory."""
    addresses = [int(device.ffi.cast("uintptr_t", one.address)) for one in (target, source)]
    to, of = (device.buffer(np.array([one], dtype=np.uint64)) for one in addresses)
    return lambda stream: device.call(
        "aclrtMemcpyAsyncWithOffset",
        device.ffi.cast("void **", to.address),
        target.nbytes,
        0,
        device.ffi.cast("void **", of.address),
        source.nbytes,
        0,
        WITHIN,
        stream.handle,
    )


def reduction(device: Device, source: Buffer, target: Buffer) -> Submit:
    """``aclrtReduceAsync``: target = target + source."""
    null, nbytes = device.ffi.NULL, source.nbytes
    return lambda stream: device.call(
        "aclrtReduceAsync", target.address, source.address, nbytes, SUM, ACL_FLOAT, stream.handle, null
    )


def prefetch(device: Device, source: Buffer, target: Buffer) -> Submit:
    """``aclrtCmoAsync``: fetch the source into the cache; the target takes no part."""
    return lambda stream: device.call("aclrtCmoAsync", source.address, source.nbytes, PREFETCH, stream.handle)


@each_mode()
@pytest.mark.parametrize(
    "prepare",
    [
        variant("copy_by_descriptor", described_copy, "MEM-036"),
        variant("copy_by_offset", offset_copy, "MEM-036"),
        variant("reduce", reduction, "MEM-037"),
        variant("prefetch", prefetch, "MEM-043"),
    ],
)
def test_device_work_in_a_capture(
    device: Device, mode: CaptureMode, prepare: Callable[[Device, Buffer, Buffer], Submit]
) -> None:
    source, target = device.buffer(np.arange(64, dtype=np.float32)), device.buffer(np.zeros(64, np.float32))
    submit, eager = prepare(device, source, target), device.stream()
    submit(eager).required()  # control: the device can do it
    eager.finish()
    wanted = target.read()
    target.write(0)
    with device.capture(mode) as capture:
        capture.mark()
        accepted = submit(capture.stream).observed_acceptance("submission during the capture")
        capture.mark()
        model = capture.ends_consistently()
    if accepted and model is not None:
        device.case.observe("replay has the effect of the eager call", np.array_equal(target.read(), wanted))


@each_mode()
@rule("MEM-042")
def test_memory_in_stream_order_in_a_capture(device: Device, mode: CaptureMode) -> None:
    pool, pointer, eager = device.ffi.new("aclrtMemPool *"), device.ffi.new("void **"), device.stream()
    place = {"id": device.session.device_id, "type": DEVICE_LOCATION}
    properties = device.ffi.new("aclrtMemPoolProps *", {"location": place})
    device.call("aclrtMemPoolCreate", pool, properties).required()
    device.at_end("aclrtMemPoolDestroy", pool[0])
    # control: the device can do it
    device.call("aclrtMemPoolMallocAsync", pointer, SMALL, pool[0], eager.handle).required()
    before = pointer[0]
    with device.capture(mode) as capture:
        capture.mark()
        allocated = device.call("aclrtMemPoolMallocAsync", pointer, SMALL, pool[0], capture.stream.handle)
        got = allocated.observed_acceptance("allocation during the capture")
        released = device.call("aclrtMemPoolFreeAsync", before, capture.stream.handle)
        gone = released.observed_acceptance("release of earlier memory during the capture")
        capture.mark()
        capture.ends_consistently()
    for address, left in ((before, not gone), (pointer[0], got)):
        if left:
            device.call("aclrtMemPoolFreeAsync", address, eager.handle).observed("release after the capture")
    eager.finish()
