"""``aclmdlRICaptureThreadExchangeMode`` itself: what it installs, what it hands back, whom it concerns (API ref. 15).

Plan
- the value passed in is installed and the previous one handed back, round trips          MODE-025, 026
- the first exchange inside a capture, on a fresh thread                                   MODE-027 (028, 029 recorded)
- it concerns the calling thread only                                                      MODE-030
- outside a capture it is only discouraged                                                 MODE-031
- whether the mode survives the capture                                                    MODE-032 (recorded)
- NULL and values outside the enum                                                         MODE-033, 034
"""

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant

G, T, R = CaptureMode.GLOBAL, CaptureMode.THREAD_LOCAL, CaptureMode.RELAXED


@each_mode()
@rule("MODE-025")
def test_exchange_hands_back_the_previous_mode(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        device.exchange_mode(R).required()
        returned = [device.exchange_mode(one).succeeds() for one in (T, G, R, R)]
        device.case.expect(returned == [R, T, G, R], what="modes handed back", expected=[R, T, G, R], actual=returned)
        capture.mark()
        capture.ends_consistently()


@each_mode(G)
@rule("MODE-026")
def test_exchange_to_relaxed_and_back(device: Device, mode: CaptureMode) -> None:
    buffers = [device.buffer(np.zeros(16, np.uint8)) for _ in range(3)]
    thread, capture = device.thread("capturing"), device.capture(mode)
    thread.run(capture.__enter__)
    before = thread.run(lambda: device.memset(buffers[0], 1))
    previous = thread.run(lambda: device.exchange_mode(R)).succeeds()
    relaxed = thread.run(lambda: device.memset(buffers[1], 1))
    again = thread.run(lambda: device.exchange_mode(previous)).succeeds()
    after = thread.run(lambda: device.memset(buffers[2], 1))
    thread.run(capture.end).required()
    seen = [outcome.observed() or outcome.accepted for outcome in (before, relaxed, after)]
    device.case.expect(
        seen == [False, True, False],
        what="memset accepted before, under and after the exchange",
        expected=[False, True, False],
        actual=seen,
    )
    device.case.expect((previous, again) == (G, R), what="modes handed back", expected=(G, R), actual=(previous, again))


def first_exchange(device: Device, mode: CaptureMode) -> int:
    """The mode that the first exchange of a fresh capturing thread hands back."""
    thread, capture = device.thread("capturing"), device.capture(mode)
    thread.run(capture.__enter__)
    previous = thread.run(lambda: device.exchange_mode(R)).succeeds()
    thread.run(capture.end).required()
    return previous


@each_mode(G)
@rule("MODE-027")
def test_first_exchange_in_a_global_capture(device: Device, mode: CaptureMode) -> None:
    previous = first_exchange(device, mode)
    device.case.expect(previous == G, what="mode handed back by the first exchange", expected=int(G), actual=previous)


@pytest.mark.parametrize("mode", [variant(T.word, T, "MODE-028"), variant(R.word, R, "MODE-029")])
def test_first_exchange_in_other_captures(device: Device, mode: CaptureMode) -> None:
    previous = first_exchange(device, mode)
    device.case.observe("mode handed back by the first exchange", CaptureMode(previous).name)


@each_mode()
@rule("MODE-030")
def test_exchange_concerns_the_calling_thread_only(device: Device, mode: CaptureMode) -> None:
    one, two = device.thread("one"), device.thread("two")
    with device.capture(mode) as capture:
        one.run(lambda: device.exchange_mode(R)).required()
        two.run(lambda: device.exchange_mode(T)).required()
        returned = [
            one.run(lambda: device.exchange_mode(G)).succeeds(),
            two.run(lambda: device.exchange_mode(G)).succeeds(),
        ]
        device.case.expect(returned == [R, T], what="each thread's own mode", expected=[R, T], actual=returned)
        capture.mark()
        capture.ends_consistently()


@each_mode()
@rule("MODE-031")
def test_exchange_outside_a_capture(device: Device, mode: CaptureMode) -> None:
    device.exchange_mode(mode).succeeds()
    returned = device.exchange_mode(G).succeeds()
    device.case.expect(returned == mode, what="mode handed back", expected=int(mode), actual=returned)


@each_mode()
@rule("MODE-032")
def test_exchange_and_the_next_capture(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        device.exchange_mode(R).required()
        capture.mark()
        capture.ends_consistently()
    returned = device.exchange_mode(G).required()
    device.case.observe("mode after the capture", CaptureMode(returned).name)


@rule("MODE-033")
def test_exchange_without_a_pointer(device: Device) -> None:
    device.exchange_mode(G).succeeds()  # control
    device.call("aclmdlRICaptureThreadExchangeMode", device.ffi.NULL).refused()


@rule("MODE-034")
@pytest.mark.parametrize("value", [3, 100, -1])
def test_exchange_to_a_value_outside_the_enum(device: Device, value: int) -> None:
    device.exchange_mode(T).succeeds()  # control
    device.exchange_mode(value).refused()
    returned = device.exchange_mode(G).succeeds()
    device.case.expect(returned == T, what="a refused exchange changed the mode", expected=int(T), actual=returned)
