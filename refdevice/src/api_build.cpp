// Entry points: models built task by task, their synchronous execution and abort (API reference 15).
#include <algorithm>

#include "door.h"
#include "model.h"
#include "objects.h"
#include "submit.h"
#include "tasks.h"
#include "waiting.h"

using namespace refdevice;

namespace {

aclError built_model(aclmdlRI handle, std::shared_ptr<Model> &model)
{
    if (const auto code = reject(handle == nullptr, ACL_ERROR_INVALID_PARAM, "the model is NULL")) return code;
    model = runtime().models.find(handle);
    if (const auto code = reject(model == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live model")) return code;
    return reject(!model->built, ACL_ERROR_RT_PARAM_INVALID, "the model was captured, not built");
}

aclError begin_build(aclmdlRI *output, std::uint32_t flag)
{
    if (const auto code = reject(output == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
    if (const auto code = reject(flag != 0, ACL_ERROR_RT_PARAM_INVALID, "the flag is reserved and must be 0")) return code;
    if (const auto code = reject(current_context() == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no context is set")) return code;
    auto [handle, model] = make_model();
    model->built = true;
    *output = handle;
    return 0;
}

aclError bind(aclmdlRI handle, aclrtStream stream_handle, std::uint32_t flag)
{
    std::shared_ptr<Model> model;
    if (const auto code = built_model(handle, model)) return code;
    if (const auto code = reject(stream_handle == nullptr, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the default stream")) return code;
    aclError code = 0;
    const auto stream = stream_of(stream_handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    const auto bad = [](bool violated, const char *why) { return reject(violated, ACL_ERROR_RT_PARAM_INVALID, why); };
    if ((code = bad((stream->flags & ACL_STREAM_PERSISTENT) == 0, "the stream is not persistent")) != 0) return code;
    if ((code = bad(flag != ACL_MODEL_STREAM_FLAG_HEAD && flag != ACL_MODEL_STREAM_FLAG_DEFAULT, "not a flag")) != 0) return code;
    if ((code = reject(stream->bound.lock() != nullptr, ACL_ERROR_RT_STREAM_MODEL, "the stream is bound already")) != 0) return code;
    stream->bound = model;
    stream->lane = model->lanes.size();
    Lane lane;
    lane.stream_id = stream->id;
    lane.stream = stream;
    model->lanes.push_back(std::move(lane));
    return 0;
}

// The lane of a bound stream, or the refusal.
aclError bound_stream(aclmdlRI handle, aclrtStream stream_handle, aclError code, std::shared_ptr<Stream> &stream)
{
    std::shared_ptr<Model> model;
    if (const auto bad = built_model(handle, model)) return bad;
    stream = runtime().streams.find(stream_handle);
    return reject(stream == nullptr || stream->bound.lock() != model, code, "the stream is not bound to this model");
}

aclError end_build(aclmdlRI handle, const void *reserve)
{
    std::shared_ptr<Model> model;
    if (const auto code = built_model(handle, model)) return code;
    if (const auto code = reject(reserve != nullptr, ACL_ERROR_INVALID_PARAM, "the reserved argument must be NULL")) return code;
    if (const auto code = reject(model->lanes.empty(), ACL_ERROR_RT_STREAM_MODEL, "no stream is bound")) return code;
    const bool ended = std::any_of(model->lanes.begin(), model->lanes.end(), [](const Lane &lane) { return lane.ended; });
    if (const auto code = reject(!ended || !model->capturing, ACL_ERROR_RT_MODEL_EXECUTE, "no end-of-task mark, or built already"))
        return code;
    model->capturing = false;
    return 0;
}

aclError execute_now(HostLock &lock, aclmdlRI handle, std::int32_t timeout)
{
    std::shared_ptr<Model> model;
    if (const auto code = model_of_handle(handle, Rule::EXE_009, model)) return code;
    if (model == nullptr) return 0;
    if (const auto code = reject(!model->built, ACL_ERROR_RT_PARAM_INVALID, "EE1016: a captured model is executed by aclmdlRIExecuteAsync"))
        return code;
    if (const auto code = check_timeout(timeout)) return code;
    if (const auto code = check_executable(*model)) return code;
    if (const auto code = demand(model->aborts != 0 ? Rule::EXE_026 : Rule::EXE_016)) return code;
    if (const auto code = demand(timeout < 0 ? Rule::EXE_018 : Rule::EXE_019)) return code;
    const auto context = model->context.lock();
    if (const auto code = reject(context == nullptr, ACL_ERROR_RT_MODEL_CONTEXT, "the model's context is gone")) return code;
    const auto stream = context->default_stream;
    std::uint64_t ticket = 0;
    if (const auto code = submit(stream, std::make_shared<ReplayTask>(model), Work::Replay, &ticket)) return code;
    if (!kept(Rule::EXE_016)) return 0;
    lock.unlock();
    const bool done = stream->queue.wait_for(ticket, limit_of(timeout));
    lock.lock();
    return reject(!done, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "EE1002: the model did not finish in time");
}

}  // namespace

extern "C" {

aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag)
{
    return enter("aclmdlRIBuildBegin", [&](HostLock &) { return begin_build(modelRI, flag); });
}

aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag)
{
    return enter("aclmdlRIBindStream", [&](HostLock &) { return bind(modelRI, stream, flag); });
}

aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream handle)
{
    return enter("aclmdlRIEndTask", [&](HostLock &) -> aclError {
        std::shared_ptr<Stream> stream;
        if (const auto code = bound_stream(modelRI, handle, ACL_ERROR_RT_INTERNAL_ERROR, stream)) return code;
        stream->bound.lock()->lanes[stream->lane].ended = true;
        return 0;
    });
}

aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve)
{
    return enter("aclmdlRIBuildEnd", [&](HostLock &) { return end_build(modelRI, reserve); });
}

aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream handle)
{
    return enter("aclmdlRIUnbindStream", [&](HostLock &) -> aclError {
        std::shared_ptr<Stream> stream;
        if (const auto code = bound_stream(modelRI, handle, ACL_ERROR_RT_STREAM_MODEL, stream)) return code;
        stream->bound.reset();
        return 0;
    });
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
    return enter("aclmdlRIExecute", [&](HostLock &lock) { return execute_now(lock, modelRI, timeout); });
}

aclError aclmdlRIAbort(aclmdlRI modelRI)
{
    return enter("aclmdlRIAbort", [&](HostLock &) -> aclError {
        if (const auto code = reject(modelRI == nullptr, ACL_ERROR_RT_PARAM_INVALID, "the model is NULL")) return code;
        const auto model = runtime().models.find(modelRI);
        if (const auto code = reject(model == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live model")) return code;
        if (const auto code = reject(!model->built, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: not a built model")) return code;
        if (const auto code = demand(Rule::EXE_025)) return code;
        {
            // Under the device lock, so that a wait which is just being entered does not miss it.
            const std::lock_guard<std::mutex> lock(device_state().mutex);
            ++model->aborts;
        }
        device_state().changed.notify_all();
        return 0;
    });
}

}  // extern "C"
