"""Notes at captured tasks: op info and extension info (API reference 24, aclrtCacheLastTask…; 25-04 TaskParams).

Plan
- the switch of op info: on only in the capture that it was set in, equal on joined streams    CFG-011 … 013
- op info: cached, refused with the switch off and outside a capture, its size                 CFG-014 … 017
- op info read back; which task a note goes to                                                 CFG-018, 026
- extension info: in a capture, in a build, long, empty; recorded: outside both                CFG-020 … 024
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fixtures import CaptureMode, Device, ThreadRole, each_mode, each_role, rule
from fixtures.build import building
from fixtures.capture import Capture
from fixtures.counter import Counter
from fixtures.export import read
from fixtures.inspection import cache_extend_info, cache_op_info, op_info_of, tasks_of
from fixtures.links import fork, join
from fixtures.stream import Stream

R = CaptureMode.RELAXED
CACHE_OP_INFO, SWITCH = 4, "cacheOpInfoSwitch"
OP_INFO_LIMIT = 64 * 1024
EXTEND_INFO_LIMIT = 4 * 1024


def switch(stream: Stream, value: int) -> None:
    """Turn the caching of op info on or off; the case only builds on it."""
    stream.set_attribute(CACHE_OP_INFO, SWITCH, value).required()


def expect_switch(device: Device, stream: Stream, value: int, *, what: str) -> None:
    seen = stream.attribute(CACHE_OP_INFO, SWITCH).succeeds()
    device.case.expect(seen == value, what=what, expected=value, actual=seen)


@contextmanager
def noting(device: Device, mode: CaptureMode, *, on: bool = True, uses: int = 1) -> Iterator[tuple[Capture, Counter]]:
    """A capture with the switch set, and operators to note something at; the noted model must still replay."""
    counter = Counter(device, uses=uses)
    with device.capture(mode) as capture:
        switch(capture.stream, int(on))
        yield capture, counter
    capture.model.replay(capture.stream)
    counter.expect(1, what="the captured operator, after one execution")


# -- the switch


@each_mode()
@rule("CFG-011")
def test_switch_holds_for_its_capture(device: Device, mode: CaptureMode) -> None:
    stream = device.stream()
    with device.capture(mode, stream):
        expect_switch(device, stream, 0, what="the switch before it is set")
        switch(stream, 1)
        expect_switch(device, stream, 1, what="the switch after it was set")
        switch(stream, 0)
        expect_switch(device, stream, 0, what="the switch after it was taken back")
    with device.capture(mode, stream):
        expect_switch(device, stream, 0, what="the switch in the next capture")


@rule("CFG-012")
def test_switch_reads_disabled_outside_a_capture(device: Device) -> None:
    stream = device.stream()
    stream.set_attribute(CACHE_OP_INFO, SWITCH, 1).observed("the switch set outside a capture")
    expect_switch(device, stream, 0, what="the switch outside a capture")


@each_mode()
@pytest.mark.parametrize("on", [True, False], ids=["on", "off"])
@rule("CFG-013")
def test_joined_stream_has_the_switch_of_the_origin(device: Device, mode: CaptureMode, on: bool) -> None:
    side = device.stream()
    with device.capture(mode) as capture:
        switch(capture.stream, int(on))
        fork(device, capture.stream, side)
        expect_switch(device, side, int(on), what="the switch of a joined stream")
        switch(capture.stream, int(not on))
        expect_switch(device, side, int(not on), what="the switch of a joined stream after the origin changed")
        join(device, capture.stream, side)


# -- op info


@each_mode()
@each_role()
@rule("CFG-014")
def test_op_info_is_cached(device: Device, mode: CaptureMode, role: ThreadRole) -> None:
    with noting(device, mode) as (capture, counter):

        def step() -> None:
            counter.submit(capture.stream)
            cache_op_info(device, b"attention").succeeds()

        device.caller(role).run(step)


@each_mode()
@rule("CFG-015")
def test_op_info_with_the_switch_off_is_refused(device: Device, mode: CaptureMode) -> None:
    with noting(device, mode, on=False) as (capture, counter):
        counter.submit(capture.stream)
        cache_op_info(device, b"attention").refused()
        switch(capture.stream, 1)
        cache_op_info(device, b"attention").succeeds()  # control


@rule("CFG-016")
def test_op_info_outside_a_capture_is_refused(device: Device) -> None:
    counter, stream = Counter(device), device.stream()
    stream.set_attribute(CACHE_OP_INFO, SWITCH, 1).observed("the switch set outside a capture")
    counter.submit(stream)
    cache_op_info(device, b"attention").refused()
    stream.finish()
    counter.expect(1, what="the operator whose note was refused")
    with noting(device, R) as (capture, inside):  # control
        inside.submit(capture.stream)
        cache_op_info(device, b"attention").succeeds()


@each_mode()
@pytest.mark.parametrize("size", [0, OP_INFO_LIMIT + 1], ids=["empty", "too_long"])
@rule("CFG-017")
def test_op_info_of_a_wrong_size_is_refused(device: Device, mode: CaptureMode, size: int) -> None:
    with noting(device, mode) as (capture, counter):
        counter.submit(capture.stream)
        device.call("aclrtCacheLastTaskOpInfo", b"a" * (OP_INFO_LIMIT + 1), size).refused()
        cache_op_info(device, b"a" * OP_INFO_LIMIT).succeeds()  # control: the longest one


@each_mode()
@pytest.mark.parametrize("size", [1, OP_INFO_LIMIT], ids=["shortest", "longest"])
@rule("CFG-018")
def test_op_info_is_read_back(device: Device, mode: CaptureMode, size: int) -> None:
    info = bytes(number % 251 for number in range(size))
    with noting(device, mode) as (capture, counter):
        counter.submit(capture.stream)
        cache_op_info(device, info).required()
    found = [one for one in (op_info_of(device, task) for task in tasks_of(device, capture.model)) if one]
    device.case.expect(
        found == [info],
        what="op info in the parameters of all tasks",
        expected=f"{size} bytes at one task",
        actual=[f"{len(one)} bytes, {'the same' if one == info else 'others'}" for one in found],
    )


@each_mode()
@rule("CFG-026")
def test_op_info_goes_to_the_last_task_of_the_thread(device: Device, mode: CaptureMode) -> None:
    counters, other = [Counter(device) for _ in range(3)], device.thread()
    with device.capture(mode) as capture:
        switch(capture.stream, 1)
        for counter in counters[:2]:
            counter.take().launch(capture.stream).required()
        other.run(lambda: counters[2].take().launch(capture.stream).required())
        cache_op_info(device, b"second").succeeds()
        other.run(lambda: cache_op_info(device, b"third").succeeds())
    found = [op_info_of(device, task) for task in tasks_of(device, capture.model)]
    wanted = [b"", b"second", b"third"]
    device.case.expect(found[:3] == wanted, what="op info of the three operators", expected=wanted, actual=found)


# -- extension info


@each_mode()
@each_role()
@rule("CFG-020")
def test_extension_info_in_a_capture(device: Device, mode: CaptureMode, role: ThreadRole) -> None:
    with noting(device, mode, on=False) as (capture, counter):

        def step() -> None:
            counter.submit(capture.stream)
            cache_extend_info(device, b'{"scope": "attention"}').succeeds()

        device.caller(role).run(step)


@rule("CFG-021")
def test_extension_info_in_a_build(device: Device) -> None:
    counter = Counter(device)
    with building(device) as (model, stream):
        counter.submit(stream)
        cache_extend_info(device, b'{"scope": "attention"}').succeeds()
    model.run().required()
    counter.expect(1, what="the built operator, after one execution")


@rule("CFG-022")
def test_extension_info_outside_both(device: Device) -> None:
    counter, stream = Counter(device), device.stream()
    counter.submit(stream)
    cache_extend_info(device, b'{"scope": "attention"}').observed("extension info at ordinary work")
    stream.finish()
    counter.expect(1, what="the operator")


def text_of(length: int) -> bytes:
    """JSON text of ``length`` bytes whose end can be recognised."""
    frame = len(json.dumps({"scope": ""}))
    return json.dumps({"scope": "<" + "x" * (length - frame - 2) + ">"}).encode()


@each_mode()
@pytest.mark.parametrize("length", [EXTEND_INFO_LIMIT + 1, 3 * EXTEND_INFO_LIMIT], ids=["one_more", "far_more"])
@rule("CFG-023")
def test_long_extension_info_keeps_its_beginning(
    device: Device, mode: CaptureMode, tmp_path: Path, length: int
) -> None:
    path, text = tmp_path / "model.json", text_of(length)
    with noting(device, mode) as (capture, counter):
        counter.submit(capture.stream)
        cache_extend_info(device, text).succeeds()
    capture.model.print_json(path, flags=1).required()
    run = max(map(len, re.findall("x+", read(path))), default=0)
    wanted = text[:EXTEND_INFO_LIMIT].count(b"x")
    device.case.expect(
        run == wanted, what="letters of the extension info in the export", expected=wanted, actual=run, in_calls=False
    )


@each_mode()
@rule("CFG-024")
def test_empty_extension_info_is_refused(device: Device, mode: CaptureMode) -> None:
    with noting(device, mode) as (capture, counter):
        counter.submit(capture.stream)
        cache_extend_info(device, b"{}", size=0).refused()
        cache_extend_info(device, b"{}").succeeds()  # control
