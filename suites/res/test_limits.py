"""What runs out, with which code, and that everything works again after release (API reference 06, 07; dev guide 04).

These cases take a resource whole. On a real device they are not-run unless ``--exhaust`` is given.

Plan
- streams: the number of the SoC, and the code                                                 RES-013, 022 … 025
- events of each kind: the number of the SoC, and the code                                     RES-015, 026 … 028, 034
- labels, notifies                                                                             RES-030, 035
- models draw on the stream pool                                                               RES-011
- recorded: graphs that need more than there is                                                RES-012, 014, 017, 019
"""

import numpy as np
import pytest

from fixtures import CaptureMode, Device, EventFlag, each_mode, rule, variant
from fixtures.aftermath import expect_usable
from fixtures.counter import Counter
from fixtures.limits import Taken, limits_of, taking

R = CaptureMode.RELAXED
MODEL_ROUNDS = 2500


def expect_limit(device: Device, taken: Taken, limit: int, *, what: str) -> None:
    """No more than the documented number was given out."""
    count = len(taken.handles)
    device.case.observe(f"{what} given out", count)
    device.case.expect(
        count <= limit, what=f"{what} of one device", expected=f"at most {limit}", actual=f"{count} or more"
    )


@pytest.mark.parametrize(
    "limit",
    [
        variant("of_1984", 1984, "RES-022"),
        variant("of_512", 512, "RES-023"),
        variant("of_1024", 1024, "RES-024"),
        variant("of_2048", 2048, "RES-025"),
    ],
)
def test_stream_limit(whole_device: Device, limit: int) -> None:
    device = whole_device
    with taking(device, "aclrtCreateStream", "aclrtDestroyStream", "aclrtStream *", at_most=limit + 1) as taken:
        expect_limit(device, taken, limit, what="streams")


@rule("RES-013")
def test_streams_run_out(whole_device: Device) -> None:
    device = whole_device
    at_most = limits_of(device).streams + 1
    with taking(device, "aclrtCreateStream", "aclrtDestroyStream", "aclrtStream *", at_most=at_most) as taken:
        device.case.observe("streams given out", len(taken.handles))
    expect_usable(device)


KINDS = [
    pytest.param("aclrtCreateEventWithFlag", (int(EventFlag.SYNC),), id="flag_waitable"),
    pytest.param("aclrtCreateEventWithFlag", (int(EventFlag.EXTERNAL),), id="with_external_flag"),
]
PLAIN_KINDS = [
    pytest.param("aclrtCreateEvent", (), id="plain"),
    pytest.param("aclrtCreateEventExWithFlag", (int(EventFlag.SYNC),), id="ex_linking"),
]


def take_events(device: Device, function: str, flags: tuple[int, ...], limit: int) -> None:
    """No more than the documented number of events is given out, and all can be released."""
    destroy, pointer = "aclrtDestroyEvent", "aclrtEvent *"
    with taking(device, function, destroy, pointer, at_most=limit + 1, arguments=flags) as taken:
        expect_limit(device, taken, limit, what="events")


@pytest.mark.parametrize(("function", "flags"), KINDS)
@pytest.mark.parametrize(
    "limit",
    [variant("of_65536", 65536, "RES-026"), variant("of_1023", 1023, "RES-027"), variant("of_65535", 65535, "RES-028")],
)
def test_event_limit(whole_device: Device, limit: int, function: str, flags: tuple[int, ...]) -> None:
    take_events(whole_device, function, flags, limit)


@pytest.mark.parametrize(("function", "flags"), PLAIN_KINDS)
@rule("RES-034")
def test_limit_of_other_events(whole_device: Device, function: str, flags: tuple[int, ...]) -> None:
    take_events(whole_device, function, flags, limits_of(whole_device).events)


@pytest.mark.parametrize(("function", "flags"), KINDS)
@rule("RES-015")
def test_events_run_out(whole_device: Device, function: str, flags: tuple[int, ...]) -> None:
    take_events(whole_device, function, flags, limits_of(whole_device).events)
    expect_usable(whole_device)


@rule("RES-030")
def test_labels_run_out(whole_device: Device) -> None:
    device = whole_device
    with taking(device, "aclrtCreateLabel", "aclrtDestroyLabel", "aclrtLabel *", at_most=65536) as taken:
        expect_limit(device, taken, 65535, what="labels")
    expect_usable(device)


@rule("RES-035")
def test_notifies_run_out(whole_device: Device) -> None:
    device = whole_device
    destroy, pointer = "aclrtDestroyNotify", "aclrtNotify *"
    with taking(device, "aclrtCreateNotify", destroy, pointer, at_most=20_000, arguments=(0,)) as taken:
        device.case.observe("notifies given out", len(taken.handles))
    expect_usable(device)


def streams_left(device: Device) -> int:
    """``aclrtGetStreamAvailableNum``."""
    count = device.ffi.new("uint32_t *")
    device.call("aclrtGetStreamAvailableNum", count).required()
    return int(count[0])


@each_mode()
@rule("RES-011")
def test_models_draw_on_the_stream_pool(whole_device: Device, mode: CaptureMode) -> None:
    device = whole_device
    streams = [device.stream() for _ in range(16)]
    before = streams_left(device)
    for stream in streams:
        with device.capture(mode, stream, marks=1) as capture:
            capture.mark()
    after = streams_left(device)
    device.case.expect(
        after <= before, what="available streams while 16 models live", expected=f"<= {before}", actual=after
    )


@each_mode()
@rule("RES-012")
def test_graph_that_needs_more_streams_than_there_are(whole_device: Device, mode: CaptureMode) -> None:
    device = whole_device
    half, counter = limits_of(device).streams // 2 + 8, Counter(device)
    forks, joins = device.event(), [device.event() for _ in range(half)]
    streams = [device.stream() for _ in range(half)]
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
        capture.stream.record(forks).required()
        for stream, event in zip(streams, joins, strict=True):
            stream.wait(forks).required()
            stream.record(event).required()
            capture.stream.wait(event).required()
        ended = capture.end().observed_acceptance("End of a graph of half of all streams")
        capture.open = False
    if ended and capture.model.execute(capture.stream).observed_acceptance("its execution"):
        capture.stream.synchronize_within(device.budget_ms).observed("synchronization")
    for stream in streams:
        stream.destroy().required()
    if ended:
        capture.model.execute(capture.stream).observed("its execution when the other streams are gone")
        capture.stream.finish()


@each_mode()
@rule("RES-014", "RES-019")
def test_many_live_models(whole_device: Device, mode: CaptureMode) -> None:
    device = whole_device
    begin, end, memset = (
        device.bare(one) for one in ("aclmdlRICaptureBegin", "aclmdlRICaptureEnd", "aclrtMemsetAsync")
    )
    stream, model, target = device.stream(), device.ffi.new("aclmdlRI *"), device.allocate(64)
    models, codes, destroy = [], [0], device.bare("aclmdlRIDestroy")
    while len(models) < MODEL_ROUNDS:
        codes = [
            begin(stream.handle, mode),
            memset(target, 64, 0, 64, stream.handle),
            end(stream.handle, model),
        ]
        if any(codes):
            break
        models.append(model[0])
    device.case.observe("live models", len(models))
    device.case.observe("Begin, memset, End of the last one", codes)
    failed = sum(destroy(one) != 0 for one in models)
    device.case.expect(failed == 0, what="destructions of live models that failed", expected=0, actual=failed)
    expect_usable(device, stream)


@each_mode()
@rule("RES-017")
def test_captured_copy_of_very_many_rows(whole_device: Device, mode: CaptureMode) -> None:
    device = whole_device
    rows = 1 << 20
    source, target = device.pinned(np.ones(rows, np.uint8)), device.buffer(np.zeros(rows, np.uint8))
    with device.capture(mode) as capture:
        capture.mark()
        capture.stream.copy_2d(target, source, width=1, height=rows).observed(f"captured copy of {rows} rows")
        capture.end().observed("End")
        capture.open = False
    expect_usable(device, capture.stream)
