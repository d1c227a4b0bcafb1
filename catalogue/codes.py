"""Documented return codes by name and number (API reference 25-01, aclError)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from catalogue.toml import read_toml


@lru_cache(maxsize=1)
def _numbers() -> dict[str, int]:
    return {str(name): int(number) for name, number in read_toml(Path(__file__).with_name("codes.toml")).items()}


@lru_cache(maxsize=1)
def _names() -> dict[int, str]:
    return {number: name for name, number in _numbers().items()}


def is_code(name: str) -> bool:
    """Whether ``name`` is a documented return code."""
    return name in _numbers()


def number_of(name: str) -> int:
    """The number of the code ``name``; ``KeyError`` for an undocumented name."""
    return _numbers()[name]


def name_of(code: int) -> str:
    """A return code as a person reads it: ``ACL_ERROR_RT_STREAM_CAPTURED (107027)``."""
    return f"{_names().get(code, 'undocumented code')} ({code})"
