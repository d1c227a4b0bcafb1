"""Running the harness as a person does: one command, its exit code, what it printed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Ran:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err


def run(*command: str, **environment: str) -> Ran:
    """Run ``command`` in the checkout on the reference device, whatever this machine has installed."""
    keep = {
        name: value for name, value in os.environ.items() if not name.startswith(("ASCEND_", "REFDEVICE_", "PYTEST_"))
    }
    done = subprocess.run(
        command, cwd=ROOT, env={**keep, **environment}, capture_output=True, text=True, check=False, timeout=300
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def pytest(*arguments: str, **environment: str) -> Ran:
    """Run pytest with ``arguments``."""
    return run(sys.executable, "-m", "pytest", *arguments, **environment)


def module(name: str, *arguments: str, **environment: str) -> Ran:
    """Run a module of the harness."""
    return run(sys.executable, "-m", name, *arguments, **environment)


def listed_rules(*arguments: str) -> dict[str, tuple[str, int, str]]:
    """``pytest --rules`` as data: id → status, number of cases, reason."""
    ran = pytest("--rules", *arguments)
    assert ran.code == 0, ran.text
    rows = [line.split("\t") for line in ran.out.splitlines()]
    return {number: (status, int(cases), reason) for number, status, cases, reason in rows}
