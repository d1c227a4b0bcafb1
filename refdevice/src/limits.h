// What runs out: streams, events, notifies, models, labels. The numbers are those of the SoC (soc.h).
#pragma once

#include <cstdint>

#include "door.h"
#include "objects.h"

namespace refdevice {

// Streams that are left: those of the device less the user's and those that live models hold.
std::int64_t streams_left();

// A model shows that it needs more streams than there are when it is executed.
aclError check_execution_room(const Context &context);
aclError check_stream_room();
aclError check_event_room(Event::Maker maker, std::uint32_t flags);
aclError check_model_room();
// Every model takes a notify when its capture ends.
aclError check_notify_room();

}  // namespace refdevice
