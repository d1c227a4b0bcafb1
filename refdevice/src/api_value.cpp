// Entry points: words in device memory that streams write and wait for (API reference 11-09), host functions (12).
#include "door.h"
#include "memory.h"
#include "objects.h"
#include "submit.h"
#include "tasks.h"

using namespace refdevice;

namespace {

aclError check_word(const void *address)
{
    const bool aligned = reinterpret_cast<std::uintptr_t>(address) % sizeof(std::uint64_t) == 0;
    if (const auto code = reject(!aligned, ACL_ERROR_RT_ADDR_UNALIGNED, "the address is not aligned to 8 bytes")) return code;
    return reject(
        Heap::instance().view(address, sizeof(std::uint64_t)) == nullptr, ACL_ERROR_RT_PARAM_INVALID, "not device memory");
}

aclError value_task(aclrtStream handle, std::shared_ptr<Task> task, Work work, Rule captured)
{
    aclError code = 0;
    const auto stream = stream_of(handle, code);
    if (stream == nullptr) return reject(true, code, "not a live stream");
    if (stream->capture != nullptr)
        if (const auto bad = demand(captured)) return bad;
    return submit(stream, std::move(task), work);
}

}  // namespace

extern "C" {

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    return enter("aclrtValueWrite", [&](HostLock &) -> aclError {
        if (const auto code = check_word(devAddr)) return code;
        if (const auto code = reject(flag != 0, ACL_ERROR_RT_PARAM_INVALID, "the flag is reserved and must be 0")) return code;
        return value_task(stream, std::make_shared<ValueWriteTask>(devAddr, value), Work::ValueWrite, Rule::MEM_038);
    });
}

aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    return enter("aclrtValueWait", [&](HostLock &) -> aclError {
        if (const auto code = check_word(devAddr)) return code;
        if (const auto code = reject(flag > ACL_STREAM_WAIT_VALUE_NOR, ACL_ERROR_RT_PARAM_INVALID, "not a condition")) return code;
        return value_task(stream, std::make_shared<ValueWaitTask>(devAddr, value, flag), Work::ValueWait, Rule::MEM_039);
    });
}

aclError aclrtLaunchHostFunc(aclrtStream handle, aclrtHostFunc fn, void *args)
{
    return enter("aclrtLaunchHostFunc", [&](HostLock &) -> aclError {
        if (const auto code = reject(fn == nullptr, ACL_ERROR_RT_PARAM_INVALID, "the function is NULL")) return code;
        aclError code = 0;
        const auto stream = stream_of(handle, code);
        if (stream == nullptr) return reject(true, code, "not a live stream");
        // In an open task group its rule decides (GRP-017).
        const bool captured = stream->capture != nullptr && stream->capture->open_group == nullptr;
        if ((code = reject(captured, ACL_ERROR_RT_INTERNAL_ERROR, "a capture takes no host function")) != 0) return code;
        return submit(stream, std::make_shared<HostFuncTask>(fn, args), Work::HostFunc);
    });
}

}  // extern "C"
