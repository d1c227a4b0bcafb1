"""The generated C module: a table of header-typed function pointers, and one recording wrapper for each function."""

from __future__ import annotations

from pathlib import Path

from cffi_build.declarations import Declarations, Function, Param
from cffi_build.preprocess import Headers

RUNTIME = Path(__file__).with_name("runtime.h")
_MAX_ARGS, _MAX_POINTEES = 12, 4

_COMMON_CDEF = """
struct mri_table;
struct mri_table *mri_open(char **paths, int count, const char *ring, uint32_t capacity, char *error, size_t room);
void mri_close(struct mri_table *table);
void *mri_address(struct mri_table *table, int function);
const char *mri_file_of(struct mri_table *table, int function);
void mri_note(struct mri_table *table, const char *text);
uint64_t mri_mark(struct mri_table *table);
uint64_t mri_oldest(struct mri_table *table);
void *mri_ring_memory(struct mri_table *table);
size_t mri_ring_bytes(struct mri_table *table);
"""

_COMMON_SOURCE = r"""
struct mri_table *mri_open(char **paths, int count, const char *ring, uint32_t capacity, char *error, size_t room)
{
    struct mri_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        snprintf(error, room, "out of memory");
        return NULL;
    }
    if (mri_open_ring(&table->loaded, ring, capacity, error, room) != 0 ||
        mri_open_libraries(&table->loaded, paths, count, error, room) != 0) {
        mri_close(table);
        return NULL;
    }
    for (int i = 0; i < MRI_FUNCTIONS; ++i) table->any[i] = mri_symbol(&table->loaded, mri_names[i]);
    return table;
}

void mri_close(struct mri_table *table)
{
    if (table->loaded.ring != NULL) munmap(table->loaded.ring, table->loaded.ring_bytes);
    for (int i = table->loaded.libraries; i > 0; --i) dlclose(table->loaded.handles[i - 1]);
    free(table);
}

void *mri_address(struct mri_table *table, int function)
{
    return table->any[function];
}

const char *mri_file_of(struct mri_table *table, int function)
{
    Dl_info info;
    return table->any[function] != NULL && dladdr(table->any[function], &info) != 0 ? info.dli_fname : NULL;
}

void mri_note(struct mri_table *table, const char *text)
{
    uint64_t sequence;
    struct mri_record *record = mri_reserve(table->loaded.ring, MRI_NOTE, 0, &sequence);
    /* A note has no arguments: its text runs on through the words of the record. */
    size_t room = sizeof(struct mri_record) - offsetof(struct mri_record, args);
    char *start = (char *)record + offsetof(struct mri_record, args);
    memset(start, 0, room);
    strncpy(start, text, room - 1);
    mri_returned(record);
    mri_publish(record, sequence);
}

uint64_t mri_mark(struct mri_table *table)
{
    return atomic_load_explicit(&table->loaded.ring->next, memory_order_acquire);
}

uint64_t mri_oldest(struct mri_table *table)
{
    return mri_oldest_in_ring(table->loaded.ring);
}

void *mri_ring_memory(struct mri_table *table)
{
    return table->loaded.ring;
}

size_t mri_ring_bytes(struct mri_table *table)
{
    return table->loaded.ring_bytes;
}
"""


def cdef(found: Declarations) -> str:
    """What cffi is told: the headers' own types, and the wrappers."""
    wrappers = "\n".join(f"{_head(one)};" for one in found.functions)
    return f"{found.types}\n{_COMMON_CDEF}\n{wrappers}\n"


def c_source(headers: Headers, found: Declarations) -> str:
    """The C that the module is compiled from (preamble of cffi's own glue)."""
    fields = "\n".join(f"            __typeof__({one.name}) *{one.name};" for one in found.functions)
    names = "\n".join(f'    "{one.name}",' for one in found.functions)
    wrappers = "\n".join(_wrapper(number, one) for number, one in enumerate(found.functions))
    return f"""
#define _GNU_SOURCE
#define constexpr static const
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
{headers.text}
{RUNTIME.read_text(encoding="utf-8")}
enum {{ MRI_FUNCTIONS = {len(found.functions)} }};
static const char *const mri_names[] = {{
{names}
}};
struct mri_table {{
    struct mri_loaded loaded;
    union {{
        struct {{
{fields}
        }} call;
        void *any[MRI_FUNCTIONS];
    }};
}};
void mri_close(struct mri_table *table);
{_COMMON_SOURCE}
{wrappers}
"""


def pointee_slots(function: Function) -> dict[str, int]:
    """Which parameters have their pointee recorded, and in which slot."""
    pointers = [one.name for one in function.params[:_MAX_ARGS] if one.pointee]
    return {name: slot for slot, name in enumerate(pointers[:_MAX_POINTEES])}


def _head(function: Function) -> str:
    params = "".join(f", {one.declared}" for one in function.params)
    return f"{function.result} mri_{function.name}(struct mri_table *mri_t{params})"


def _wrapper(number: int, function: Function) -> str:
    slots = pointee_slots(function)
    before = [f"record->before[{slot}] = {_peek(name)};" for name, slot in slots.items()]
    after = [f"record->after[{slot}] = {_peek(name)};" for name, slot in slots.items()]
    words = [f"record->args[{i}] = {_word(one)};" for i, one in enumerate(function.params[:_MAX_ARGS])]
    texts = [f"mri_text(record, {one.name});" for one in function.params if one.text][:1]
    arguments = ", ".join(one.name for one in function.params)
    void = function.result == "void"
    call = f"mri_t->call.{function.name}({arguments});"
    keep = [] if void else [f"record->result = {_result_word(function)};"]
    tail = (
        _block(keep + after)
        if void or "*" in function.result
        else _block(keep + ([f"if (mri_result == 0) {{ {' '.join(after)} }}"] if after else []))
    )
    return f"""
{_head(function)}
{{
    uint64_t sequence;
    struct mri_record *record = mri_reserve(mri_t->loaded.ring, MRI_CALL, {number}, &sequence);
{_block(words + before + texts)}
    mri_publish(record, sequence);
    {call if void else f"{function.result} mri_result = {call}"}
    if (mri_still_mine(record, sequence)) {{
    {tail}
        mri_returned(record);
    }}
    {"" if void else "return mri_result;"}
}}
"""


def _block(lines: list[str]) -> str:
    return "\n".join(f"    {one}" for one in lines)


def _peek(name: str) -> str:
    return f"{name} != NULL ? mri_peek({name}, sizeof *{name}) : 0"


def _word(param: Param) -> str:
    if param.store in {"float", "double"}:
        return f"mri_{param.store}_bits({param.name})"
    if param.store == "struct":
        return f"mri_peek(&{param.name}, sizeof {param.name})"
    return f"(uint64_t)(intptr_t){param.name}"


def _result_word(function: Function) -> str:
    if function.result in {"float", "double"}:
        return f"mri_{function.result}_bits(mri_result)"
    return "(uint64_t)(intptr_t)mri_result"
