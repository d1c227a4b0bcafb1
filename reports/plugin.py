"""The pytest side of the reports: output folder, journal lines, Allure labels, the summary at the end."""

from __future__ import annotations

import faulthandler
import os
import subprocess
from collections.abc import Generator
from datetime import date
from pathlib import Path
from typing import TextIO

import pytest

from fixtures.items import CASE, ENDING, SESSION, is_case, parameter_words
from fixtures.judging import expectations_of
from fixtures.markers import ROOT, rules_of, the_catalogue
from fixtures.plugin import RECYCLE, is_worker, toolkit_of, touches_suites
from reports import allure_view
from reports.expectation_patch import patch, stale
from reports.incidents import forget
from reports.journal import KEY, Journal, OutputError, worker_journal
from reports.output import (
    explanation,
    lost,
    still_writable,
    stop,
    write_allure_carefully,
    write_junit_carefully,
    write_no_containers,
)
from reports.read import JournalError, Run, read_run
from reports.reproducer import leave_reproducer
from reports.summary import summary_lines, write_record
from reports.workers import WorkerDeaths

FAULT_FILE = pytest.StashKey[TextIO]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The output option."""
    parser.getgroup("modelri").addoption(
        "--out", type=Path, default=Path("out"), help="folder for journal, record, JUnit and Allure results"
    )
    parser.getgroup("modelri").addoption(
        "--minimize",
        action="store_true",
        help="shorten each reproducer to the fewest calls that still show the finding",
    )
    parser.getgroup("modelri").addoption(
        "--update-expectations", action="store_true", help="write what the expectations file should become as a patch"
    )


def reporting(config: pytest.Config) -> bool:
    """Whether this run leaves reports behind: a conformance run that is not a listing."""
    return not config.option.collectonly and not config.getoption("rules") and touches_suites(config)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Prepare the output folder and point JUnit and Allure at it, unless the command line did.

    Workers parse the command line for themselves, so they are pointed at the same folders here.
    """
    if not reporting(config):
        return
    write_allure_carefully()
    write_junit_carefully()
    write_no_containers()
    out = config.getoption("out").resolve()
    config.option.out = out
    config.option.allure_report_dir = config.option.allure_report_dir or str(out / "allure-results")
    if is_worker(config):
        return
    config.option.xmlpath = config.option.xmlpath or str(out / "junit.xml")
    try:
        for folder in (out / "journal", out / "repro", Path(config.option.allure_report_dir)):
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.iterdir():
                old.unlink()
    except OSError as error:
        pytest.exit(f"cannot write {error.filename}: {error.strerror}; choose a folder with --out", returncode=2)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Open this process's journal: that of a worker, or that of the controller, which speaks for dead workers."""
    config = session.config
    if not reporting(config):
        return
    worker = getattr(config, "workerinput", {}).get("workerid", "main" if runs_here(config) else "controller")
    try:
        journal = Journal(Path(config.getoption("out")) / "journal" / f"{worker}.jsonl", worker)
        journal.header(toolkit_of(config), revision=revision())
    except OutputError as error:
        pytest.exit(str(error), returncode=2)
    config.stash[KEY] = journal
    if worker == "controller":
        config.pluginmanager.register(WorkerDeaths(config, journal), "modelri_worker_deaths")
    elif is_worker(config):
        # The Python stack of a crash goes beside the journal, for the controller to find.
        config.stash[FAULT_FILE] = journal.path.with_suffix(".fault").open("w")
        faulthandler.enable(config.stash[FAULT_FILE])


def runs_here(config: pytest.Config) -> bool:
    """Whether this process runs the cases itself (``-n 0``)."""
    return config.getoption("dist", "no") == "no" or not config.getoption("tx", None)


def revision() -> str:
    """The suite's git revision, or ``unknown`` outside a git checkout."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "unknown"
    return done.stdout.strip() or "unknown"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Frame each case with its ``started`` and ``verdict`` records."""
    config = item.config
    journal = worker_journal(config)
    if journal is None or not is_case(item):
        return (yield)
    if config.stash.get(RECYCLE, False) and is_worker(config):
        journal.write("recycle", case=item.nodeid)
        os._exit(0)  # the controller puts the case back into the queue
    session = config.stash.get(SESSION, None)
    mark = session.library.ring.mark() if session else 0
    journal.started(item.nodeid, rules=[one.id for one in rules_of(item)], params=parameter_words(item), mark=mark)
    result = yield
    case, ending = item.stash[CASE], item.stash[ENDING]
    journal.verdict(
        item.nodeid,
        verdict=ending.verdict.value,
        red=ending.red,
        reason=ending.reason,
        message=ending.message,
        expectation=ending.expectation,
        code=ending.code,
        seconds=round(ending.seconds, 6),
        observations=[(one.label, one.value) for one in case.observations],
        calls=case.count,
    )
    if (failed := lost()) is not None:
        item.session.shouldstop = explanation(failed, Path(config.getoption("out")))
    return result


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Label the case for Allure before it runs."""
    if is_case(item) and CASE in item.stash:
        allure_view.label(item.stash[CASE])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Outermost: show the verdict, which ``fixtures.judging`` has settled, to JUnit and Allure."""
    report = yield
    if not is_case(item) or CASE not in item.stash:
        return report
    case, ending = item.stash[CASE], item.stash[ENDING]
    if report.failed:
        program = None
        if case.frozen:
            program = leave_reproducer(
                item.config, case.nodeid, ending.message, case.calls(), verdict=ending.verdict, proof=ending.proof
            )
        allure_view.evidence(case, ending.message, program=program)
    if call.when == "call":
        allure_view.observations(case)
    if call.when == "teardown":
        session = item.config.stash.get(SESSION, None)
        allure_view.finish(item.config, item.nodeid, ending.verdict, soc=session.soc if session else "unknown")
        item.user_properties.append(("verdict", ending.verdict.value))
        item.user_properties.append(("rules", " ".join(one.id for one in case.rules)))
        report.user_properties = item.user_properties
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Close the worker's journal; in the controller, write the views that need the whole run."""
    config = session.config
    journal = worker_journal(config)
    if journal is not None:
        journal.close(status=int(exitstatus))
        if is_worker(config):
            faulthandler.disable()
            config.stash[FAULT_FILE].close()
        forget(journal.path)
    if is_worker(config) or not reporting(config):
        return
    out = Path(config.getoption("out"))
    if error := lost() or still_writable(out):
        stop(session, error)
        return
    run = finished_run(config)
    if run is None:
        return
    try:
        write_record(run, out / "record.json")
        allure_view.write_run_files(run, Path(config.option.allure_report_dir))
        if config.getoption("update_expectations"):
            write_patch(config, run, out / "expectations.patch")
    except OSError as error:
        stop(session, error)
        return
    if stale(run, expectations_of(config)) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def write_patch(config: pytest.Config, run: Run, path: Path) -> None:
    """Write what the run asks the (first named) expectations file to become."""
    files = config.getoption("expectations") or [Path("suites/expectations/new.toml")]
    version = toolkit_of(config).header_version
    text = patch(
        run,
        files[0],
        expectations_of(config),
        version=".".join(map(str, version)) if version else "",
        today=date.today(),
    )
    path.write_text(text, encoding="utf-8")


def finished_run(config: pytest.Config) -> Run | None:
    """The run as its journals have it; None when nothing was run."""
    folder = Path(config.getoption("out")) / "journal"
    return read_run(folder, salvage=True) if any(folder.glob("*.jsonl")) else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print verdicts by area and rule, and where the reports are."""
    if not reporting(config) or is_worker(config):
        return
    try:
        run = finished_run(config)
    except JournalError as error:
        terminalreporter.write_line(f"journal: {error}", red=True)
        return
    if (failed := lost()) is not None:
        terminalreporter.write_line(f"error: {explanation(failed, Path(config.getoption('out')))}", red=True)
    if run is None or not run.cases:
        return
    terminalreporter.section("conformance by area and rule")
    for line in summary_lines(run, the_catalogue()):
        terminalreporter.write_line(line)
    for one in stale(run, expectations_of(config)):
        terminalreporter.write_line(
            f"      stale  {one.rule}  no case shows it any more; remove the expectation ({one.key})"
        )
    out = Path(config.getoption("out"))
    if config.getoption("update_expectations"):
        terminalreporter.write_line(f"patch   {out / 'expectations.patch'}  (read it, then: git apply)")
    for what, name in (
        ("record", "record.json"),
        ("JUnit", "junit.xml"),
        ("Allure", "allure-results"),
        ("repro", "repro"),
    ):
        if (out / name).exists():
            terminalreporter.write_line(f"{what:7} {out / name}")
