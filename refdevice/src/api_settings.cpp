// Entry points: settings of streams and the device, labels, notifies (API reference 04, 06, 08, 10).
#include "door.h"
#include "limits.h"
#include "memory.h"
#include "objects.h"
#include "submit.h"
#include "tasks.h"

using namespace refdevice;

namespace {

aclrtFloatOverflowMode g_saturation = ACL_RT_OVERFLOW_MODE_SATURATION;
constexpr std::size_t kLabelLimit = 65535;
constexpr std::size_t kOverflowBytes = 64;

using OnStream = std::function<aclError(const std::shared_ptr<Stream> &)>;

aclError with_stream(const char *name, aclrtStream handle, const OnStream &body)
{
    return enter(name, [&](HostLock &) -> aclError {
        aclError code = 0;
        const auto stream = stream_of(handle, code);
        return stream == nullptr ? reject(true, code, "not a live stream") : body(stream);
    });
}

bool is_attribute(int attribute) { return attribute >= ACL_STREAM_ATTR_FAILURE_MODE && attribute <= ACL_STREAM_ATTR_PRIORITY; }

aclError check_attribute(int attribute, const aclrtStreamAttrValue *value)
{
    return reject(!is_attribute(attribute) || value == nullptr, ACL_ERROR_RT_PARAM_INVALID, "not an attribute, or no value");
}

// The op-info switch holds for a capture, and only on streams that are part of it.
std::uint32_t op_info_switch(const Stream &stream)
{
    if (stream.capture == nullptr) return stream.op_info_asked && !kept(Rule::CFG_012) ? 1 : 0;
    const bool joined = stream.lane != 0;
    return stream.capture->cache_op_info && kept(joined ? Rule::CFG_013 : Rule::CFG_011) ? 1 : 0;
}

}  // namespace

extern "C" {

aclError aclrtSetStreamAttribute(aclrtStream handle, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    return with_stream("aclrtSetStreamAttribute", handle, [&](const std::shared_ptr<Stream> &stream) -> aclError {
        if (const auto code = check_attribute(stmAttrType, value)) return code;
        if (stmAttrType != ACL_STREAM_ATTR_CACHE_OP_INFO) {
            stream->attributes[stmAttrType] = *value;
            return 0;
        }
        stream->op_info_asked = value->cacheOpInfoSwitch != 0;
        if (stream->capture != nullptr) stream->capture->cache_op_info = stream->op_info_asked;
        return 0;
    });
}

aclError aclrtGetStreamAttribute(aclrtStream handle, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    return with_stream("aclrtGetStreamAttribute", handle, [&](const std::shared_ptr<Stream> &stream) -> aclError {
        if (const auto code = check_attribute(stmAttrType, value)) return code;
        *value = stream->attributes[stmAttrType];
        if (stmAttrType == ACL_STREAM_ATTR_CACHE_OP_INFO) value->cacheOpInfoSwitch = op_info_switch(*stream);
        return 0;
    });
}

aclError aclrtSetStreamFailureMode(aclrtStream handle, uint64_t mode)
{
    return with_stream("aclrtSetStreamFailureMode", handle, [&](const std::shared_ptr<Stream> &stream) -> aclError {
        if (const auto code = reject(mode > 1, ACL_ERROR_RT_PARAM_INVALID, "not a failure mode")) return code;
        stream->attributes[ACL_STREAM_ATTR_FAILURE_MODE].failureMode = mode;
        return 0;
    });
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream handle, uint32_t flag)
{
    return with_stream("aclrtSetStreamOverflowSwitch", handle, [&](const std::shared_ptr<Stream> &stream) -> aclError {
        stream->attributes[ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK].overflowSwitch = flag;
        return 0;
    });
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream handle, uint32_t *flag)
{
    return with_stream("aclrtGetStreamOverflowSwitch", handle, [&](const std::shared_ptr<Stream> &stream) -> aclError {
        if (const auto code = reject(flag == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        *flag = stream->attributes[ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK].overflowSwitch;
        return 0;
    });
}

static aclError abort_stream(const char *name, aclrtStream handle)
{
    return with_stream(name, handle, [&](const std::shared_ptr<Stream> &stream) -> aclError {
        if (const auto code = reject(stream->capture != nullptr, ACL_ERROR_RT_STREAM_CAPTURED, "EE1017: the stream is capturing"))
            return code;
        stream->queue.discard();
        return 0;
    });
}

aclError aclrtStreamAbort(aclrtStream stream) { return abort_stream("aclrtStreamAbort", stream); }

aclError aclrtStreamStop(aclrtStream stream) { return abort_stream("aclrtStreamStop", stream); }

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
    return enter("aclrtSetDeviceSatMode", [&](HostLock &) -> aclError {
        if (const auto code = reject(mode > ACL_RT_OVERFLOW_MODE_INFNAN, ACL_ERROR_RT_PARAM_INVALID, "not a mode")) return code;
        g_saturation = mode;
        return 0;
    });
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
    return enter("aclrtGetDeviceSatMode", [&](HostLock &) -> aclError {
        if (const auto code = reject(mode == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        *mode = g_saturation;
        return 0;
    });
}

aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream handle)
{
    return with_stream("aclrtGetOverflowStatus", handle, [&](const std::shared_ptr<Stream> &stream) -> aclError {
        const bool room = outputSize >= kOverflowBytes && Heap::instance().view(outputAddr, kOverflowBytes) != nullptr;
        if (const auto code = reject(!room, ACL_ERROR_RT_PARAM_INVALID, "needs 64 bytes of device memory")) return code;
        // Nothing overflows in this device.
        auto task = std::make_shared<MemsetTask>();
        task->fill_bytes(outputAddr, 0, kOverflowBytes);
        return submit(stream, std::move(task), Work::Kernel);
    });
}

aclError aclrtResetOverflowStatus(aclrtStream handle)
{
    return with_stream("aclrtResetOverflowStatus", handle, [](const std::shared_ptr<Stream> &) { return 0; });
}

aclError aclrtCreateLabel(aclrtLabel *label)
{
    return enter("aclrtCreateLabel", [&](HostLock &) -> aclError {
        if (const auto code = reject(label == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        const std::size_t limit = kept(Rule::RES_030) ? kLabelLimit : kLabelLimit + 1;
        if (const auto code = reject(runtime().labels.size() >= limit, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "EE1023: no label is left"))
            return code;
        *label = runtime().labels.add(std::make_shared<Label>());
        return 0;
    });
}

aclError aclrtDestroyLabel(aclrtLabel label)
{
    return enter("aclrtDestroyLabel", [&](HostLock &) {
        return reject(runtime().labels.remove(label) == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live label");
    });
}

aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)
{
    return enter("aclrtCreateNotify", [&](HostLock &) -> aclError {
        if (const auto code = reject(notify == nullptr || flag > 1, ACL_ERROR_RT_PARAM_INVALID, "no output, or not a flag")) return code;
        *notify = runtime().notifies.add(std::make_shared<Notify>());
        if (const auto code = check_notify_room()) {
            runtime().notifies.remove(*notify);
            return code;
        }
        return 0;
    });
}

aclError aclrtDestroyNotify(aclrtNotify notify)
{
    return enter("aclrtDestroyNotify", [&](HostLock &) {
        return reject(runtime().notifies.remove(notify) == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live notify");
    });
}

}  // extern "C"
