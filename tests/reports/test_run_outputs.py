"""What a run leaves behind: journal, record, JUnit, Allure; and what a person reads in the terminal."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from fixtures.markers import the_catalogue
from tests.harness import Ran
from tests.harness import pytest as run_pytest

SELECT = ("-k", "SYNC-001 or SYNC-018 or DATA-001")


@pytest.fixture(scope="module")
def green(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    out = tmp_path_factory.mktemp("green")
    return run_pytest("suites", *SELECT, f"--out={out}"), out


@pytest.fixture(scope="module")
def red(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    out = tmp_path_factory.mktemp("red")
    return run_pytest("suites", *SELECT, f"--out={out}", REFDEVICE_FAULT="SYNC-001:skip,DATA-001:skip"), out


def results(out: Path) -> list[dict[str, object]]:
    return [json.loads(one.read_text()) for one in sorted((out / "allure-results").glob("*-result.json"))]


def labels(result: dict[str, object], name: str) -> list[str]:
    return [one["value"] for one in result["labels"] if one["name"] == name]  # type: ignore[attr-defined]


def test_the_first_lines_say_what_is_tested(green: tuple[Ran, Path]) -> None:
    ran, _ = green
    assert ran.code == 0
    assert "toolkit:   " in ran.out
    assert "the embedded reference device: no --toolkit, no ASCEND_HOME_PATH, no CANN installed" in ran.out
    assert "version 1.17.0" in ran.out
    assert "libascendcl.so" in ran.out
    assert "SoC:       Ascend910B2" in ran.out


def test_the_summary_is_by_area_and_rule(red: tuple[Ran, Path]) -> None:
    ran, _ = red
    assert ran.code == 1
    assert "conformance by area and rule" in ran.out
    assert f"violates  SYNC-001  {the_catalogue()['SYNC-001'].statement}" in ran.out
    assert "6 x SYNC-001: accepted what must be refused" in ran.out


def test_the_record_is_complete(green: tuple[Ran, Path]) -> None:
    record = json.loads((green[1] / "record.json").read_text())
    assert record["rules"] == {"DATA-001": "conforms", "SYNC-001": "conforms", "SYNC-018": "conforms"}
    assert len(record["cases"]) == 13
    assert record["devices"][0]["soc"] == "Ascend910B2"
    assert record["headers"][0]["header_version"] == "1.17.0"
    observed = [one for one in record["cases"] if one["rules"] == ["SYNC-018"]]
    assert all("aclrtS" in one["observations"][0][0] for one in observed)


def test_junit_carries_verdict_and_rules(red: tuple[Ran, Path]) -> None:
    cases = ET.parse(red[1] / "junit.xml").getroot().iter("testcase")
    found = {}
    for case in cases:
        properties = {one.get("name"): one.get("value") for one in case.iter("property")}
        found.setdefault((properties["rules"], properties["verdict"]), 0)
        found[properties["rules"], properties["verdict"]] += 1
    assert found == {("SYNC-001", "violates"): 6, ("SYNC-018", "conforms"): 6, ("DATA-001", "violates"): 1}


def test_allure_has_one_labelled_result_a_case(green: tuple[Ran, Path]) -> None:
    found = results(green[1])
    assert len(found) == 13
    for result in found:
        rule = labels(result, "rule")[0]
        assert labels(result, "epic") == ["modelRI"]
        assert labels(result, "feature") == [rule.split("-")[0]]
        assert labels(result, "story") == [f"{rule} {the_catalogue()[rule].statement}"]
        assert labels(result, "verdict") == ["conforms"]
        assert labels(result, "severity")
        assert result["links"]
    assert {one for result in found for one in labels(result, "mode")} == {"global", "thread_local", "relaxed"}


def test_allure_identities_do_not_depend_on_the_run(green: tuple[Ran, Path], red: tuple[Ran, Path]) -> None:
    first, second = ({one["historyId"] for one in results(out)} for _, out in (green, red))
    assert first == second
    assert len(first) == 13
    values = {one["value"] for result in results(green[1]) for one in result.get("parameters", [])}  # type: ignore[attr-defined]
    assert "'sync_stream-own_thread-global'" in values
    assert not any("0x" in one for one in values)


def test_allure_shows_evidence_only_where_it_is_needed(green: tuple[Ran, Path], red: tuple[Ran, Path]) -> None:
    plain = [one for one in results(green[1]) if labels(one, "rule") != ["SYNC-018"]]
    assert not any(one.get("attachments") for one in plain)
    failed = [one for one in results(red[1]) if one["status"] == "failed"]
    assert len(failed) == 7
    for one in failed:
        names = {attachment["name"] for attachment in one["attachments"]}  # type: ignore[attr-defined]
        assert {"finding", "calls"} <= names
        assert labels(one, "verdict") == ["violates"]


def test_a_red_case_with_a_model_shows_its_json(red: tuple[Ran, Path]) -> None:
    one = next(one for one in results(red[1]) if labels(one, "rule") == ["DATA-001"])
    attachment = next(a for a in one["attachments"] if a["name"] == "model1.json")  # type: ignore[attr-defined]
    tasks = json.loads((red[1] / "allure-results" / attachment["source"]).read_text())
    assert [task["name"] for task in tasks] == ["MEMCPY_ASYNC", "KERNEL_AIVEC", "MEMCPY_ASYNC"]


def test_allure_knows_the_run(green: tuple[Ran, Path]) -> None:
    folder = green[1] / "allure-results"
    assert "SoC=Ascend910B2\n" in (folder / "environment.properties").read_text()
    names = [one["name"].split(":")[0] for one in json.loads((folder / "categories.json").read_text())]
    assert names == ["violates", "deviates", "crashed", "hung", "unsupported", "waived", "not-run"]


def test_an_unwritable_output_folder_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file in the way")
    ran = run_pytest("suites", *SELECT, f"--out={tmp_path}/out/below")
    assert ran.code == 2
    assert "choose a folder with --out" in ran.text
    assert "Traceback" not in ran.text


def test_a_bad_toolkit_is_one_clear_error(tmp_path: Path) -> None:
    ran = run_pytest("suites", *SELECT, f"--toolkit={tmp_path}/none", f"--out={tmp_path}/out")
    assert ran.code == 2
    assert "is not a folder; name an existing CANN prefix" in ran.text
    assert "Traceback" not in ran.text
