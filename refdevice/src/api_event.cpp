// Entry points: events (API reference 07).
#include <atomic>

#include "capture.h"
#include "door.h"
#include "external.h"
#include "limits.h"
#include "objects.h"
#include "soc.h"
#include "submit.h"
#include "tasks.h"
#include "waiting.h"

using namespace refdevice;

namespace {

constexpr std::uint32_t kOrdinaryFlags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;

// What a creation call with flags accepts (API reference 07).
aclError check_event_flags(Event::Maker maker, std::uint32_t flags)
{
    const auto bad = [](bool violated, const char *why) { return reject(violated, ACL_ERROR_RT_PARAM_INVALID, why); };
    const bool ex = maker == Event::Maker::Ex;
    if ((flags & ACL_EVENT_EXTERNAL) != 0) {
        if (ex)
            return refuse(
                {Rule::EVT_010}, true, ACL_ERROR_RT_PARAM_INVALID, "EE1006: aclrtCreateEventWithFlag takes this flag");
        if (const auto code = bad(flags != ACL_EVENT_EXTERNAL, "ACL_EVENT_EXTERNAL stands alone")) return code;
        return demand(Rule::EVT_009);
    }
    if (flags == ACL_EVENT_IPC) return bad(!ex, "aclrtCreateEventExWithFlag takes ACL_EVENT_IPC");
    if (flags == ACL_EVENT_DEVICE_USE_ONLY) return bad(ex, "aclrtCreateEventWithFlag takes ACL_EVENT_DEVICE_USE_ONLY");
    if (const auto code = bad(flags == 0 || (flags & ~kOrdinaryFlags) != 0, "unsupported flags")) return code;
    return ex && (flags & ACL_EVENT_SYNC) != 0 ? demand(Rule::EVT_085) : 0;
}

aclError create_event(aclrtEvent *event, Event::Maker maker, std::uint32_t flags)
{
    if (const auto code = reject(event == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
    if (const auto code = reject(current_context() == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no context is set")) return code;
    if (maker != Event::Maker::Plain)
        if (const auto code = check_event_flags(maker, flags)) return code;
    if (const auto code = check_event_room(maker, flags)) return code;
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

bool for_device_only(const Event &event) { return (event.flags & ACL_EVENT_DEVICE_USE_ONLY) != 0; }

// Device-only events are none of the host's business.
aclError check_host_use(const Event &event)
{
    return refuse(
        {Rule::EVT_023}, for_device_only(event), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "EE1006: the event is for the device only");
}

aclError record(const Pair &at)
{
    if (const auto code = check_host_use(*at.event)) return code;
    if (for_device_only(*at.event)) return 0;
    if (at.stream->capture != nullptr) return record_in_capture(at.stream, at.event);
    if (const auto code = check_default_stream(*at.stream, Rule::STRM_007)) return code;
    if (at.event->was_captured)
        if (const auto code = demand(Rule::EVT_063)) return code;
    std::uint64_t ticket = 0;
    {
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        ticket = ++at.event->latest;
    }
    at.event->capture.reset();
    auto task = std::make_shared<RecordTask>(at.event, ticket);
    if (at.stream->replayed != 0 && !kept(Rule::EVT_069)) {
        Run now{at.stream->queue, nullptr};
        task->run(now);
        return 0;
    }
    return submit(at.stream, std::move(task), Work::Record);
}

aclError wait(const Pair &at, const Limit &limit)
{
    if (const auto code = check_host_use(*at.event)) return code;
    if (for_device_only(*at.event)) return 0;
    if (at.stream->capture != nullptr || capture_of(*at.event) != nullptr) return wait_in_capture(at.stream, at.event);
    const bool waitable = at.event->maker == Event::Maker::Plain || at.event->external() ||
                          (at.event->flags & (ACL_EVENT_SYNC | ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_IPC)) != 0;
    if (const auto code = reject(!waitable, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: needs ACL_EVENT_SYNC")) return code;
    if (!kept(Rule::EVT_067)) return 0;
    std::uint64_t ticket = 0;
    {
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        ticket = at.event->latest;
    }
    return submit(at.stream, std::make_shared<WaitTask>(at.event, ticket, limit), Work::Wait);
}

aclError reset(const Pair &at)
{
    if (const auto code = check_host_use(*at.event)) return code;
    if (for_device_only(*at.event)) return 0;
    if (const auto code = refuse(
            {Rule::EVT_058}, at.event->maker == Event::Maker::Ex, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "EE1006: events of aclrtCreateEventExWithFlag cannot be reset"))
        return code;
    if (at.event->maker == Event::Maker::Ex) return 0;
    const bool resettable = at.event->maker != Event::Maker::WithFlag || at.event->external() ||
                            (at.event->flags & (ACL_EVENT_SYNC | ACL_EVENT_DEVICE_USE_ONLY)) != 0;
    if (const auto code = reject(!resettable, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: needs ACL_EVENT_SYNC")) return code;
    if (at.stream->capture != nullptr) {
        if (const auto code = reject(
                !at.event->external(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: not an external event"))
            return code;
        if (const auto code = demand(Rule::EVT_014)) return code;
    } else if (!at.event->external()) {
        if (const auto code = demand(Rule::EVT_077)) return code;
    }
    return submit(at.stream, std::make_shared<ResetTask>(at.event), Work::Reset);
}

// The last limit that aclrtSetOpWaitTimeout set, in seconds; 0 is none.
std::atomic<std::uint32_t> g_wait_seconds{0};

Limit default_limit()
{
    // With EVT-080 broken, a wait gives up although nobody set a limit.
    if (!kept(Rule::EVT_080)) return std::chrono::milliseconds(20);
    const std::uint32_t seconds = g_wait_seconds;
    return seconds == 0 || !kept(Rule::EVT_081) ? Limit{} : Limit{std::chrono::seconds(seconds)};
}

Limit limit_of_seconds(std::int64_t seconds)
{
    // With EVT-082 broken, 0 ends and a number of seconds does not.
    if (!kept(Rule::EVT_082)) return seconds == 0 ? Limit{std::chrono::milliseconds(20)} : Limit{};
    return seconds == 0 ? Limit{} : Limit{std::chrono::seconds(seconds)};
}

// A record or a wait, by any call; `flag` is nothing for the calls that have none.
aclError use_event(aclrtStream stream, aclrtEvent event, EventUse use, std::optional<std::uint32_t> flag, const Limit &limit)
{
    const bool external = flag == ACL_EVENT_RECORD_EXTERNAL;
    if (const auto code = refuse({Rule::EVT_052}, flag && *flag > 1, ACL_ERROR_INVALID_PARAM, "EE1006: not a flag")) return code;
    Pair at;
    if (const auto code = look_up(stream, event, at)) return code;
    if (external) {
        if (const auto code = refuse(
                {Rule::EVT_028}, at.stream->is_default, ACL_ERROR_INVALID_PARAM, "EE1006: not on the default stream"))
            return code;
        if (at.stream->is_default) return 0;
    }
    if (const auto code = bind_flag(*at.event, use, external, !flag)) return code;
    const auto &other = use == EventUse::Record ? at.event->wait_bond : at.event->record_bond;
    if (other && other->external != external)
        if (const auto code = demand(Rule::EVT_047)) return code;
    aclError code = flag && !external ? demand(use == EventUse::Record ? Rule::EVT_024 : Rule::EVT_025) : 0;
    if (code == 0) {
        if (external) {
            code = external_in_capture(at.stream, at.event, use);
        } else {
            code = use == EventUse::Record ? record(at) : wait(at, limit);
        }
    }
    auto &bond = use == EventUse::Record ? at.event->record_bond : at.event->wait_bond;
    if (code == 0 && bond) bond->failed = false;
    return code;
}

bool complete(const Event &event)
{
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    if (event.latest == 0) return event.maker == Event::Maker::Ex ? kept(Rule::EVT_061) : !kept(Rule::EVT_071);
    const bool done = event.completed >= event.latest && (event.maker == Event::Maker::Ex || event.set);
    return kept(Rule::EVT_070) ? done : true;
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
    return enter("aclrtDestroyEvent", [&](HostLock &) -> aclError {
        const auto found = runtime().events.find(event);
        if (const auto code = reject(found == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live event")) return code;
        bool pending = false;
        {
            const std::lock_guard<std::mutex> lock(device_state().mutex);
            pending = found->completed < found->latest;
        }
        if (pending)
            if (const auto code = demand(Rule::EVT_075)) return code;
        runtime().events.remove(event);
        return 0;
    });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    return enter("aclrtRecordEvent", [&](HostLock &) { return use_event(stream, event, EventUse::Record, {}, {}); });
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)
{
    return enter("aclrtRecordEventWithFlag", [&](HostLock &) { return use_event(stream, event, EventUse::Record, flag, {}); });
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
    return enter("aclrtStreamWaitEvent", [&](HostLock &) {
        return use_event(stream, event, EventUse::Wait, {}, default_limit());
    });
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
    return enter("aclrtStreamWaitEventWithTimeout", [&](HostLock &) -> aclError {
        if (const auto code = reject(timeout < 0, ACL_ERROR_RT_PARAM_INVALID, "the timeout must not be negative")) return code;
        return use_event(stream, event, EventUse::Wait, {}, limit_of_seconds(timeout));
    });
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag)
{
    return enter("aclrtStreamWaitEventWithFlag", [&](HostLock &) -> aclError {
        if (const auto code = reject(
                flag == ACL_EVENT_WAIT_EXTERNAL && timeout != 0, ACL_ERROR_RT_PARAM_INVALID, "an external wait has no timeout"))
            return code;
        return use_event(stream, event, EventUse::Wait, flag, limit_of_seconds(timeout));
    });
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
    return enter("aclrtSetOpWaitTimeout", [&](HostLock &) -> aclError {
        g_wait_seconds = timeout;
        return 0;
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
        *eventCount = soc_limits().events - static_cast<std::uint32_t>(runtime().events.size());
        return 0;
    });
}

}  // extern "C"
