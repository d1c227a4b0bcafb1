"""What a toolkit offers, as text: version, functions by family with signatures, symbols that its library lacks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from cffi_build.declarations import FAMILIES, Function
from cffi_build.library import open_library
from cffi_build.module import declarations_of
from cffi_build.toolkit import Toolkit, describe


def listing(toolkit: Toolkit) -> Iterator[str]:
    """The lines of ``python -m cffi_build --list``; raises ``ToolkitError``."""
    yield from describe(toolkit)
    found = declarations_of(toolkit)
    families: dict[str, list[Function]] = defaultdict(list)
    for function in found.functions:
        families[function.family].append(function)
    for family in FAMILIES:
        members = sorted(families[family], key=lambda one: one.name)
        yield f"\n{family}: {len(members)} functions"
        yield from (f"  {one.signature}" for one in members)
    if found.variadic:
        yield f"\nnot callable (variable arguments): {', '.join(found.variadic)}"
    if not toolkit.libraries:
        yield "\nno library in this prefix: nothing can be called"
        return
    missing = sorted(open_library(toolkit).missing)
    yield f"\ndeclared, but lacking in the library: {len(missing)}"
    yield from (f"  {one}" for one in missing)
