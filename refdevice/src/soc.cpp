#include "soc.h"

#include <array>
#include <cstdlib>

namespace refdevice {
namespace {

struct Family {
    const char *prefix;
    bool captures;
};

// Longer prefixes first: Ascend910_93 is not an Ascend910.
constexpr std::array<Family, 7> kFamilies = {{
    {"Ascend910_93", true},
    {"Ascend910B", true},
    {"Ascend950", true},
    {"Ascend310P", true},
    {"Ascend310B", false},
    {"Ascend910", false},
    {"IPV350", false},
}};

const Family *family()
{
    for (const Family &one : kFamilies)
        if (soc_name().rfind(one.prefix, 0) == 0) return &one;
    return nullptr;
}

}  // namespace

const std::string &soc_name()
{
    static const std::string name = [] {
        const char *wanted = std::getenv("REFDEVICE_SOC");
        return std::string(wanted != nullptr && *wanted != '\0' ? wanted : "Ascend910B2");
    }();
    return name;
}

bool soc_is_known() { return family() != nullptr; }

std::string known_socs()
{
    std::string text;
    for (const Family &one : kFamilies) text += std::string(text.empty() ? "" : ", ") + one.prefix + "...";
    return text;
}

bool soc_captures() { return soc_is_known() && family()->captures; }

}  // namespace refdevice
