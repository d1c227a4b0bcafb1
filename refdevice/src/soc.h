// Which SoC the device plays: REFDEVICE_SOC, by the names that aclrtGetSocName gives.
#pragma once

#include <cstdint>
#include <string>

namespace refdevice {

const std::string &soc_name();
bool soc_is_known();
std::string known_socs();

// Whether the SoC's family documents an API function (support blocks of the API reference).
bool soc_supports(const char *function);
// Whether the SoC copies rows from device to device (API reference 11-03, aclrtMemcpy2dAsync).
bool soc_copies_rows_within();

// What a device of this SoC has (API reference 06, 07): streams, and events of each kind. The documents give no number of
// notifies and models; these are the reference device's own.
struct SocLimits {
    std::uint32_t streams, events, notifies, models;
};
const SocLimits &soc_limits();

}  // namespace refdevice
