"""External records and waits inside a sub-model, which the event pages call unsupported (API reference 07).

Plan
- a record of ACL_EVENT_RECORD_EXTERNAL inside a branch                                        EVT-049
- a wait of ACL_EVENT_WAIT_EXTERNAL inside a branch                                            EVT-050
Where the device refuses it, and with what, is recorded: the pages name no code. Asserted is that a refusal leaves the
branch and its root to be captured, and both run; and that afterwards a fresh capture works.
"""

from collections.abc import Callable

import pytest

from fixtures import CaptureMode, Device, each_mode, variant
from fixtures.aftermath import expect_usable
from fixtures.conditional import branch
from fixtures.counter import Counter
from fixtures.event import Event
from fixtures.outcome import Outcome
from fixtures.stream import Stream

EXTERNAL = 1


def record_external(stream: Stream, event: Event) -> Outcome[None]:
    return stream.record_flagged(event, EXTERNAL)


def wait_external(stream: Stream, event: Event) -> Outcome[None]:
    return stream.wait_flagged(event, EXTERNAL)


@each_mode()
@pytest.mark.parametrize(
    ("submit", "recorded"),
    [variant("record", (record_external, False), "EVT-049"), variant("wait", (wait_external, True), "EVT-050")],
)
def test_external_event_in_a_branch(
    device: Device, mode: CaptureMode, submit: Callable[[Stream, Event], Outcome[None]], recorded: bool
) -> None:
    event, counter, outside = device.event(), Counter(device, uses=2), device.stream()
    if recorded:  # a wait finds the event recorded; a record must be the first one of its event
        outside.record(event).required()
    with device.capture(mode) as root:
        counter.submit(root.stream)
        with branch(root, mode) as sub:
            counter.submit(sub.stream)
            refused = not submit(sub.stream, event).observed_acceptance("submission inside the branch")
            complete = sub.end().observed_acceptance("aclmdlRICaptureEnd of the branch")
        captured = root.end().observed_acceptance("aclmdlRICaptureEnd of the root")
        if not captured:
            root.abandon()
    case = device.case
    case.expect(captured or not complete, what="root of a complete branch", expected="captured", actual="refused")
    if captured and root.model.execute(outside).observed_acceptance("aclmdlRIExecuteAsync of the root") and refused:
        outside.finish()
        counter.expect(2, what="work of root and branch, without the refused task")
    expect_usable(device)
