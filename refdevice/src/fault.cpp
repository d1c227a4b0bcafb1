#include "fault.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

namespace refdevice {
namespace {

constexpr std::size_t kRules = static_cast<std::size_t>(Rule::Count);

constexpr std::array<const char *, kRules> kNames = {
#define RULE(name) #name,
#include "rules.def"
#undef RULE
};

enum class Strike { Crash, Abort, Exit, Hang };

struct ApiFault {
    Strike strike;
    unsigned long at;
    unsigned long calls = 0;
};

std::array<std::atomic<unsigned>, kRules> g_operators{};
std::mutex g_api_mutex;
std::map<std::string, ApiFault> g_api_faults;
std::atomic<bool> g_any_api{false};

std::string dashed(const char *name)
{
    std::string text(name);
    return text.replace(text.find('_'), 1, "-");
}

std::optional<std::size_t> rule_index(const std::string &id)
{
    for (std::size_t i = 0; i < kRules; ++i)
        if (dashed(kNames[i]) == id) return i;
    return std::nullopt;
}

std::optional<Operator> operator_of(const std::string &word)
{
    if (word == "skip") return Operator::Skip;
    if (word == "code") return Operator::Code;
    if (word == "sideeffect") return Operator::SideEffect;
    if (word == "invalidate") return Operator::Invalidate;
    return std::nullopt;
}

std::optional<Strike> strike_of(const std::string &word)
{
    if (word == "crash") return Strike::Crash;
    if (word == "abort") return Strike::Abort;
    if (word == "exit") return Strike::Exit;
    if (word == "hang") return Strike::Hang;
    return std::nullopt;
}

struct Parsed {
    std::array<unsigned, kRules> operators{};
    std::map<std::string, ApiFault> api;
};

std::optional<std::string> parse_one(const std::string &item, Parsed &parsed)
{
    const auto colon = item.find(':');
    if (colon == std::string::npos) return "'" + item + "' needs the form NAME:operator";
    const std::string name = item.substr(0, colon);
    std::string word = item.substr(colon + 1);
    if (name.rfind("acl", 0) == 0) {
        unsigned long at = 1;
        if (const auto sign = word.find('@'); sign != std::string::npos) {
            char *end = nullptr;
            at = std::strtoul(word.c_str() + sign + 1, &end, 10);
            if (*end != '\0' || at == 0) return "'" + item + "': the count after @ must be a positive number";
            word.resize(sign);
        }
        const auto what = strike_of(word);
        if (!what) return "'" + item + "': an API function takes crash, abort, exit or hang";
        parsed.api[name] = ApiFault{*what, at};
        return std::nullopt;
    }
    const auto index = rule_index(name);
    if (!index) return "'" + name + "' is neither a rule that this device knows nor an API function";
    const auto op = operator_of(word);
    if (!op) return "'" + item + "': a rule takes skip, code, sideeffect or invalidate";
    parsed.operators[*index] |= static_cast<unsigned>(*op);
    return std::nullopt;
}

[[noreturn]] void hang()
{
    for (;;) pause();
}

}  // namespace

std::string rule_id(Rule rule) { return dashed(kNames[static_cast<std::size_t>(rule)]); }

std::string all_rule_ids()
{
    std::string text;
    for (const char *name : kNames) text += (text.empty() ? "" : ",") + dashed(name);
    return text;
}

bool broken(Rule rule, Operator op)
{
    const auto &set = g_operators[static_cast<std::size_t>(rule)];
    return (set.load(std::memory_order_relaxed) & static_cast<unsigned>(op)) != 0;
}

void strike(const char *name)
{
    if (!g_any_api.load(std::memory_order_relaxed)) return;
    std::optional<Strike> due;
    {
        const std::lock_guard<std::mutex> lock(g_api_mutex);
        const auto found = g_api_faults.find(name);
        if (found != g_api_faults.end() && ++found->second.calls == found->second.at) due = found->second.strike;
    }
    if (!due) return;
    switch (*due) {
        case Strike::Crash: std::raise(SIGSEGV); break;
        case Strike::Abort: std::abort();
        case Strike::Exit: _exit(3);
        case Strike::Hang: hang();
    }
}

std::optional<std::string> set_faults(const std::string &text)
{
    Parsed parsed;
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');) {
        if (item.empty()) continue;
        if (auto wrong = parse_one(item, parsed)) return wrong;
    }
    for (std::size_t i = 0; i < kRules; ++i) g_operators[i].store(parsed.operators[i], std::memory_order_relaxed);
    const std::lock_guard<std::mutex> lock(g_api_mutex);
    g_api_faults = std::move(parsed.api);
    g_any_api.store(!g_api_faults.empty(), std::memory_order_relaxed);
    return std::nullopt;
}

}  // namespace refdevice
