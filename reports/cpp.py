"""A script as a stand-alone C++ program: it makes just these calls, and exits 1 when the violation is there.

The head of the program says how to compile it. The calls run in a child process, so that a crash and a call that does
not return are answers too. ``REPRO_SKIP=3,7`` leaves out steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from cffi_build import signed
from reports.script import Argument, Script, Step


class Kind(Enum):
    """What the violation looks like."""

    REFUSE = "refuse"
    ACCEPT = "accept"
    DIE = "die"
    HANG = "hang"
    SAME = "same"


@dataclass(frozen=True)
class Check:
    """How the program knows the violation: at step ``number``, or (SAME) by every code and content being as recorded.

    ``allowed`` are the documented refusal codes; empty: any refusal will do.
    """

    kind: Kind
    number: int = 0
    allowed: tuple[int, ...] = ()


@dataclass(frozen=True)
class About:
    """What the head of the program says."""

    title: str
    finding: str
    operators: bool = True


_PRELUDE = r"""
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "acl/acl.h"
%s
namespace {

constexpr int kNotShown = 0, kShown = 1;

// After how many seconds a call counts as one that does not return.
int limit_seconds()
{
    const char *text = std::getenv("REPRO_LIMIT");
    return text != nullptr ? std::atoi(text) : %d;
}

bool as_recorded = true;  // every code and content so far is the recorded one
bool shown = false;       // the step that shows the violation did

bool skipped(int step)
{
    static const std::set<int> steps = [] {
        std::set<int> found;
        if (const char *text = std::getenv("REPRO_SKIP"))
            for (char *end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
                found.insert(static_cast<int>(std::strtol(text, &end, 10)));
                if (end == text) break;
            }
        return found;
    }();
    return steps.count(step) != 0;
}

void returned(int step, const char *call, long code, long recorded)
{
    std::printf("%%3d  %%s -> %%ld%%s\n", step, call, code, code == recorded ? "" : "  (recorded otherwise)");
    if (code != recorded) as_recorded = false;
}

void gave(int step, const char *output, long value, long recorded)
{
    std::printf("%%3d     %%s = %%ld%%s\n", step, output, value, value == recorded ? "" : "  (recorded otherwise)");
    if (value != recorded) as_recorded = false;
}

void looked(int step, const void *memory, const void *recorded, size_t size)
{
    const bool same = std::memcmp(memory, recorded, size) == 0;
    std::printf("%%3d  %%zu bytes of host memory %%s\n", step, size, same ? "as recorded" : "differ from the record");
    if (!same) as_recorded = false;
}

void awaited(const volatile void *memory, const void *recorded, size_t size)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::memcmp(const_cast<const void *>(memory), recorded, size) != 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
}

// Another host thread that runs one step at a time.
class Caller {
public:
    Caller() : thread_([this] { work(); }) {}
    ~Caller()
    {
        run({});
        thread_.join();
    }
    void run(std::function<void()> step)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        step_ = std::move(step);
        pending_ = true;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !pending_; });
    }

private:
    void work()
    {
        for (bool more = true; more;) {
            std::unique_lock<std::mutex> lock(mutex_);
            changed_.wait(lock, [this] { return pending_; });
            more = static_cast<bool>(step_);
            if (more) step_();
            pending_ = false;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> step_;
    bool pending_ = false;
    std::thread thread_;
};
"""

_MAIN = r"""
}  // namespace

int main()
{
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int result = calls();
        std::fflush(stdout);
        _exit(result);
    }
    int status = 0;
    for (int waited = 0; waitpid(child, &status, WNOHANG) == 0; ++waited) {
        if (waited >= limit_seconds() * 100) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            std::puts("VIOLATION: a call does not return");
            return kShown;
        }
        usleep(10000);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNotShown) {
        std::puts("not shown");
        return kNotShown;
    }
    std::puts(WIFEXITED(status) && WEXITSTATUS(status) == kShown ? "VIOLATION" : "VIOLATION: the process dies");
    return kShown;
}
"""


def program(script: Script, check: Check, about: About, *, limit: int = 20) -> str:
    """The C++ text. ``limit`` is the number of seconds after which the program counts as hung."""
    headers = ""
    if about.operators:
        headers = '#include "aclnn/acl_meta.h"\n#include "aclnnop/aclnn_add.h"\n#include "aclnnop/aclnn_mul.h"\n'
    main_thread = _main_thread(script)
    others = {one.thread: f"other{i}" for i, one in enumerate(_threads(script, main_thread), start=1)}
    body = [f"    {line}" for step in script.steps for line in _step(step, check, others)]
    return "\n".join(
        [
            f"// {about.title}",
            "//",
            *(f"// {line}".rstrip() for line in about.finding.splitlines()),
            "//",
            "// g++ -std=c++17 -pthread repro.cpp -I$ASCEND_HOME_PATH/include -L$ASCEND_HOME_PATH/lib64 \\",
            "//     -lascendcl -lnnopbase -lopapi && ./a.out; exit code 1: the violation is there, 0: it is not.",
            _PRELUDE % (headers, limit),
            *_memory(script),
            "",
            "int calls()",
            "{",
            "    aclInit(nullptr);",
            "    aclrtSetDevice(0);",
            "    aclrtContext context0 = nullptr;",
            "    aclrtGetCurrentContext(&context0);",
            *(f"    {_declare(name, ctype)}" for name, ctype in script.variables.items()),
            *(f"    Caller {name};" for name in others.values()),
            *body,
            f"    const bool found = {'as_recorded' if check.kind is Kind.SAME else 'shown'};",
            "    // Nothing is released: the process ends here, also when work is still held.",
            "    std::fflush(stdout);",
            "    _exit(found ? kShown : kNotShown);",
            "}",
            _MAIN,
        ]
    )


def _main_thread(script: Script) -> int:
    """The thread that the case ran on: the others begin by making a context current."""
    first: dict[int, str] = {}
    for step in script.steps:
        if step.function:
            first.setdefault(step.thread, step.function)
    arriving = {"aclrtSetCurrentContext", "aclrtCreateContext"}
    return next((thread for thread, function in first.items() if function not in arriving), next(iter(first), 0))


def _threads(script: Script, main_thread: int) -> list[Step]:
    found: dict[int, Step] = {}
    for step in script.steps:
        if step.thread != main_thread and step.function:
            found.setdefault(step.thread, step)
    return list(found.values())


def _declare(name: str, ctype: str) -> str:
    return f"{ctype}{'' if ctype.endswith('*') else ' '}{name}{{}};"


def _memory(script: Script) -> list[str]:
    lines = [f"alignas(64) unsigned char {name}[{max(size, 1)}];" for name, size in script.rooms.items()]
    for step in script.steps:
        if step.action:
            values = ", ".join(map(str, step.content)) or "0"
            lines.append(f"const unsigned char content{step.number}[] = {{{values}}};")
    return lines


def _step(step: Step, check: Check, others: dict[int, str]) -> list[str]:
    lines = _action(step) if step.action else _call(step, check)
    if step.function and step.thread in others:
        lines = [f"{others[step.thread]}.run([&] {{", *(f"    {line}" for line in lines), "});"]
    return [f"if (!skipped({step.number})) {{", *(f"    {line}" for line in lines), "}"]


def _action(step: Step) -> list[str]:
    memory, content, size = step.memory, f"content{step.number}", len(step.content)
    if step.action == "host":
        return [f"std::memcpy({memory}, {content}, {size});"]
    if step.action == "await":
        return [f"awaited({memory}, {content}, {size});"]
    return [f"looked({step.number}, {memory}, {content}, {size});"]


def _call(step: Step, check: Check) -> list[str]:
    initial = [
        f"{one.output} = static_cast<{one.ctype}>({signed(one.initial)});"
        for one in step.arguments
        if one.output and one.initial is not None
    ]
    call = f"{step.function}({', '.join(map(_argument, step.arguments))})"
    if step.result_ctype == "void":
        return [*initial, f"{call};"]
    if step.result:
        return [*initial, f"{step.result} = {call};"]
    if "*" in step.result_ctype:
        return [*initial, f"static_cast<void>({call});"]
    lines = [*initial, f"const long code = {call};"]
    if step.number == check.number:
        # In the same situation only: what came before must have gone as it did then.
        lines.append(f"shown = as_recorded && {_shows(check)};")
    if step.code is not None:
        lines.append(f'returned({step.number}, "{step.function}", code, {step.code});')
    return [*lines, *(_output(step.number, one) for one in step.arguments if one.final is not None)]


def _output(number: int, one: Argument) -> str:
    if one.is_handle:
        return f'gave({number}, "{one.output} is a handle", {one.output} != nullptr, {int(bool(one.final))});'
    if one.ctype in {"float", "double"}:
        return ""
    return f'gave({number}, "{one.output}", static_cast<long>({one.output}), {signed(one.final or 0)});'


def _shows(check: Check) -> str:
    if check.kind is Kind.ACCEPT:
        return "code != 0"
    if check.kind is Kind.REFUSE:
        return " && ".join(f"code != {one}" for one in check.allowed) if check.allowed else "code == 0"
    return "false"


def _argument(one: Argument) -> str:
    if one.text is not None:
        text = one.text.rsplit("/", 1)[-1].replace("\\", "/").replace('"', "'")
        return f'"{text}"'
    if one.output:
        return f"&{one.output}"
    if one.variable.startswith("host"):
        return f"reinterpret_cast<{one.ctype}>({one.variable} + {one.offset})"
    if one.variable:
        return one.variable
    value = one.literal or 0
    if one.ctype.endswith("*") or one.ctype in {"aclrtStream", "aclrtEvent", "aclmdlRI", "aclrtTaskGrp"}:
        return "nullptr" if value == 0 else f"reinterpret_cast<{one.ctype}>({value:#x})"
    return f"static_cast<{one.ctype}>({signed(value)})"
