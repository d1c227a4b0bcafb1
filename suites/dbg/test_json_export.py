"""aclmdlRIDebugJsonPrint: what it writes, and which paths it refuses (API reference 15).

Plan
- an ended captured model and a built one; the file is made                                    DBG-001, 002, 011, 020
- the basic fields of each task; the id of the model                                           DBG-003, 004, 022
- kernel arguments: with VERBOSE, not with SUMMARY                                             DBG-005, 006
- extension info of a task                                                                     DBG-021
- paths and arguments that are refused                                                 DBG-008 … 010, 013, 014, 023
- recorded: other flags, an existing file, a model that is being captured                      DBG-007, 012, 018
The spelling of fields is not documented, so they are matched without blanks and case.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from fixtures import CaptureMode, Device, each_mode, rule
from fixtures.build import building
from fixtures.capture import Model
from fixtures.counter import Counter
from fixtures.export import BASIC, events_of, read, tasks_of
from fixtures.unprivileged import unprivileged

R = CaptureMode.RELAXED
SUMMARY, VERBOSE = 0, 1
FLAGS = [pytest.param(SUMMARY, id="summary"), pytest.param(VERBOSE, id="verbose")]


def captured(device: Device, mode: CaptureMode) -> Model:
    """A model of an operator and a copy between two buffers of the device."""
    first, second, out = (device.buffer(np.full(8, value, np.float32)) for value in (1, 2, 0))
    operator = device.add(first, second, out)
    with device.capture(mode) as capture:
        operator.launch(capture.stream).required()
        capture.stream.copy(first, out).required()
    return capture.model


def export(device: Device, model: Model, path: Path, *, flags: int = SUMMARY) -> str:
    """What the call wrote; the case only builds on its success."""
    model.print_json(path, flags=flags).required()
    text = read(path)
    device.case.require(bool(text), what="the exported file", expected="a file with content", actual=text)
    return text


@each_mode()
@pytest.mark.parametrize("flags", FLAGS)
@rule("DBG-001", "DBG-011")
def test_export_makes_its_file(device: Device, mode: CaptureMode, tmp_path: Path, flags: int) -> None:
    path = tmp_path / "model.json"
    captured(device, mode).print_json(path, flags=flags).succeeds()
    size = path.stat().st_size if path.exists() else None
    device.case.expect(bool(size), what="the exported file", expected="made, not empty", actual=size, in_calls=False)


@rule("DBG-020")
def test_export_of_a_built_model(device: Device, tmp_path: Path) -> None:
    counter, path = Counter(device), tmp_path / "model.json"
    with building(device) as (model, stream):
        counter.submit(stream)
    model.print_json(path).succeeds()
    tasks = tasks_of(read(path))
    device.case.expect(bool(tasks), what="tasks in the export", expected="some", actual=tasks, in_calls=False)


@each_mode()
@pytest.mark.parametrize("flags", FLAGS)
@rule("DBG-002")
def test_export_loads_in_a_trace_viewer(device: Device, mode: CaptureMode, tmp_path: Path, flags: int) -> None:
    text = export(device, captured(device, mode), tmp_path / "model.json", flags=flags)
    try:
        found = f"{len(events_of(text))} events"
    except ValueError as error:
        found = str(error)
    device.case.expect(
        found not in ("0 events",) and found.endswith(" events"),
        what="the export as JSON for a trace viewer",
        expected="a list of events",
        actual=found,
        in_calls=False,
    )


@each_mode()
@pytest.mark.parametrize("flags", FLAGS)
@rule("DBG-003", "DBG-004")
def test_export_lists_the_basic_fields(device: Device, mode: CaptureMode, tmp_path: Path, flags: int) -> None:
    tasks = tasks_of(export(device, captured(device, mode), tmp_path / "model.json", flags=flags))
    lacking = [sorted(set(BASIC) - set(task)) for task in tasks]
    device.case.expect(len(tasks) >= 2, what="tasks in the export", expected="2", actual=len(tasks), in_calls=False)
    device.case.expect(
        not any(lacking), what="basic fields that a task lacks", expected="none", actual=lacking, in_calls=False
    )


@each_mode()
@rule("DBG-022")
def test_export_has_the_id_of_the_model(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    for number in range(2):
        model, wanted = captured(device, mode), device.ffi.new("uint32_t *")
        device.call("aclmdlRIGetId", model.handle, wanted).required()
        ids = {str(task.get("modelid")) for task in tasks_of(export(device, model, tmp_path / f"{number}.json"))}
        device.case.expect(
            ids == {str(wanted[0])}, what="model id of every task", expected=wanted[0], actual=ids, in_calls=False
        )


@each_mode()
@rule("DBG-005", "DBG-006")
def test_kernel_arguments_are_in_the_verbose_export_only(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    model = captured(device, mode)
    brief, full = (
        {name for task in tasks_of(export(device, model, tmp_path / f"{flags}.json", flags=flags)) for name in task}
        for flags in (SUMMARY, VERBOSE)
    )
    more = {name for name in full - brief if "arg" in name or "param" in name}
    device.case.expect(
        bool(more), what="argument fields that VERBOSE adds", expected="some", actual=sorted(more), in_calls=False
    )


@each_mode()
@rule("DBG-021")
def test_extension_info_is_in_the_export(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    counter, token = Counter(device), "layer-17-attention"
    info = json.dumps({"scope": token}).encode()
    with device.capture(mode) as capture:
        counter.submit(capture.stream)
        device.call("aclrtCacheLastTaskExtendInfo", info, len(info)).required()
    text = export(device, capture.model, tmp_path / "model.json", flags=VERBOSE)
    device.case.expect(
        token in text, what="the extension info of a task", expected=token, actual=text[:2000], in_calls=False
    )


# -- refusals


@each_mode()
@rule("DBG-008")
def test_export_into_a_missing_folder_is_refused(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    model = captured(device, mode)
    model.print_json(tmp_path / "missing" / "model.json").refused()
    model.print_json(tmp_path / "model.json").succeeds()  # control


@each_mode()
@rule("DBG-010")
def test_export_into_a_folder_is_refused(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    model = captured(device, mode)
    model.print_json(tmp_path).refused()
    model.print_json(tmp_path / "model.json").succeeds()  # control


@each_mode()
@rule("DBG-009")
def test_export_to_a_read_only_file_is_refused(device: Device, mode: CaptureMode) -> None:
    model = captured(device, mode)
    with unprivileged(device) as user:
        path = user.file("readonly.json", permissions=0o444)
        user.caller.run(lambda: model.print_json(path)).refused()
        kept = read(path)
        device.case.expect(kept == "", what="the file after the refusal", expected="", actual=kept, in_calls=False)
        user.caller.run(lambda: model.print_json(user.folder / "model.json")).succeeds()  # control


@each_mode()
@rule("DBG-023")
def test_export_to_an_unreadable_file_is_refused(device: Device, mode: CaptureMode) -> None:
    model = captured(device, mode)
    with unprivileged(device) as user:
        path = user.file("writeonly.json", permissions=0o222)
        user.caller.run(lambda: model.print_json(path)).refused()
        readable = user.file("readable.json", permissions=0o666)
        user.caller.run(lambda: model.print_json(readable)).succeeds()  # control


@rule("DBG-013")
def test_export_without_a_path_is_refused(device: Device, tmp_path: Path) -> None:
    model = captured(device, R)
    device.debug_json(model.handle, None).refused()
    model.print_json(tmp_path / "model.json").succeeds()  # control


@rule("DBG-014")
def test_export_of_no_model_is_refused(device: Device, tmp_path: Path) -> None:
    device.debug_json(device.ffi.NULL, tmp_path / "none.json").refused()
    device.case.expect(
        not (tmp_path / "none.json").exists(), what="a file", expected="none", actual="made", in_calls=False
    )
    captured(device, R).print_json(tmp_path / "model.json").succeeds()  # control


# -- recorded


@each_mode()
@pytest.mark.parametrize("flags", [2, 3, 0xFFFFFFFF], ids=["two", "three", "all_bits"])
@rule("DBG-007")
def test_export_with_other_flags(device: Device, mode: CaptureMode, tmp_path: Path, flags: int) -> None:
    model, path = captured(device, mode), tmp_path / "model.json"
    if model.print_json(path, flags=flags).observed_acceptance(f"export with flags {flags:#x}"):
        device.case.observe("kernel arguments", "kernelargs" in read(path).lower().replace(" ", ""))
    model.print_json(path).required()


@each_mode()
@rule("DBG-012")
def test_export_onto_an_existing_file(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    model, path = captured(device, mode), tmp_path / "model.json"
    once = export(device, model, path)
    path.write_text("something else\n")
    if model.print_json(path).observed_acceptance("export onto an existing file"):
        text = read(path)
        device.case.observe("the file afterwards", "overwritten" if text == once else f"{len(text)} characters")


@each_mode()
@rule("DBG-018")
def test_export_during_the_capture(device: Device, mode: CaptureMode, tmp_path: Path) -> None:
    with device.capture(mode) as capture:
        capture.mark()
        device.debug_json(capture.info().model, tmp_path / "open.json").observed("export during the capture")
        capture.ends_consistently()
    capture.model.print_json(tmp_path / "model.json").required()
