"""The controller's side of workers that die: charge the right case, once, and let the session go on.

pytest-xdist replaces the worker and names the case that was first in its queue; the journal knows better whether
that case had begun, had ended, or is the one to blame.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from _pytest.junitxml import xml_key

from fixtures.markers import the_catalogue
from reports import allure_view
from reports.incidents import Ending, Incident, examine, forget
from reports.journal import Journal
from reports.reproducer import leave_reproducer

REQUEUE_LIMIT = 3


class WorkerDeaths:
    """Writes the verdicts of dead workers' cases into the controller's journal, JUnit and Allure."""

    def __init__(self, config: pytest.Config, journal: Journal) -> None:
        """``journal`` is the controller's own, in the run's journal folder."""
        self._config = config
        self._journal = journal
        self._requeued: Counter[str] = Counter()

    @pytest.hookimpl
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """A case that was put back into the queue is no result."""
        return ("", "", "") if str(report.outcome) == "rerun" else None

    @pytest.hookimpl
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport, sched: Any) -> None:
        """Decide what the death of a worker says of the case at the head of its queue."""
        worker = report.node
        path = self._journal.path.with_name(f"{worker.gateway.id}.jsonl")
        incident = examine(path, crashitem, status=exit_status(worker))
        forget(path)
        tries = self._requeued[crashitem]
        if incident.ending is Ending.RUNNING:
            self._charge(incident, report, path)
        elif incident.ending is Ending.NOT_STARTED and tries >= REQUEUE_LIMIT:
            reason = f"its worker died {tries + 1} times before the case began"
            self._charge(replace(incident, reason=reason), report, path)
        else:
            report.outcome = "rerun"  # type: ignore[assignment]  # neither passed nor failed: not a result
            if incident.ending is Ending.NOT_STARTED:
                self._requeued[crashitem] += 1
                sched.mark_test_pending(crashitem)

    def _charge(self, incident: Incident, report: pytest.TestReport, path: Path) -> None:
        message = incident.message(the_catalogue())
        report.longrepr = message
        report.when = "call"
        verdict = incident.verdict.value
        self._journal.verdict(
            incident.case,
            rules=list(incident.rules),
            params=incident.params,
            worker=path.stem,
            verdict=verdict,
            red=True,
            reason=incident.reason,
            message=message,
            stacks=incident.stacks,
            last_call=incident.call.function if incident.call else "",
            calls=len(incident.calls),
            seconds=0.0,
        )
        report.user_properties = [("verdict", verdict), ("rules", " ".join(incident.rules))]
        xml = self._config.stash.get(xml_key, None)
        if xml is not None:
            reporter = xml.node_reporter(report)
            for name, value in report.user_properties:
                reporter.add_property(name, value)
        program = leave_reproducer(self._config, incident.case, message, incident.calls, verdict=incident.verdict)
        if self._config.option.allure_report_dir:
            folder = Path(self._config.option.allure_report_dir)
            allure_view.write_result(incident, message, folder, program=program)


def exit_status(worker: Any) -> int | None:
    """The exit status of a worker process, negative for a signal; None where it cannot be had."""
    process = getattr(getattr(worker.gateway, "_io", None), "popen", None)
    if process is None:
        return None
    status: int | None = process.wait()
    return status
