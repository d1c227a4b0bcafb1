"""Who may call a non-safe function while a capture is open: capture mode × thread × thread mode.

API reference 15, aclmdlRICaptureThreadExchangeMode, gives the table; readings C-03, C-04, C-38. One cell is one row of
CELLS below: MODE-001 … MODE-024 for memset and memcpy, MODE-042 and MODE-043 for 2-D copies and for copies from
ordinary host memory on a stream that does not capture. A refused call must leave no trace in the buffer; a permitted
one must have run before it returns. Cells that the documents leave open are recorded.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from fixtures import CaptureMode, Device, ThreadRole, variant
from fixtures.memory import Buffer, HostArray
from fixtures.outcome import Outcome
from fixtures.stream import Stream

G, T, R = CaptureMode.GLOBAL, CaptureMode.THREAD_LOCAL, CaptureMode.RELAXED
OWN, OTHER = ThreadRole.OWN, ThreadRole.OTHER
OLD, NEW = 0x11, 0x77


@dataclass(frozen=True)
class Cell:
    """One cell of the table. ``exchange`` is the mode that the calling thread switches to, or None."""

    mode: CaptureMode
    role: ThreadRole
    exchange: CaptureMode | None

    @property
    def word(self) -> str:
        """The id of the cell, without the word exchange where there is none."""
        switched = "unchanged" if self.exchange is None else f"exchange_{self.exchange.word}"
        return f"{self.mode.word}-{self.role.word}-{switched}"


REFUSED = {
    "MODE-001": Cell(G, OWN, None),
    "MODE-002": Cell(G, OWN, G),
    "MODE-003": Cell(G, OWN, T),
    "MODE-005": Cell(G, OTHER, None),
    "MODE-006": Cell(G, OTHER, G),
    "MODE-009": Cell(T, OWN, None),
    "MODE-010": Cell(T, OWN, G),
    "MODE-011": Cell(T, OWN, T),
}
PERMITTED = {
    "MODE-004": Cell(G, OWN, R),
    "MODE-007": Cell(G, OTHER, T),
    "MODE-008": Cell(G, OTHER, R),
    "MODE-012": Cell(T, OWN, R),
    "MODE-013": Cell(T, OTHER, None),
    "MODE-016": Cell(T, OTHER, R),
    "MODE-017": Cell(R, OWN, None),
    "MODE-020": Cell(R, OWN, R),
    "MODE-021": Cell(R, OTHER, None),
    "MODE-022": Cell(R, OTHER, G),
    "MODE-023": Cell(R, OTHER, T),
    "MODE-024": Cell(R, OTHER, R),
}
OPEN = {
    "MODE-014": Cell(T, OTHER, G),
    "MODE-015": Cell(T, OTHER, T),
    "MODE-018": Cell(R, OWN, G),
    "MODE-019": Cell(R, OWN, T),
}


@dataclass(frozen=True)
class Site:
    """What a non-safe call works on: 64 bytes of OLD on the device, 64 bytes of NEW in ordinary host memory."""

    device: Device
    buffer: Buffer
    source: HostArray
    stream: Stream

    def content(self) -> list[int]:
        """The distinct bytes in the device buffer."""
        return [int(one) for one in np.unique(self.buffer.read())]


def site(device: Device) -> Site:
    """A fresh site; its stream takes no part in any capture."""
    source = device.pageable(np.full(64, NEW, np.uint8))
    return Site(device, device.buffer(np.full(64, OLD, np.uint8)), source, device.stream())


def memset(at: Site) -> Outcome[None]:
    """``aclrtMemset`` of the site's buffer."""
    return at.device.memset(at.buffer, NEW)


def memcpy(at: Site) -> Outcome[None]:
    """``aclrtMemcpy`` from ordinary host memory."""
    return at.device.memcpy(at.buffer, at.source)


def memcpy_2d(at: Site) -> Outcome[None]:
    """``aclrtMemcpy2d`` of eight rows of eight bytes from ordinary host memory."""
    return at.device.memcpy_2d(at.buffer, at.source, width=8, height=8)


def unpinned_copy(at: Site) -> Outcome[None]:
    """``aclrtMemcpyAsync`` from ordinary host memory on a stream that does not capture."""
    return at.stream.copy(at.buffer, at.source)


NonSafe = Callable[[Site], Outcome[None]]
LISTED: dict[str, NonSafe] = {"memset": memset, "memcpy": memcpy}
KINDRED: dict[str, NonSafe] = {"memcpy_2d": memcpy_2d, "unpinned_copy": unpinned_copy}


def rows(cells: dict[str, Cell], *, kindred: str | None, without: tuple[str, ...] = ()) -> list[object]:
    """Every cell with the calls that MODE-001 … 024 list, then with the calls of the rule ``kindred``."""
    listed = [
        variant(f"{cell.word}-{word}", (cell, call), rule)
        for rule, cell in cells.items()
        for word, call in LISTED.items()
    ]
    if kindred is None:
        return listed
    more = [
        variant(f"{cell.word}-{word}", (cell, call), kindred)
        for rule, cell in cells.items()
        if rule not in without
        for word, call in KINDRED.items()
    ]
    return listed + more


# MODE-042 leaves the own-thread cells without exchange to MEM-007, 008, 019, 020, and MODE-043 those of
# RELAXED to MEM-009, 021.
@pytest.mark.parametrize(("cell", "call"), rows(REFUSED, kindred="MODE-042", without=("MODE-001", "MODE-009")))
def test_refused(device: Device, cell: Cell, call: NonSafe) -> None:
    at, caller = site(device), device.caller(cell.role)
    caller.run(lambda: call(site(device))).succeeds()  # control: no capture is open
    with device.capture(cell.mode) as capture:
        if cell.exchange is not None:
            caller.run(lambda: device.exchange_mode(cell.exchange)).required()
        capture.mark()
        caller.run(lambda: call(at)).refused()
        capture.mark()
        capture.ends_consistently()
    device.case.expect(at.content() == [OLD], what="a refused call had an effect", expected=[OLD], actual=at.content())


@pytest.mark.parametrize(("cell", "call"), rows(PERMITTED, kindred="MODE-043", without=("MODE-017", "MODE-020")))
def test_permitted(device: Device, cell: Cell, call: NonSafe) -> None:
    at, caller = site(device), device.caller(cell.role)
    with device.capture(cell.mode) as capture:
        if cell.exchange is not None:
            caller.run(lambda: device.exchange_mode(cell.exchange)).required()
        capture.mark()
        caller.run(lambda: call(at)).succeeds()
        content = caller.run(at.content)
        device.case.expect(content == [NEW], what="a permitted call runs at once", expected=[NEW], actual=content)
        capture.mark()
        capture.ends_consistently()


@pytest.mark.parametrize(("cell", "call"), rows(OPEN, kindred=None))
def test_left_open(device: Device, cell: Cell, call: NonSafe) -> None:
    at, caller = site(device), device.caller(cell.role)
    with device.capture(cell.mode) as capture:
        caller.run(lambda: device.exchange_mode(cell.exchange)).required()
        capture.mark()
        outcome = caller.run(lambda: call(at))
        outcome.observed()
        capture.mark()
        capture.ends_consistently()
    wanted = [NEW] if outcome.accepted else [OLD]
    device.case.expect(
        at.content() == wanted, what="effect and return code agree", expected=wanted, actual=at.content()
    )
