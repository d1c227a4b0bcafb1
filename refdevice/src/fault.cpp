#include "fault.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>
#include <utility>

namespace refdevice {
namespace {

constexpr std::size_t kRules = static_cast<std::size_t>(Rule::Count);

constexpr std::array<const char *, kRules> kNames = {
#define RULE(name) #name,
#include "rules.def"
#undef RULE
};

enum class Strike { Crash, Abort, Exit, Hang, Corrupt, Kill, Fail };

struct ApiFault {
    Strike strike;
    unsigned long at;
    unsigned long calls = 0;
};

std::array<std::atomic<unsigned>, kRules> g_operators{};
std::array<std::atomic<int>, kRules> g_codes{};
thread_local bool t_corrupt = false;
thread_local bool t_fail = false;
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
    if (word == "corrupt") return Strike::Corrupt;
    if (word == "kill") return Strike::Kill;
    if (word == "fail") return Strike::Fail;
    return std::nullopt;
}

struct Parsed {
    std::array<unsigned, kRules> operators{};
    std::array<int, kRules> codes{};
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
        if (!what) return "'" + item + "': an API function takes crash, abort, exit, kill, hang, corrupt or fail";
        parsed.api[name] = ApiFault{*what, at};
        return std::nullopt;
    }
    const auto index = rule_index(name);
    if (!index) return "'" + name + "' is neither a rule that this device knows nor an API function";
    if (word.rfind("code=", 0) == 0) {
        char *end = nullptr;
        parsed.codes[*index] = static_cast<int>(std::strtol(word.c_str() + 5, &end, 10));
        if (*end != '\0' || parsed.codes[*index] <= 0) return "'" + item + "': code= needs a positive number";
        word = "code";
    }
    const auto op = operator_of(word);
    if (!op) return "'" + item + "': a rule takes skip, code, sideeffect or invalidate";
    parsed.operators[*index] |= static_cast<unsigned>(*op);
    return std::nullopt;
}

// The profile @observed: how the open-source runtime behaved in August 2026, where that differs from the documents.
constexpr const char *kObserved =
    "STRM-001:code=100000,STRM-002:code=207000,STRM-004:skip,STRM-005:skip,STRM-006:skip,STRM-007:skip,"
    "STRM-009:skip,STRM-010:skip,CAP-020:skip,SYNC-009:code=207000,CAP-026:invalidate,CAP-027:invalidate,"
    "GRP-007:invalidate,GRP-012:invalidate,GRP-013:invalidate,GRP-014:invalidate,GRP-016:invalidate,GRP-017:invalidate,"
    "RES-007:skip";

std::optional<std::string> parse_all(const std::string &text, Parsed &parsed)
{
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');) {
        if (item.empty()) continue;
        if (auto wrong = item == "@observed" ? parse_all(kObserved, parsed) : parse_one(item, parsed)) return wrong;
    }
    return std::nullopt;
}

[[noreturn]] void hang()
{
    for (;;) pause();
}

void carry_out(Strike strike)
{
    switch (strike) {
        case Strike::Crash: std::raise(SIGSEGV); break;
        case Strike::Abort: std::abort();
        case Strike::Exit: _exit(3);
        case Strike::Kill: std::raise(SIGKILL); break;
        case Strike::Hang: hang();
        case Strike::Corrupt: t_corrupt = true; break;
        case Strike::Fail: t_fail = true; break;
    }
}

// REFDEVICE_CHAOS=<strikes in a million calls>:<seed>:<log>: any call may go wrong, in any way; the log says which did.
struct Chaos {
    unsigned long per_million = 0;
    unsigned long seed = 0;
    std::string log;
};

const Chaos &chaos()
{
    static const Chaos settings = [] {
        Chaos found;
        if (const char *text = std::getenv("REFDEVICE_CHAOS")) {
            char *end = nullptr;
            found.per_million = std::strtoul(text, &end, 10);
            if (*end == ':') found.seed = std::strtoul(end + 1, &end, 10);
            if (*end == ':') found.log = end + 1;
        }
        return found;
    }();
    return settings;
}

std::optional<Strike> by_chance(const char *name)
{
    const Chaos &settings = chaos();
    if (settings.per_million == 0) return std::nullopt;
    thread_local std::mt19937_64 random(
        settings.seed * 1000003U + static_cast<unsigned long>(getpid()) * 7919U +
        std::hash<std::thread::id>{}(std::this_thread::get_id()));
    if (random() % 1000000 >= settings.per_million) return std::nullopt;
    static constexpr std::array<std::pair<Strike, const char *>, 6> kWays = {{
        {Strike::Crash, "crash"},
        {Strike::Abort, "abort"},
        {Strike::Exit, "exit"},
        {Strike::Kill, "kill"},
        {Strike::Hang, "hang"},
        {Strike::Corrupt, "corrupt"},
    }};
    const auto &way = kWays[random() % kWays.size()];
    const std::string line = std::to_string(getpid()) + " " + name + " " + way.second + "\n";
    const int file = open(settings.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0 || write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return std::nullopt;
    close(file);
    return way.first;
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
    std::optional<Strike> due = by_chance(name);
    if (g_any_api.load(std::memory_order_relaxed)) {
        const std::lock_guard<std::mutex> lock(g_api_mutex);
        const auto found = g_api_faults.find(name);
        if (found != g_api_faults.end() && ++found->second.calls == found->second.at) due = found->second.strike;
    }
    if (due) carry_out(*due);
}

const char *observed_profile() { return kObserved; }

bool handles_are_corrupt() { return t_corrupt; }

bool call_must_fail() { return t_fail; }

void end_strike() { t_corrupt = t_fail = false; }

std::optional<int> code_of(Rule rule)
{
    const int code = g_codes[static_cast<std::size_t>(rule)].load(std::memory_order_relaxed);
    return code == 0 ? std::nullopt : std::optional<int>(code);
}

std::optional<std::string> set_faults(const std::string &text)
{
    Parsed parsed;
    if (auto wrong = parse_all(text, parsed)) return wrong;
    for (std::size_t i = 0; i < kRules; ++i) {
        g_operators[i].store(parsed.operators[i], std::memory_order_relaxed);
        g_codes[i].store(parsed.codes[i], std::memory_order_relaxed);
    }
    const std::lock_guard<std::mutex> lock(g_api_mutex);
    g_api_faults = std::move(parsed.api);
    g_any_api.store(!g_api_faults.empty(), std::memory_order_relaxed);
    return std::nullopt;
}

}  // namespace refdevice
