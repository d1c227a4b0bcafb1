// What only the reference device has (refdevice/refdevice.h).
#include "refdevice/refdevice.h"

#include <string>

#include "door.h"

using namespace refdevice;

namespace {

thread_local std::string t_error;
thread_local std::string t_text;

}  // namespace

extern "C" {

int refdeviceSetFaults(const char *text)
{
    const auto wrong = set_faults(text != nullptr ? text : "");
    t_error = wrong.value_or("");
    return wrong ? -1 : 0;
}

const char *refdeviceFaultError(void) { return t_error.c_str(); }

const char *refdeviceTrippedRules(void)
{
    t_text = tripped_rules();
    return t_text.c_str();
}

void refdeviceClearTripped(void) { clear_tripped(); }

const char *refdeviceObservedProfile(void) { return observed_profile(); }

const char *refdeviceKnownRules(void)
{
    t_text = all_rule_ids();
    return t_text.c_str();
}

}  // extern "C"
