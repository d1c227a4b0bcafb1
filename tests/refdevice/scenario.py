"""What the observed scenarios share: codes without judging, and captures that a scenario ends itself."""

from __future__ import annotations

from typing import Any

from fixtures.capture import Capture
from fixtures.device import Device
from fixtures.modes import CaptureMode
from fixtures.outcome import Outcome

G, R = CaptureMode.GLOBAL, CaptureMode.RELAXED


def code(outcome: Outcome[Any]) -> int:
    """The outcome's code; nothing is judged."""
    outcome.observed()
    return outcome.code


def begun(device: Device, mode: CaptureMode = G) -> Capture:
    """A capture that the scenario ends itself."""
    capture = device.capture(mode, marks=0)
    capture.__enter__()
    return capture
