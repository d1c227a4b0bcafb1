// Which SoC the device plays: REFDEVICE_SOC, by the names that aclrtGetSocName gives.
#pragma once

#include <string>

namespace refdevice {

const std::string &soc_name();
bool soc_is_known();
std::string known_socs();
// Whether the SoC has stream capture at all (support blocks of API reference 15).
bool soc_captures();

}  // namespace refdevice
