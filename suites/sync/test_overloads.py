"""The C++ overloads with a timeout are the C calls under another name, and illegal in a capture too (API ref. 26).

Plan
- stream, event and device, in every mode                                                                SYNC-030
"""

from collections.abc import Callable

import pytest

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.event import Event
from fixtures.hostlog import address_of
from fixtures.outcome import Outcome
from fixtures.overloads import overloads_of
from fixtures.stream import Stream

Wait = Callable[[Device, Stream, Event], Outcome[None]]


def through_overload(name: str, act: Callable[[Device, Stream, Event], int]) -> Wait:
    """An overload call as an outcome; the call ring does not see it, so it is noted there."""

    def wait(device: Device, stream: Stream, event: Event) -> Outcome[None]:
        device.case.note(f"C++ overload {name}")
        return device.outcome(name, act(device, stream, event))

    return wait


WAITS = {
    "sync_stream": through_overload(
        "aclrtSynchronizeStream(stream, 1000)",
        lambda d, stream, _: overloads_of(d.session.library.toolkit).synchronize_stream(
            address_of(d.ffi, stream.handle), 1000
        ),
    ),
    "sync_event": through_overload(
        "aclrtSynchronizeEvent(event, 1000)",
        lambda d, _, event: overloads_of(d.session.library.toolkit).synchronize_event(
            address_of(d.ffi, event.handle), 1000
        ),
    ),
    "sync_device": through_overload(
        "aclrtSynchronizeDevice(1000)",
        lambda d, _stream, _event: overloads_of(d.session.library.toolkit).synchronize_device(1000),
    ),
}


@each_mode()
@rule("SYNC-030")
@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_overload_with_a_timeout(device: Device, mode: CaptureMode, wait: Wait) -> None:
    stream, event = device.stream(), device.event()
    wait(device, stream, event).succeeds()  # control: nothing captures
    with device.capture(mode, stream) as capture:
        stream.record(event).required()
        wait(device, stream, event).refused()
        capture.mark()
        capture.ends_consistently()
