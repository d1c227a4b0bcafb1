"""A case's calls as a script that can be written down in another language: values instead of addresses.

Made from the call ring alone, so that it works for a case whose process is dead. Handles become variables, host memory
becomes buffers with the contents that the notes of ``fixtures.hostlog`` recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cffi_build import RawArg, RawCall
from fixtures.trace import HANDLE_WORDS, HIDDEN


@dataclass(frozen=True)
class Argument:
    """One argument: exactly one of a variable, an offset into host memory, a literal, a text, an output."""

    ctype: str
    variable: str = ""
    output: str = ""
    literal: int | None = None
    offset: int = 0
    text: str | None = None
    initial: int | None = None
    final: int | None = None

    @property
    def is_handle(self) -> bool:
        """Whether the output is a handle, whose value means nothing but whether it is NULL."""
        return self.ctype in HANDLE_WORDS


@dataclass(frozen=True)
class Step:
    """A call (``function``), or something that the host did (``action``: host, seen, await).

    ``sequence`` is the place in the ring of the record that it was made from.
    """

    number: int
    thread: int
    sequence: int
    function: str = ""
    result_ctype: str = ""
    arguments: tuple[Argument, ...] = ()
    code: int | None = None
    result: str = ""
    action: str = ""
    memory: str = ""
    content: bytes = b""

    @property
    def uses(self) -> frozenset[str]:
        """The variables that the step needs."""
        return frozenset(filter(None, (*(one.variable for one in self.arguments), self.memory)))

    @property
    def makes(self) -> frozenset[str]:
        """The handles that the step creates."""
        return frozenset(filter(None, (self.result, *(one.output for one in self.arguments))))


@dataclass
class Script:
    """The steps in order, the variables with their C types, and the sizes of host memory in bytes."""

    steps: list[Step] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    rooms: dict[str, int] = field(default_factory=dict)

    def without(self, numbers: frozenset[int]) -> Script:
        """The script without some steps; unused variables stay, they do no harm."""
        kept = [one for one in self.steps if one.number not in numbers]
        return Script(kept, self.variables, self.rooms)


def script_of(calls: Iterable[RawCall]) -> Script:
    """The script of a case's calls, oldest first."""
    return _Builder().build(calls)


class _Builder:
    def __init__(self) -> None:
        self.script = Script()
        self.handles: dict[tuple[str, int], str] = {}
        self.host: dict[int, tuple[str, int]] = {}
        self.pending: dict[int, bytearray] = {}
        self.counts: dict[str, int] = {}
        self.number = 0

    def build(self, calls: Iterable[RawCall]) -> Script:
        for call in calls:
            if call.is_note:
                self._note(call)
            elif call.function not in HIDDEN:
                self._call(call)
        return self.script

    def _fresh(self, word: str, ctype: str) -> str:
        self.counts[word] = self.counts.get(word, 0) + 1
        name = f"{word}{self.counts[word]}"
        if ctype:
            self.script.variables[name] = ctype
        return name

    def _room(self, address: int, size: int) -> str:
        known = self.host.get(address)
        if known is not None and known[1] >= size:
            return known[0]
        name = self._fresh("host", "")
        self.host[address] = name, size
        self.script.rooms[name] = size
        return name

    def _note(self, call: RawCall) -> None:
        kind, _, rest = call.text.partition(" ")
        if kind not in {"@room", "@host", "@seen", "@await"}:
            return
        words = rest.split(" ")
        address, size = int(words[0], 16), int(words[1])
        name = self.handles.get(("memory", address)) or self._room(address, size)
        if kind == "@room":
            return
        start, data = int(words[2]), words[3]
        content = self.pending.setdefault(address, bytearray(size)) if start else bytearray(size)
        self.pending[address] = content
        if data.endswith("*"):
            content[:] = bytes.fromhex(data[:-1]) * size
            start = size
        else:
            chunk = bytes.fromhex(data)
            content[start : start + len(chunk)] = chunk
            start += len(chunk)
        if start >= size:
            self.number += 1
            self.script.steps.append(
                Step(self.number, call.thread, call.sequence, action=kind[1:], memory=name, content=bytes(content))
            )

    def _call(self, call: RawCall) -> None:
        self.number += 1
        arguments = tuple(map(self._argument, call.args))
        result = ""
        if call.result_ctype in HANDLE_WORDS and call.result:
            result = self._created(call.result_ctype, call.result)
        code = call.result if call.returned and "*" not in call.result_ctype and call.result_ctype != "void" else None
        step = Step(self.number, call.thread, call.sequence, call.function, call.result_ctype, arguments, code, result)
        self.script.steps.append(step)

    def _created(self, ctype: str, value: int) -> str:
        word = HANDLE_WORDS[ctype]
        name = self._fresh(word, ctype)
        self.handles[word, value] = name
        if word == "memory":
            self.host.pop(value, None)
        return name

    def _argument(self, arg: RawArg) -> Argument:
        ctype = arg.plain_type
        if arg.text is not None:
            return Argument(ctype, text=arg.text)
        if arg.value == 0:
            return Argument(ctype, literal=0)
        if arg.pointee_type:
            return self._output(arg.pointee_type, arg)
        if ctype in HANDLE_WORDS and (name := self.handles.get((HANDLE_WORDS[ctype], arg.value))):
            return Argument(ctype, variable=name)
        if ctype.endswith("*"):
            return self._address(ctype, arg.value)
        if ctype == "aclrtContext":
            return Argument(ctype, variable="context0")
        return Argument(ctype, literal=arg.value)

    def _output(self, target: str, arg: RawArg) -> Argument:
        if target in HANDLE_WORDS:
            if arg.after:
                known = self.handles.get((HANDLE_WORDS[target], arg.after))
                return Argument(target, output=known or self._created(target, arg.after), final=1)
            return Argument(target, output=self._fresh(HANDLE_WORDS[target], target), final=arg.after)
        return Argument(target, output=self._fresh("value", target), initial=arg.before, final=arg.after)

    def _address(self, ctype: str, value: int) -> Argument:
        for start, (name, size) in self.host.items():
            if start <= value < start + max(size, 1):
                return Argument(ctype, variable=name, offset=value - start)
        return Argument(ctype, literal=value)
