// Entry points: capture, thread mode (API reference 15).
#include "capture.h"
#include "door.h"
#include "objects.h"
#include "soc.h"
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

aclError begin(aclrtStream handle, aclmdlRICaptureMode mode)
{
    aclError code = 0;
    const auto stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    if ((code = reject(!soc_captures(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "this SoC has no stream capture")) != 0) return code;
    if ((code = check_origin(*stream, handle == nullptr ? Rule::STRM_001 : Rule::STRM_002)) != 0) return code;
    if ((code = refuse({Rule::CAP_034}, !is_mode(mode), ACL_ERROR_RT_PARAM_INVALID, "not a capture mode")) != 0) return code;
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
    begin_capture(stream, mode);
    return 0;
}

aclError check_end(const std::shared_ptr<Capture> &capture, const Stream &stream)
{
    aclError code = refuse(
        {Rule::XSTR_015}, stream.lane != 0, ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, "EE1017: not the origin stream");
    if (code != 0) return code;
    const Rule thread_rule = thread_mode().exchanged ? Rule::CAP_038 : capture->mode == kGlobal ? Rule::CAP_026 : Rule::CAP_027;
    return refuse(
        {thread_rule}, capture->mode != kRelaxed && capture->thread != std::this_thread::get_id(),
        ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "EE1017: the capture was begun on another thread");
}

aclError end(aclrtStream handle, aclmdlRI *output)
{
    aclError code = 0;
    const auto stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    // A default stream that captures all the same (STRM-001 broken) can at least be ended.
    if (stream->capture == nullptr && (code = check_origin(*stream, Rule::STRM_003)) != 0) return code;
    if ((code = reject(output == nullptr, ACL_ERROR_RT_PARAM_INVALID, "the output is NULL")) != 0) return code;
    const auto capture = stream->capture;
    if (capture == nullptr) {
        const auto context = stream->context.lock();
        const bool elsewhere = context != nullptr && !context->captures.empty();
        code = refuse(
            {elsewhere ? Rule::CAP_008 : Rule::CAP_007}, true, ACL_ERROR_RT_STREAM_NOT_CAPTURED, "EE1017: not capturing");
        if (code == 0) *output = nullptr;
        return code;
    }
    if ((code = check_end(capture, *stream)) != 0) return code;
    // From here on the capture is over, whatever the result.
    code = refuse(
        {Rule::CAP_030}, capture->invalidated, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "EE1017: the capture was invalidated");
    if (code == 0)
        code = refuse(
            {Rule::GRP_007}, capture->open_group != nullptr, ACL_ERROR_STREAM_TASK_GROUP_STATUS, "EE1017: a task group is open");
    if (code == 0) code = check_joined(*capture);
    close_capture(capture, code == 0);
    *output = code == 0 ? capture->model_handle : nullptr;
    return code;
}

aclError get_info(aclrtStream handle, aclmdlRICaptureStatus *status, aclmdlRI *model)
{
    aclError code = 0;
    const auto stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    code = refuse(
        {Rule::CAP_021}, status == nullptr && model == nullptr, ACL_ERROR_INVALID_PARAM, "EE1022: both outputs are NULL");
    if (code != 0) return code;
    auto found = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    if (stream->capture != nullptr) {
        const bool invalid = stream->capture->invalidated && kept(Rule::CAP_020);
        found = invalid ? ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    } else if (const auto context = stream->context.lock(); context != nullptr && !kept(Rule::XSTR_024)) {
        for (const auto &capture : context->captures)
            if (capture->used_external) found = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    }
    if (status != nullptr) *status = found;
    if (model != nullptr) *model = stream->capture != nullptr ? stream->capture->model_handle : nullptr;
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
    *mode = !kept(Rule::MODE_025) ? thread.mode : first && !kept(Rule::MODE_027) ? kRelaxed : previous;
    return 0;
}

}  // namespace

extern "C" {

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
    return enter("aclmdlRICaptureBegin", [&](HostLock &) { return begin(stream, mode); });
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
