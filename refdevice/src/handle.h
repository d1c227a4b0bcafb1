// Handles: numbers that are never reused, looked up in a table, so that a stale or foreign one is a failed look-up.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fault.h"

namespace refdevice {

// The handles of one kind of object. Guarded by the host mutex.
template <typename T>
class Registry {
public:
    // `kind` makes handles of different registries differ, so that a stream is never taken for an event.
    explicit Registry(std::uintptr_t kind) : next_((kind << 40U) + 0x10) {}

    void *add(std::shared_ptr<T> object)
    {
        const std::uintptr_t id = next_;
        next_ += 0x10;
        if (handles_are_corrupt()) return reinterpret_cast<void *>(id);  // never entered: stale from the start
        objects_.emplace(id, std::move(object));
        return reinterpret_cast<void *>(id);
    }

    std::shared_ptr<T> find(const void *handle) const
    {
        if (handles_are_corrupt()) return nullptr;
        const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
        return found == objects_.end() ? nullptr : found->second;
    }

    std::shared_ptr<T> remove(const void *handle)
    {
        const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
        if (found == objects_.end()) return nullptr;
        auto object = std::move(found->second);
        objects_.erase(found);
        return object;
    }

    std::size_t size() const { return objects_.size(); }

    std::vector<std::shared_ptr<T>> all() const
    {
        std::vector<std::shared_ptr<T>> found;
        found.reserve(objects_.size());
        for (const auto &entry : objects_) found.push_back(entry.second);
        return found;
    }

    // The handle of a registered object, or nullptr.
    void *handle_of(const T *object) const
    {
        for (const auto &entry : objects_)
            if (entry.second.get() == object) return reinterpret_cast<void *>(entry.first);
        return nullptr;
    }

    void clear() { objects_.clear(); }

private:
    std::uintptr_t next_;
    std::unordered_map<std::uintptr_t, std::shared_ptr<T>> objects_;
};

}  // namespace refdevice
