// Records and waits with a flag: the bond between an event and its flag, and what an external record or wait needs
// (API reference 07, aclrtRecordEventWithFlag, aclrtStreamWaitEventWithFlag).
#pragma once

#include <memory>

#include "door.h"
#include "objects.h"

namespace refdevice {

// Bind the event's records or waits to a flag on the first call, whatever that call returns; refuse the other flag
// afterwards. `plain`: by aclrtRecordEvent or aclrtStreamWaitEvent, which count as default.
aclError bind_flag(Event &event, EventUse use, bool external, bool plain);

// An external record or wait on a capturing stream.
aclError external_in_capture(const std::shared_ptr<Stream> &stream, const std::shared_ptr<Event> &event, EventUse use);

}  // namespace refdevice
