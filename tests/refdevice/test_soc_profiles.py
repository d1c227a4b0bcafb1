"""The reference device as each SoC: what it has is what the catalogue says, and a whole run there is green."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from catalogue.soc import _support
from cffi_build import find_toolkit
from cffi_build.module import module_for
from fixtures.limits import LIMITS
from tests.harness import ROOT
from tests.harness import pytest as run_pytest

COLUMNS = ("950", "A3", "A2", "310p", "310b", "910", "IPV350")
PRODUCTS = {"950PR": "950", "950DT": "950"}


def device_table() -> dict[str, frozenset[str]]:
    """refdevice/src/support.def: function → families; what it does not list, every family has."""
    text = (ROOT / "refdevice" / "src" / "support.def").read_text()
    rows = re.findall(r"^SUPPORT\((\w+), 0b([01]{7})\)$", text, re.MULTILINE)
    return {name: frozenset(c for c, bit in zip(COLUMNS, bits, strict=True) if bit == "1") for name, bits in rows}


def test_the_device_has_the_functions_that_the_documents_give_its_soc() -> None:
    device, catalogue = device_table(), _support()
    exported = module_for(find_toolkit(None, {})).functions
    wanted = {
        name: frozenset(PRODUCTS.get(one, one) for one in families)
        for name, families in catalogue.items()
        if name in exported
    }
    differing = {name for name, families in wanted.items() if device.get(name, frozenset(COLUMNS)) != families}
    assert not differing
    assert not set(device) - set(catalogue), "in support.def, but not in catalogue/support.toml"


def test_the_device_has_the_documented_limits() -> None:
    text = (ROOT / "refdevice" / "src" / "soc.cpp").read_text()
    rows = {
        int(column): (int(streams), int(events))
        for column, streams, events in re.findall(r'\{"\w+", (\d), \{(\d+), (\d+),', text)
    }
    assert len(rows) == len(COLUMNS)
    for family, limits in LIMITS.items():
        assert rows[COLUMNS.index(family)] == (limits.streams, limits.events), family


# Where captures exist, and where the documents give none; whole runs are the business of `.ci/run`.
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
