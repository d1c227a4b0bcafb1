#include "soc.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unordered_set>

namespace refdevice {
namespace {

struct Family {
    const char *prefix;
    unsigned column;  // its bit in support.def, counted from the left
    SocLimits limits;
};

// Longer prefixes first: Ascend910_93 is not an Ascend910.
constexpr std::array<Family, 7> kFamilies = {{
    {"Ascend910_93", 1, {1984, 65536, 2048, 4096}},
    {"Ascend910B", 2, {1984, 65536, 2048, 4096}},
    {"Ascend950", 0, {1984, 65536, 2048, 4096}},
    {"Ascend310P", 3, {1024, 1023, 1024, 1024}},
    {"Ascend310B", 4, {512, 65536, 1024, 1024}},
    {"Ascend910", 5, {2048, 65535, 1024, 1024}},
    {"IPV350", 6, {512, 1023, 1024, 1024}},
}};

const Family &family()
{
    for (const Family &one : kFamilies)
        if (soc_name().rfind(one.prefix, 0) == 0) return one;
    // Nothing works before aclInit has refused the name.
    return kFamilies.back();
}

struct Support {
    const char *function;
    unsigned families;
};

constexpr Support kSupport[] = {
#define SUPPORT(name, families) {#name, families},
#include "support.def"
#undef SUPPORT
};

}  // namespace

const std::string &soc_name()
{
    static const std::string name = [] {
        const char *wanted = std::getenv("REFDEVICE_SOC");
        return std::string(wanted != nullptr && *wanted != '\0' ? wanted : "Ascend910B2");
    }();
    return name;
}

bool soc_is_known() { return soc_name().rfind(family().prefix, 0) == 0; }

std::string known_socs()
{
    std::string text;
    for (const Family &one : kFamilies) text += std::string(text.empty() ? "" : ", ") + one.prefix + "...";
    return text;
}

bool soc_supports(const char *function)
{
    static const std::unordered_set<std::string_view> lacking = [] {
        std::unordered_set<std::string_view> found;
        for (const Support &one : kSupport)
            if ((one.families >> (kFamilies.size() - 1 - family().column) & 1U) == 0) found.insert(one.function);
        return found;
    }();
    return lacking.empty() || lacking.count(function) == 0;
}

bool soc_copies_rows_within() { return family().column <= 2; }

const SocLimits &soc_limits() { return family().limits; }

}  // namespace refdevice
