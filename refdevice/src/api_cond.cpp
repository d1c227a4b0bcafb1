// Entry points: conditional tasks and their sub-models (API reference 15).
#include "condition.h"
#include "door.h"
#include "memory.h"
#include "model.h"
#include "objects.h"
#include "submit.h"

using namespace refdevice;

namespace {

aclError bad(bool violated, const char *why) { return reject(violated, ACL_ERROR_RT_PARAM_INVALID, why); }

aclError create(aclmdlRI handle, std::uint32_t initial, std::uint32_t flag, aclmdlRICondHandle *output)
{
    if (const auto code = reject(handle == nullptr || output == nullptr, ACL_ERROR_INVALID_PARAM, "an argument is NULL")) return code;
    const auto model = runtime().models.find(handle);
    if (const auto code = reject(model == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live model")) return code;
    if (const auto code = reject(model->built, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: not a captured model")) return code;
    if (const auto code = reject(!model->capturing, ACL_ERROR_INVALID_PARAM, "the capture has ended")) return code;
    if (const auto code = bad(flag > ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, "not a flag")) return code;
    auto condition = std::make_shared<Condition>();
    condition->model = model;
    condition->initial = initial;
    condition->assign_default = flag != 0;
    condition->word = Heap::instance().allocate(sizeof(std::uint64_t));
    if (const auto code = reject(condition->word == nullptr, ACL_ERROR_RT_MEMORY_ALLOCATION, "no device memory")) return code;
    model->conditions.push_back(condition);
    *output = runtime().conditions.add(condition);
    return 0;
}

bool is_size(aclmdlRICondTaskType how, std::uint32_t size)
{
    switch (how) {
        case ACL_MODEL_RI_COND_TYPE_IF: return size == 1 || size == 2;
        case ACL_MODEL_RI_COND_TYPE_WHILE: return size == 1;
        case ACL_MODEL_RI_COND_TYPE_SWITCH: return size > 0;
        default: return false;
    }
}

aclError add(const aclmdlRICondTaskParams &params, aclrtStream handle, std::uint32_t flags)
{
    aclError code = 0;
    const auto stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    const auto capture = stream->capture;
    if ((code = reject(capture == nullptr, ACL_ERROR_RT_STREAM_NOT_CAPTURED, "EE1017: not capturing")) != 0) return code;
    if ((code = reject(capture->invalidated, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "EE1017: the capture was invalidated")) != 0)
        return code;
    const auto condition = runtime().conditions.find(params.handle);
    if ((code = reject(condition == nullptr, ACL_ERROR_INVALID_PARAM, "no live condition")) != 0) return code;
    if ((code = bad(condition->used, "the condition has a task already")) != 0) return code;
    if ((code = bad(condition->model.lock() != capture->model, "the condition belongs to another model")) != 0) return code;
    if ((code = bad(flags != 0 || params.modelRIArray == nullptr, "flags, or no place for the sub-models")) != 0) return code;
    if ((code = bad(!is_size(params.type, params.size), "not a number of sub-models for this type")) != 0) return code;
    auto task = std::make_shared<CondTask>();
    task->condition = condition;
    task->how = params.type;
    for (std::uint32_t i = 0; i < params.size; ++i) {
        const auto made = make_model();
        made.second->branch = true;
        capture->model->branches.push_back(made.second);
        task->branches.push_back(made.second);
        params.modelRIArray[i] = made.first;
    }
    condition->used = true;
    return submit(stream, std::move(task), Work::Condition);
}

}  // namespace

extern "C" {

aclError aclmdlRICondHandleCreate(
    aclmdlRI modelRI, uint32_t defaultLaunchValue, aclmdlRICondHandleFlag flag, aclmdlRICondHandle *handle)
{
    return enter("aclmdlRICondHandleCreate", [&](HostLock &) { return create(modelRI, defaultLaunchValue, flag, handle); });
}

aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **ptr)
{
    return enter("aclmdlRICondHandleGetCondPtr", [&](HostLock &) -> aclError {
        const auto condition = runtime().conditions.find(handle);
        if (const auto code = reject(condition == nullptr || ptr == nullptr, ACL_ERROR_INVALID_PARAM, "no condition, or no output"))
            return code;
        *ptr = static_cast<uint64_t *>(condition->word);
        return 0;
    });
}

aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags)
{
    return enter("aclmdlRIAddCondTask", [&](HostLock &) { return add(params, stream, flags); });
}

}  // extern "C"
