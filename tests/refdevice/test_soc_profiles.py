"""The reference device as each SoC: what it has is what the catalogue says, and what it lacks is reported so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from catalogue import supports
from cffi_build import find_toolkit
from cffi_build.module import module_for
from fixtures.limits import LIMITS
from tests.harness import ROOT
from tests.harness import pytest as run_pytest

# The columns of support.def, and SoCs of each. Two products differ: the device has what either of them has.
SOCS = {
    "950": ("Ascend950PR_9599", "Ascend950DT_9582"),
    "A3": ("Ascend910_9362",),
    "A2": ("Ascend910B2",),
    "310p": ("Ascend310P3",),
    "310b": ("Ascend310B4",),
    "910": ("Ascend910A",),
    "IPV350": ("IPV350",),
}
COLUMNS = tuple(SOCS)


def device_table() -> dict[str, frozenset[str]]:
    """refdevice/src/support.def: function → families; what it does not list, every family has."""
    text = (ROOT / "refdevice" / "src" / "support.def").read_text()
    rows = re.findall(r"^SUPPORT\((\w+), 0b([01]{7})\)$", text, re.MULTILINE)
    return {name: frozenset(c for c, bit in zip(COLUMNS, bits, strict=True) if bit == "1") for name, bits in rows}


def test_the_device_has_the_functions_that_the_documents_give_its_soc() -> None:
    device, exported = device_table(), module_for(find_toolkit(None, {})).functions
    for family, socs in SOCS.items():
        answers = {name: [supports(soc, name) for soc in socs] for name in exported}
        said = {name: any(found) for name, found in answers.items() if None not in found}
        differing = {name for name, found in said.items() if (family in device.get(name, COLUMNS)) != found}
        assert not differing, family
    unknown = {name for name in device if supports(SOCS["A2"][0], name) is None}
    assert not unknown, "in support.def, but not in catalogue/support.toml"


def test_the_device_has_the_documented_limits() -> None:
    text = (ROOT / "refdevice" / "src" / "soc.cpp").read_text()
    rows = {
        int(column): (int(streams), int(events))
        for column, streams, events in re.findall(r'\{"\w+", (\d), \{(\d+), (\d+),', text)
    }
    assert len(rows) == len(COLUMNS)
    for family, limits in LIMITS.items():
        assert rows[COLUMNS.index(family)] == (limits.streams, limits.events), family


# Where captures exist, and where the documents give none; a whole run is `make conform SOC=…`.
@pytest.mark.parametrize(
    ("soc", "verdict"),
    [
        ("Ascend950PR_9599", "conforms"),
        ("Ascend910_9362", "conforms"),
        ("Ascend310P3", "conforms"),
        ("Ascend310B4", "unsupported"),
        ("Ascend910A", "unsupported"),
        ("IPV350", "unsupported"),
    ],
)
def test_a_rule_of_a_missing_function_is_unsupported(tmp_path: Path, soc: str, verdict: str) -> None:
    case = "suites/cap/test_begin_and_end.py::test_capture_of_an_idle_stream"
    ran = run_pytest(case, "-n1", f"--out={tmp_path}", REFDEVICE_SOC=soc)
    assert ran.code == 0, ran.text
    record = json.loads((tmp_path / "record.json").read_text())
    assert {one["verdict"] for one in record["cases"]} == {verdict}
    if verdict == "unsupported":
        assert f"is not supported on {soc}" in ran.out
