// Faults: switches that make the device break one rule by name, or misbehave in one API function.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>

namespace refdevice {

enum class Rule : std::size_t {
#define RULE(name) name,
#include "rules.def"
#undef RULE
    Count
};

// The catalogue's spelling of a rule: SYNC-001.
std::string rule_id(Rule rule);
std::string all_rule_ids();

// What may be done to a rule. `skip` does not keep it; the others need a door that refuses.
enum class Operator : unsigned { Skip = 1, Code = 2, SideEffect = 4, Invalidate = 8 };

// Whether `op` is switched on for `rule`. Cheap: one atomic load.
bool broken(Rule rule, Operator op);

// Whether the device keeps a rule that is no refusal (must-succeed, value, data, ordering).
inline bool kept(Rule rule) { return !broken(rule, Operator::Skip); }

// Carry out a fault of the API function `name`, if one is due at this call (also by chance, see REFDEVICE_CHAOS).
void strike(const char *name);

// Whether handles are corrupt during the calling thread's current API call: created ones are stale at once, given ones
// are not found.
bool handles_are_corrupt();
// Whether the current call must return an error and do nothing.
bool call_must_fail();
void end_strike();

// The number that `code=NUMBER` sets for a rule, if any.
std::optional<int> code_of(Rule rule);

// The faults that the profile @observed stands for.
const char *observed_profile();

// Replace all faults; returns what is wrong with the text, if anything. Syntax: refdevice/README.md.
std::optional<std::string> set_faults(const std::string &text);

}  // namespace refdevice
