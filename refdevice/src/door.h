// The one door through which every refusal goes, and the frame around every API function.
#pragma once

#include <functional>
#include <initializer_list>
#include <mutex>
#include <string>

#include "acl/acl_base.h"
#include "fault.h"

namespace refdevice {

// All host-side state (handles, captures, groups) is guarded by one mutex; waiting releases it.
using HostLock = std::unique_lock<std::mutex>;

// Refuse a call because it breaks `rules`: returns `code` if `violated`, else 0. A fault on any of the rules may lift
// the refusal, change its code, let the effect happen all the same, or run `invalidate`.
aclError refuse(
    std::initializer_list<Rule> rules, bool violated, aclError code, const std::string &why,
    const std::function<void()> &invalidate = {});

// Refuse a call for a reason that no catalogue rule names (bad handle, bad argument).
aclError reject(bool violated, aclError code, const std::string &why);

// Fail where a must-succeed rule is switched off.
aclError demand(Rule rule, aclError code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT);

// The frame of an API function: faults, jitter, host lock, last error, recent message.
aclError enter(const char *name, const std::function<aclError(HostLock &)> &body);

// The calling thread's last error and message.
aclError last_error(bool keep);
const char *recent_message();

std::string tripped_rules();
void clear_tripped();

std::mutex &host_mutex();

}  // namespace refdevice
