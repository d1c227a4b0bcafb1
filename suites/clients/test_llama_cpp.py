"""The order of llama.cpp's CANN back end: a graph seen for the first time is captured and executed in one go.

A known graph is executed; when the cache is full, the graph that was used least recently is destroyed. Inputs are
copied on the same stream before each execution (github ggml-org/llama.cpp, ggml-cann).

Plan
- graphs of several shapes in random order through a cache that is smaller         CAP-014, EXE-003, 005, RES-006
"""

from collections import OrderedDict

import numpy as np

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.capture import Model
from fixtures.memory import Buffer, PinnedArray
from fixtures.stream import Stream

SHAPES, CACHE, TOKENS = (8, 16, 32, 64), 2, 20


@each_mode()
@rule("CAP-014", "EXE-003", "EXE-005", "RES-006")
def test_graphs_through_a_small_cache(device: Device, mode: CaptureMode) -> None:
    stream, cache = device.stream(), OrderedDict[int, Model]()
    inputs = {size: device.pinned(np.zeros(size, np.float32)) for size in SHAPES}
    buffers = {size: [device.buffer(np.zeros(size, np.float32)) for _ in range(3)] for size in SHAPES}
    captures = 0
    for token, size in enumerate(int(one) for one in np.random.default_rng(3).choice(SHAPES, TOKENS)):
        inputs[size].array[...] = token
        stream.copy(buffers[size][0], inputs[size]).required()
        if size not in cache:
            if len(cache) == CACHE:
                cache.popitem(last=False)[1].destroy().succeeds()
            cache[size] = captured(device, stream, buffers[size], mode)
            captures += 1
        cache.move_to_end(size)
        cache[size].execute(stream).succeeds()
        expect_output(device, stream, buffers[size][2], inputs[size])
    device.case.observe("captures, tokens", (captures, TOKENS))


def captured(device: Device, stream: Stream, buffers: list[Buffer], mode: CaptureMode) -> Model:
    """``middle = 2 * input``, ``out = middle * input``, captured on the stream that all work uses."""
    given, middle, out = buffers
    operators = device.add(given, given, middle), device.mul(middle, given, out)
    device.begin_capture(stream, mode).succeeds()
    for operator in operators:
        operator.launch(stream).succeeds()
    return device.end_capture(stream).succeeds()


def expect_output(device: Device, stream: Stream, out: Buffer, given: PinnedArray) -> None:
    """Fetch the output on the same stream."""
    result = device.pinned(np.zeros(given.array.shape, np.float32))
    stream.copy(result, out).required()
    stream.finish()
    wanted = 2 * given.array * given.array
    device.case.expect(
        np.array_equal(result.array, wanted), what="output of a token", expected=wanted[:2], actual=result.array[:2]
    )
