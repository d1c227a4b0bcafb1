"""aclmdlRIDebugPrint, the older print (API reference 15; readings C-25, C-49).

Plan
- it takes a model of a capture, and prints its ids                                            DBG-016, 024
- its declaration is deprecated                                                                DBG-019
- recorded: during the capture, a built model                                                  DBG-017, 025
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.build import building
from fixtures.capture import Model
from fixtures.counter import Counter
from fixtures.export import spelled
from fixtures.process_log import ProcessLog

PRINT = "aclmdlRIDebugPrint"
STDOUT, STDERR = 1, 2


def captured(device: Device, mode: CaptureMode) -> Model:
    """A model of one task."""
    counter = Counter(device)
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
    return capture.model


@contextmanager
def printed() -> Iterator[list[str]]:
    """What the process writes to its standard output and error during the block."""
    text: list[str] = []
    kept = {number: os.dup(number) for number in (STDOUT, STDERR)}
    with tempfile.TemporaryFile() as file:
        for number in kept:
            os.dup2(file.fileno(), number)
        try:
            yield text
        finally:
            for number, copy in kept.items():
                os.dup2(copy, number)
                os.close(copy)
            file.seek(0)
            text.append(file.read().decode(errors="replace"))


@each_mode()
@rule("DBG-016")
def test_print_takes_a_captured_model(device: Device, mode: CaptureMode) -> None:
    model = captured(device, mode)
    with printed():
        outcome = device.call(PRINT, model.handle)
    outcome.succeeds()


@each_mode()
@rule("DBG-024")
def test_print_shows_the_ids(device: Device, mode: CaptureMode) -> None:
    model = captured(device, mode)
    log = ProcessLog()
    with printed() as text:
        outcome = device.call(PRINT, model.handle)
    outcome.required()
    found = spelled(text[0] + log.added())
    lacking = [name for name in ("deviceid", "streamid", "taskid") if name not in found]
    device.case.expect(not lacking, what="ids that were not printed", expected="none", actual=lacking, in_calls=False)


@rule("DBG-019")
def test_print_is_declared_deprecated(device: Device) -> None:
    device.needs(PRINT)
    marked = device.library.toolkit.deprecates(PRINT)
    device.case.expect(
        marked, what=f"a deprecation attribute on {PRINT}", expected="in acl_rt.h", actual="none", in_calls=False
    )


@each_mode()
@rule("DBG-017")
def test_print_during_the_capture(device: Device, mode: CaptureMode) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        handle = capture.info().model
        with printed():
            outcome = device.call(PRINT, handle)
        outcome.observed("DebugPrint during the capture")
        capture.ends_consistently()


@rule("DBG-025")
def test_print_of_a_built_model(device: Device) -> None:
    counter = Counter(device)
    with building(device) as (model, stream):
        counter.submit(stream)
    with printed():
        outcome = device.call(PRINT, model.handle)
    outcome.observed("DebugPrint of a built model")
    model.run(-1).required()
    counter.expect(1, what="an execution afterwards")
