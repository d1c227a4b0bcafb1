// Entry points: executing, destroying and printing models (API reference 15).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "condition.h"
#include "door.h"
#include "limits.h"
#include "model.h"
#include "objects.h"
#include "submit.h"
#include "tasks.h"
#include "waiting.h"

using namespace refdevice;

namespace {

constexpr auto kBlockedExecution = std::chrono::milliseconds(200);

// The streams that no model may be executed on.
aclError check_execution_stream(const Stream &stream)
{
    const auto unfit = [](Rule rule, bool violated, aclError code, const char *why) {
        return refuse({rule}, violated, code, std::string("EE1017: ") + why);
    };
    const bool belongs = stream.bound.lock() != nullptr;
    if (const auto code = unfit(Rule::EXE_013, belongs, ACL_ERROR_RT_STREAM_MODEL, "the stream belongs to a model")) return code;
    if (belongs) return 0;
    return unfit(
        Rule::EXE_014, (stream.flags & kNoWaitFlags) != 0, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "a persistent, CPU-schedule or device-only stream executes no model");
}

// The must-succeed rules of an execution that nothing forbids.
aclError check_execution(const Model &model, const Stream &stream)
{
    if (const auto code = demand(Rule::EXE_001)) return code;
    if (model.built)
        if (const auto code = demand(model.aborts != 0 ? Rule::EXE_026 : Rule::EXE_002)) return code;
    const bool own = !model.lanes.empty() && model.lanes.front().stream_id == stream.id;
    if (const auto code = demand(own ? Rule::EXE_003 : Rule::EXE_004)) return code;
    if (model.executions > 0)
        if (const auto code = demand(Rule::EXE_005)) return code;
    if (model.handle_asked)
        if (const auto code = demand(Rule::EXE_008)) return code;
    if (stream.replayed != 0 && stream.replayed != model.id + 1)
        if (const auto code = demand(Rule::UPD_028)) return code;
    for (const auto &other : runtime().models.all())
        if (other.get() != &model && other->running > 0)
            if (const auto code = demand(Rule::EXE_032)) return code;
    return 0;
}

aclError execute(HostLock &lock, aclmdlRI handle, aclrtStream stream_handle)
{
    std::shared_ptr<Model> model;
    aclError code = model_of_handle(handle, Rule::EXE_009, model);
    if (code != 0) return code;
    if (model == nullptr) return 0;
    if ((code = check_root(*model)) != 0) return code;
    const auto stream = stream_of(stream_handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    if ((code = check_default_stream(*stream, Rule::STRM_011)) != 0) return code;
    if ((code = check_executable(*model)) != 0) return code;
    code = refuse(
        {Rule::EXE_028}, model->context.lock() != stream->context.lock(), ACL_ERROR_RT_MODEL_CONTEXT,
        "EE1017: the model belongs to another context");
    if (code != 0) return code;
    if ((code = reject(stream->capture != nullptr, ACL_ERROR_RT_STREAM_CAPTURED, "EE1017: the stream is capturing")) != 0) return code;
    if ((code = check_execution_stream(*stream)) != 0) return code;
    const bool empty = std::all_of(model->lanes.begin(), model->lanes.end(), [](const Lane &lane) { return lane.tasks.empty(); });
    if ((code = reject(empty, ACL_ERROR_RT_MODEL_EXECUTE, "EE1017: the model has no task")) != 0) return code;
    if ((code = check_execution_room(*stream->context.lock())) != 0) return code;
    if ((code = check_execution(*model, *stream)) != 0) return code;
    ++model->executions;
    stream->replayed = model->id + 1;
    if ((code = submit(stream, std::make_shared<ReplayTask>(model), Work::Replay)) != 0) return code;
    if (kept(Rule::EXE_034)) return 0;
    lock.unlock();
    const bool done = stream->queue.wait_for(stream->queue.last(), kBlockedExecution);
    lock.lock();
    return reject(!done, ACL_ERROR_RT_TIMEOUT, "the execution did not end in time");
}

aclError destroy(aclmdlRI handle)
{
    std::shared_ptr<Model> model;
    if (const auto code = model_of_handle(handle, Rule::RES_008, model)) return code;
    if (model == nullptr) return 0;
    if (const auto code = check_root(*model)) return code;
    if (const auto code = refuse(
            {Rule::CAP_037}, model->capturing && !model->built, ACL_ERROR_RT_MODEL_CAPTURED, "EE1017: the model is being captured"))
        return code;
    if (const auto code = refuse({Rule::RES_007}, model->running > 0, ACL_ERROR_RT_MODEL_RUNNING, "EE1017: the model is executing"))
        return code;
    if (const auto code = demand(Rule::RES_006)) return code;
    if (const auto context = model->context.lock(); context != nullptr && !kept(Rule::RES_010)) context->lost_streams += model->pool_streams();
    forget_branches(*model);
    runtime().models.remove(handle);
    return 0;
}

// The rule that a path breaks which cannot be opened for writing.
Rule path_rule(const char *path)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return Rule::DBG_010;
    return std::filesystem::exists(path, ignored) ? Rule::DBG_009 : Rule::DBG_008;
}

aclError print_json(aclmdlRI handle, const char *path, std::uint32_t flags)
{
    std::shared_ptr<Model> model;
    if (const auto code = model_of_handle(handle, Rule::DBG_014, model)) return code;
    if (const auto code = refuse({Rule::DBG_013}, path == nullptr, ACL_ERROR_INVALID_PARAM, "the path is NULL")) return code;
    if (path == nullptr || model == nullptr) return 0;
    if (const auto code = demand(model->built ? Rule::DBG_020 : Rule::DBG_001)) return code;
    std::error_code ignored;
    const bool there = std::filesystem::exists(path, ignored);
    if (!there && !kept(Rule::DBG_011)) return demand(Rule::DBG_011, ACL_ERROR_RT_FILE_OPEN);
    const std::string where = std::string(path) + " for writing and reading";
    // An existing file must be readable too; the effective user counts, as it does for opening.
    std::ifstream readable(path);
    const bool unreadable = there && !std::filesystem::is_directory(path, ignored) && !readable.is_open();
    if (const auto code = refuse({Rule::DBG_023}, unreadable, ACL_ERROR_RT_FILE_OPEN, "cannot open " + where)) return code;
    readable.close();
    std::ofstream file(path);
    if (const auto code = refuse({path_rule(path)}, !file.is_open(), ACL_ERROR_RT_FILE_OPEN, "cannot open " + where)) return code;
    file << json_of(*model, (flags & ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE) != 0);
    const bool opened = file.is_open();
    file.close();
    return reject(opened && !file, ACL_ERROR_RT_FILE_WRITE, std::string("cannot write ") + path);
}

aclError print(aclmdlRI handle)
{
    std::shared_ptr<Model> model;
    if (const auto code = model_of_handle(handle, Rule::DBG_014, model)) return code;
    if (model == nullptr) return 0;
    if (const auto code = reject(model->capturing, ACL_ERROR_RT_MODEL_CAPTURED, "EE1017: the model is being captured")) return code;
    if (const auto code = reject(model->built, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: not a captured model")) return code;
    if (const auto code = demand(Rule::DBG_016)) return code;
    std::cout << text_of(*model) << std::flush;
    return 0;
}

}  // namespace

extern "C" {

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
    return enter("aclmdlRIExecuteAsync", [&](HostLock &lock) { return execute(lock, modelRI, stream); });
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
    return enter("aclmdlRIDestroy", [&](HostLock &) { return destroy(modelRI); });
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags)
{
    return enter("aclmdlRIDebugJsonPrint", [&](HostLock &) { return print_json(modelRI, path, flags); });
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI)
{
    return enter("aclmdlRIDebugPrint", [&](HostLock &) { return print(modelRI); });
}

}  // extern "C"
