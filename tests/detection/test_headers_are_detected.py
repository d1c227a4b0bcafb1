"""Rules about declarations: each is broken in a copy of the toolkit's headers, and its case must notice."""

from __future__ import annotations

import shutil
from pathlib import Path

from cffi_build import find_toolkit
from tests.cffi_build.toolkits import HEADER, make_toolkit
from tests.harness import pytest as run_pytest

MARK = 'ACL_DEPRECATED_MESSAGE("use aclmdlRIDebugJsonPrint")'


def test_a_declaration_without_its_mark_violates(tmp_path: Path) -> None:
    """DBG-019; the headers as they are conform in the suite itself."""
    prefix = shutil.copytree(find_toolkit(None, {}).prefix, tmp_path / "toolkit", symlinks=False)
    header = prefix / "include" / "acl" / "acl_rt_model.h"
    text = header.read_text()
    assert MARK in text
    header.write_text(text.replace(MARK, ""))
    ran = run_pytest("suites/dbg", "-n0", "-k", "DBG-019", f"--toolkit={prefix}", f"--out={tmp_path}/out")
    assert ran.code == 1
    assert "violates  DBG-019" in ran.out


def test_what_marks_a_declaration(tmp_path: Path) -> None:
    """An attribute before or after the name counts, a comment does not."""
    marked = """
__attribute__((deprecated("old"))) aclError aclrtMiniBefore(void);
aclError aclrtMiniAfter(void) __attribute__((deprecated));
/* deprecated */ aclError aclrtMiniComment(void);
aclError aclrtMiniPlain(void); // deprecated some day
"""
    toolkit = make_toolkit(tmp_path / "marks", header=HEADER.replace("#endif\n", marked + "#endif\n"), source=None)
    found = {name: toolkit.deprecates(f"aclrtMini{name}") for name in ("Before", "After", "Comment", "Plain", "None")}
    assert found == {"Before": True, "After": True, "Comment": False, "Plain": False, "None": False}
