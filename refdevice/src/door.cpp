#include "door.h"

#include <set>

#include "jitter.h"
#include "soc.h"

namespace refdevice {
namespace {

constexpr aclError kUndocumentedCode = 599999;

struct CallState {
    aclError last = 0;
    aclError pending = 0;  // a refusal whose side effect a fault lets happen
    std::string message, shown;
};

thread_local CallState t_call;
std::mutex g_host;
std::mutex g_tripped_mutex;
std::set<std::string> g_tripped;

bool any(std::initializer_list<Rule> rules, Operator op)
{
    for (const Rule rule : rules)
        if (broken(rule, op)) return true;
    return false;
}

std::string ids(std::initializer_list<Rule> rules)
{
    std::string text;
    for (const Rule rule : rules)
        if (text.find(rule_id(rule)) == std::string::npos) text += (text.empty() ? "" : " ") + rule_id(rule);
    return text;
}

}  // namespace

std::mutex &host_mutex() { return g_host; }

aclError refuse(
    std::initializer_list<Rule> rules, bool violated, aclError code, const std::string &why,
    const std::function<void()> &invalidate)
{
    if (!violated || any(rules, Operator::Skip)) return 0;
    {
        const std::lock_guard<std::mutex> lock(g_tripped_mutex);
        for (const Rule rule : rules) g_tripped.insert(rule_id(rule));
    }
    t_call.message = why + " [rule " + ids(rules) + "]";
    if (invalidate && any(rules, Operator::Invalidate)) invalidate();
    aclError given = code;
    for (const Rule rule : rules)
        if (broken(rule, Operator::Code)) given = code_of(rule).value_or(kUndocumentedCode);
    if (any(rules, Operator::SideEffect)) {
        t_call.pending = given;
        return 0;
    }
    return given;
}

aclError reject(bool violated, aclError code, const std::string &why)
{
    if (!violated) return 0;
    t_call.message = why;
    return code;
}

aclError demand(Rule rule, aclError code)
{
    return reject(!kept(rule), code, "the fault " + rule_id(rule) + ":skip refuses this call");
}

aclError enter(const char *name, const std::function<aclError(HostLock &)> &body)
{
    strike(name);
    jitter();
    t_call.pending = 0;
    aclError code = 0;
    {
        HostLock lock(g_host);
        if (call_must_fail()) {
            code = reject(true, ACL_ERROR_RT_INTERNAL_ERROR, "a fault fails this call");
        } else if (!soc_supports(name)) {
            code = reject(true, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: " + soc_name() + " does not have this function");
        } else {
            code = body(lock);
        }
    }
    end_strike();
    if (code == 0) code = t_call.pending;
    if (code != 0) {
        if (kept(Rule::SYNC_032)) t_call.last = code;
        t_call.message = std::string(name) + ": " + t_call.message;
    }
    return code;
}

aclError last_error(bool keep)
{
    const aclError code = t_call.last;
    if (!keep) t_call.last = 0;
    return code;
}

const char *recent_message()
{
    if (t_call.message.empty()) return nullptr;
    t_call.shown.swap(t_call.message);
    t_call.message.clear();
    return t_call.shown.c_str();
}

std::string tripped_rules()
{
    const std::lock_guard<std::mutex> lock(g_tripped_mutex);
    std::string text;
    for (const auto &id : g_tripped) text += (text.empty() ? "" : ",") + id;
    return text;
}

void clear_tripped()
{
    const std::lock_guard<std::mutex> lock(g_tripped_mutex);
    g_tripped.clear();
}

}  // namespace refdevice
