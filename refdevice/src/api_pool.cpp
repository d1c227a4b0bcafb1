// Entry points: memory that a stream allocates and frees in its order (API reference 11-10).
#include "acl/acl_rt_memory_soma.h"
#include "door.h"
#include "memory.h"
#include "objects.h"
#include "submit.h"
#include "tasks.h"

using namespace refdevice;

namespace {

struct ReleaseTask final : Task {
    explicit ReleaseTask(void *what) : address(what) {}
    void *address;
    const char *type() const override { return "MEM_FREE_ASYNC"; }
    void run(Run &run) override
    {
        if (!Heap::instance().release(address)) run.queue.fail(ACL_ERROR_RT_PARAM_INVALID);
    }
};

// The stream of a call; a capture takes neither an allocation nor a release.
std::shared_ptr<Stream> eager_stream(aclrtStream handle, aclError &code)
{
    auto stream = stream_of(handle, code);
    if (stream == nullptr) {
        code = reject(true, code, "not a live stream");
        return nullptr;
    }
    code = reject(stream->capture != nullptr, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: not in a capture");
    return code == 0 ? stream : nullptr;
}

}  // namespace

extern "C" {

aclError aclrtMemPoolCreate(aclrtMemPool *memPool, const aclrtMemPoolProps *poolProps)
{
    return enter("aclrtMemPoolCreate", [&](HostLock &) -> aclError {
        if (const auto code = reject(memPool == nullptr || poolProps == nullptr, ACL_ERROR_RT_PARAM_INVALID, "an argument is NULL"))
            return code;
        *memPool = runtime().pools.add(std::make_shared<Pool>());
        return 0;
    });
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool)
{
    return enter("aclrtMemPoolDestroy", [&](HostLock &) {
        return reject(runtime().pools.remove(memPool) == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live pool");
    });
}

aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool, aclrtStream stream)
{
    return enter("aclrtMemPoolMallocAsync", [&](HostLock &) -> aclError {
        aclError code = 0;
        if (eager_stream(stream, code) == nullptr) return code;
        const bool fits = ptr != nullptr && size != 0 && runtime().pools.find(memPool) != nullptr;
        if ((code = reject(!fits, ACL_ERROR_RT_PARAM_INVALID, "no output, no size, or no pool")) != 0) return code;
        // The address is good at once; nothing orders it later than the stream does.
        void *address = Heap::instance().allocate(size);
        if ((code = reject(address == nullptr, ACL_ERROR_RT_MEMORY_ALLOCATION, "no device memory")) != 0) return code;
        *ptr = address;
        return 0;
    });
}

aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream handle)
{
    return enter("aclrtMemPoolFreeAsync", [&](HostLock &) -> aclError {
        aclError code = 0;
        const auto stream = eager_stream(handle, code);
        if (stream == nullptr) return code;
        if ((code = reject(!Heap::instance().owns(ptr), ACL_ERROR_RT_PARAM_INVALID, "not device memory")) != 0) return code;
        return submit(stream, std::make_shared<ReleaseTask>(ptr), Work::Reduce);
    });
}

}  // extern "C"
