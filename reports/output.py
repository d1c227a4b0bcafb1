"""When the output folder can no longer be written: stop in order, say so once, lose nothing that is on disk.

Writers do not raise in the middle of a hook, where an exception would tear the session apart; they leave word here,
and the next case does not start.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from _pytest.junitxml import LogXML, xml_key
from allure_commons.logger import AllureFileLogger

PROBE_BYTES = 1 << 16
_lost: list[OSError] = []


def leave_word(error: OSError) -> None:
    """Remember that something could not be written."""
    _lost.append(error)


def lost() -> OSError | None:
    """The first write that failed in this process, if any."""
    return _lost[0] if _lost else None


def explanation(error: OSError, out: Path) -> str:
    """One sentence with what to do."""
    return (
        f"cannot write into {error.filename or out}: {error.strerror}; the run stops here. "
        f"Free some room, or choose another folder with --out; what ran so far is in {out / 'journal'}"
    )


def still_writable(out: Path) -> OSError | None:
    """Try to write; the error if that is no longer possible."""
    probe = out / ".room"
    try:
        probe.write_bytes(b"\0" * PROBE_BYTES)
        probe.unlink()
    except OSError as error:
        probe.unlink(missing_ok=True)
        return error
    return None


def give_up_junit(config: pytest.Config) -> None:
    """Keep JUnit from ending the session with a traceback: its file cannot be written."""
    xml = config.stash.get(xml_key, None)
    if xml is not None:
        del config.stash[xml_key]
        config.pluginmanager.unregister(xml)


def write_junit_carefully() -> None:
    """Make JUnit's writer leave word instead of raising; to be called before pytest registers one."""
    original = LogXML.pytest_sessionfinish
    if original.__module__ == __name__:
        return

    def finish(self: LogXML, session: pytest.Session) -> None:
        try:
            original(self)
        except OSError as error:
            stop(session, error)

    setattr(LogXML, "pytest_sessionfinish", finish)  # noqa: B010  # a method may not be assigned to


def stop(session: pytest.Session, error: OSError) -> None:
    """End the session as interrupted, without the files that can no longer be written."""
    leave_word(error)
    session.exitstatus = pytest.ExitCode.INTERRUPTED
    give_up_junit(session.config)


def write_allure_carefully() -> None:
    """Make Allure's file writer leave word instead of raising; to be called before allure-pytest registers one."""
    for name in ("_report_item", "report_attached_file", "report_attached_data"):
        writer = getattr(AllureFileLogger, name)
        if not hasattr(writer, "__wrapped__"):
            setattr(AllureFileLogger, name, _careful(writer))


def write_no_containers() -> None:
    """Leave out Allure's fixture containers: three files a case that say nothing that the call trace does not say."""
    silent = functools.wraps(AllureFileLogger.report_container)(lambda self, container: None)
    setattr(AllureFileLogger, "report_container", silent)  # noqa: B010  # a method may not be assigned to


def _careful(writer: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(writer)
    def write(*arguments: Any) -> None:
        try:
            writer(*arguments)
        except OSError as error:
            leave_word(error)

    return write
