// Host-side waits: for streams, the device, events. They release the host lock while they block.
#pragma once

#include "door.h"
#include "objects.h"

namespace refdevice {

// Streams of these kinds are not waited for.
constexpr std::uint32_t kNoWaitFlags = ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

// Documented timeouts are -1 (no limit) and positive milliseconds.
aclError check_timeout(std::int32_t milliseconds);
Limit limit_of(std::int32_t milliseconds);

aclError synchronize_stream(HostLock &lock, aclrtStream handle, const Limit &limit, Rule rule);
aclError synchronize_device(HostLock &lock, const Limit &limit, bool with_timeout);
aclError synchronize_event(HostLock &lock, aclrtEvent handle, const Limit &limit, Rule rule);

// The ban on waiting for, or asking about, a capturing stream (SYNC-001 ... 004, 015, MODE-040).
aclError check_stream_wait(const Stream &stream, Rule rule);
// The same for an event of an open capture (SYNC-005 ... 009).
aclError check_event_wait(const Event &event, Rule rule);

}  // namespace refdevice
