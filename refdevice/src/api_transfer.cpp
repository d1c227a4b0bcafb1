// Entry points: copies by descriptor and by offset, reductions, cache operations (API reference 11-03, 11-06, 12).
#include <algorithm>
#include <cstring>

#include "copies.h"
#include "door.h"
#include "memory.h"
#include "submit.h"
#include "tasks.h"

using namespace refdevice;

namespace {

aclError bad(bool violated, const char *why) { return reject(violated, ACL_ERROR_RT_PARAM_INVALID, why); }

// What aclrtSetMemcpyDesc leaves in device memory.
struct Description {
    void *destination;
    const void *source;
    std::size_t count;
    aclrtMemcpyKind kind;
};

template <typename T>
bool read_device(const void *address, T &value)
{
    const std::byte *from = Heap::instance().view(address, sizeof value);
    if (from != nullptr) std::memcpy(&value, from, sizeof value);
    return from != nullptr;
}

void copy_or_fail(Run &run, const Transfer &what)
{
    if (!make_copy(what)->perform()) run.queue.fail(ACL_ERROR_RT_AICORE_EXCEPTION);
}

// The description is read when the task runs.
struct DescribedCopy final : Task {
    const void *description = nullptr;
    const char *type() const override { return "MEMCPY_ASYNC"; }
    void run(Run &run) override
    {
        Description is{};
        if (!read_device(description, is)) return run.queue.fail(ACL_ERROR_RT_AICORE_EXCEPTION);
        copy_or_fail(run, {is.destination, is.count, is.source, is.count, is.count, 1, is.kind, false});
    }
};

// Both addresses are read from device memory when the task runs.
struct OffsetCopy final : Task {
    void **destination = nullptr;
    const void **source = nullptr;
    std::size_t destination_offset = 0, source_offset = 0, count = 0;
    const char *type() const override { return "MEMCPY_ASYNC"; }
    void run(Run &run) override
    {
        std::byte *to = nullptr;
        const std::byte *from = nullptr;
        if (!read_device(destination, to) || !read_device(source, from)) return run.queue.fail(ACL_ERROR_RT_AICORE_EXCEPTION);
        copy_or_fail(
            run, {to + destination_offset, count, from + source_offset, count, count, 1, ACL_MEMCPY_DEVICE_TO_DEVICE, false});
    }
};

// destination = destination (+, max, min) source, float32.
struct ReduceTask final : Task {
    void *destination = nullptr;
    const void *source = nullptr;
    std::size_t count = 0;
    aclrtReduceKind how = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
    const char *type() const override { return "REDUCE_ASYNC"; }
    float combine(float left, float right) const
    {
        switch (how) {
            case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX: return std::max(left, right);
            case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN: return std::min(left, right);
            case ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL: return left == right ? 1.0F : 0.0F;
            default: return left + right;
        }
    }
    void run(Run &run) override
    {
        std::byte *to = Heap::instance().view(destination, count * sizeof(float));
        const std::byte *from = Heap::instance().view(source, count * sizeof(float));
        if (to == nullptr || from == nullptr) return run.queue.fail(ACL_ERROR_RT_AICORE_EXCEPTION);
        for (std::size_t i = 0; i < count; ++i) {
            float left = 0, right = 0;
            std::memcpy(&left, to + i * sizeof left, sizeof left);
            std::memcpy(&right, from + i * sizeof right, sizeof right);
            left = combine(left, right);
            std::memcpy(to + i * sizeof left, &left, sizeof left);
        }
    }
};

// Fetching into a cache that this device does not have.
struct PrefetchTask final : Task {
    const char *type() const override { return "CMO_ASYNC"; }
    void run(Run & /*run*/) override {}
};

aclError submit_to(const char *name, aclrtStream handle, const std::function<aclError()> &check, std::shared_ptr<Task> task, Work work)
{
    return enter(name, [&](HostLock &) -> aclError {
        aclError code = 0;
        const auto stream = stream_of(handle, code);
        if (stream == nullptr) return reject(true, code, "not a live stream");
        if ((code = check()) != 0) return code;
        return submit(stream, std::move(task), work);
    });
}

}  // namespace

extern "C" {

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize)
{
    return enter("aclrtGetMemcpyDescSize", [&](HostLock &) -> aclError {
        if (const auto code = bad(descSize == nullptr || kind != ACL_MEMCPY_DEVICE_TO_DEVICE, "no output, or not within the device"))
            return code;
        *descSize = sizeof(Description);
        return 0;
    });
}

aclError aclrtSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *srcAddr, void *dstAddr, size_t count, void * /*config*/)
{
    return enter("aclrtSetMemcpyDesc", [&](HostLock &) -> aclError {
        const Description is{dstAddr, srcAddr, count, kind};
        std::byte *to = Heap::instance().view(desc, sizeof is);
        if (const auto code = bad(to == nullptr || kind != ACL_MEMCPY_DEVICE_TO_DEVICE, "no device memory, or not within the device"))
            return code;
        std::memcpy(to, &is, sizeof is);
        return 0;
    });
}

aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream)
{
    auto task = std::make_shared<DescribedCopy>();
    task->description = desc;
    const auto check = [&] { return bad(desc == nullptr || kind != ACL_MEMCPY_DEVICE_TO_DEVICE, "not within the device"); };
    return submit_to("aclrtMemcpyAsyncWithDesc", stream, check, std::move(task), Work::Copy);
}

aclError aclrtMemcpyAsyncWithOffset(
    void **dst, size_t destMax, size_t dstDataOffset, const void **src, size_t count, size_t srcDataOffset,
    aclrtMemcpyKind kind, aclrtStream stream)
{
    auto task = std::make_shared<OffsetCopy>();
    task->destination = dst;
    task->source = src;
    task->destination_offset = dstDataOffset;
    task->source_offset = srcDataOffset;
    task->count = count;
    const auto check = [&] {
        const bool fits = dst != nullptr && src != nullptr && count <= destMax && kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
        return bad(!fits, "no address, too much, or not within the device");
    };
    return submit_to("aclrtMemcpyAsyncWithOffset", stream, check, std::move(task), Work::Copy);
}

aclError aclrtReduceAsync(
    void *dst, const void *src, uint64_t count, aclrtReduceKind kind, aclDataType type, aclrtStream stream, void * /*reserve*/)
{
    auto task = std::make_shared<ReduceTask>();
    task->destination = dst;
    task->source = src;
    task->count = count / sizeof(float);
    task->how = kind;
    const auto check = [&]() -> aclError {
        if (const auto code = bad(dst == nullptr || src == nullptr || count == 0, "no address, or no size")) return code;
        return reject(type != ACL_FLOAT, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: float32 only");
    };
    return submit_to("aclrtReduceAsync", stream, check, std::move(task), Work::Reduce);
}

aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream)
{
    const auto check = [&]() -> aclError {
        if (const auto code = bad(src == nullptr || size == 0, "no address, or no size")) return code;
        return reject(cmoType != ACL_RT_CMO_TYPE_PREFETCH, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: prefetch only");
    };
    return submit_to("aclrtCmoAsync", stream, check, std::make_shared<PrefetchTask>(), Work::Reduce);
}

}  // extern "C"
