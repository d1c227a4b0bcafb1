"""Capturing streams of every kind and owner: flags, other contexts, built models (API reference 06, 15).

Plan
- flags of the origin stream                                                                   STRM-015 … 017 (recorded)
- a stream bound to a built model                                                              STRM-018 (recorded)
- a stream of another context                                                                  STRM-022
- the default stream of another context during a capture                                       STRM-013 (recorded)
- aclmdlRIExecute (it runs on the default stream) during a capture                             STRM-031 (recorded)
"""

import pytest

from fixtures import CaptureMode, Device, each_mode, rule, variant
from fixtures.aftermath import expect_usable
from fixtures.build import begin_build, building
from fixtures.counter import Counter
from fixtures.modes import StreamFlag
from fixtures.stream import Stream

FLAGS = [
    variant("fast_launch", StreamFlag.FAST_LAUNCH, "STRM-015"),
    variant("fast_wait", StreamFlag.FAST_SYNC, "STRM-015"),
    variant("fast_launch_and_wait", StreamFlag.FAST_LAUNCH | StreamFlag.FAST_SYNC, "STRM-015"),
    variant("persistent", StreamFlag.PERSISTENT, "STRM-016"),
    variant("device_use_only", StreamFlag.DEVICE_USE_ONLY, "STRM-017"),
]


def try_capture(device: Device, stream: Stream, mode: CaptureMode, counter: Counter) -> None:
    """Capture the counter on a stream that may not be fit for it; what was accepted must also work."""
    capture = device.capture(mode, stream)
    if not device.begin_capture(stream, mode).observed_acceptance("CaptureBegin"):
        return
    counter.submit(stream)
    if capture.end().observed_acceptance("CaptureEnd"):
        capture.model.replay(device.stream())
        counter.expect(1, what="the captured work")


@each_mode()
@pytest.mark.parametrize("flags", FLAGS)
def test_capture_of_a_stream_with_flags(device: Device, mode: CaptureMode, flags: int) -> None:
    counter, created = Counter(device), device.create_stream(flags)
    if created.observed_acceptance("aclrtCreateStreamWithConfig"):
        try_capture(device, created.value, mode, counter)
    expect_usable(device)


@each_mode()
@rule("STRM-018")
def test_capture_of_a_stream_of_a_built_model(device: Device, mode: CaptureMode) -> None:
    counter, model = Counter(device), begin_build(device)
    assert model.stream is not None
    try_capture(device, model.stream, mode, counter)
    expect_usable(device)


@each_mode()
@rule("STRM-022")
def test_capture_of_a_stream_of_another_context_is_refused(device: Device, mode: CaptureMode) -> None:
    elsewhere, stream = device.context_thread("elsewhere"), device.stream()
    elsewhere.run(lambda: device.begin_capture(stream, mode)).refused()
    expect_usable(device, stream)  # control: in its own context


@each_mode()
@rule("STRM-013")
def test_default_stream_of_another_context(device: Device, mode: CaptureMode) -> None:
    elsewhere = device.context_thread("elsewhere")
    counter = elsewhere.run(lambda: Counter(device))
    with device.capture(mode) as capture:
        capture.mark()
        operator = elsewhere.run(lambda: counter.take().launch(device.default_stream))
        operator.observed("operator on the default stream of another context")
        capture.ends_consistently()


@each_mode()
@rule("STRM-031")
def test_blocking_execution_during_a_capture(device: Device, mode: CaptureMode) -> None:
    counter = Counter(device)
    with building(device) as (model, stream):
        counter.submit(stream)
    with device.capture(mode) as capture:
        capture.mark()
        accepted = model.run(1000).observed_acceptance("aclmdlRIExecute while another stream captures")
        capture.ends_consistently()
    counter.expect(int(accepted), what="executions during the capture")
