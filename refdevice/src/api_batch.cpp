// Entry points: batches of copies (API reference 11-03).
#include <vector>

#include "copies.h"
#include "door.h"
#include "objects.h"
#include "submit.h"
#include "tasks.h"

using namespace refdevice;

namespace {

struct Batch {
    void **destinations;
    std::size_t *rooms;
    void **sources;
    std::size_t *sizes;
    std::size_t count;
    aclrtMemcpyBatchAttr *attributes;
    std::size_t *first_of;  // for each attribute, the first copy that it speaks of
    std::size_t attribute_count;
};

// Which way a batch goes: all of its copies go the same way (API reference 11-03).
aclError transfers_of(const Batch &batch, std::vector<Transfer> &transfers)
{
    const auto bad = [](bool violated, const char *why) { return reject(violated, ACL_ERROR_RT_PARAM_INVALID, why); };
    const bool missing = batch.destinations == nullptr || batch.rooms == nullptr || batch.sources == nullptr ||
                         batch.sizes == nullptr || batch.attributes == nullptr || batch.first_of == nullptr;
    if (const auto code = bad(missing || batch.count == 0 || batch.attribute_count == 0, "an array is missing or empty")) return code;
    if (const auto code = bad(batch.first_of[0] != 0, "the first attribute must speak of the first copy")) return code;
    std::size_t attribute = 0;
    for (std::size_t i = 0; i < batch.count; ++i) {
        while (attribute + 1 < batch.attribute_count && batch.first_of[attribute + 1] <= i) ++attribute;
        const bool to_device = batch.attributes[attribute].dstLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE;
        const bool from_device = batch.attributes[attribute].srcLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE;
        if (const auto code = bad(to_device == from_device, "a batch copies between host and device")) return code;
        const auto kind = to_device ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST;
        if (const auto code = bad(i > 0 && transfers[0].kind != kind, "a batch goes one way only")) return code;
        transfers.push_back(Transfer{
            batch.destinations[i], batch.rooms[i], batch.sources[i], batch.sizes[i], batch.sizes[i], 1, kind, false});
        if (const auto code = check_transfer(transfers.back())) return code;
    }
    return 0;
}

aclError copy_now(const char *name, const Batch &batch)
{
    return enter(name, [&](HostLock &) -> aclError {
        std::vector<Transfer> transfers;
        const auto context = current_context();
        if (const auto code = reject(context == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no context is set")) return code;
        if (const auto code = transfers_of(batch, transfers)) return code;
        // The list of unsafe calls is open ("such as"); a synchronous batch is one of them here.
        if (const auto code = check_non_safe(*context, NonSafe::Batch)) return code;
        for (const Transfer &one : transfers)
            if (const auto code = reject(!make_copy(one)->perform(), ACL_ERROR_RT_PARAM_INVALID, "not inside a live allocation"))
                return code;
        return 0;
    });
}

aclError copy_later(const char *name, const Batch &batch, aclrtStream handle, Rule unpinned)
{
    return enter(name, [&](HostLock &lock) -> aclError {
        std::vector<Transfer> transfers;
        aclError code = 0;
        const auto stream = stream_of(handle, code);
        if (stream == nullptr) return reject(true, code, "not a live stream");
        if ((code = transfers_of(batch, transfers)) != 0) return code;
        bool pinned = true;
        for (const Transfer &one : transfers) pinned = pinned && pinned_by(one);
        const auto context = stream->context.lock();
        if (stream->capture != nullptr) {
            code = refuse(
                {unpinned}, !pinned, ACL_ERROR_RT_PARAM_INVALID, "EE1016: a captured copy needs page-locked host memory");
            if (code == 0 && pinned) code = demand(Rule::MEM_030);
            if (code != 0) return code;
        } else if (!pinned && context != nullptr && (code = check_non_safe(*context, NonSafe::UnpinnedBatch)) != 0) {
            return code;
        }
        std::uint64_t ticket = 0;
        for (const Transfer &one : transfers)
            if ((code = submit(stream, make_copy(one), Work::Copy, &ticket)) != 0) return code;
        if (pinned || stream->capture != nullptr) return 0;
        lock.unlock();
        stream->queue.wait_for(ticket, std::nullopt);
        lock.lock();
        return 0;
    });
}

}  // namespace

extern "C" {

aclError aclrtMemcpyBatch(
    void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs,
    size_t *attrsIndexes, size_t numAttrs, size_t * /*failIndex*/)
{
    return copy_now("aclrtMemcpyBatch", {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs});
}

aclError aclrtMemcpyBatchV2(
    void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs,
    size_t *attrsIndexes, size_t numAttrs)
{
    return copy_now("aclrtMemcpyBatchV2", {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs});
}

aclError aclrtMemcpyBatchAsync(
    void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs,
    size_t *attrsIndexes, size_t numAttrs, size_t * /*failIndex*/, aclrtStream stream)
{
    const Batch batch{dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
    return copy_later("aclrtMemcpyBatchAsync", batch, stream, Rule::MEM_023);
}

aclError aclrtMemcpyBatchAsyncV2(
    void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs,
    size_t *attrsIndexes, size_t numAttrs, aclrtStream stream)
{
    const Batch batch{dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
    return copy_later("aclrtMemcpyBatchAsyncV2", batch, stream, Rule::MEM_024);
}

}  // extern "C"
