"""The Allure view: labels before a case, evidence after it, and the files that describe the whole run.

allure-pytest writes the results; this only adds to the result that is open (docs/architecture.md, "Allure").
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path

import allure
import pytest
from allure_commons.logger import AllureFileLogger
from allure_commons.model2 import Attachment, Label, Link, Parameter, Status, StatusDetails, TestResult
from allure_commons.types import AttachmentType
from allure_commons.utils import md5

from catalogue import Rule
from fixtures.case import Case
from fixtures.markers import the_catalogue
from fixtures.trace import render
from fixtures.verdict import Verdict
from reports.incidents import Incident
from reports.read import Run

DOCUMENTS = "https://gitcode.com/cann/runtime/blob/master/"

_CATEGORIES = (
    (Verdict.VIOLATES, "violates: the device breaks a documented rule", ["failed"]),
    (Verdict.DEVIATES, "deviates: refused with an undocumented code", ["failed"]),
    (Verdict.CRASHED, "crashed: the driver took the process down", ["broken"]),
    (Verdict.HUNG, "hung: a call did not return", ["broken"]),
    (Verdict.UNSUPPORTED, "unsupported: refused the documented way on this SoC", ["skipped"]),
    (Verdict.WAIVED, "waived: a known deviation, as recorded", ["skipped"]),
    (Verdict.NOT_RUN, "not-run: nothing can be said of the rule", ["failed", "broken", "skipped"]),
)


Pairs = list[tuple[str, str]]


def labels_of(rules: Iterable[Rule], params: Mapping[str, str]) -> Pairs:
    """Epic, feature = area, story = rule, severity, and labels for filtering."""
    rules = tuple(rules)
    pairs: Pairs = [("epic", "modelRI")]
    for one in rules:
        pairs += [("feature", one.area), ("story", f"{one.id} {one.statement}"), ("rule", one.id), ("area", one.area)]
        pairs += [("api", api) for api in one.api]
    pairs += [("severity", one.severity.value) for one in rules[:1]]
    if mode := params.get("mode"):
        pairs.append(("mode", mode))
    return list(dict.fromkeys(pairs))


def links_of(rules: Iterable[Rule]) -> Pairs:
    """Address and name of every source."""
    return list(dict.fromkeys((source_link(source), source) for one in rules for source in one.source))


def description_of(rules: Iterable[Rule]) -> str:
    """The rules with what they expect, as Markdown."""
    return "\n\n".join(_described(one) for one in rules)


def label(case: Case) -> None:
    """Describe the open result: labels, links to the sources, the rules."""
    for name, value in labels_of(case.rules, case.params):
        allure.dynamic.label(name, value)
    for address, name in links_of(case.rules):
        allure.dynamic.link(address, name=name)
    allure.dynamic.description(description_of(case.rules))


def _described(rule: Rule) -> str:
    return f"**{rule.id}** ({rule.kind.value}): {rule.statement}\n\nExpected: {rule.expected}"


def source_link(source: str) -> str:
    """Where a document can be read, for sources that name a file of the runtime's repository."""
    path, _, anchor = source.partition("#")
    path, _, lines = path.partition(":L")
    if not path.startswith(("docs/", "include/", "example/")):
        return DOCUMENTS
    suffix = f"#{anchor.split(' ')[0]}" if anchor else f"#L{lines.split('-')[0]}" if lines else ""
    return DOCUMENTS + path.strip() + suffix


def evidence(case: Case, message: str, *, program: str | None) -> None:
    """Attach the finding, the call trace, the models' JSON dumps and the reproducer to a case that is red."""
    allure.attach(message, name="finding", attachment_type=AttachmentType.TEXT)
    if case.library is not None:
        trace = "\n".join(render(case.calls(), library=case.library))
        allure.attach(trace, name="calls", attachment_type=AttachmentType.TEXT)
    if program is not None:
        allure.attach(program, name="repro.cpp", attachment_type=AttachmentType.TEXT)
    for name, text in case.documents.items():
        allure.attach(text, name=name, attachment_type=AttachmentType.JSON)


def observations(case: Case) -> None:
    """Attach what the device did where the documents leave it open."""
    if case.observations:
        text = "\n".join(f"{one.label}: {one.value}" for one in case.observations)
        allure.attach(text, name="observed", attachment_type=AttachmentType.TEXT)


def finish(config: pytest.Config, nodeid: str, value: Verdict, *, soc: str) -> None:
    """Label the open result with its verdict, and give it an identity that is the same on every SoC and every night.

    allure-pytest makes the history id from the parameter values, and a function's value is an address.
    """
    allure.dynamic.label("verdict", value.value)
    allure.dynamic.label("soc", soc)
    listener = config.pluginmanager.get_plugin("allure_listener")
    result = listener.allure_logger.get_test(None) if listener else None
    if result is not None:
        identify(result, nodeid)


def identify(result: TestResult, nodeid: str) -> None:
    """What a result is recognised by from run to run: the case's id, and its words as the one parameter."""
    result.historyId = md5(nodeid)
    _, bracket, words = nodeid.partition("[")
    result.parameters = [Parameter(name="case", value=repr(words.rstrip("]")))] if bracket else []


def write_result(incident: Incident, message: str, folder: Path, *, program: str | None) -> None:
    """The result of a case whose worker died: allure-pytest, which lived in the worker, has written none."""
    rules = [the_catalogue()[one] for one in incident.rules]
    file, _, name = incident.case.partition("::")
    full_name = f"{file.removesuffix('.py').replace('/', '.')}#{name.partition('[')[0]}"
    now = int(time.time() * 1000)
    result = TestResult(
        uuid=str(uuid.uuid4()),
        name=name,
        fullName=full_name,
        status=Status.BROKEN,
        statusDetails=StatusDetails(message=message, trace=incident.stacks or None),
        description=description_of(rules),
        start=now,
        stop=now,
    )
    identify(result, incident.case)
    result.testCaseId = md5(full_name)
    labels = [*labels_of(rules, incident.params), ("verdict", incident.verdict.value), ("soc", incident.soc)]
    result.labels = [Label(name=one, value=value) for one, value in labels]
    result.links = [Link(type="link", url=address, name=one) for address, one in links_of(rules)]
    texts = {"finding": message, "calls": "\n".join(incident.trace), "stacks": incident.stacks, "repro.cpp": program}
    logger = AllureFileLogger(str(folder))
    for one, text in texts.items():
        if text:
            source = f"{uuid.uuid4()}-attachment.txt"
            logger.report_attached_data(text, source)
            result.attachments.append(Attachment(name=one, source=source, type="text/plain"))
    logger.report_result(result)


def write_run_files(run: Run, folder: Path) -> None:
    """``environment.properties`` and ``categories.json`` for the run."""
    header = run.headers[0] if run.headers else {}
    device = run.devices[0] if run.devices else {}
    lines = {
        "SoC": device.get("soc", "unknown"),
        "family": device.get("family", "unknown"),
        "toolkit": header.get("prefix", "unknown"),
        "header_version": header.get("header_version") or "unknown",
        "suite_revision": header.get("revision", "unknown"),
        "python": header.get("python", "unknown"),
        "machine": header.get("machine", "unknown"),
    }
    text = "".join(f"{key}={value}\n" for key, value in lines.items())
    (folder / "environment.properties").write_text(text, encoding="utf-8")
    categories = [
        {"name": name, "matchedStatuses": statuses, "messageRegex": f"(?s)^(\\S+:? )?{verdict.value} .*"}
        for verdict, name, statuses in _CATEGORIES
    ]
    (folder / "categories.json").write_text(json.dumps(categories, indent=1) + "\n", encoding="utf-8")
