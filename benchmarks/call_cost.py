"""Nanoseconds per call: through the harness's wrapper (call on record), plain cffi in API mode, and ctypes.

Run as ``python -m benchmarks.call_cost``. Figures only; nothing is asserted.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import io
import statistics
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cffi import FFI

from cffi_build import find_toolkit, open_library
from cffi_build.preprocess import compiler

CALLS, ROUNDS = 100_000, 7


def cost(call: Callable[[int], Any]) -> float:
    """Median over rounds of the nanoseconds that one call takes."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            call(0)
        taken.append((time.perf_counter_ns() - start) / CALLS)
    return statistics.median(taken)


def plain_cffi(library: Path, folder: Path) -> Callable[[int], Any]:
    """The same function through an API-mode module that is linked directly."""
    builder = FFI()
    builder.cdef("int aclrtPeekAtLastError(int level);")
    builder.set_source("plain", "int aclrtPeekAtLastError(int level);")
    source, shared = folder / "plain.c", folder / f"plain{sysconfig.get_config_var('EXT_SUFFIX')}"
    with contextlib.redirect_stdout(io.StringIO()):
        builder.emit_c_code(str(source))
    include = sysconfig.get_path("include")
    command = [compiler(), "-shared", "-fPIC", "-O1", f"-I{include}", str(source), str(library), "-o", str(shared)]
    subprocess.run(command, check=True)
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    spec = importlib.util.spec_from_file_location("plain", shared)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    call: Callable[[int], Any] = module.lib.aclrtPeekAtLastError
    return call


def main() -> None:
    """Print the table."""
    toolkit = find_toolkit(None, {})
    through_ctypes = ctypes.CDLL(str(toolkit.libraries[0])).aclrtPeekAtLastError
    with tempfile.TemporaryDirectory() as folder:
        rows = {
            "wrapper, call on record": cost(open_library(toolkit).aclrtPeekAtLastError),
            "wrapper, ring in a file": cost(
                open_library(toolkit, ring_path=Path(folder) / "bench.ring").aclrtPeekAtLastError
            ),
            "cffi, API mode, no record": cost(plain_cffi(toolkit.libraries[0], Path(folder))),
            "ctypes, no record": cost(through_ctypes),
        }
    for name, value in rows.items():
        print(f"{value:8.0f} ns a call  {name}")


if __name__ == "__main__":
    main()
