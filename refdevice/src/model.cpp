#include "model.h"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

#include "tasks.h"

namespace refdevice {
namespace {

// A text as a JSON string.
std::string json_text(const std::string &text)
{
    std::ostringstream out;
    out << '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out << '\\' << c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out << "\\u" << std::hex << std::setw(4) << std::setfill('0') << static_cast<int>(c) << std::dec;
        } else {
            out << c;
        }
    }
    out << '"';
    return out.str();
}

}  // namespace

std::size_t Model::pool_streams() const
{
    return std::accumulate(lanes.begin(), lanes.end(), std::size_t{0}, [](std::size_t sum, const Lane &lane) {
        return sum + 1 + lane.tasks.size() / kQueueTasks;
    });
}

aclError model_of_handle(aclmdlRI handle, Rule null_rule, std::shared_ptr<Model> &model)
{
    if (const auto code = refuse({null_rule}, handle == nullptr, ACL_ERROR_INVALID_PARAM, "the model is NULL")) return code;
    if (handle == nullptr) return 0;  // only with that rule broken
    model = runtime().models.find(handle);
    return reject(model == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live model");
}

std::pair<void *, std::shared_ptr<Model>> make_model()
{
    auto model = std::make_shared<Model>();
    model->id = runtime().next_model++;
    model->context = current_context();
    return {runtime().models.add(model), model};
}

aclError check_executable(const Model &model)
{
    if (!model.built)
        return refuse({Rule::CAP_036}, model.capturing, ACL_ERROR_RT_MODEL_CAPTURED, "EE1017: the model is being captured");
    const bool ended = std::any_of(model.lanes.begin(), model.lanes.end(), [](const Lane &lane) { return lane.ended; });
    if (const auto code = refuse(
            {Rule::EXE_024}, !ended, ACL_ERROR_RT_MODEL_EXECUTE, "EE1017: the model has no end-of-task mark"))
        return code;
    return refuse({Rule::EXE_023}, ended && model.capturing, ACL_ERROR_RT_MODEL_EXECUTE, "EE1017: the build has not ended");
}

std::string json_of(const Model &model, bool verbose)
{
    std::ostringstream text;
    text << (kept(Rule::DBG_002) ? "[" : "model ");
    std::size_t number = 0;
    const std::uint32_t id = kept(Rule::DBG_022) ? model.id : model.id + 1;
    for (const Lane &lane : model.lanes) {
        for (const auto &task : lane.tasks) {
            text << (number == 0 ? "\n" : ",\n") << R"({"name":")" << task->type() << R"(","ph":"X","pid":)" << model.id
                 << R"(,"tid":)" << lane.stream_id << R"(,"ts":)" << number << R"(,"dur":1,"args":{)";
            if (kept(Rule::DBG_004)) text << R"("Model ID":)" << id << R"(,"Stream ID":)" << lane.stream_id << ",";
            text << R"("Task ID":)" << number;
            if (kept(Rule::DBG_003)) text << R"(,"Task Type":")" << task->type() << "\"";
            const bool detailed = verbose ? kept(Rule::DBG_005) : !kept(Rule::DBG_006);
            const std::string arguments = detailed ? task->arguments() : std::string();
            if (!arguments.empty()) text << R"(,"Kernel Args":)" << arguments;
            if (!task->extend_info.empty() && kept(Rule::DBG_021)) text << R"(,"Extend Info":)" << json_text(task->extend_info);
            text << "}}";
            ++number;
        }
    }
    text << "\n]\n";
    return text.str();
}

std::string text_of(const Model &model)
{
    std::ostringstream text;
    std::size_t number = 0;
    for (const Lane &lane : model.lanes)
        for (const auto &task : lane.tasks)
            text << "Device ID: 0, Model ID: " << model.id << ", "
                 << (kept(Rule::DBG_024) ? "Stream ID: " : "Stream: ") << lane.stream_id << ", Task ID: " << number++
                 << ", Task Type: " << task->type() << "\n";
    return text.str();
}

}  // namespace refdevice
