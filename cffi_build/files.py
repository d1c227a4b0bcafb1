"""Files that several processes touch: a lock, an atomic write, a folder that must be writable."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cffi_build.errors import UnwritableBuildFolder


def writable_folder(folder: Path) -> Path:
    """Make ``folder``; raises ``UnwritableBuildFolder``."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableBuildFolder(f"cannot make {folder}: {error.strerror}; make it writable") from error
    if not os.access(folder, os.W_OK):
        raise UnwritableBuildFolder(f"cannot write into {folder}; make it writable, or use a checkout of your own")
    return folder


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on ``path`` for the block; another process waits."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def write_whole(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` so that no reader ever sees half of it."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
