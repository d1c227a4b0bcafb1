"""Vendor headers → importable cffi API-mode module (docs/architecture.md, "The call layer").

No declaration is copied: the cdef is generated from the headers of the chosen toolkit prefix, and every call goes
through a table of function pointers that the header itself types.
"""

from cffi_build.errors import ToolkitError
from cffi_build.library import Library, open_library
from cffi_build.ring import RawArg, RawCall, RingFile, read_ring, signed
from cffi_build.toolkit import Toolkit, describe, find_toolkit

__all__ = [
    "Library",
    "RawArg",
    "RawCall",
    "RingFile",
    "Toolkit",
    "ToolkitError",
    "describe",
    "find_toolkit",
    "open_library",
    "read_ring",
    "signed",
]
