#include "external.h"

#include <algorithm>

#include "condition.h"
#include "submit.h"
#include "tasks.h"

namespace refdevice {
namespace {

// The rule that a call with another flag than the first one breaks.
Rule switch_rule(const EventBond &bond, EventUse use, bool external)
{
    if (use == EventUse::Wait) return external ? Rule::EVT_043 : bond.failed ? Rule::EVT_046 : Rule::EVT_044;
    if (external) return bond.plain ? Rule::EVT_048 : Rule::EVT_041;
    return bond.failed ? Rule::EVT_045 : Rule::EVT_042;
}

// Within one graph an event may be used externally only once.
aclError check_once(const Event &event, const std::shared_ptr<Model> &model, EventUse use)
{
    for (const auto &[where, how] : event.external_uses) {
        const auto other = where.lock();
        if (other == nullptr) continue;
        if (other != model) {
            if (how != use)
                if (const auto code = demand(Rule::EVT_040)) return code;
            continue;
        }
        const Rule same = use == EventUse::Record ? Rule::EVT_037 : Rule::EVT_038;
        return refuse(
            {how == use ? same : Rule::EVT_039}, true, ACL_ERROR_RT_PARAM_INVALID,
            "EE1017: the event is used externally in this graph already");
    }
    return 0;
}

}  // namespace

aclError bind_flag(Event &event, EventUse use, bool external, bool plain)
{
    std::optional<EventBond> &bond = use == EventUse::Record ? event.record_bond : event.wait_bond;
    if (!bond) {
        bond = EventBond{external, plain, true};
        return 0;
    }
    return refuse(
        {switch_rule(*bond, use, external)}, bond->external != external, ACL_ERROR_RT_PARAM_INVALID,
        "EE1017: the event is bound to the other flag by its first call");
}

aclError external_in_capture(const std::shared_ptr<Stream> &stream, const std::shared_ptr<Event> &event, EventUse use)
{
    const bool record = use == EventUse::Record;
    if (const auto code = refuse(
            {record ? Rule::EVT_026 : Rule::EVT_027}, stream->capture == nullptr, ACL_ERROR_RT_STREAM_NOT_CAPTURED,
            "EE1017: the stream is not capturing"))
        return code;
    const char *kind = "EE1006: an external record or wait needs an event of aclrtCreateEventExWithFlag(ACL_EVENT_SYNC)";
    if (const auto code = refuse(
            {Rule::EVT_036}, (event->flags & ACL_EVENT_IPC) != 0, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, kind))
        return code;
    const bool fits = event->maker == Event::Maker::Ex && (event->flags & ~ACL_EVENT_IPC) == ACL_EVENT_SYNC;
    if (const auto code = reject(
            !fits && (event->flags & ACL_EVENT_IPC) == 0, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, kind))
        return code;
    if (stream->capture == nullptr) return 0;
    const auto model = stream->capture->model;
    if (const auto code = check_root(*model)) return code;
    if (const auto code = check_once(*event, model, use)) return code;
    if (const auto code = demand(record ? Rule::EVT_029 : Rule::EVT_030)) return code;
    auto task = std::make_shared<ExternalTask>(event, record);
    if (const auto code = submit(stream, std::move(task), record ? Work::Record : Work::Wait)) return code;
    event->external_uses.emplace_back(model, use);
    model->has_external = true;
    return 0;
}

}  // namespace refdevice
