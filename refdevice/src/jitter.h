// REFDEVICE_JITTER=<microseconds>[:seed]: random delays before API calls and device tasks.
#pragma once

namespace refdevice {

// Delay by a random time below the configured maximum; nothing without REFDEVICE_JITTER.
void jitter();

}  // namespace refdevice
