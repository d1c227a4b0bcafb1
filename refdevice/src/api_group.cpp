// Entry points: task groups and their updates (API reference 15; dev guide 04-03).
#include "door.h"
#include "group.h"
#include "objects.h"
#include "submit.h"
#include "tasks.h"

using namespace refdevice;

namespace {

aclError group_state(Rule rule, bool violated, const char *why)
{
    return refuse({rule}, violated, ACL_ERROR_STREAM_TASK_GROUP_STATUS, std::string("EE1017: ") + why);
}

// The capturing stream that a group call needs.
aclError capturing_stream(aclrtStream handle, std::shared_ptr<Stream> &stream)
{
    if (const auto code = refuse({Rule::GRP_022}, handle == nullptr, ACL_ERROR_INVALID_PARAM, "the stream is NULL")) return code;
    aclError code = 0;
    stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    return 0;
}

aclError begin_group(aclrtStream handle)
{
    std::shared_ptr<Stream> stream;
    if (const auto code = capturing_stream(handle, stream)) return code;
    // A broken GRP-008 takes the updating stream for a capturing one, as far as anybody can tell.
    if (stream->update) return group_state(Rule::GRP_008, true, "the stream is updating a task group");
    if (const auto code = refuse(
            {Rule::GRP_002}, stream->capture == nullptr, ACL_ERROR_RT_STREAM_NOT_CAPTURED, "EE1017: not capturing"))
        return code;
    if (stream->capture == nullptr) return 0;
    Capture &capture = *stream->capture;
    if (const auto code = demand(stream->lane == 0 ? Rule::GRP_001 : Rule::GRP_023)) return code;
    if (capture.model->branch)
        if (const auto code = demand(Rule::UPD_030)) return code;
    if (!capture.model->groups.empty())
        if (const auto code = demand(Rule::GRP_011)) return code;
    const bool left = stream->left_group;  // only with GRP-007 broken: the group of an earlier capture
    if (const auto code = reject(left, ACL_ERROR_STREAM_TASK_GROUP_STATUS, "EE1017: a task group is open")) return code;
    if (capture.open_group != nullptr) return group_state(Rule::GRP_006, true, "a task group is open already");
    capture.open_group = std::make_shared<TaskGroup>();
    capture.open_group->model = capture.model;
    capture.open_group->mode = capture.mode;
    capture.group_lane = stream->lane;
    return 0;
}

aclError end_group(aclrtStream handle, aclrtTaskGrp *output)
{
    std::shared_ptr<Stream> stream;
    if (const auto code = capturing_stream(handle, stream)) return code;
    if (const auto code = refuse({Rule::GRP_022}, output == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
    if (const auto code = reject(stream->capture == nullptr, ACL_ERROR_RT_STREAM_NOT_CAPTURED, "EE1017: not capturing")) return code;
    Capture &capture = *stream->capture;
    if (capture.open_group == nullptr) {
        const auto code = group_state(Rule::GRP_005, true, "no task group is open");
        if (code == 0 && output != nullptr) *output = runtime().groups.add(std::make_shared<TaskGroup>());
        return code;
    }
    if (const auto code = group_state(Rule::GRP_004, stream->lane != capture.group_lane, "the task group is open on another stream"))
        return code;
    if (capture.invalidated) {
        capture.open_group = nullptr;
        return reject(true, ACL_ERROR_STREAM_TASK_GROUP_INTR, "EE1017: the task group was interrupted");
    }
    capture.model->groups.push_back(capture.open_group);
    void *made = runtime().groups.add(std::move(capture.open_group));
    capture.open_group = nullptr;
    if (output != nullptr) *output = kept(Rule::GRP_003) ? made : nullptr;  // NULL only with GRP-022 broken
    return 0;
}

aclError begin_update(aclrtStream handle, aclrtTaskGrp group_handle)
{
    if (const auto code = refuse({Rule::UPD_004}, handle == nullptr, ACL_ERROR_INVALID_PARAM, "the stream is NULL")) return code;
    if (const auto code = refuse({Rule::UPD_003}, group_handle == nullptr, ACL_ERROR_INVALID_PARAM, "the group is NULL")) return code;
    aclError code = 0;
    const auto stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    if ((code = refuse({Rule::UPD_002}, stream->capture != nullptr, ACL_ERROR_RT_STREAM_CAPTURED, "EE1017: the stream is capturing")) != 0)
        return code;
    if ((code = demand(Rule::UPD_001)) != 0) return code;
    auto group = runtime().groups.find(group_handle);
    if (group == nullptr) {
        // Only with UPD-003 broken does a NULL group get this far.
        if (group_handle != nullptr) return reject(true, ACL_ERROR_RT_INVALID_HANDLE, "not a live task group");
        group = std::make_shared<TaskGroup>();
    }
    if ((code = demand(Rule::UPD_029)) != 0) return code;
    if (stream->update) return group_state(Rule::UPD_007, true, "the stream is updating already");
    const auto busy = group->updating.lock();
    if ((code = group_state(Rule::UPD_008, busy != nullptr && busy != stream, "another stream updates this group")) != 0) return code;
    group->updating = stream;
    stream->update = Update{group, {}};
    return 0;
}

aclError end_update(aclrtStream handle)
{
    aclError code = 0;
    const auto stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    if (!stream->update) {
        if ((code = reject(handle == nullptr, ACL_ERROR_INVALID_PARAM, "the stream is NULL")) != 0) return code;
        if ((code = reject(stream->capture != nullptr, ACL_ERROR_RT_STREAM_CAPTURED, "EE1017: the stream is capturing")) != 0)
            return code;
        const auto context = stream->context.lock();
        bool elsewhere = false;
        for (const auto &other : runtime().streams.all()) elsewhere = elsewhere || other->update;
        return group_state(elsewhere ? Rule::UPD_005 : Rule::UPD_006, true, "no update is open on this stream");
    }
    const Update update = std::move(*stream->update);
    stream->update.reset();
    update.group->updating.reset();
    const std::size_t wanted = update.group->slots.size(), given = update.kernels.size();
    code = refuse(
        {given == 0 ? Rule::UPD_011 : Rule::UPD_009}, given < wanted, ACL_ERROR_RT_INTERNAL_ERROR,
        "the update has " + std::to_string(given) + " tasks, the task group has " + std::to_string(wanted));
    if (code != 0) return code;
    auto task = std::make_shared<UpdateTask>(update.group, update.kernels);
    if (!kept(Rule::UPD_015)) task->apply();
    stream->queue.submit(std::move(task));
    return 0;
}

}  // namespace

namespace refdevice {

aclError submit_kernel(const std::shared_ptr<Stream> &stream, const Kernel &kernel)
{
    if (stream->update) {
        Update &update = *stream->update;
        if (const auto code = refuse(
                {Rule::UPD_010}, update.kernels.size() >= update.group->slots.size(), ACL_ERROR_RT_INTERNAL_ERROR,
                "more tasks than the task group has"))
            return code;
        update.kernels.push_back(kernel);
        return 0;
    }
    auto slot = std::make_shared<KernelSlot>();
    slot->current = slot->captured = kernel;
    const auto capture = stream->capture;
    const bool grouped = capture != nullptr && capture->open_group != nullptr && capture->group_lane == stream->lane;
    if (grouped) {
        slot->grouped = true;
        if (const auto code = demand(capture->open_group->slots.empty() ? Rule::GRP_009 : Rule::GRP_010)) return code;
    }
    if (const auto code = submit(stream, std::make_shared<KernelTask>(slot), Work::Kernel)) return code;
    if (capture != nullptr) capture->model->slots.push_back(slot);
    if (grouped) capture->open_group->slots.push_back(slot);
    return 0;
}

}  // namespace refdevice

extern "C" {

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
    return enter("aclmdlRICaptureTaskGrpBegin", [&](HostLock &) { return begin_group(stream); });
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)
{
    return enter("aclmdlRICaptureTaskGrpEnd", [&](HostLock &) { return end_group(stream, handle); });
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)
{
    return enter("aclmdlRICaptureTaskUpdateBegin", [&](HostLock &) { return begin_update(stream, handle); });
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)
{
    return enter("aclmdlRICaptureTaskUpdateEnd", [&](HostLock &) { return end_update(stream); });
}

}  // extern "C"
