"""Tiny toolkits of our own: a miniature ``acl/acl.h`` and a library compiled for it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cffi_build import Toolkit
from cffi_build.preprocess import compiler
from cffi_build.toolkit import inspect

HEADER = """
#ifndef MINI_ACL_H
#define MINI_ACL_H
#include <stdint.h>
#include <stddef.h>
#define ACL_MAJOR_VERSION 9
#define ACL_MINOR_VERSION 8
#define ACL_PATCH_VERSION 7
#define ACL_MINI_LIMIT 0x20
typedef int aclError;
typedef void *aclrtStream;
typedef enum { ACL_MINI_RED = 1, ACL_MINI_BLUE = 1 << 2, ACL_MINI_NEXT } aclMiniColour;
typedef struct aclMiniPair { int32_t first; int32_t second; } aclMiniPair;
static const int ACL_ERROR_MINI = 4711;
aclError aclrtMiniAdd(int32_t left, int32_t right, int32_t *sum);
aclError aclrtMiniPaint(aclMiniColour colour, aclMiniColour *previous);
aclError aclrtMiniCreate(aclrtStream *stream, float weight, double depth);
aclError aclrtMiniFail(int32_t *untouched);
aclError aclrtMiniBlock(const char *path);
const char *aclrtMiniName(const char *prefix);
void aclrtMiniPairSum(aclMiniPair pair, int64_t *sum);
aclError aclrtMiniAbsent(void);
void aclAppMiniLog(const char *format, ...);
#endif
"""

SOURCE = """
#include <unistd.h>
#include "acl/acl.h"
static aclMiniColour current = ACL_MINI_RED;
static int32_t calls;
aclError aclrtMiniAdd(int32_t left, int32_t right, int32_t *sum)
{
    ++calls;
    *sum = left + right;
    return 0;
}
aclError aclrtMiniPaint(aclMiniColour colour, aclMiniColour *previous)
{
    *previous = current;
    current = colour;
    return 0;
}
aclError aclrtMiniCreate(aclrtStream *stream, float weight, double depth)
{
    (void)weight;
    (void)depth;
    *stream = (aclrtStream)0x1234;
    return 0;
}
aclError aclrtMiniFail(int32_t *untouched)
{
    (void)untouched;
    return ACL_ERROR_MINI;
}
aclError aclrtMiniBlock(const char *path)
{
    (void)path;
    for (;;) pause();
}
const char *aclrtMiniName(const char *prefix) { return prefix; }
void aclrtMiniPairSum(aclMiniPair pair, int64_t *sum) { *sum = pair.first + pair.second; }
"""


def make_toolkit(prefix: Path, *, header: str = HEADER, source: str | None = SOURCE) -> Toolkit:
    """Write and compile a miniature toolkit below ``prefix``; ``source=None`` makes one of headers only."""
    (prefix / "include" / "acl").mkdir(parents=True)
    (prefix / "include" / "acl" / "acl.h").write_text(header)
    if source is not None:
        (prefix / "lib64").mkdir()
        library = prefix / "lib64" / "libascendcl.so"
        command = [compiler(), "-shared", "-fPIC", "-x", "c", "-", f"-I{prefix / 'include'}", "-o", str(library)]
        subprocess.run(command, input=source, text=True, check=True)
    return inspect(prefix, "made for a test")
