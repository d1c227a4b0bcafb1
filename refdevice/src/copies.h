// Copies between host and device as the calls describe them (API reference 11-03).
#pragma once

#include <memory>
#include <optional>

#include "door.h"
#include "memory.h"
#include "tasks.h"

namespace refdevice {

struct Transfer {
    void *destination;
    std::size_t destination_pitch;
    const void *source;
    std::size_t source_pitch, width, height;
    aclrtMemcpyKind kind;
    bool rows;
};

std::shared_ptr<CopyTask> make_copy(const Transfer &with);
// Sizes, and that the addresses are on the sides that the kind says.
aclError check_transfer(const Transfer &with);
// How the host side of a transfer is pinned; nothing when it is pageable.
std::optional<PinnedBy> pinned_by(const Transfer &with);

}  // namespace refdevice
