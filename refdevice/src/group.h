// Operators on their way to a stream: run, captured, put into a task group, or taken as a replacement in an update.
#pragma once

#include "door.h"
#include "objects.h"

namespace refdevice {

aclError submit_kernel(const std::shared_ptr<Stream> &stream, const Kernel &kernel);

}  // namespace refdevice
