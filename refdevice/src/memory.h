// Device memory that the host cannot touch, and the register of page-locked host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace refdevice {

// Device memory. The caller's addresses are mapped without access, so that touching one from the host crashes as it
// would on an NPU; the device works through a second mapping of the same pages.
class Heap {
public:
    static Heap &instance();

    // A fresh block of at least `size` bytes with undefined (poisoned) content; nullptr when the arena is used up.
    void *allocate(std::size_t size);
    // False for an address that is not the start of a live block.
    bool release(void *address);
    // Whether the address lies in the device's address range, live or not.
    bool owns(const void *address) const;
    // The device's view of [address, address + size); nullptr unless it lies inside one live block.
    std::byte *view(const void *address, std::size_t size);

    Heap(const Heap &) = delete;
    Heap &operator=(const Heap &) = delete;

private:
    Heap();
    ~Heap();

    std::byte *guarded_ = nullptr;
    std::byte *shadow_ = nullptr;
    std::size_t used_ = 0;
    std::mutex mutex_;
    std::map<std::size_t, std::size_t> blocks_;      // offset -> size of live blocks
    std::multimap<std::size_t, std::size_t> spare_;  // size -> offset of released blocks
};

enum class PinnedBy { MallocHost, MallocHostWithCfg, Register };

// Page-locked host memory.
class PinnedMemory {
public:
    static PinnedMemory &instance();

    void *allocate(std::size_t size, PinnedBy by);
    bool release(void *address);
    bool add(void *address, std::size_t size);
    bool remove(void *address);
    // How the memory around [address, address + size) was pinned; nothing for pageable memory.
    std::optional<PinnedBy> lookup(const void *address, std::size_t size);

private:
    struct Range {
        std::size_t size;
        PinnedBy by;
    };
    std::mutex mutex_;
    std::map<std::uintptr_t, Range> ranges_;
};

}  // namespace refdevice
