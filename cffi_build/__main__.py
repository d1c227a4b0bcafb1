"""``python -m cffi_build``: build the module, list a toolkit, probe the device, build the reference device."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from cffi_build import refdevice
from cffi_build.errors import ToolkitError
from cffi_build.library import Library, open_library
from cffi_build.listing import listing
from cffi_build.module import module_for
from cffi_build.toolkit import Toolkit, describe, find_toolkit


def main(arguments: list[str] | None = None) -> int:
    """Run one command; a ``ToolkitError`` is one clear message and exit code 2."""
    parser = argparse.ArgumentParser(prog="python -m cffi_build", description=__doc__)
    parser.add_argument("--toolkit", type=Path, help="toolkit prefix (default: as pytest finds it)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--build", action="store_true", help="build the module and say where it is (the default)")
    what.add_argument("--list", action="store_true", help="say what the toolkit offers")
    what.add_argument("--probe", action="store_true", help="open device 0 and print who it is, as JSON")
    what.add_argument("--refdevice", action="store_true", help="build the embedded reference device only")
    parser.add_argument("--sanitize", default="", help="with --refdevice: sanitizers, for example address,undefined")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.refdevice:
            print(refdevice.ensure_built(sanitize=chosen.sanitize))
            return 0
        return _with_toolkit(find_toolkit(chosen.toolkit), chosen)
    except ToolkitError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _with_toolkit(toolkit: Toolkit, chosen: argparse.Namespace) -> int:
    if chosen.list:
        print("\n".join(listing(toolkit)))
        return 0
    if chosen.probe:
        return _probe(open_library(toolkit))
    module = module_for(toolkit)
    print("\n".join([*describe(toolkit), f"module:    {module.path}"]))
    return 0


def _probe(library: Library) -> int:
    ffi = library.ffi
    count = ffi.new("uint32_t *")
    steps = [("aclInit", ffi.NULL), ("aclrtSetDevice", 0), ("aclrtGetDeviceCount", count)]
    for name, argument in steps:
        code = getattr(library, name)(argument)
        if code != 0:
            print(
                f"error: {name} returned {code}; is a device present, and may this user open it?",
                file=sys.stderr,
            )
            return 2
    name = library.aclrtGetSocName()
    print(json.dumps({"soc": ffi.string(name).decode() if name else "unknown", "devices": count[0]}))
    library.aclrtResetDevice(0)
    library.aclFinalize()
    return 0


if __name__ == "__main__":
    sys.exit(main())
