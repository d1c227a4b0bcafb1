#include "waiting.h"

#include "capture.h"
#include "submit.h"

namespace refdevice {
namespace {

bool finished(const Event &event)
{
    if (event.maker == Event::Maker::Ex) return event.completed >= event.latest;
    return event.set && event.completed >= event.latest;
}

}  // namespace

aclError check_timeout(std::int32_t milliseconds)
{
    return reject(
        milliseconds == 0 || milliseconds < -1, ACL_ERROR_RT_PARAM_INVALID, "the timeout must be -1 or positive");
}

Limit limit_of(std::int32_t milliseconds)
{
    return milliseconds < 0 ? Limit{} : Limit{std::chrono::milliseconds(milliseconds)};
}

aclError check_stream_wait(const Stream &stream, Rule rule)
{
    if (stream.capture == nullptr) return 0;
    const bool relaxed = stream.capture->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED ||
                         thread_mode().mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    const std::string why = "EE1017: the stream is capturing";
    if (stream.lane != 0) return refuse({Rule::SYNC_015}, true, ACL_ERROR_RT_STREAM_CAPTURED, why);
    const auto invalidate = [&stream] { stream.capture->invalidate(); };
    // The C++ overload with a timeout ends up in the same call.
    const Rule also = rule == Rule::SYNC_003 ? Rule::SYNC_030 : rule;
    if (relaxed) return refuse({rule, also, Rule::MODE_040}, true, ACL_ERROR_RT_STREAM_CAPTURED, why, invalidate);
    return refuse({rule, also}, true, ACL_ERROR_RT_STREAM_CAPTURED, why, invalidate);
}

aclError check_event_wait(const Event &event, Rule rule)
{
    const Rule also = rule == Rule::SYNC_006 ? Rule::SYNC_030 : rule;
    return refuse(
        {rule, also}, capture_of(event) != nullptr, ACL_ERROR_RT_EVENT_CAPTURED,
        "EE1017: the event belongs to an open capture");
}

aclError synchronize_stream(HostLock &lock, aclrtStream handle, const Limit &limit, Rule rule)
{
    aclError code = 0;
    const auto stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    if ((code = check_default_stream(*stream, Rule::STRM_009)) != 0) return code;
    if ((code = check_stream_wait(*stream, rule)) != 0) return code;
    if (stream->capture == nullptr && (code = demand(stream->was_captured ? Rule::SYNC_022 : Rule::SYNC_021)) != 0) return code;
    if ((stream->flags & kNoWaitFlags) != 0) return demand(rule == Rule::SYNC_001 ? Rule::STRM_019 : Rule::STRM_020);
    if (stream->replayed != 0 && !kept(Rule::EXE_006)) return 0;
    if (stream->overtaken != nullptr) stream->queue.submit(std::exchange(stream->overtaken, nullptr));
    const std::uint64_t ticket = stream->queue.last();
    lock.unlock();
    const bool done = stream->queue.wait_for(ticket, limit);
    lock.lock();
    if (!done)
        return refuse({Rule::STRM_023}, true, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "EE1002: the stream did not finish in time");
    if (rule != Rule::SYNC_001 && (code = demand(Rule::STRM_024)) != 0) return code;
    code = stream->queue.take_error();
    return reject(code != 0, code, "a task of the stream failed on the device");
}

aclError synchronize_device(HostLock &lock, const Limit &limit, bool with_timeout)
{
    const auto context = current_context();
    if (context == nullptr) return reject(true, ACL_ERROR_RT_CONTEXT_NULL, "no context is set");
    const bool own = own_capture(*context) != nullptr;
    const Rule rule = !own ? Rule::SYNC_014 : with_timeout ? Rule::SYNC_013 : Rule::SYNC_012;
    const Rule also = with_timeout ? Rule::SYNC_030 : rule;
    if (const auto code = refuse(
            {rule, also}, !context->captures.empty(), ACL_ERROR_RT_STREAM_CAPTURED, "EE1017: a stream of this context is capturing"))
        return code;
    if (!kept(Rule::STRM_028)) return 0;
    std::vector<std::pair<std::shared_ptr<Stream>, std::uint64_t>> pending;
    for (const auto &stream : runtime().streams.all())
        if (stream->context.lock() == context && (stream->flags & kNoWaitFlags) == 0)
            pending.emplace_back(stream, stream->queue.last());
    lock.unlock();
    const auto end = std::chrono::steady_clock::now() + limit.value_or(std::chrono::milliseconds(0));
    bool done = true;
    for (const auto &[stream, ticket] : pending) {
        Limit left;
        if (limit) {
            const auto room = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
            left = std::max(room, std::chrono::milliseconds(0));
        }
        done = done && stream->queue.wait_for(ticket, left);
    }
    lock.lock();
    return reject(!done, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "EE1002: the device did not finish in time");
}

aclError synchronize_event(HostLock &lock, aclrtEvent handle, const Limit &limit, Rule rule)
{
    const auto event = runtime().events.find(handle);
    if (event == nullptr) return reject(true, ACL_ERROR_RT_INVALID_HANDLE, "not a live event");
    if (const auto code = check_event_wait(*event, rule)) return code;
    if (const auto code = reject(event->external(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: an external event")) return code;
    if (capture_of(*event) != nullptr || !kept(Rule::EVT_072)) return 0;
    lock.unlock();
    bool done = true;
    {
        DeviceLock device(device_state().mutex);
        const auto ready = [&event] { return finished(*event); };
        if (limit) {
            done = device_state().changed.wait_for(device, *limit, ready);
        } else {
            device_state().changed.wait(device, ready);
        }
    }
    lock.lock();
    return refuse({Rule::EVT_073}, !done, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "EE1002: the event did not complete in time");
}

}  // namespace refdevice
