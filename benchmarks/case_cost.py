"""What evidence costs: microseconds a call for ring, place and host memory, and microseconds a case for the journal.

Run as ``python -m benchmarks.case_cost``. Figures only; nothing is asserted.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cffi_build import find_toolkit
from fixtures.case import Case
from fixtures.device import Device
from fixtures.markers import the_catalogue
from fixtures.session import open_session
from reports.journal import Journal

ROUNDS = 7


def cost(act: Callable[[], object], *, times: int) -> float:
    """Median over rounds of the microseconds that one ``act`` takes."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        for _ in range(times):
            act()
        taken.append((time.perf_counter_ns() - start) / times / 1000)
    return statistics.median(taken)


def main() -> None:
    """Print the table."""
    session = open_session(find_toolkit(None, {}))
    case = Case(nodeid="suites/x/test_x.py::test_x", rules=(the_catalogue()["SYNC-001"],))
    case.attach(session.library)
    device = Device(session, case)
    ring, array = session.library.ring, np.zeros(64, np.uint8)
    address = int(array.ctypes.data)
    flip = iter(range(10**9))

    def changed() -> None:
        array[0] = next(flip) % 251
        device.hostlog.written(array, address)

    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "gw0.jsonl", "gw0")

        def records() -> None:
            journal.started(case.nodeid, rules=["SYNC-001"], params={"case": "global", "mode": "global"}, mark=1)
            fields: dict[str, object] = {"verdict": "conforms", "red": False, "reason": "", "message": ""}
            journal.verdict(case.nodeid, **fields, observations=[], calls=30, seconds=0.001)

        rows = {
            "a call: its place in the ring": cost(ring.mark, times=100_000),
            "a call: host memory it reads, unchanged": cost(
                lambda: device.hostlog.written(array, address), times=20_000
            ),
            "a call: host memory it reads, changed (64 bytes)": cost(changed, times=20_000),
            "a case: started and verdict, flushed": cost(records, times=5_000),
        }
        journal.close(status=0)
    for name, value in rows.items():
        print(f"{value:8.2f} us  {name}")
    session.close()


if __name__ == "__main__":
    main()
