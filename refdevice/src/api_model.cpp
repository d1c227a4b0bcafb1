// Entry points: executing, destroying and printing models (API reference 15).
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "door.h"
#include "objects.h"
#include "submit.h"
#include "tasks.h"

using namespace refdevice;

namespace {

aclError ended_model(aclmdlRI handle, Rule null_rule, std::shared_ptr<Model> &model)
{
    if (const auto code = refuse({null_rule}, handle == nullptr, ACL_ERROR_INVALID_PARAM, "the model is NULL")) return code;
    model = runtime().models.find(handle);
    return reject(model == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live model");
}

aclError execute(aclmdlRI handle, aclrtStream stream_handle)
{
    std::shared_ptr<Model> model;
    aclError code = ended_model(handle, Rule::EXE_009, model);
    if (code != 0) return code;
    const auto stream = stream_of(stream_handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    if ((code = check_default_stream(*stream, Rule::STRM_011)) != 0) return code;
    code = refuse({Rule::CAP_036}, model->capturing, ACL_ERROR_RT_MODEL_CAPTURED, "EE1017: the model is being captured");
    if (code != 0) return code;
    code = refuse(
        {Rule::EXE_028}, model->context.lock() != stream->context.lock(), ACL_ERROR_RT_MODEL_CONTEXT,
        "EE1017: the model belongs to another context");
    if (code != 0) return code;
    if ((code = reject(stream->capture != nullptr, ACL_ERROR_RT_STREAM_CAPTURED, "EE1017: the stream is capturing")) != 0) return code;
    return submit(stream, std::make_shared<ReplayTask>(model), Work::Replay);
}

// One event of the trace-viewer format for each task.
std::string json_of(const Model &model, bool verbose)
{
    std::ostringstream text;
    text << "[";
    std::size_t number = 0;
    for (const Lane &lane : model.lanes) {
        for (const auto &task : lane.tasks) {
            text << (number == 0 ? "\n" : ",\n") << R"({"name":")" << task->type() << R"(","ph":"X","pid":)" << model.id
                 << R"(,"tid":)" << lane.stream_id << R"(,"ts":)" << number << R"(,"dur":1,"args":{"Model ID":)" << model.id
                 << R"(,"Stream ID":)" << lane.stream_id << R"(,"Task ID":)" << number << R"(,"Task Type":")"
                 << task->type() << "\"";
            const std::string arguments = verbose ? task->arguments() : std::string();
            if (!arguments.empty()) text << R"(,"Kernel Args":)" << arguments;
            text << "}}";
            ++number;
        }
    }
    text << "\n]\n";
    return text.str();
}

aclError print_json(aclmdlRI handle, const char *path, std::uint32_t flags)
{
    std::shared_ptr<Model> model;
    if (const auto code = ended_model(handle, Rule::DBG_014, model)) return code;
    if (const auto code = refuse({Rule::DBG_013}, path == nullptr, ACL_ERROR_INVALID_PARAM, "the path is NULL")) return code;
    if (path == nullptr) return 0;
    std::ofstream file(path);
    if (const auto code = refuse(
            {Rule::DBG_008, Rule::DBG_010}, !file.is_open(), ACL_ERROR_RT_FILE_OPEN,
            std::string("cannot open ") + path + " for writing"))
        return code;
    file << json_of(*model, (flags & ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE) != 0);
    file.close();
    return reject(!file, ACL_ERROR_RT_FILE_WRITE, std::string("cannot write ") + path);
}

}  // namespace

extern "C" {

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
    return enter("aclmdlRIExecuteAsync", [&](HostLock &) { return execute(modelRI, stream); });
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t /*timeout*/)
{
    return enter("aclmdlRIExecute", [&](HostLock &) -> aclError {
        std::shared_ptr<Model> model;
        if (const auto code = ended_model(modelRI, Rule::EXE_009, model)) return code;
        // Only models of the build API have this call (C-40), and those are not in this device yet.
        return reject(true, ACL_ERROR_RT_PARAM_INVALID, "EE1016: a captured model is executed by aclmdlRIExecuteAsync");
    });
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
    return enter("aclmdlRIDestroy", [&](HostLock &) -> aclError {
        if (const auto code = reject(modelRI == nullptr, ACL_ERROR_INVALID_PARAM, "the model is NULL")) return code;
        const auto model = runtime().models.find(modelRI);
        if (const auto code = reject(model == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live model")) return code;
        if (const auto code = refuse(
                {Rule::CAP_037}, model->capturing, ACL_ERROR_RT_MODEL_CAPTURED, "EE1017: the model is being captured"))
            return code;
        // A replay that still runs holds the model; only the handle is gone.
        runtime().models.remove(modelRI);
        return 0;
    });
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags)
{
    return enter("aclmdlRIDebugJsonPrint", [&](HostLock &) { return print_json(modelRI, path, flags); });
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI)
{
    return enter("aclmdlRIDebugPrint", [&](HostLock &) -> aclError {
        std::shared_ptr<Model> model;
        if (const auto code = ended_model(modelRI, Rule::DBG_014, model)) return code;
        std::size_t number = 0;
        for (const Lane &lane : model->lanes)
            for (const auto &task : lane.tasks)
                std::cout << "Device ID: 0, Model ID: " << model->id << ", Stream ID: " << lane.stream_id
                          << ", Task ID: " << number++ << ", Task Type: " << task->type() << "\n";
        std::cout.flush();
        return 0;
    });
}

}  // extern "C"
