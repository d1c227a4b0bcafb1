"""The journal: one append-only JSONL file a worker, written line by line while the cases run.

Everything else (summary, record, Allure) is a view of these files. Every line is flushed, so that what a worker did
before it died is on disk. The records are described in docs/architecture.md, "The journal".
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reports.output import leave_word

if TYPE_CHECKING:
    from cffi_build import Toolkit
    from fixtures.session import DeviceSession

SCHEMA = 1
KEY = pytest.StashKey["Journal"]()


class OutputError(Exception):
    """The output folder cannot be written; says which and what to do."""


@dataclass
class Journal:
    """The open journal of one worker. ``ring_path`` is where the worker's call ring lives, beside the journal."""

    path: Path
    worker: str
    cases: int = 0
    current: str = ""

    def __post_init__(self) -> None:
        """Open the file; raises ``OutputError``."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise OutputError(f"cannot write {self.path}: {error.strerror}; choose a folder with --out") from error

    @property
    def ring_path(self) -> Path:
        """The shared-memory file with the worker's last calls."""
        return self.path.with_suffix(".ring")

    def write(self, kind: str, **fields: Any) -> None:
        """Append one record and flush it."""
        record = {"type": kind, "time": round(time.time(), 6), **fields}
        line = json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n"
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            leave_word(error)

    def header(self, toolkit: Toolkit, *, revision: str) -> None:
        """The first record: what is tested, by what, where."""
        version = toolkit.header_version
        self.write(
            "header",
            schema=SCHEMA,
            worker=self.worker,
            pid=os.getpid(),
            revision=revision,
            prefix=str(toolkit.prefix),
            origin=toolkit.origin,
            header_version=".".join(map(str, version)) if version else None,
            libraries=[str(one) for one in toolkit.libraries],
            python=platform.python_version(),
            machine=platform.machine(),
        )

    def device(self, session: DeviceSession) -> None:
        """The device that the worker opened."""
        self.write("device", soc=session.soc, family=session.family, number=session.device_id)

    def started(self, nodeid: str, *, rules: list[str], params: dict[str, str], mark: int = 0) -> None:
        """A case is about to run; its calls begin after ``mark`` in the worker's ring."""
        self.current = nodeid
        self.write("started", case=nodeid, rules=rules, params=params, mark=mark)

    def hung(self, seconds: float, stacks: str, *, budget: float) -> None:
        """The running case has a call that does not return; the worker is about to end itself."""
        self.write("hung", case=self.current, seconds=round(seconds, 3), budget=budget, stacks=stacks)

    def verdict(self, nodeid: str, **fields: Any) -> None:
        """A case has ended."""
        self.cases += 1
        self.write("verdict", case=nodeid, **fields)

    def close(self, *, status: int) -> None:
        """The last record: the worker ended by itself."""
        self.write("footer", cases=self.cases, exit=status)
        # What a full disk has not taken is still in the buffer; its loss is known.
        with contextlib.suppress(OSError):
            self._file.close()


def worker_journal(config: pytest.Config) -> Journal | None:
    """The journal of this process, if it runs cases."""
    return config.stash.get(KEY, None)
