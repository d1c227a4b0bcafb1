// Entry points: capture, thread mode (API reference 15).
#include <algorithm>

#include "capture.h"
#include "condition.h"
#include "door.h"
#include "limits.h"
#include "objects.h"
#include "submit.h"

using namespace refdevice;

namespace {

constexpr auto kGlobal = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
constexpr auto kRelaxed = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

bool is_mode(int value) { return value >= kGlobal && value <= kRelaxed; }

// Begin and End on the default stream, by either handle.
aclError check_origin(const Stream &stream, Rule rule)
{
    return refuse(
        {rule}, stream.is_default, ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "EE1016: the default stream cannot be captured");
}

// The must-succeed rules of a capture that may begin.
aclError check_begin(const Stream &stream, aclmdlRICaptureMode mode)
{
    static constexpr Rule kByMode[] = {Rule::CAP_001, Rule::CAP_002, Rule::CAP_003};
    if (const auto code = demand(kByMode[mode])) return code;
    if (stream.was_captured)
        if (const auto code = demand(Rule::CAP_014)) return code;
    const auto context = stream.context.lock();
    if (context == nullptr || context->captures.empty()) return 0;
    const Capture &open = *context->captures.front();
    const bool each_its_own = mode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL && open.mode == mode;
    return demand(each_its_own && open.thread != std::this_thread::get_id() ? Rule::CAP_041 : Rule::CAP_035);
}

// The model that aclmdlRICaptureToModelRIBegin captures into.
aclError check_sub_model(aclmdlRI handle)
{
    if (const auto code = reject(handle == nullptr, ACL_ERROR_INVALID_PARAM, "the model is NULL")) return code;
    const auto model = runtime().models.find(handle);
    if (const auto code = reject(model == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live model")) return code;
    if (const auto code = reject(!model->branch || model->captured, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: not a sub-model to capture"))
        return code;
    const auto context = current_context();
    const bool open = context != nullptr && std::any_of(context->captures.begin(), context->captures.end(), [&](const auto &one) {
        return one->model == model;
    });
    return reject(open, ACL_ERROR_RT_MODEL_CAPTURED, "EE1017: the sub-model is being captured");
}

aclError begin(aclrtStream handle, aclmdlRICaptureMode mode, aclmdlRI sub_model)
{
    aclError code = 0;
    const auto stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    if ((code = check_origin(*stream, handle == nullptr ? Rule::STRM_001 : Rule::STRM_002)) != 0) return code;
    if ((code = refuse({Rule::CAP_034}, !is_mode(mode), ACL_ERROR_RT_PARAM_INVALID, "not a capture mode")) != 0) return code;
    if (!is_mode(mode)) mode = kRelaxed;  // only with CAP-034 broken
    code = refuse(
        {Rule::STRM_022}, stream->context.lock() != current_context(), ACL_ERROR_RT_STREAM_CONTEXT,
        "the stream belongs to another context");
    if (code != 0) return code;
    if (stream->capture != nullptr) {
        const Rule rule = stream->lane != 0                   ? Rule::XSTR_016
                          : stream->capture->invalidated ? Rule::CAP_011
                                                         : Rule::CAP_009;
        if ((code = refuse({rule}, true, ACL_ERROR_RT_STREAM_CAPTURED, "EE1017: the stream is capturing")) != 0) return code;
        return 0;
    }
    code = reject(stream->bound.lock() != nullptr, ACL_ERROR_RT_STREAM_MODEL, "EE1017: the stream belongs to a model");
    if (code == 0)
        code = reject((stream->flags & ACL_STREAM_CPU_SCHEDULE) != 0, ACL_ERROR_RT_INTERNAL_ERROR, "a CPU-schedule stream");
    if (code == 0)
        code = reject(
            (stream->flags & ACL_STREAM_DEVICE_USE_ONLY) != 0, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "a device-only stream");
    if (code == 0 && sub_model == nullptr) code = check_model_room();
    if (code != 0) return code;
    if ((code = check_begin(*stream, mode)) != 0) return code;
    begin_capture(stream, mode, sub_model);
    return 0;
}

aclError check_end(const std::shared_ptr<Capture> &capture, const Stream &stream)
{
    aclError code = refuse(
        {Rule::XSTR_015}, stream.lane != 0, ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, "EE1017: not the origin stream");
    if (code != 0) return code;
    const Rule thread_rule = capture->exchanged ? Rule::CAP_038 : capture->mode == kGlobal ? Rule::CAP_026 : Rule::CAP_027;
    return refuse(
        {thread_rule}, capture->mode != kRelaxed && capture->thread != std::this_thread::get_id(),
        ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "EE1017: the capture was begun on another thread",
        [&] { close_capture(capture, false); });
}

aclError end(aclrtStream handle, aclmdlRI *output)
{
    aclError code = 0;
    const auto stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    // A default stream that captures all the same (STRM-001 broken) can at least be ended.
    if (stream->capture == nullptr && (code = check_origin(*stream, Rule::STRM_003)) != 0) return code;
    const auto capture = stream->capture;
    const bool branch = capture != nullptr && capture->model->branch;
    if ((code = reject(output == nullptr && !branch, ACL_ERROR_RT_PARAM_INVALID, "the output is NULL")) != 0) return code;
    if (capture == nullptr) {
        const auto context = stream->context.lock();
        const bool elsewhere = context != nullptr && !context->captures.empty();
        code = refuse(
            {elsewhere ? Rule::CAP_008 : Rule::CAP_007}, true, ACL_ERROR_RT_STREAM_NOT_CAPTURED, "EE1017: not capturing");
        if (code == 0) *output = nullptr;
        return code;
    }
    if ((code = check_end(capture, *stream)) != 0) return code;
    if (capture->thread != std::this_thread::get_id())
        if ((code = demand(capture->exchanged ? Rule::CAP_039 : Rule::CAP_028)) != 0) return code;
    // From here on the capture is over, whatever the result.
    code = refuse(
        {Rule::CAP_030}, capture->invalidated, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "EE1017: the capture was invalidated");
    if (code == 0)
        code = refuse(
            {Rule::GRP_007}, capture->open_group != nullptr, ACL_ERROR_STREAM_TASK_GROUP_STATUS, "EE1017: a task group is open",
            [&] { stream->left_group = true; });
    if (code == 0) code = check_joined(*capture);
    if (code == 0) code = check_branches(*capture->model);
    if (code == 0 && !branch) code = check_notify_room();
    close_capture(capture, code == 0);
    if (output != nullptr) *output = code == 0 && kept(Rule::CAP_024) ? capture->model_handle : nullptr;
    return code;
}

// Whether a stream that does not capture is reported as if it did: one broken rule each.
bool seems_active(const Stream &stream)
{
    if (!kept(stream.was_captured ? Rule::CAP_012 : Rule::CAP_018)) return true;
    if (stream.was_sub_stream && !kept(Rule::XSTR_018)) return true;
    const auto context = stream.context.lock();
    if (context == nullptr) return false;
    return std::any_of(context->captures.begin(), context->captures.end(), [](const auto &capture) {
        const bool forked = capture->model->signals != 0 && capture->model->lanes.size() == 1;
        return (capture->used_external && !kept(Rule::XSTR_024)) || (forked && !kept(Rule::XSTR_003));
    });
}

// The rule by which a stream of an open capture is ACTIVE.
Rule active_rule(const Stream &stream)
{
    switch (stream.capture->model->lanes[stream.lane].joined) {
        case Joined::Directly: return Rule::XSTR_001;
        case Joined::Indirectly: return Rule::XSTR_004;
        case Joined::Further: return Rule::XSTR_005;
        default: return Rule::CAP_016;
    }
}

aclmdlRICaptureStatus status_of(const Stream &stream)
{
    if (stream.capture == nullptr)
        return seems_active(stream) ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    if (stream.capture->invalidated && kept(Rule::CAP_020)) return ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
    return kept(active_rule(stream)) ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_NONE;
}

aclmdlRI model_of(const Stream &stream)
{
    if (stream.capture == nullptr || !kept(Rule::CAP_017)) return nullptr;
    stream.capture->model->handle_asked = true;
    const bool other = !kept(Rule::CAP_023) || (stream.lane != 0 && !kept(Rule::XSTR_002));
    return other ? static_cast<char *>(stream.capture->model_handle) + 1 : stream.capture->model_handle;
}

aclError get_info(aclrtStream handle, aclmdlRICaptureStatus *status, aclmdlRI *model)
{
    aclError code = reject(handle == nullptr, ACL_ERROR_INVALID_PARAM, "the stream is NULL");
    if (code != 0) return code;
    const auto stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    code = refuse(
        {Rule::CAP_021}, status == nullptr && model == nullptr, ACL_ERROR_INVALID_PARAM, "EE1022: both outputs are NULL");
    if (code != 0) return code;
    if (stream->capture != nullptr && (code = demand(Rule::CAP_015)) != 0) return code;
    if (status == nullptr || model == nullptr)
        if ((code = demand(Rule::CAP_022)) != 0) return code;
    if (status != nullptr) *status = status_of(*stream);
    if (model != nullptr) *model = model_of(*stream);
    return 0;
}

aclError exchange(aclmdlRICaptureMode *mode)
{
    if (const auto code = refuse({Rule::MODE_033}, mode == nullptr, ACL_ERROR_INVALID_PARAM, "the mode is NULL")) return code;
    if (mode == nullptr) return 0;
    if (const auto code = refuse({Rule::MODE_034}, !is_mode(*mode), ACL_ERROR_RT_PARAM_INVALID, "not a capture mode")) return code;
    const auto context = current_context();
    const Capture *own = context != nullptr ? own_capture(*context) : nullptr;
    if (own == nullptr && (context == nullptr || context->captures.empty()))
        if (const auto code = demand(Rule::MODE_031)) return code;
    ThreadMode &thread = thread_mode();
    const auto previous = thread.mode;
    const bool first = own != nullptr && own->mode == kGlobal && !thread.exchanged;
    const bool back = previous == kRelaxed && *mode == kGlobal && !kept(Rule::MODE_026);
    if (!back) thread.mode = *mode;
    thread.exchanged = true;
    if (context != nullptr)
        for (const auto &capture : context->captures) capture->exchanged = true;
    *mode = !kept(Rule::MODE_025) ? thread.mode : first && !kept(Rule::MODE_027) ? kRelaxed : previous;
    return 0;
}

}  // namespace

extern "C" {

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
    return enter("aclmdlRICaptureBegin", [&](HostLock &) { return begin(stream, mode, nullptr); });
}

aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI, aclmdlRICaptureMode mode)
{
    return enter("aclmdlRICaptureToModelRIBegin", [&](HostLock &) -> aclError {
        if (const auto code = check_sub_model(modelRI)) return code;
        return begin(stream, mode, modelRI);
    });
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
    return enter("aclmdlRICaptureEnd", [&](HostLock &) { return end(stream, modelRI); });
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI)
{
    return enter("aclmdlRICaptureGetInfo", [&](HostLock &) { return get_info(stream, status, modelRI); });
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
    return enter("aclmdlRICaptureThreadExchangeMode", [&](HostLock &) { return exchange(mode); });
}

}  // extern "C"
