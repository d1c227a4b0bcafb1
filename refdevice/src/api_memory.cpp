// Entry points: device memory, pinned host memory, copies, memsets (API reference 11).
#include "copies.h"
#include "door.h"
#include "memory.h"
#include "objects.h"
#include "soc.h"
#include "submit.h"
#include "tasks.h"

using namespace refdevice;

namespace {

constexpr std::size_t kMaxHeight2d = std::size_t{5} * 1024 * 1024;

aclError copy_now(const char *name, const Transfer &with, NonSafe call)
{
    return enter(name, [&](HostLock &lock) -> aclError {
        const auto context = current_context();
        if (const auto code = reject(context == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no context is set")) return code;
        if (const auto code = check_transfer(with)) return code;
        if (const auto code = reject(
                with.rows && with.kind != ACL_MEMCPY_HOST_TO_DEVICE && with.kind != ACL_MEMCPY_DEVICE_TO_HOST,
                ACL_ERROR_INVALID_PARAM, "aclrtMemcpy2d copies between host and device"))
            return code;
        if (const auto code = check_non_safe(*context, call)) return code;
        if (effect_is_broken(*context)) return 0;
        lock.unlock();
        const bool done = make_copy(with)->perform();
        lock.lock();
        return reject(!done, ACL_ERROR_RT_PARAM_INVALID, "not inside a live allocation");
    });
}

Rule captured_copy_rule(const Transfer &with)
{
    if (with.rows) return Rule::MEM_029;
    if (with.kind == ACL_MEMCPY_DEVICE_TO_DEVICE) return Rule::MEM_014;
    return with.kind == ACL_MEMCPY_HOST_TO_DEVICE ? Rule::MEM_012 : Rule::MEM_013;
}

// The rules that a pageable copy on a capturing stream breaks.
Rule unpinned_rule(const Transfer &with, aclmdlRICaptureMode mode)
{
    if (with.rows) return Rule::MEM_022;
    if (with.kind == ACL_MEMCPY_DEVICE_TO_HOST) return Rule::MEM_018;
    static constexpr Rule kByMode[] = {Rule::MEM_015, Rule::MEM_016, Rule::MEM_017};
    return kByMode[mode];
}

aclError copy_in_capture(const std::shared_ptr<Stream> &stream, const Transfer &with, bool device_only)
{
    const auto pinned = pinned_by(with);
    if (!device_only) {
        if (const auto code = refuse(
                {unpinned_rule(with, stream->capture->mode)}, !pinned, ACL_ERROR_RT_PARAM_INVALID,
                "EE1016: a captured copy needs page-locked host memory"))
            return code;
        if (pinned == PinnedBy::MallocHostWithCfg)
            if (const auto code = demand(Rule::MEM_026)) return code;
    }
    if (const auto code = demand(captured_copy_rule(with))) return code;
    auto task = make_copy(with);
    task->captured = true;
    if (!kept(Rule::MEM_044) && with.kind == ACL_MEMCPY_HOST_TO_DEVICE && !with.rows) {
        const auto *bytes = static_cast<const std::byte *>(with.source);
        task->frozen.assign(bytes, bytes + with.width);
    }
    return submit(stream, std::move(task), Work::Copy);
}

aclError copy_later(const char *name, const Transfer &with, aclrtStream handle)
{
    return enter(name, [&](HostLock &lock) -> aclError {
        aclError code = 0;
        const auto stream = stream_of(handle, code);
        if (stream == nullptr) return reject(true, code, "not a live stream");
        if ((code = check_transfer(with)) != 0) return code;
        if (with.kind == ACL_MEMCPY_HOST_TO_HOST) {
            const Rule rule = with.rows ? Rule::MEM_050 : Rule::MEM_028;
            code = refuse(
                {rule}, true, with.rows ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                "EE1006: host-to-host is no kind of an asynchronous copy");
            if (code != 0) return code;
        }
        if ((code = refuse({Rule::MEM_049}, with.rows && with.height > kMaxHeight2d, ACL_ERROR_INVALID_PARAM, "too many rows")) != 0)
            return code;
        if (with.rows && with.height > kMaxHeight2d) return 0;
        const bool device_only = with.kind == ACL_MEMCPY_DEVICE_TO_DEVICE || with.kind == ACL_MEMCPY_HOST_TO_HOST;
        if (stream->capture != nullptr) return copy_in_capture(stream, with, device_only);
        auto task = make_copy(with);
        if (device_only || pinned_by(with)) return submit(stream, std::move(task), Work::Copy);
        // Pageable memory: the copy takes its turn on the stream and is done on return.
        if ((code = check_default_stream(*stream, Rule::STRM_004)) != 0) return code;
        const auto context = stream->context.lock();
        if (context != nullptr && (code = check_non_safe(
                                       *context, with.rows ? NonSafe::UnpinnedCopy2d : NonSafe::UnpinnedCopy)) != 0)
            return code;
        task->delayed = !kept(Rule::MEM_047);
        std::uint64_t ticket = 0;
        if ((code = submit(stream, std::move(task), Work::Copy, &ticket)) != 0) return code;
        if (!kept(Rule::MEM_047)) return 0;
        lock.unlock();
        stream->queue.wait_for(ticket, std::nullopt);
        lock.lock();
        return 0;
    });
}

aclError allocate_host(const char *name, void **output, std::size_t size, PinnedBy by)
{
    return enter(name, [&](HostLock &) -> aclError {
        if (const auto code = reject(output == nullptr || size == 0, ACL_ERROR_RT_PARAM_INVALID, "no output or no size")) return code;
        void *address = PinnedMemory::instance().allocate(size, by);
        if (const auto code = reject(address == nullptr, ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory")) return code;
        *output = address;
        return 0;
    });
}

aclError check_memset(void *address, std::size_t room, std::size_t count)
{
    return reject(
        Heap::instance().view(address, count) == nullptr || count > room, ACL_ERROR_RT_PARAM_INVALID,
        "not inside a live allocation");
}

}  // namespace

extern "C" {

aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N)
{
    return enter("aclrtMemsetD32", [&](HostLock &) -> aclError {
        const auto context = current_context();
        if (const auto code = reject(context == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no context is set")) return code;
        if (const auto code = check_memset(ptr, memSize, N * sizeof value)) return code;
        // The list of unsafe calls is open ("such as"); this is one of them here.
        if (const auto code = check_non_safe(*context, NonSafe::Batch)) return code;
        MemsetTask task;
        task.fill(ptr, value, N);
        task.perform();
        return 0;
    });
}

aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N, aclrtStream handle)
{
    return enter("aclrtMemsetD32Async", [&](HostLock &) -> aclError {
        aclError code = 0;
        const auto stream = stream_of(handle, code);
        if (stream == nullptr) return reject(true, code, "not a live stream");
        if ((code = check_memset(ptr, memSize, N * sizeof value)) != 0) return code;
        if (stream->capture != nullptr && (code = demand(Rule::MEM_032)) != 0) return code;
        auto task = std::make_shared<MemsetTask>();
        task->fill(ptr, value, N);
        return submit(stream, std::move(task), Work::Memset);
    });
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy /*policy*/)
{
    return enter("aclrtMalloc", [&](HostLock &) -> aclError {
        if (const auto code = reject(devPtr == nullptr || size == 0, ACL_ERROR_RT_PARAM_INVALID, "no output or no size")) return code;
        if (const auto code = reject(current_context() == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no context is set")) return code;
        void *address = Heap::instance().allocate(size);
        if (const auto code = reject(address == nullptr, ACL_ERROR_RT_MEMORY_ALLOCATION, "no device memory")) return code;
        *devPtr = address;
        return 0;
    });
}

aclError aclrtFree(void *devPtr)
{
    return enter("aclrtFree", [&](HostLock &) {
        return reject(!Heap::instance().release(devPtr), ACL_ERROR_RT_PARAM_INVALID, "not a live allocation");
    });
}

aclError aclrtFreeWithDevSync(void *devPtr)
{
    return enter("aclrtFreeWithDevSync", [&](HostLock &) -> aclError {
        const auto context = current_context();
        if (const auto code = reject(
                context != nullptr && !context->captures.empty(), ACL_ERROR_RT_STREAM_CAPTURED, "EE1017: capturing"))
            return code;
        return reject(!Heap::instance().release(devPtr), ACL_ERROR_RT_PARAM_INVALID, "not a live allocation");
    });
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    return allocate_host("aclrtMallocHost", hostPtr, size, PinnedBy::MallocHost);
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig * /*cfg*/)
{
    return allocate_host("aclrtMallocHostWithCfg", ptr, size, PinnedBy::MallocHostWithCfg);
}

aclError aclrtFreeHost(void *hostPtr)
{
    return enter("aclrtFreeHost", [&](HostLock &) {
        return reject(!PinnedMemory::instance().release(hostPtr), ACL_ERROR_RT_PARAM_INVALID, "not pinned by aclrtMallocHost");
    });
}

aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t /*flag*/)
{
    return enter("aclrtHostRegisterV2", [&](HostLock &) {
        return reject(
            ptr == nullptr || size == 0 || !PinnedMemory::instance().add(ptr, size), ACL_ERROR_RT_PARAM_INVALID,
            "no memory, or registered already");
    });
}

aclError aclrtHostUnregister(void *ptr)
{
    return enter("aclrtHostUnregister", [&](HostLock &) {
        return reject(!PinnedMemory::instance().remove(ptr), ACL_ERROR_RT_PARAM_INVALID, "not registered");
    });
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    return copy_now("aclrtMemcpy", {dst, destMax, src, count, count, 1, kind, false}, NonSafe::Memcpy);
}

aclError aclrtMemcpyAsync(
    void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)
{
    return copy_later("aclrtMemcpyAsync", {dst, destMax, src, count, count, 1, kind, false}, stream);
}

aclError aclrtMemcpy2d(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind)
{
    return copy_now("aclrtMemcpy2d", {dst, dpitch, src, spitch, width, height, kind, true}, NonSafe::Memcpy2d);
}

aclError aclrtMemcpy2dAsync(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind,
    aclrtStream stream)
{
    return copy_later("aclrtMemcpy2dAsync", {dst, dpitch, src, spitch, width, height, kind, true}, stream);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    return enter("aclrtMemset", [&](HostLock &) -> aclError {
        const auto context = current_context();
        if (const auto code = reject(context == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no context is set")) return code;
        if (const auto code = check_memset(devPtr, maxCount, count)) return code;
        if (const auto code = check_non_safe(*context, NonSafe::Memset)) return code;
        if (effect_is_broken(*context)) return 0;
        MemsetTask task;
        task.fill_bytes(devPtr, value, count);
        task.perform();
        return 0;
    });
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream handle)
{
    return enter("aclrtMemsetAsync", [&](HostLock &) -> aclError {
        aclError code = 0;
        const auto stream = stream_of(handle, code);
        if (stream == nullptr) return reject(true, code, "not a live stream");
        if ((code = check_memset(devPtr, maxCount, count)) != 0) return code;
        if (stream->capture != nullptr && (code = demand(Rule::MEM_031)) != 0) return code;
        auto task = std::make_shared<MemsetTask>();
        task->fill_bytes(devPtr, value, count);
        return submit(stream, std::move(task), Work::Memset);
    });
}

}  // extern "C"
