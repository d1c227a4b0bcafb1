"""Where the ban on non-safe calls begins and ends: other kinds of work, other captures, the end of the capture.

Plan
- it ends with CaptureEnd (035), also with one that failed (036, recorded)
- other contexts (037), several captures open at once (038, 044): recorded
- safe work on other streams stays allowed in every mode and runs                               MODE-039
- RELAXED, by Begin or by exchange, does not lift the ban on synchronization and queries        MODE-040
- the refusal names its error family and both modes                                             MODE-041
"""

from collections.abc import Callable

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.outcome import Outcome
from fixtures.stream import Stream

G, T, R = CaptureMode.GLOBAL, CaptureMode.THREAD_LOCAL, CaptureMode.RELAXED


@each_mode(G, T)
@rule("MODE-035")
def test_ban_ends_with_the_capture(device: Device, mode: CaptureMode) -> None:
    buffer = device.buffer(np.zeros(16, np.uint8))
    with device.capture(mode) as capture:
        capture.mark()
        during = device.memset(buffer, 1)
        during.observed()
    device.memset(buffer, 2).succeeds()
    content = buffer.read()
    device.case.expect((content == 2).all(), what="memset after the capture", expected=2, actual=content)


@each_mode(G, T)
@rule("MODE-036")
def test_ban_after_a_failed_end(device: Device, mode: CaptureMode) -> None:
    buffer, fork, sub_stream = device.buffer(np.zeros(16, np.uint8)), device.event(), device.stream()
    capture = device.capture(mode)
    capture.__enter__()
    capture.stream.record(fork).required()
    sub_stream.wait(fork).required()
    capture.end().observed("CaptureEnd with an unjoined sub-stream")
    device.memset(buffer, 1).observed("memset after the failed CaptureEnd")


@each_mode(G)
@rule("MODE-037")
def test_ban_and_another_context(device: Device, mode: CaptureMode) -> None:
    elsewhere = device.context_thread("elsewhere")
    buffer = elsewhere.run(lambda: device.buffer(np.zeros(16, np.uint8)))
    with device.capture(mode) as capture:
        elsewhere.run(lambda: device.memset(buffer, 1)).observed("memset in another context")
        capture.mark()
        capture.ends_consistently()


@rule("MODE-038")
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)], ids=["in_order", "in_reverse", "mixed"])
def test_several_captures_on_one_thread(device: Device, order: tuple[int, ...]) -> None:
    buffer = device.buffer(np.zeros(16, np.uint8))
    captures = [device.capture(mode) for mode in (G, T, R)]
    for capture in captures:
        capture.__enter__()
    for number in order:
        device.memset(buffer, 1).observed(f"memset before the {captures[number].mode.name} capture ends")
        captures[number].end().required()
    device.memset(buffer, 1).succeeds()


@rule("MODE-044")
@pytest.mark.parametrize(
    ("strict", "weak"),
    [
        pytest.param(G, T, id="global-thread_local"),
        pytest.param(G, R, id="global-relaxed"),
        pytest.param(T, R, id="thread_local-relaxed"),
    ],
)
def test_weak_capture_beside_a_strict_one(device: Device, strict: CaptureMode, weak: CaptureMode) -> None:
    buffer, thread = device.buffer(np.zeros(16, np.uint8)), device.thread("weak")
    own = device.capture(weak)
    with device.capture(strict) as capture:
        thread.run(own.__enter__)
        thread.run(lambda: device.memset(buffer, 1)).observed("memset on the thread of the weaker capture")
        thread.run(own.end).required()
        capture.mark()
        capture.ends_consistently()


@each_mode()
@rule("MODE-039")
def test_safe_work_on_another_stream(device: Device, mode: CaptureMode) -> None:
    source = device.pinned(np.arange(16, dtype=np.float32))
    first, second = device.buffer(np.zeros(16, np.float32)), device.buffer(np.zeros(16, np.float32))
    back, bystander = device.pinned(np.zeros(16, np.float32)), device.stream()
    with device.capture(mode) as capture:
        capture.mark()
        bystander.copy(first, source).succeeds()
        bystander.copy(second, first).succeeds()
        bystander.copy(back, second).succeeds()
        capture.ends_consistently()
    bystander.finish()
    device.case.expect(
        np.array_equal(back.array, source.array),
        what="work beside a capture",
        expected=source.array,
        actual=back.array,
    )


@rule("MODE-040")
@pytest.mark.parametrize("wait", [Stream.synchronize, Stream.query], ids=["sync_stream", "query_stream"])
@pytest.mark.parametrize(
    ("mode", "exchange"),
    [
        pytest.param(R, None, id="relaxed_begin"),
        pytest.param(G, R, id="global-relaxed_exchange"),
        pytest.param(T, R, id="thread_local-relaxed_exchange"),
    ],
)
def test_relaxed_does_not_lift_the_sync_ban(
    device: Device, mode: CaptureMode, exchange: CaptureMode | None, wait: Callable[[Stream], Outcome[object]]
) -> None:
    stream = device.stream()
    wait(stream).succeeds()  # control
    with device.capture(mode, stream) as capture:
        if exchange is not None:
            device.exchange_mode(exchange).required()
        capture.mark()
        wait(stream).refused()
        capture.ends_consistently()


@each_mode(G, T)
@rule("MODE-041")
def test_refusal_names_both_modes(device: Device, mode: CaptureMode) -> None:
    buffer = device.buffer(np.zeros(16, np.uint8))
    with device.capture(mode) as capture:
        outcome = device.memset(buffer, 1)
        outcome.observed()
        capture.mark()
        capture.ends_consistently()
    words = outcome.vendor.lower()
    device.case.expect(
        "ee1016" in words and "mode" in words and "thread" in words,
        what="text of the refused call",
        expected="error family EE1016, the capture mode and the thread mode",
        actual=outcome.vendor or "(no text)",
        in_calls=False,
    )
