"""Reading the call ring: what was called, with which words, on which thread, and what has not returned.

The layout is that of ``runtime.h``. The memory may be the live ring of this process or the file that a dead worker
left behind.
"""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cffi_build.declarations import Function, Param
from cffi_build.errors import BadRingFile
from cffi_build.source import pointee_slots

MAGIC = b"MRIRING1"
_HEADER = struct.Struct("=8sIIQ40x")
_RECORD = struct.Struct("=QQQIHBBQ12Q4Q4Q56s")
_NOTE, _RETURNED = 2, 2
_WORDS_START = struct.calcsize("=QQQIHBBQ")


def signed(value: int) -> int:
    """A 64-bit word of a record as a signed number."""
    return value - (1 << 64) if value >= 1 << 63 else value


@dataclass(frozen=True)
class RawArg:
    """One argument as the machine saw it. ``before`` and ``after`` are the pointee's words, where it was recorded."""

    name: str
    ctype: str
    value: int
    before: int | None = None
    after: int | None = None
    text: str | None = None

    @property
    def plain_type(self) -> str:
        """The type without ``const``."""
        return self.ctype.replace("const ", "").strip()

    @property
    def pointee_type(self) -> str:
        """The type of what the argument points to, where the record holds that; else empty."""
        recorded = self.plain_type.endswith("*") and (self.before is not None or self.after is not None)
        return self.plain_type[:-1].strip() if recorded else ""


@dataclass(frozen=True)
class RawCall:
    """One call, or one note (then ``text`` is the note). ``result`` is None while the call has not returned.

    Times are CLOCK_MONOTONIC nanoseconds; ``thread`` is the kernel's thread id.
    """

    sequence: int
    function: str
    thread: int
    args: tuple[RawArg, ...] = ()
    result: int | None = None
    result_ctype: str = ""
    begin_ns: int = 0
    end_ns: int | None = None
    text: str = ""
    is_note: bool = False

    @property
    def returned(self) -> bool:
        """Whether the call came back."""
        return self.end_ns is not None


class Ring:
    """The records of one ring. ``memory`` gives the bytes as they are now."""

    def __init__(
        self,
        memory: Any,
        functions: Sequence[Function],
        *,
        note: Callable[[str], None],
        mark: Callable[[], int],
        oldest: Callable[[], int],
    ):
        """Wrap the live ring of a library; use ``Library.ring``."""
        self._memory = memory
        self._functions = functions
        self.note_short = note
        self.mark = mark
        self._oldest = oldest

    def blocked_for(self) -> float:
        """For how many seconds the longest call in progress has not returned; 0 when none is in progress."""
        since = self._oldest()
        return (time.monotonic_ns() - since) / 1e9 if since else 0.0

    def note(self, text: str) -> None:
        """Write free text into the sequence of calls; long text becomes several notes."""
        for start in range(0, max(len(text), 1), 200):
            self.note_short(text[start : start + 200])

    def since(self, mark: int) -> list[RawCall]:
        """The records from ``mark`` on, oldest first; those that the ring has already overwritten are missing."""
        return _records(self._memory, self._functions, mark)


@dataclass(frozen=True)
class RingFile:
    """The ring that another process left behind, with the enumerators of its headers."""

    calls: tuple[RawCall, ...]
    enums: dict[str, dict[str, int]]

    def enumerators(self, ctype: str) -> dict[int, str]:
        """Value → name of an enum type; empty for a type that is no enum."""
        return {value: name for name, value in reversed(self.enums.get(ctype, {}).items())}


def sidecar_of(path: Path) -> Path:
    """Where the names for a ring file are."""
    return path.with_name(path.name + ".json")


def read_ring(path: Path) -> RingFile:
    """A ring file with the names from its sidecar ``<path>.json``; raises ``BadRingFile``."""
    sidecar = sidecar_of(path)
    try:
        memory, names = path.read_bytes(), json.loads(sidecar.read_text())
    except OSError as error:
        raise BadRingFile(f"{error.filename}: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise BadRingFile(f"{sidecar}:{error.lineno}: not JSON ({error.msg})") from error
    if len(memory) < _HEADER.size or memory[:8] != MAGIC:
        raise BadRingFile(f"{path}: not a call ring, or cut off")
    functions = [
        Function(one["name"], one["result"], tuple(Param(**p) for p in one["params"])) for one in names["functions"]
    ]
    return RingFile(tuple(_records(memory, functions, 0)), names["enums"])


def _records(memory: Any, functions: Sequence[Function], mark: int) -> list[RawCall]:
    _, size, capacity, following = _HEADER.unpack_from(memory, 0)
    first = max(mark, following - capacity, 0)
    found = []
    for position in range(first, following):
        start = _HEADER.size + (position % capacity) * size
        fields = _RECORD.unpack_from(memory, start)
        if fields[0] == position + 1:
            found.append(_call(memory, start, fields, functions))
    return found


def _call(memory: Any, start: int, fields: tuple[Any, ...], functions: Sequence[Function]) -> RawCall:
    sequence, begin, end, thread, number, kind, state, result = fields[:8]
    if kind == _NOTE:
        raw = bytes(memory[start + _WORDS_START : start + _RECORD.size])
        text = raw.split(b"\0", 1)[0].decode(errors="replace")
        return RawCall(sequence, "", thread, begin_ns=begin, end_ns=end, text=text, is_note=True)
    function = functions[number]
    words, before, after, text = fields[8:20], fields[20:24], fields[24:28], fields[28]
    returned = state == _RETURNED
    code = _signed32(result) if "*" not in function.result else result
    good = returned and (code == 0 or "*" in function.result or function.result == "void")
    slots = pointee_slots(function)
    args = []
    for param, word in zip(function.params, words, strict=False):
        slot = slots.get(param.name) if word else None
        shown = text.split(b"\0", 1)[0].decode(errors="replace") if param.text and word else None
        args.append(
            RawArg(
                param.name,
                param.ctype,
                word,
                before[slot] if slot is not None else None,
                after[slot] if slot is not None and good else None,
                shown,
            )
        )
    return RawCall(
        sequence,
        function.name,
        thread,
        tuple(args),
        code if returned else None,
        function.result,
        begin,
        end if returned else None,
    )


def _signed32(word: int) -> int:
    low = word & 0xFFFFFFFF
    return low - (1 << 32) if low >= 1 << 31 else low
