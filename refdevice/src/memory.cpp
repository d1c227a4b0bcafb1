#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <stdexcept>

namespace refdevice {
namespace {

constexpr std::size_t kArena = std::size_t{4} << 30U;
constexpr std::size_t kAlign = 512;
// Beyond this size poisoning would cost more than it finds.
constexpr std::size_t kPoisonLimit = std::size_t{1} << 20U;
constexpr int kPoison = 0x5C;

std::size_t rounded(std::size_t size) { return (size + kAlign) / kAlign * kAlign; }

}  // namespace

Heap &Heap::instance()
{
    static Heap heap;
    return heap;
}

Heap::Heap()
{
    const int file = memfd_create("refdevice", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(kArena)) != 0)
        throw std::runtime_error("refdevice: cannot make its memory");
    void *guarded = mmap(nullptr, kArena, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *shadow = mmap(nullptr, kArena, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    close(file);
    if (guarded == MAP_FAILED || shadow == MAP_FAILED) throw std::runtime_error("refdevice: cannot map its memory");
    guarded_ = static_cast<std::byte *>(guarded);
    shadow_ = static_cast<std::byte *>(shadow);
}

Heap::~Heap()
{
    munmap(guarded_, kArena);
    munmap(shadow_, kArena);
}

void *Heap::allocate(std::size_t size)
{
    const std::size_t room = rounded(size);
    const std::lock_guard<std::mutex> lock(mutex_);
    std::size_t offset = used_;
    if (room <= kArena - used_) {
        used_ += room;
    } else if (const auto found = spare_.find(room); found != spare_.end()) {
        // Released blocks come back only once the arena is used up, so that a stale address stays stale for long.
        offset = found->second;
        spare_.erase(found);
    } else {
        return nullptr;
    }
    blocks_.emplace(offset, room);
    if (size <= kPoisonLimit) std::memset(shadow_ + offset, kPoison, size);
    return guarded_ + offset;
}

bool Heap::release(void *address)
{
    if (!owns(address)) return false;
    const auto offset = static_cast<std::size_t>(static_cast<std::byte *>(address) - guarded_);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = blocks_.find(offset);
    if (found == blocks_.end()) return false;
    spare_.emplace(found->second, offset);
    blocks_.erase(found);
    return true;
}

bool Heap::owns(const void *address) const
{
    const auto *byte = static_cast<const std::byte *>(address);
    return byte >= guarded_ && byte < guarded_ + kArena;
}

std::byte *Heap::view(const void *address, std::size_t size)
{
    if (!owns(address)) return nullptr;
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte *>(address) - guarded_);
    const std::lock_guard<std::mutex> lock(mutex_);
    auto block = blocks_.upper_bound(offset);
    if (block == blocks_.begin()) return nullptr;
    --block;
    const std::size_t inside = offset - block->first;
    if (inside >= block->second || size > block->second - inside) return nullptr;
    return shadow_ + offset;
}

PinnedMemory &PinnedMemory::instance()
{
    static PinnedMemory memory;
    return memory;
}

void *PinnedMemory::allocate(std::size_t size, PinnedBy by)
{
    void *address = nullptr;
    if (posix_memalign(&address, 64, size == 0 ? 1 : size) != 0) return nullptr;
    const std::lock_guard<std::mutex> lock(mutex_);
    ranges_[reinterpret_cast<std::uintptr_t>(address)] = Range{size, by};
    return address;
}

bool PinnedMemory::release(void *address)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = ranges_.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == ranges_.end() || found->second.by == PinnedBy::Register) return false;
    ranges_.erase(found);
    std::free(address);
    return true;
}

bool PinnedMemory::add(void *address, std::size_t size)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    return ranges_.emplace(reinterpret_cast<std::uintptr_t>(address), Range{size, PinnedBy::Register}).second;
}

bool PinnedMemory::remove(void *address)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = ranges_.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == ranges_.end() || found->second.by != PinnedBy::Register) return false;
    ranges_.erase(found);
    return true;
}

std::optional<PinnedBy> PinnedMemory::lookup(const void *address, std::size_t size)
{
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    const std::lock_guard<std::mutex> lock(mutex_);
    auto range = ranges_.upper_bound(start);
    if (range == ranges_.begin()) return std::nullopt;
    --range;
    const auto inside = start - range->first;
    if (inside > range->second.size || size > range->second.size - inside) return std::nullopt;
    return range->second.by;
}

}  // namespace refdevice
