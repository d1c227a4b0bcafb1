#include "copies.h"

namespace refdevice {
namespace {

bool to_device(aclrtMemcpyKind kind) { return kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE; }
bool from_device(aclrtMemcpyKind kind) { return kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE; }

std::size_t span(std::size_t pitch, const Transfer &with) { return with.height == 0 ? 0 : pitch * (with.height - 1) + with.width; }

}  // namespace

std::shared_ptr<CopyTask> make_copy(const Transfer &with)
{
    auto task = std::make_shared<CopyTask>();
    task->destination = with.destination;
    task->destination_pitch = with.destination_pitch;
    task->source = with.source;
    task->source_pitch = with.source_pitch;
    task->width = with.width;
    task->height = with.height;
    task->to_device = to_device(with.kind);
    task->from_device = from_device(with.kind);
    return task;
}

aclError check_transfer(const Transfer &with)
{
    const auto bad = [](bool violated, const char *why) { return reject(violated, ACL_ERROR_RT_PARAM_INVALID, why); };
    if (const auto code = bad(with.destination == nullptr || with.source == nullptr, "an address is NULL")) return code;
    if (const auto code = bad(with.width > with.destination_pitch || with.width > with.source_pitch, "larger than the room"))
        return code;
    if (const auto code = bad(with.kind < ACL_MEMCPY_HOST_TO_HOST || with.kind > ACL_MEMCPY_DEVICE_TO_DEVICE, "bad kind")) return code;
    const bool fits = Heap::instance().owns(with.destination) == to_device(with.kind) &&
                      Heap::instance().owns(with.source) == from_device(with.kind);
    return bad(!fits, "an address is not on the side that the copy kind says");
}

std::optional<PinnedBy> pinned_by(const Transfer &with)
{
    if (to_device(with.kind)) return PinnedMemory::instance().lookup(with.source, span(with.source_pitch, with));
    return PinnedMemory::instance().lookup(with.destination, span(with.destination_pitch, with));
}

}  // namespace refdevice
