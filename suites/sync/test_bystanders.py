"""What the sentence "queries are illegal during capture" leaves open: recorded, never asserted (C-18, C-19).

Plan
- streams and events that take no part in the capture                                     SYNC-018, 019
- getters of the capturing stream, of the device, of the context                          SYNC-024, 026, 033
- functions that synchronize the device implicitly                                        SYNC-027
- the device from a context that captures nothing                                         SYNC-017
After each, status, End and replay must still agree.
"""

from collections.abc import Callable

import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.capture import Capture
from fixtures.event import Event
from fixtures.outcome import Outcome
from fixtures.stream import Stream


@each_mode()
@rule("SYNC-018")
@pytest.mark.parametrize("wait", [Stream.synchronize, Stream.query], ids=["sync_stream", "query_stream"])
def test_idle_stream(device: Device, mode: CaptureMode, wait: Callable[[Stream], Outcome[object]]) -> None:
    idle = device.stream()
    with device.capture(mode) as capture:
        wait(idle).observed()
        capture.mark()
        capture.ends_consistently()


@each_mode()
@rule("SYNC-019")
@pytest.mark.parametrize("wait", [Event.synchronize, Event.query_status], ids=["sync_event", "query_event"])
def test_event_recorded_before(device: Device, mode: CaptureMode, wait: Callable[[Event], Outcome[object]]) -> None:
    event, stream = device.event(), device.stream()
    stream.record(event).required()
    stream.finish()
    with device.capture(mode) as capture:
        wait(event).observed()
        capture.mark()
        capture.ends_consistently()


def number(function: str, ctype: str, *leading: object) -> Callable[[Device, Capture], Outcome[None]]:
    """A getter that writes one number behind its leading arguments; the stream stands for ``stream``."""

    def ask(device: Device, capture: Capture) -> Outcome[None]:
        first = [capture.stream.handle if one == "stream" else one for one in leading]
        return device.call(function, *first, device.ffi.new(f"{ctype} *"))

    return ask


@each_mode()
@pytest.mark.parametrize(
    "ask",
    [
        variant("stream_id", number("aclrtStreamGetId", "int32_t", "stream"), "SYNC-024"),
        variant("stream_flags", number("aclrtStreamGetFlags", "uint32_t", "stream"), "SYNC-024"),
        variant("stream_priority", number("aclrtStreamGetPriority", "uint32_t", "stream"), "SYNC-024"),
        variant("device_status", number("aclrtQueryDeviceStatus", "aclrtDeviceStatus", 0), "SYNC-026"),
        variant("streams_available", number("aclrtGetStreamAvailableNum", "uint32_t"), "SYNC-026"),
        variant("events_available", number("aclrtGetEventAvailNum", "uint32_t"), "SYNC-026"),
        variant("current_context", number("aclrtGetCurrentContext", "aclrtContext"), "SYNC-033"),
    ],
)
def test_getter(device: Device, mode: CaptureMode, ask: Callable[[Device, Capture], Outcome[None]]) -> None:
    with device.capture(mode) as capture:
        ask(device, capture).observed()
        capture.mark()
        capture.ends_consistently()


@each_mode()
@rule("SYNC-027")
def test_free_with_implicit_device_sync(device: Device, mode: CaptureMode) -> None:
    pointer = device.ffi.new("void **")
    device.call("aclrtMalloc", pointer, 64, 0).required()
    with device.capture(mode) as capture:
        outcome = device.call("aclrtFreeWithDevSync", pointer[0])
        outcome.observed()
        if not outcome.accepted:
            device.at_end("aclrtFree", pointer[0])
        capture.mark()
        capture.ends_consistently()


@each_mode()
@rule("SYNC-017")
def test_device_sync_in_another_context(device: Device, mode: CaptureMode) -> None:
    elsewhere = device.context_thread("elsewhere")
    with device.capture(mode) as capture:
        elsewhere.run(lambda: device.synchronize_within(1000)).observed("device sync in another context")
        capture.mark()
        capture.ends_consistently()
