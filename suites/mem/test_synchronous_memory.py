"""Synchronous memory calls on the capturing thread (dev guide 04-01, item 3; API reference 15; C-03, C-04).

Plan
- refused in GLOBAL and THREAD_LOCAL: memset, memcpy, memcpy2d                    MEM-001, 002, 004, 005, 007, 008
- accepted in RELAXED: runs at once and is not captured                           MEM-003, 006, 009
- under an exchange to RELAXED inside a GLOBAL capture: once, at once, not in the model                   MEM-010
- what the refusal does to the capture                                                                    MEM-011
Both directions of a copy are cases. The whole table of threads and thread modes is in suites/mode.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from fixtures import CaptureMode, Device, rule, variant
from fixtures.memory import Array, Buffer, HostArray
from fixtures.outcome import Outcome

G, T, R = CaptureMode.GLOBAL, CaptureMode.THREAD_LOCAL, CaptureMode.RELAXED
OLD, NEW = 0x11, 0x77


@dataclass(frozen=True)
class Site:
    """A device buffer and ordinary host memory, 64 bytes each; the tested call turns OLD into NEW in one of them."""

    device: Device
    buffer: Buffer
    host: HostArray
    to_host: bool = False

    def target(self) -> Array:
        """The content of the side that the call writes."""
        return self.host.array if self.to_host else self.buffer.read()


def site(device: Device, *, to_host: bool) -> Site:
    """A fresh site: the written side holds OLD, the read side NEW."""
    buffer = device.buffer(np.full(64, NEW if to_host else OLD, np.uint8))
    return Site(device, buffer, device.pageable(np.full(64, OLD if to_host else NEW, np.uint8)), to_host)


@dataclass(frozen=True)
class SyncCall:
    """A synchronous call and whether it writes to the host side."""

    act: Callable[[Site], Outcome[None]]
    to_host: bool = False


MEMSET = SyncCall(lambda at: at.device.memset(at.buffer, NEW))
UP = SyncCall(lambda at: at.device.memcpy(at.buffer, at.host))
DOWN = SyncCall(lambda at: at.device.memcpy(at.host, at.buffer), to_host=True)
UP_2D = SyncCall(lambda at: at.device.memcpy_2d(at.buffer, at.host, width=8, height=8))
DOWN_2D = SyncCall(lambda at: at.device.memcpy_2d(at.host, at.buffer, width=8, height=8), to_host=True)


def rows(mode: CaptureMode, memset: str, memcpy: str, memcpy_2d: str) -> list[object]:
    """The five calls in one mode, each with its rule."""
    calls = {
        "memset": (MEMSET, memset),
        "memcpy-to_device": (UP, memcpy),
        "memcpy-to_host": (DOWN, memcpy),
        "memcpy_2d-to_device": (UP_2D, memcpy_2d),
        "memcpy_2d-to_host": (DOWN_2D, memcpy_2d),
    }
    return [variant(f"{mode.word}-{word}", (mode, call), rule_id) for word, (call, rule_id) in calls.items()]


@pytest.mark.parametrize(
    ("mode", "call"), rows(G, "MEM-001", "MEM-004", "MEM-007") + rows(T, "MEM-002", "MEM-005", "MEM-008")
)
def test_synchronous_call_is_refused(device: Device, mode: CaptureMode, call: SyncCall) -> None:
    at = site(device, to_host=call.to_host)
    call.act(site(device, to_host=call.to_host)).succeeds()  # control: no capture is open
    with device.capture(mode) as capture:
        capture.mark()
        call.act(at).refused()
        capture.mark()
        capture.ends_consistently()
    content = at.target()
    device.case.expect((content == OLD).all(), what="a refused call had an effect", expected=OLD, actual=content)


@pytest.mark.parametrize(("mode", "call"), rows(R, "MEM-003", "MEM-006", "MEM-009"))
def test_synchronous_call_runs_at_once(device: Device, mode: CaptureMode, call: SyncCall) -> None:
    at = site(device, to_host=call.to_host)
    with device.capture(mode) as capture:
        capture.mark()
        call.act(at).succeeds()
        content = at.target().copy()
        device.case.expect((content == NEW).all(), what="effect before the capture ends", expected=NEW, actual=content)
        model = capture.ends_consistently()
    overwrite(at)
    if model is not None:
        model.replay(device.stream())
    content = at.target()
    device.case.expect((content == OLD).all(), what="the call is not in the model", expected=OLD, actual=content)


def overwrite(at: Site) -> None:
    """Put OLD back into the written side, after the capture."""
    if at.to_host:
        at.host.array[...] = OLD
    else:
        at.buffer.write(OLD)


@rule("MEM-010")
@pytest.mark.parametrize("call", [MEMSET, UP, UP_2D], ids=["memset", "memcpy", "memcpy_2d"])
def test_synchronous_call_under_an_exchange_to_relaxed(device: Device, call: SyncCall) -> None:
    at = site(device, to_host=False)
    with device.capture(G) as capture:
        capture.mark()
        previous = device.exchange_mode(R).required()
        call.act(at).succeeds()
        content = at.target().copy()
        device.case.expect((content == NEW).all(), what="effect before the capture ends", expected=NEW, actual=content)
        device.exchange_mode(previous).required()
        model = capture.ends_consistently()
    at.host.array[...] = 0x55
    at.buffer.write(OLD)
    if model is not None:
        model.replay(device.stream())
    content = at.target()
    device.case.expect((content == OLD).all(), what="the call is not in the model", expected=OLD, actual=content)


@pytest.mark.parametrize("mode", [variant(G.word, G, "MEM-011")])
@pytest.mark.parametrize("call", [MEMSET, UP, UP_2D], ids=["memset", "memcpy", "memcpy_2d"])
def test_capture_after_a_refused_synchronous_call(device: Device, mode: CaptureMode, call: SyncCall) -> None:
    at = site(device, to_host=False)
    with device.capture(mode) as capture:
        capture.mark()
        call.act(at).observed()
        capture.mark()
        capture.ends_consistently()
    with device.capture(mode, capture.stream) as fresh:
        fresh.mark()
        fresh.ends_consistently()
