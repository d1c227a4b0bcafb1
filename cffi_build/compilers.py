"""Which compilers this machine has: the one that ``$CC`` or ``$CXX`` names and no other, else the usual ones."""

from __future__ import annotations

import os
import shutil


def c_compiler() -> str | None:
    """The C compiler; None when there is none."""
    return _first("CC", "cc", "gcc", "clang")


def cxx_compiler() -> str | None:
    """The C++ compiler; None when there is none."""
    return _first("CXX", "c++", "g++", "clang++")


def _first(variable: str, *usual: str) -> str | None:
    names = [os.environ[variable]] if os.environ.get(variable) else usual
    return next((path for name in names if (path := shutil.which(name))), None)
