"""An open reference device for tests that call it in this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cffi_build import find_toolkit
from fixtures.session import DeviceSession, open_session


@pytest.fixture(scope="module")
def session() -> Iterator[DeviceSession]:
    """The device of one test module, whatever this machine has installed."""
    opened = open_session(find_toolkit(None, {}))
    yield opened
    opened.close()
