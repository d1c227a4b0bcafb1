"""A pytest plugin that runs every case once for each rule it cites, with that rule broken in the reference device.

Loaded with ``-p tests.detection.kill_plugin -n 0``. Writes one JSON line for each (rule, case) to the file named by
``KILL_RECORD``: whether the case went red, and its text. The faults are switched in this process; nothing is rebuilt.
"""

from __future__ import annotations

import ctypes
import json
import os
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from catalogue import applies
from fixtures.items import is_case
from fixtures.judging import verdict_of
from fixtures.markers import rules_of
from fixtures.plugin import toolkit_of

OPERATOR = os.environ.get("KILL_OPERATOR", "skip")


class Faults:
    """The fault switch of the reference device under test (refdevice/refdevice.h)."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.refdeviceFaultError.restype = ctypes.c_char_p
        self._library.refdeviceKnownRules.restype = ctypes.c_char_p
        self.known = frozenset(self._library.refdeviceKnownRules().decode().split(","))

    def set(self, text: str) -> None:
        if self._library.refdeviceSetFaults(text.encode()) != 0:
            raise ValueError(self._library.refdeviceFaultError().decode())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out cases that no broken rule can turn red (they only record)."""
    items[:] = [one for one in items if is_case(one) and breakable(one)]


def breakable(item: pytest.Item) -> list[str]:
    """The rules of a case that a device can violate, on the SoC that the reference device plays."""
    soc = os.environ.get("REFDEVICE_SOC", "Ascend910B2")
    return [one.id for one in rules_of(item) if one.kind.asserted and applies(one, soc)]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    faults = Faults(toolkit_of(item.config).libraries[0])
    wanted = breakable(item)
    verdicts: list[tuple[str, str]] = []

    class Watch:
        @pytest.hookimpl(tryfirst=True)
        def pytest_exception_interact(self, call: pytest.CallInfo[None]) -> None:
            assert call.excinfo is not None
            verdicts.append((verdict_of(call.excinfo.value)[0].value, str(call.excinfo.value)))

    watch = Watch()
    item.config.pluginmanager.register(watch)
    with Path(os.environ["KILL_RECORD"]).open("a", encoding="utf-8") as record:
        for rule in wanted:
            verdicts.clear()
            if rule in faults.known:
                faults.set(f"{rule}:{OPERATOR}")
            item._initrequest()  # type: ignore[attr-defined]  # fresh fixtures for every run of the item
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            faults.set("")
            line = {
                "rule": rule,
                "case": item.nodeid,
                "known": rule in faults.known,
                "red": any(one.failed for one in reports),
                "verdict": verdicts[0][0] if verdicts else "conforms",
                "text": next((str(one.longrepr) for one in reports if one.failed), ""),
            }
            record.write(json.dumps(line) + "\n")
    item.config.pluginmanager.unregister(watch)
    return True
