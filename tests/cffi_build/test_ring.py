"""The call ring: what is on record, in which order, also from other threads and after the process is gone."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cffi_build import Library, Toolkit, open_library, read_ring
from cffi_build.errors import BadRingFile
from cffi_build.library import RING_CAPACITY
from tests.cffi_build.toolkits import make_toolkit
from tests.harness import ROOT


@pytest.fixture(scope="module")
def toolkit(tmp_path_factory: pytest.TempPathFactory) -> Toolkit:
    return make_toolkit(tmp_path_factory.mktemp("mini"))


@pytest.fixture
def library(toolkit: Toolkit) -> Library:
    return open_library(toolkit)


def test_arguments_results_and_pointees_are_on_record(library: Library) -> None:
    total = library.ffi.new("int32_t *", -7)
    library.aclrtMiniAdd(-2, 5, total)
    (call,) = library.ring.since(0)
    assert (call.function, call.result, call.returned) == ("aclrtMiniAdd", 0, True)
    assert [one.name for one in call.args] == ["left", "right", "sum"]
    assert call.args[0].value == (1 << 64) - 2
    assert (call.args[2].before, call.args[2].after) == ((1 << 32) - 7, 3)
    assert call.end_ns is not None
    assert call.end_ns >= call.begin_ns


def test_enums_floats_and_handles_are_on_record(library: Library) -> None:
    ffi = library.ffi
    library.aclrtMiniPaint(4, ffi.new("aclMiniColour *"))
    library.aclrtMiniCreate(ffi.new("aclrtStream *"), 1.5, 2.5)
    paint, create = library.ring.since(0)
    assert (paint.args[0].ctype, paint.args[0].value) == ("aclMiniColour", 4)
    assert create.args[0].after == 0x1234
    assert create.args[1].value == 0x3FC00000
    assert create.args[2].value == 0x4004000000000000


def test_text_and_pointer_results_are_on_record(library: Library) -> None:
    library.aclrtMiniName(b"a rather long prefix")
    (call,) = library.ring.since(0)
    assert call.args[0].text == "a rather long prefix"
    assert call.result == call.args[0].value


def test_structs_by_value_do_no_harm(library: Library) -> None:
    total = library.ffi.new("int64_t *")
    library.aclrtMiniPairSum({"first": 3, "second": 4}, total)
    (call,) = library.ring.since(0)
    assert total[0] == call.args[1].after == 7
    assert call.args[0].value == 3 | 4 << 32


def test_the_pointee_of_a_refused_call_has_no_after(library: Library) -> None:
    library.aclrtMiniFail(library.ffi.new("int32_t *", 9))
    (call,) = library.ring.since(0)
    assert (call.result, call.args[0].before, call.args[0].after) == (4711, 9, None)


def test_notes_stand_in_their_order(library: Library) -> None:
    library.ring.note("before")
    library.aclrtMiniFail(library.ffi.NULL)
    library.ring.note("x" * 450)
    records = library.ring.since(0)
    assert [one.is_note for one in records] == [True, False, True, True, True]
    assert records[0].text == "before"
    assert "".join(one.text for one in records[2:]) == "x" * 450


def test_a_mark_divides_before_and_after(library: Library) -> None:
    library.aclrtMiniFail(library.ffi.NULL)
    mark = library.ring.mark()
    library.aclrtMiniName(b"after")
    assert [one.function for one in library.ring.since(mark)] == ["aclrtMiniName"]


def test_threads_are_told_apart(library: Library) -> None:
    def work() -> None:
        for _ in range(500):
            library.aclrtMiniFail(library.ffi.NULL)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    records = library.ring.since(0)
    assert len(records) == 2000
    assert (
        sorted(sum(one.thread == thread for one in records) for thread in {one.thread for one in records}) == [500] * 4
    )


def test_the_newest_records_stay_when_the_ring_turns(library: Library) -> None:
    for number in range(RING_CAPACITY + 10):
        library.aclrtMiniAdd(number, 0, library.ffi.new("int32_t *"))
    records = library.ring.since(0)
    assert len(records) == RING_CAPACITY
    assert (records[0].args[0].value, records[-1].args[0].value) == (10, RING_CAPACITY + 9)


BLOCKED = """
import sys
from pathlib import Path
from cffi_build import open_library
from cffi_build.toolkit import inspect
library = open_library(inspect(Path(sys.argv[1]), "a test"), ring_path=Path(sys.argv[2]))
library.ring.note("about to block")
library.aclrtMiniAdd(1, 2, library.ffi.new("int32_t *"))
print("ready", flush=True)
library.aclrtMiniBlock(b"/some/path")
"""


def test_the_last_calls_survive_a_kill(toolkit: Toolkit, tmp_path: Path) -> None:
    ring = tmp_path / "gw0.ring"
    command = [sys.executable, "-c", BLOCKED, str(toolkit.prefix), str(ring)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        while len(read_ring(ring).calls) < 3:
            assert child.poll() is None
        child.send_signal(signal.SIGKILL)
    left = read_ring(ring)
    note, add, block = left.calls
    assert left.enumerators("aclMiniColour")[4] == "ACL_MINI_BLUE"
    assert note.text == "about to block"
    assert (add.function, add.result) == ("aclrtMiniAdd", 0)
    assert (block.function, block.returned, block.args[0].text) == ("aclrtMiniBlock", False, "/some/path")


@pytest.mark.parametrize("content", [b"", b"something else", b"MRIRING1"])
def test_a_foreign_or_cut_ring_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.ring"
    path.write_bytes(content)
    path.with_name("x.ring.json").write_text('{"functions": [], "enums": {}}')
    with pytest.raises(BadRingFile, match="not a call ring, or cut off"):
        read_ring(path)


def test_a_missing_ring_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadRingFile, match="No such file"):
        read_ring(tmp_path / "none.ring")
