#include "limits.h"

#include <string>

#include "soc.h"

namespace refdevice {
namespace {

// How many more a device gives out that does not keep its limit.
constexpr std::int64_t kBeyond = 64;

std::int64_t bound(std::int64_t limit, Rule rule) { return kept(rule) ? limit : limit + kBeyond; }

// The rule that states the stream limit of this SoC, and those of its events.
Rule stream_rule()
{
    switch (soc_limits().streams) {
        case 512: return Rule::RES_023;
        case 1024: return Rule::RES_024;
        case 2048: return Rule::RES_025;
        default: return Rule::RES_022;
    }
}

Rule event_rule()
{
    switch (soc_limits().events) {
        case 1023: return Rule::RES_027;
        case 65535: return Rule::RES_028;
        default: return Rule::RES_026;
    }
}

}  // namespace

std::int64_t streams_left()
{
    std::int64_t taken = 0;
    for (const auto &stream : runtime().streams.all())
        if (!stream->is_default) ++taken;
    std::int64_t held = 0;
    for (const auto &model : runtime().models.all()) held += static_cast<std::int64_t>(model->pool_streams());
    if (!kept(Rule::RES_011)) held = -held;
    return soc_limits().streams - taken - held;
}

aclError check_execution_room(const Context &context)
{
    const std::int64_t lost = kept(Rule::RES_010) ? 0 : static_cast<std::int64_t>(context.lost_streams);
    return reject(streams_left() < lost, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "EE1023: not enough streams are left");
}

aclError check_stream_room()
{
    const std::int64_t room = streams_left() + bound(0, stream_rule());
    return reject(room <= 0, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "EE1023: no stream is left");
}

aclError check_event_room(Event::Maker maker, std::uint32_t flags)
{
    const bool scarce = maker == Event::Maker::WithFlag && (flags & (ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL)) != 0;
    const std::int64_t limit = bound(soc_limits().events, scarce ? event_rule() : Rule::RES_034);
    return reject(
        static_cast<std::int64_t>(runtime().events.size()) >= limit, ACL_ERROR_RT_NO_EVENT_RESOURCE, "EE1023: no event is left");
}

aclError check_model_room()
{
    return reject(
        runtime().models.size() >= soc_limits().models, ACL_ERROR_RT_NO_MODEL_RESOURCE, "EE1023: no model is left");
}

aclError check_notify_room()
{
    return reject(
        runtime().models.size() + runtime().notifies.size() > soc_limits().notifies, ACL_ERROR_RT_NO_NOTIFY_RESOURCE,
        "EE1023: no notify is left");
}

}  // namespace refdevice
