// Entry points: events (API reference 07).
#include "capture.h"
#include "door.h"
#include "objects.h"
#include "submit.h"
#include "tasks.h"
#include "waiting.h"

using namespace refdevice;

namespace {

constexpr std::uint32_t kEventLimit = 65536;
constexpr std::uint32_t kOrdinaryFlags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;

aclError create_event(aclrtEvent *event, Event::Maker maker, std::uint32_t flags)
{
    if (const auto code = reject(event == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
    if (const auto code = reject(current_context() == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no context is set")) return code;
    if (maker != Event::Maker::Plain) {
        const bool external = (flags & ACL_EVENT_EXTERNAL) != 0;
        if (external && maker == Event::Maker::Ex) {
            if (const auto code = refuse(
                    {Rule::EVT_010}, true, ACL_ERROR_RT_PARAM_INVALID, "EE1006: aclrtCreateEventWithFlag takes this flag"))
                return code;
        } else if (external) {
            if (const auto code = reject(
                    flags != ACL_EVENT_EXTERNAL, ACL_ERROR_RT_PARAM_INVALID, "ACL_EVENT_EXTERNAL stands alone"))
                return code;
            if (const auto code = demand(Rule::EVT_009)) return code;
        } else if (const auto code = reject(
                       flags == 0 || (flags & ~kOrdinaryFlags) != 0, ACL_ERROR_RT_PARAM_INVALID, "unsupported flags")) {
            return code;
        }
    }
    auto made = std::make_shared<Event>();
    made->maker = maker;
    made->flags = flags;
    made->id = runtime().next_event++;
    *event = runtime().events.add(std::move(made));
    return 0;
}

struct Pair {
    std::shared_ptr<Stream> stream;
    std::shared_ptr<Event> event;
};

aclError look_up(aclrtStream stream, aclrtEvent event, Pair &found)
{
    aclError code = 0;
    found.stream = stream_of(stream, code);
    if (found.stream == nullptr) return reject(true, code, "not a live stream");
    found.event = runtime().events.find(event);
    return reject(found.event == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live event");
}

aclError record(const Pair &at)
{
    if (at.stream->capture != nullptr) return record_in_capture(at.stream, at.event);
    if (const auto code = check_default_stream(*at.stream, Rule::STRM_007)) return code;
    std::uint64_t ticket = 0;
    {
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        ticket = ++at.event->latest;
    }
    at.event->capture.reset();
    return submit(at.stream, std::make_shared<RecordTask>(at.event, ticket), Work::Record);
}

aclError wait(const Pair &at)
{
    if (at.stream->capture != nullptr || capture_of(*at.event) != nullptr) return wait_in_capture(at.stream, at.event);
    const bool waitable = at.event->maker == Event::Maker::Plain || at.event->external() ||
                          (at.event->flags & ACL_EVENT_SYNC) != 0;
    if (const auto code = reject(!waitable, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: needs ACL_EVENT_SYNC")) return code;
    std::uint64_t ticket = 0;
    {
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        ticket = at.event->latest;
    }
    return submit(at.stream, std::make_shared<WaitTask>(at.event, ticket), Work::Wait);
}

aclError reset(const Pair &at)
{
    if (const auto code = refuse(
            {Rule::EVT_058}, at.event->maker == Event::Maker::Ex, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "EE1006: events of aclrtCreateEventExWithFlag cannot be reset"))
        return code;
    if (at.stream->capture != nullptr) {
        if (const auto code = reject(
                !at.event->external(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: not an external event"))
            return code;
        if (const auto code = demand(Rule::EVT_014)) return code;
    }
    return submit(at.stream, std::make_shared<ResetTask>(at.event), Work::Reset);
}

bool complete(const Event &event)
{
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    if (event.latest == 0) return event.maker == Event::Maker::Ex ? kept(Rule::EVT_061) : !kept(Rule::EVT_071);
    if (event.maker == Event::Maker::Ex) return event.completed >= event.latest;
    return event.set && event.completed >= event.latest;
}

// What all completion queries check; `ex_rule` where the call takes no Ex events.
aclError check_query(aclrtEvent handle, const void *output, Rule rule, std::optional<Rule> ex_rule, std::shared_ptr<Event> &event)
{
    event = runtime().events.find(handle);
    if (const auto code = reject(event == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live event")) return code;
    if (const auto code = reject(output == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
    const bool captured = capture_of(*event) != nullptr;
    // In a capture the event is refused for that reason; a fault on either rule must show by itself.
    if (captured) return check_event_wait(*event, rule);
    if (ex_rule)
        if (const auto code = refuse(
                {*ex_rule}, event->maker == Event::Maker::Ex, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                "EE1006: not for events of aclrtCreateEventExWithFlag"))
            return code;
    return reject(event->external(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: an external event");
}

}  // namespace

extern "C" {

aclError aclrtCreateEvent(aclrtEvent *event)
{
    return enter("aclrtCreateEvent", [&](HostLock &) { return create_event(event, Event::Maker::Plain, 0); });
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    return enter("aclrtCreateEventWithFlag", [&](HostLock &) { return create_event(event, Event::Maker::WithFlag, flag); });
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    return enter("aclrtCreateEventExWithFlag", [&](HostLock &) { return create_event(event, Event::Maker::Ex, flag); });
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    return enter("aclrtDestroyEvent", [&](HostLock &) {
        return reject(runtime().events.remove(event) == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live event");
    });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    return enter("aclrtRecordEvent", [&](HostLock &) -> aclError {
        Pair at;
        const auto code = look_up(stream, event, at);
        return code != 0 ? code : record(at);
    });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    return enter("aclrtResetEvent", [&](HostLock &) -> aclError {
        Pair at;
        const auto code = look_up(stream, event, at);
        return code != 0 ? code : reset(at);
    });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    return enter("aclrtStreamWaitEvent", [&](HostLock &) -> aclError {
        Pair at;
        const auto code = look_up(stream, event, at);
        return code != 0 ? code : wait(at);
    });
}

aclError aclrtQueryEvent(aclrtEvent handle, aclrtEventStatus *status)
{
    return enter("aclrtQueryEvent", [&](HostLock &) -> aclError {
        std::shared_ptr<Event> event;
        if (const auto code = check_query(handle, status, Rule::SYNC_008, Rule::EVT_059, event)) return code;
        *status = complete(*event) ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
        return 0;
    });
}

aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus *status)
{
    return enter("aclrtQueryEventStatus", [&](HostLock &) -> aclError {
        std::shared_ptr<Event> event;
        if (const auto code = check_query(handle, status, Rule::SYNC_007, std::nullopt, event)) return code;
        *status = complete(*event) ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
        return 0;
    });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent handle, aclrtEventWaitStatus *status)
{
    return enter("aclrtQueryEventWaitStatus", [&](HostLock &) -> aclError {
        std::shared_ptr<Event> event;
        if (const auto code = check_query(handle, status, Rule::SYNC_009, Rule::EVT_060, event)) return code;
        *status = complete(*event) ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
        return 0;
    });
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    return enter("aclrtSynchronizeEvent", [&](HostLock &lock) {
        return synchronize_event(lock, event, std::nullopt, Rule::SYNC_005);
    });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    return enter("aclrtSynchronizeEventWithTimeout", [&](HostLock &lock) -> aclError {
        if (const auto code = check_timeout(timeout)) return code;
        return synchronize_event(lock, event, limit_of(timeout), Rule::SYNC_006);
    });
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    return enter("aclrtEventElapsedTime", [&](HostLock &) -> aclError {
        const auto start = runtime().events.find(startEvent), end = runtime().events.find(endEvent);
        if (const auto code = reject(start == nullptr || end == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live event")) return code;
        if (const auto code = reject(ms == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        if (const auto code = reject(
                capture_of(*start) != nullptr || capture_of(*end) != nullptr, ACL_ERROR_RT_EVENT_CAPTURED, "EE1017: captured"))
            return code;
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        if (const auto code = reject(
                start->timestamp == 0 || end->timestamp == 0, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "not recorded"))
            return code;
        *ms = static_cast<float>(static_cast<double>(end->timestamp - start->timestamp) / 1e6);
        return 0;
    });
}

aclError aclrtEventGetTimestamp(aclrtEvent handle, uint64_t *timestamp)
{
    return enter("aclrtEventGetTimestamp", [&](HostLock &) -> aclError {
        const auto event = runtime().events.find(handle);
        if (const auto code = reject(event == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live event")) return code;
        if (const auto code = reject(timestamp == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        if (const auto code = reject(capture_of(*event) != nullptr, ACL_ERROR_RT_EVENT_CAPTURED, "EE1017: captured")) return code;
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        if (const auto code = reject(event->timestamp == 0, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "not recorded")) return code;
        *timestamp = event->timestamp;
        return 0;
    });
}

aclError aclrtGetEventId(aclrtEvent handle, uint32_t *eventId)
{
    return enter("aclrtGetEventId", [&](HostLock &) -> aclError {
        const auto event = runtime().events.find(handle);
        if (const auto code = reject(event == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live event")) return code;
        if (const auto code = reject(eventId == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        *eventId = event->id;
        return 0;
    });
}

aclError aclrtGetEventAvailNum(uint32_t *eventCount)
{
    return enter("aclrtGetEventAvailNum", [&](HostLock &) -> aclError {
        if (const auto code = reject(eventCount == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        *eventCount = kEventLimit - static_cast<std::uint32_t>(runtime().events.all().size());
        return 0;
    });
}

}  // extern "C"
