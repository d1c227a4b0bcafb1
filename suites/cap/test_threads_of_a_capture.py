"""Which thread may end a capture, and captures of several threads and streams at once (API reference 15).

Plan
- End on another thread: refused in GLOBAL and THREAD_LOCAL, allowed in RELAXED                CAP-026 … 028
- the mode of Begin decides, not the thread mode at the End                                    CAP-038, 039
- what the right thread can still do after a refused End                                       CAP-029 (recorded)
- two captures at once: on one thread, on two threads                                          CAP-035, 041
"""

import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.aftermath import expect_usable
from fixtures.capture import Capture
from fixtures.counter import Counter

G, T, R = CaptureMode.GLOBAL, CaptureMode.THREAD_LOCAL, CaptureMode.RELAXED


def ended_elsewhere_then_here(device: Device, capture: Capture) -> None:
    """After a refused End on another thread: record what the capture has become, and leave none behind."""
    device.case.observe("status after the refused End", capture.info().status.name)
    capture.end().observed("End on the right thread afterwards")
    capture.open = False


@pytest.mark.parametrize("mode", [variant(G.word, G, "CAP-026"), variant(T.word, T, "CAP-027")])
@rule("CAP-029")
def test_end_on_another_thread_is_refused(device: Device, mode: CaptureMode) -> None:
    control = device.capture(mode)
    with control:
        control.mark()
        control.end().succeeds()  # control: on the thread that began it
    other, capture = device.thread(), device.capture(mode)
    with capture:
        capture.mark()
        other.run(lambda: device.end_capture(capture.stream)).refused()
        ended_elsewhere_then_here(device, capture)
    expect_usable(device, capture.stream)


@rule("CAP-028")
def test_relaxed_capture_ends_on_another_thread(device: Device) -> None:
    other, counter, capture = device.thread(), Counter(device), device.capture(R)
    with capture:
        counter.submit(capture.stream)
        other.run(capture.end).succeeds()
    capture.model.replay(capture.stream)
    counter.expect(1, what="the captured work")


WHO = [
    pytest.param((True, False), id="begin_thread_exchanges"),
    pytest.param((False, True), id="end_thread_exchanges"),
    pytest.param((True, True), id="both_exchange"),
]


@each_mode(G, T)
@pytest.mark.parametrize("who", WHO)
@rule("CAP-038")
def test_exchange_does_not_let_another_thread_end(device: Device, mode: CaptureMode, who: tuple[bool, bool]) -> None:
    other, capture = device.thread(), device.capture(mode)
    with capture:
        capture.mark()
        if who[0]:
            device.exchange_mode(R).required()
        if who[1]:
            other.run(lambda: device.exchange_mode(R)).required()
        other.run(lambda: device.end_capture(capture.stream)).refused()
        ended_elsewhere_then_here(device, capture)
    control = device.capture(mode)
    with control:
        control.mark()
        control.end().succeeds()  # control: on its own thread


@each_mode(G, T, name="exchanged")
@pytest.mark.parametrize("who", WHO)
@rule("CAP-039")
def test_exchange_does_not_bind_a_relaxed_capture(
    device: Device, exchanged: CaptureMode, who: tuple[bool, bool]
) -> None:
    other, counter, capture = device.thread(), Counter(device), device.capture(R)
    with capture:
        counter.submit(capture.stream)
        if who[0]:
            device.exchange_mode(exchanged).required()
        if who[1]:
            other.run(lambda: device.exchange_mode(exchanged)).required()
        other.run(capture.end).succeeds()
    capture.model.replay(capture.stream)
    counter.expect(1, what="the captured work")


def expect_own_work(device: Device, captures: list[Capture], counters: list[Counter]) -> None:
    """Each model holds the work of its own capture only."""
    distinct = len({int(device.ffi.cast("uintptr_t", one.model.handle)) for one in captures})
    device.case.expect(distinct == len(captures), what="models", expected=len(captures), actual=distinct)
    captures[1].model.replay(captures[1].stream)
    for number, counter in enumerate(counters):
        counter.expect(int(number == 1), what=f"work of capture {number} after an execution of model 1")


@each_mode(name="second")
@each_mode(name="first")
@rule("CAP-035")
def test_two_captures_at_once(device: Device, first: CaptureMode, second: CaptureMode) -> None:
    captures, counters = [device.capture(one) for one in (first, second)], [Counter(device), Counter(device)]
    for capture in captures:
        device.begin_capture(capture.stream, capture.mode).succeeds()
    for capture, counter in zip(captures, counters, strict=True):
        counter.submit(capture.stream)
        capture.end().succeeds()
    expect_own_work(device, captures, counters)


@each_mode(T)
@rule("CAP-041")
def test_threads_capture_at_once(device: Device, mode: CaptureMode) -> None:
    captures, counters = [device.capture(mode), device.capture(mode)], [Counter(device), Counter(device)]
    threads = [device.thread("first"), device.thread("second")]
    for thread, capture in zip(threads, captures, strict=True):
        thread.run(lambda capture=capture: device.begin_capture(capture.stream, mode)).succeeds()
    for thread, capture, counter in zip(threads, captures, counters, strict=True):
        thread.run(lambda capture=capture, counter=counter: counter.submit(capture.stream))
        thread.run(capture.end).succeeds()
    expect_own_work(device, captures, counters)
