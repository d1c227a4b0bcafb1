#include "submit.h"

#include <algorithm>
#include <utility>

#include "tasks.h"

namespace refdevice {
namespace {

constexpr auto kGlobal = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
constexpr auto kThreadLocal = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
constexpr auto kRelaxed = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

Rule default_stream_rule(Work work)
{
    switch (work) {
        case Work::Copy: return Rule::STRM_004;
        case Work::Memset: return Rule::STRM_005;
        case Work::Kernel: return Rule::STRM_006;
        case Work::Wait: return Rule::STRM_008;
        case Work::Replay: return Rule::STRM_011;
        default: return Rule::STRM_007;
    }
}

Rule group_rule(Work work)
{
    switch (work) {
        case Work::Copy: return Rule::GRP_012;
        case Work::Memset: return Rule::GRP_013;
        case Work::Record: return Rule::GRP_014;
        case Work::ValueWrite: return Rule::GRP_016;
        case Work::HostFunc: return Rule::GRP_017;
        default: return Rule::GRP_015;
    }
}

aclError capture_task(Stream &stream, std::shared_ptr<Task> task, Work work)
{
    Capture &capture = *stream.capture;
    if (capture.open_group != nullptr) {
        if (stream.lane != capture.group_lane) {
            if (const auto code = refuse(
                    {Rule::GRP_019}, true, ACL_ERROR_STREAM_TASK_GROUP_INTR,
                    "EE1017: a task group is open on another stream of this capture")) {
                capture.invalidate();
                return code;
            }
        } else if (const auto code = refuse(
                       {group_rule(work)}, work != Work::Kernel, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
                       "EE1006: only operators may be put into a task group", [&] { capture.invalidate(); })) {
            return code;
        }
    }
    if (!kept(stream.lane == 0 ? Rule::CAP_005 : Rule::XSTR_006) && (work == Work::Copy || work == Work::Kernel))
        stream.queue.submit(task);
    auto &tasks = capture.lane(stream.lane).tasks;
    if (tasks.size() >= kQueueTasks)
        if (const auto code = demand(Rule::RES_020)) return code;
    last_task() = LastTask{task, capture.model, stream.capture, stream.lane};
    tasks.push_back(std::move(task));
    return 0;
}

// What a blocking stream would do: wait for everything that the other streams of its context have.
void queue_behind_all(Stream &stream)
{
    auto barrier = std::make_shared<BarrierTask>();
    for (const auto &other : runtime().streams.all())
        if (other.get() != &stream && other->context.lock() == stream.context.lock())
            barrier->others.emplace_back(other, other->queue.last());
    stream.queue.submit(std::move(barrier));
}

struct Cell {
    bool denied = false;
    std::optional<Rule> rule;  // the row of the mode table, where there is one
};

// One cell of the table of API reference 15, aclmdlRICaptureThreadExchangeMode: capture mode x thread x thread mode.
Cell own_cell(aclmdlRICaptureMode capture, const ThreadMode &thread)
{
    if (capture == kRelaxed) {
        if (!thread.exchanged) return {false, Rule::MODE_017};
        return {false, thread.mode == kRelaxed ? std::optional(Rule::MODE_020) : std::nullopt};
    }
    if (thread.mode == kRelaxed) return {false, capture == kGlobal ? Rule::MODE_004 : Rule::MODE_012};
    if (!thread.exchanged) return {true, capture == kGlobal ? Rule::MODE_001 : Rule::MODE_009};
    if (thread.mode == kGlobal) return {true, capture == kGlobal ? Rule::MODE_002 : Rule::MODE_010};
    return {true, capture == kGlobal ? Rule::MODE_003 : Rule::MODE_011};
}

Cell other_cell(aclmdlRICaptureMode capture, const ThreadMode &thread)
{
    if (capture == kGlobal) {
        if (thread.mode == kGlobal) return {true, thread.exchanged ? Rule::MODE_006 : Rule::MODE_005};
        return {false, thread.mode == kThreadLocal ? Rule::MODE_007 : Rule::MODE_008};
    }
    if (capture == kThreadLocal) {
        if (!thread.exchanged) return {false, Rule::MODE_013};
        return {false, thread.mode == kRelaxed ? std::optional(Rule::MODE_016) : std::nullopt};
    }
    if (!thread.exchanged) return {false, Rule::MODE_021};
    if (thread.mode == kGlobal) return {false, Rule::MODE_022};
    return {false, thread.mode == kThreadLocal ? Rule::MODE_023 : Rule::MODE_024};
}

// The rule of area MEM for the capturing thread without exchange, by capture mode.
Rule memory_rule(NonSafe call, aclmdlRICaptureMode mode)
{
    const auto pick = [mode](Rule global, Rule local, Rule relaxed) {
        return mode == kGlobal ? global : mode == kThreadLocal ? local : relaxed;
    };
    switch (call) {
        case NonSafe::Memset: return pick(Rule::MEM_001, Rule::MEM_002, Rule::MEM_003);
        case NonSafe::Memcpy: return pick(Rule::MEM_004, Rule::MEM_005, Rule::MEM_006);
        case NonSafe::Memcpy2d: return pick(Rule::MEM_007, Rule::MEM_008, Rule::MEM_009);
        case NonSafe::UnpinnedCopy: return pick(Rule::MEM_019, Rule::MEM_020, Rule::MEM_021);
        case NonSafe::UnpinnedBatch: return pick(Rule::MEM_063, Rule::MEM_063, Rule::MEM_064);
        default: return pick(Rule::MEM_061, Rule::MEM_061, Rule::MEM_062);
    }
}

aclError judge(const Cell &cell, NonSafe call, aclmdlRICaptureMode mode, bool own)
{
    const ThreadMode &thread = thread_mode();
    const bool listed = call == NonSafe::Memset || call == NonSafe::Memcpy;
    const bool copy = call == NonSafe::UnpinnedCopy || call == NonSafe::UnpinnedCopy2d || call == NonSafe::UnpinnedBatch;
    // No rule demands that a call of the open end of the list is refused.
    if (call == NonSafe::Batch)
        return reject(cell.denied, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, "EE1016: a call that is not safe in this capture");
    const Rule memory = memory_rule(call, mode);
    const bool plain = own && !thread.exchanged;
    if (!cell.denied) {
        if (plain && !kept(memory)) return demand(memory);
        if (!listed && !plain && !kept(Rule::MODE_043)) return demand(Rule::MODE_043);
        return listed && cell.rule ? demand(*cell.rule) : 0;
    }
    const std::string family = kept(Rule::MODE_041) ? "EE1016: " : "";
    const std::string why = family + "a call that is not safe in this capture: capture mode " + mode_name(mode) +
                            (kept(Rule::MODE_041) ? std::string(", thread mode ") + mode_name(thread.mode) : "");
    const aclError code = copy ? ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC : ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT;
    if (listed && plain) return refuse({*cell.rule, memory}, true, code, why);
    if (plain) return refuse({memory}, true, code, why);
    return refuse({listed ? *cell.rule : Rule::MODE_042}, true, code, why);
}

const Capture *other_capture(const Context &context)
{
    const Capture *strictest = nullptr;
    for (const auto &capture : context.captures)
        if (capture->thread != std::this_thread::get_id() && (strictest == nullptr || capture->mode < strictest->mode))
            strictest = capture.get();
    return strictest;
}

}  // namespace

ThreadMode &thread_mode()
{
    static thread_local ThreadMode mode;
    // The fault MODE-030:skip makes all threads share one mode.
    static ThreadMode shared;
    return kept(Rule::MODE_030) ? mode : shared;
}

LastTask &last_task()
{
    static thread_local LastTask last;
    return last;
}

const char *mode_name(aclmdlRICaptureMode mode)
{
    return mode == kGlobal ? "GLOBAL" : mode == kThreadLocal ? "THREAD_LOCAL" : "RELAXED";
}

const Capture *own_capture(const Context &context)
{
    const Capture *strictest = nullptr;
    for (const auto &capture : context.captures)
        if (capture->thread == std::this_thread::get_id() && (strictest == nullptr || capture->mode < strictest->mode))
            strictest = capture.get();
    return strictest;
}

aclError check_default_stream(const Stream &stream, Rule rule)
{
    const auto context = stream.context.lock();
    if (!stream.is_default || context == nullptr) return 0;
    // Breaking it refuses one kind of work only, so that a case can show it by itself.
    if (context->captures.empty() && context->had_capture && rule == Rule::STRM_005)
        if (const auto code = demand(Rule::STRM_012)) return code;
    return refuse(
        {rule}, !context->captures.empty(), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
        "EE1016: the default stream must not be used while a capture is open");
}

aclError submit(const std::shared_ptr<Stream> &stream, std::shared_ptr<Task> task, Work work, std::uint64_t *ticket)
{
    if (const auto code = check_default_stream(*stream, default_stream_rule(work))) return code;
    if (stream->update) {
        const Rule rule = work == Work::Memset ? Rule::UPD_012 : Rule::UPD_014;
        if (const auto code = refuse(
                {rule}, work != Work::Kernel, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
                "EE1006: only operators may be submitted in a task update"))
            return code;
        if (work != Work::Kernel) {
            // Only with the rule broken: the foreign task takes the place of an operator and is lost.
            const std::size_t place = stream->update->kernels.size();
            const auto &slots = stream->update->group->slots;
            if (place < slots.size()) stream->update->kernels.push_back(slots[place]->captured);
            return 0;
        }
    }
    if (stream->capture != nullptr) return capture_task(*stream, std::move(task), work);
    if (const auto model = stream->bound.lock(); model != nullptr && model->capturing) {
        last_task() = LastTask{task, model, {}, stream->lane};
        model->lanes[stream->lane].tasks.push_back(std::move(task));
        return 0;
    }
    last_task() = LastTask{};
    const auto context = stream->context.lock();
    const bool beside = context != nullptr && !context->captures.empty() && !stream->is_default;
    if (beside && work == Work::Copy && !kept(Rule::MODE_039)) return demand(Rule::MODE_039);
    if (stream->was_captured && work == Work::Memset)
        if (const auto code = demand(Rule::CAP_013)) return code;
    if (!kept(Rule::STRM_027)) queue_behind_all(*stream);
    if (work == Work::Copy || work == Work::Kernel) stream->previous = kept(Rule::CAP_004) ? nullptr : task;
    if (work == Work::Replay && !kept(Rule::EXE_007)) {
        stream->overtaken = std::move(task);
        return 0;
    }
    const std::uint64_t number = stream->queue.submit(std::move(task));
    if (stream->overtaken != nullptr) stream->queue.submit(std::exchange(stream->overtaken, nullptr));
    if (ticket != nullptr) *ticket = number;
    return 0;
}

aclError check_non_safe(const Context &context, NonSafe call)
{
    if (context.captures.empty())
        return context.had_strict_capture && call == NonSafe::Memset ? demand(Rule::MODE_035) : 0;
    // Several captures may be open: the own thread's strictest one and that of the other threads both count.
    if (const Capture *own = own_capture(context))
        if (const auto code = judge(own_cell(own->mode, thread_mode()), call, own->mode, true)) return code;
    if (const Capture *other = other_capture(context))
        if (const auto code = judge(other_cell(other->mode, thread_mode()), call, other->mode, false)) return code;
    return 0;
}

bool effect_is_broken(const Context &context)
{
    const Capture *own = own_capture(context);
    return own != nullptr && own->mode == kGlobal && thread_mode().mode == kRelaxed && !kept(Rule::MEM_010);
}

}  // namespace refdevice
