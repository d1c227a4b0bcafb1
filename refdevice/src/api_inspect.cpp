// Entry points: what is in a model, and what callers note at its tasks (API reference 15, 24).
#include <algorithm>

#include "condition.h"
#include "door.h"
#include "memory.h"
#include "model.h"
#include "objects.h"
#include "submit.h"

using namespace refdevice;

namespace {

constexpr std::size_t kOpInfoLimit = 64 * 1024;
constexpr std::size_t kExtendInfoLimit = 4 * 1024;

aclError bad(bool violated, const char *why) { return reject(violated, ACL_ERROR_RT_PARAM_INVALID, why); }

// Fill a caller's array: `count` is its room on entry (no array: nothing but the number is asked for).
template <typename Make>
aclError hand_out(void **output, std::uint32_t *count, std::size_t available, const Make &make)
{
    const std::size_t room = output == nullptr ? available : *count;
    *count = static_cast<std::uint32_t>(std::min(room, available));
    if (output == nullptr) return 0;
    for (std::size_t i = 0; i < room; ++i) output[i] = i < available ? make(i) : nullptr;
    return reject(room < available, ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, "the array is too small");
}

aclError streams_of(aclmdlRI handle, aclrtStream *output, std::uint32_t *count)
{
    const auto model = runtime().models.find(handle);
    if (const auto code = bad(model == nullptr || count == nullptr, "no live model, or no place for the number")) return code;
    if (const auto code = check_root(*model)) return code;
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    for (std::size_t lane = 0; lane < model->lanes.size(); ++lane)
        for (std::size_t part = 0; part <= model->lanes[lane].tasks.size() / kQueueTasks; ++part) parts.emplace_back(lane, part);
    const std::size_t number = kept(Rule::RES_021) ? parts.size() : std::min<std::size_t>(parts.size(), model->lanes.size());
    return hand_out(output, count, number, [&](std::size_t i) {
        return runtime().model_streams.add(std::make_shared<ModelStream>(ModelStream{model, parts[i].first, parts[i].second}));
    });
}

aclError tasks_of(aclrtStream handle, aclmdlRITask *output, std::uint32_t *count)
{
    const auto stream = runtime().model_streams.find(handle);
    const auto model = stream != nullptr ? stream->model.lock() : nullptr;
    if (const auto code = bad(model == nullptr || count == nullptr, "no stream of a live model, or no place for the number"))
        return code;
    const auto &tasks = model->lanes[stream->lane].tasks;
    const std::size_t first = stream->part * kQueueTasks;
    return hand_out(output, count, std::min(tasks.size() - first, kQueueTasks), [&](std::size_t i) {
        return runtime().tasks.add(tasks[first + i]);
    });
}

// The task that notes of the calling thread go to; with CFG-026 broken, the first task of the stream.
std::shared_ptr<Task> noted_task()
{
    const LastTask &last = last_task();
    const auto task = last.task.lock();
    const auto model = last.model.lock();
    if (task == nullptr || model == nullptr || kept(Rule::CFG_026)) return task;
    return model->lanes[last.lane].tasks.front();
}

aclError cache_op_info(const void *info, std::size_t size)
{
    const auto capture = last_task().capture.lock();
    const bool capturing = capture != nullptr && capture->model->capturing;
    if (const auto code = refuse(
            {Rule::CFG_016}, !capturing, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1018: the last task was not captured"))
        return code;
    if (const auto code = refuse(
            {Rule::CFG_015}, capturing && !capture->cache_op_info, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "EE1018: ACL_STREAM_ATTR_CACHE_OP_INFO is off"))
        return code;
    const bool out_of_range = size == 0 || size > kOpInfoLimit;
    if (const auto code = refuse(
            {Rule::CFG_017}, info == nullptr || out_of_range, ACL_ERROR_RT_PARAM_INVALID, "the size is not in (0, 64K]"))
        return code;
    const auto task = noted_task();
    if (!capturing || out_of_range || task == nullptr) return 0;
    if (const auto code = demand(Rule::CFG_014)) return code;
    task->op_info.assign(static_cast<const char *>(info), size);
    return 0;
}

aclError cache_extend_info(const char *info, std::size_t size)
{
    const auto model = last_task().model.lock();
    const auto task = noted_task();
    if (const auto code = reject(
            model == nullptr || !model->capturing || task == nullptr, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "EE1018: the last task was neither captured nor built"))
        return code;
    if (const auto code = refuse({Rule::CFG_024}, info == nullptr || size == 0, ACL_ERROR_RT_PARAM_INVALID, "no text")) return code;
    if (const auto code = demand(model->built ? Rule::CFG_021 : Rule::CFG_020)) return code;
    if (size > kExtendInfoLimit)
        if (const auto code = demand(Rule::CFG_023)) return code;
    task->extend_info.assign(info, std::min(size, kExtendInfoLimit));
    return 0;
}

}  // namespace

extern "C" {

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId)
{
    return enter("aclmdlRIGetId", [&](HostLock &) -> aclError {
        if (const auto code = reject(modelRI == nullptr || modelRIId == nullptr, ACL_ERROR_INVALID_PARAM, "an argument is NULL")) return code;
        const auto model = runtime().models.find(modelRI);
        if (const auto code = reject(model == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live model")) return code;
        *modelRIId = model->id;
        return 0;
    });
}

aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream *streams, uint32_t *numStreams)
{
    return enter("aclmdlRIGetStreams", [&](HostLock &) { return streams_of(modelRI, streams, numStreams); });
}

aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask *tasks, uint32_t *numTasks)
{
    return enter("aclmdlRIGetTasksByStream", [&](HostLock &) { return tasks_of(stream, tasks, numTasks); });
}

aclError aclmdlRITaskGetType(aclmdlRITask handle, aclmdlRITaskType *type)
{
    return enter("aclmdlRITaskGetType", [&](HostLock &) -> aclError {
        const auto task = runtime().tasks.find(handle);
        if (const auto code = bad(task == nullptr || type == nullptr, "no task, or no place for its type")) return code;
        *type = task->kind();
        return 0;
    });
}

aclError aclmdlRITaskGetParams(aclmdlRITask handle, aclmdlRITaskParams *params)
{
    return enter("aclmdlRITaskGetParams", [&](HostLock &) -> aclError {
        const auto task = runtime().tasks.find(handle);
        if (const auto code = bad(task == nullptr || params == nullptr, "no task, or no place for its parameters")) return code;
        *params = aclmdlRITaskParams{};
        params->type = task->kind();
        if (task->op_info.empty() || !kept(Rule::CFG_018)) return 0;
        params->opInfoPtr = task->op_info.data();
        params->opInfoSize = task->op_info.size();
        return 0;
    });
}

aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr, const size_t infoSize)
{
    return enter("aclrtCacheLastTaskOpInfo", [&](HostLock &) { return cache_op_info(infoPtr, infoSize); });
}

aclError aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr, const size_t infoSize)
{
    return enter("aclrtCacheLastTaskExtendInfo", [&](HostLock &) { return cache_extend_info(extendInfoPtr, infoSize); });
}

}  // extern "C"
