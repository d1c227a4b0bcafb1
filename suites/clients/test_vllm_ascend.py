"""The order of vLLM-Ascend's full graphs: replay first, then update the attention of each layer from one stream.

One model for each batch size, a task group for each layer. A step executes the model of its batch size, and only then
updates its layers, all from the same update stream; the replay stands at each layer until that layer's update is done
(github vllm-project/vllm-ascend, acl_graph.py).

Plan
- the layers wait for an external event, which is reset in the model                 UPD-017
- the layers wait for a word in device memory, which is written back in the model    MEM-038, 039
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.capture import Model
from fixtures.event import Event
from fixtures.memory import Buffer
from fixtures.stream import Stream, TaskGroup

LAYERS, STEPS = 3, 8
BATCH_SIZES = (1, 4, 16)
OPEN, SHUT, EQUAL = 1, 0, 1  # values of the word; ACL_STREAM_WAIT_VALUE_EQ


class Barrier(Protocol):
    """What holds a layer of the replay until its update is done."""

    def hold(self, stream: Stream) -> None:
        """Capture the wait, and what arms it again for the next replay."""

    def release(self, stream: Stream) -> None:
        """Let one replay pass."""


@dataclass(frozen=True)
class EventBarrier:
    """An event of ACL_EVENT_EXTERNAL."""

    event: Event

    @classmethod
    def of(cls, device: Device, releaser: Stream) -> EventBarrier:
        """A barrier that a failed case opens from ``releaser``."""
        event = device.external_event()
        device.releasing(event, releaser)
        return cls(event)

    def hold(self, stream: Stream) -> None:
        """Wait, then reset."""
        stream.wait(self.event).required()
        stream.reset(self.event).required()

    def release(self, stream: Stream) -> None:
        """Record."""
        stream.record(self.event).required()


@dataclass(frozen=True)
class WordBarrier:
    """A 64-bit word in device memory."""

    word: Buffer

    @classmethod
    def of(cls, device: Device, releaser: Stream) -> WordBarrier:
        """A barrier that is shut."""
        device.needs("aclrtValueWait", "aclrtValueWrite")
        return cls(device.buffer(np.full(1, SHUT, np.uint64)))

    def hold(self, stream: Stream) -> None:
        """Wait for OPEN, then write SHUT."""
        stream.wait_value(self.word, OPEN, EQUAL).succeeds()
        stream.write_value(self.word, SHUT).succeeds()

    def release(self, stream: Stream) -> None:
        """Write OPEN."""
        stream.write_value(self.word, OPEN).required()


@dataclass(frozen=True)
class Graph:
    """The model of one batch size: ``out = hidden + alpha * weight`` for each layer, with an alpha for each step."""

    model: Model
    hidden: Buffer
    weights: list[Buffer]
    outs: list[Buffer]
    groups: list[TaskGroup] = field(default_factory=list)

    def run(self, device: Device, barriers: list[Barrier], *, stream: Stream, update_stream: Stream, step: int) -> None:
        """Execute, then update and release layer after layer, and expect each layer's result."""
        alphas = [float(step * LAYERS + layer) for layer in range(LAYERS)]
        hidden = np.full(self.hidden.shape, step, np.float32)
        self.hidden.write(hidden)
        replacements = [
            device.add(self.hidden, weight, out, alpha=alpha)
            for weight, out, alpha in zip(self.weights, self.outs, alphas, strict=True)
        ]
        self.model.execute(stream).succeeds()
        for barrier, group, replacement in zip(barriers, self.groups, replacements, strict=True):
            update_stream.begin_update(group).succeeds()
            replacement.launch(update_stream).succeeds()
            update_stream.end_update().succeeds()
            barrier.release(update_stream)
        stream.finish()
        update_stream.finish()
        for layer, (out, alpha) in enumerate(zip(self.outs, alphas, strict=True)):
            seen, wanted = out.read(), hidden + np.float32(alpha * (layer + 1))
            device.case.expect(
                np.array_equal(seen, wanted), what=f"step {step}, layer {layer}", expected=wanted[:2], actual=seen[:2]
            )


def graph(device: Device, mode: CaptureMode, barriers: list[Barrier], *, batch: int) -> Graph:
    """Capture the model of one batch size; layer n has weights n + 1."""
    make = lambda value: device.buffer(np.full(8 * batch, value, np.float32))  # noqa: E731
    hidden, weights, outs = make(0), [make(n + 1) for n in range(LAYERS)], [make(0) for _ in range(LAYERS)]
    operators = [device.add(hidden, weight, out) for weight, out in zip(weights, outs, strict=True)]
    groups = []
    with device.capture(mode) as capture:
        for barrier, operator in zip(barriers, operators, strict=True):
            barrier.hold(capture.stream)
            with capture.stream.group() as made:
                operator.launch(capture.stream).required()
            groups.extend(made)
    return Graph(capture.model, hidden, weights, outs, groups)


def serve(device: Device, mode: CaptureMode, kind: type[EventBarrier] | type[WordBarrier]) -> None:
    """Capture a model for each batch size, then run steps of changing batch size with one update stream for all."""
    stream, update_stream, releaser = device.stream(), device.stream(), device.stream()
    barriers = {batch: [kind.of(device, releaser) for _ in range(LAYERS)] for batch in BATCH_SIZES}
    graphs = {batch: graph(device, mode, list(barriers[batch]), batch=batch) for batch in BATCH_SIZES}
    order = np.random.default_rng(7).choice(BATCH_SIZES, STEPS)
    for step, batch in enumerate(int(one) for one in order):
        graphs[batch].run(device, list(barriers[batch]), stream=stream, update_stream=update_stream, step=step)


@each_mode()
@rule("UPD-017")
def test_layers_held_by_events(device: Device, mode: CaptureMode) -> None:
    serve(device, mode, EventBarrier)


@each_mode()
@rule("MEM-038", "MEM-039")
def test_layers_held_by_words(device: Device, mode: CaptureMode) -> None:
    serve(device, mode, WordBarrier)
