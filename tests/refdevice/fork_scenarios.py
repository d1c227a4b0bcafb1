"""Observed scenarios of sub-streams, and of events between captures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fixtures.capture import Capture
from fixtures.device import Device
from fixtures.links import fork, join
from fixtures.stream import Stream
from tests.refdevice.scenario import G, begun, code


@dataclass(frozen=True)
class Forked:
    """An open capture with a sub-stream that has joined it."""

    device: Device
    capture: Capture
    sub_stream: Stream

    @classmethod
    def of(cls, device: Device) -> Forked:
        """Fork a new stream from a new capture."""
        capture, sub_stream = begun(device), device.stream()
        fork(device, capture.stream, sub_stream)
        return cls(device, capture, sub_stream)

    def status(self) -> int:
        """The sub-stream's status."""
        return self.capture.info(self.sub_stream).status


def forked_and_not_joined(device: Device) -> Iterator[int]:
    buffer, forked = device.buffer(np.zeros(8, np.uint8)), Forked.of(device)
    yield forked.status()
    yield code(forked.sub_stream.memset(buffer, 1))
    yield code(forked.capture.end())
    yield forked.status()
    forked.capture.abandon()


def forked_recorded_and_not_waited_for(device: Device) -> Iterator[int]:
    event, forked = device.event(), Forked.of(device)
    yield code(forked.sub_stream.record(event))
    yield code(forked.capture.end())
    forked.capture.abandon()


def forked_and_joined(device: Device) -> Iterator[int]:
    forked = Forked.of(device)
    join(device, forked.capture.stream, forked.sub_stream)
    yield code(forked.capture.end())
    yield forked.status()
    yield code(forked.capture.model.execute(forked.capture.stream))
    yield code(forked.capture.stream.synchronize())


def ended_and_begun_on_the_sub_stream(device: Device) -> Iterator[int]:
    forked = Forked.of(device)
    yield code(forked.capture.end(forked.sub_stream))
    yield code(device.begin_capture(forked.sub_stream, G))
    yield forked.status()
    join(device, forked.capture.stream, forked.sub_stream)
    yield code(forked.capture.end())


def event_of_another_capture_waited_for(device: Device) -> Iterator[int]:
    event, one, other = device.event(), begun(device), begun(device)
    yield code(one.stream.record(event))
    yield code(other.stream.wait(event))
    yield one.info().status
    yield other.info().status
    yield code(one.end())
    yield code(other.end())
    one.abandon()
    other.abandon()


def event_of_another_capture_recorded(device: Device) -> Iterator[int]:
    event, one, other = device.event(), begun(device), begun(device)
    yield code(one.stream.record(event))
    yield code(other.stream.record(event))
    yield code(one.end())
    yield code(other.end())


def captured_event_after_the_capture(device: Device) -> Iterator[int]:
    event, capture, outside = device.event(), begun(device), device.stream()
    yield code(capture.stream.record(event))
    yield code(capture.end())
    yield code(outside.wait(event))
    yield code(event.query_status())
    yield code(event.synchronize())


def external_records_and_waits(device: Device) -> Iterator[int]:
    event, other, outside = device.event(), device.event(), device.stream()
    flagged, external = device.gate_event(), device.external_event()
    yield code(outside.record_flagged(device.event(), 1))
    yield code(outside.wait_flagged(device.event(), 1))
    capture = begun(device)
    yield code(capture.stream.record_flagged(event, 1))
    yield code(capture.stream.record_flagged(event, 1))
    yield code(capture.stream.wait_flagged(event, 1))
    yield code(capture.stream.wait_flagged(other, 1))
    yield code(capture.stream.record_flagged(flagged, 1))
    yield code(capture.stream.record_flagged(external, 1))
    yield code(capture.stream.record_flagged(event, 0))
    yield code(capture.stream.record_flagged(event, 2))
    yield code(capture.end())
