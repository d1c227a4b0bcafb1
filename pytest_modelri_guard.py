"""A pytest plugin of the virtual environment with one job: explain the one option syntax that pytest gets wrong.

``pytest --toolkit PATH`` makes pytest take an existing PATH for a test folder before any conftest.py could tell it
better; it then misses this checkout's configuration and calls ``--toolkit`` unrecognized. An equals sign avoids that.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent
OPTIONS = ("--toolkit", "--out")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Stop with a usage error where a path option without equals sign has misled pytest."""
    if early_config.rootpath == ROOT or Path.cwd() != ROOT:
        return
    for option, value in itertools.pairwise(args):
        if option in OPTIONS:
            raise pytest.UsageError(f"write {option}={value} with an equals sign, or name a test path before it")
