// Entry points: streams (API reference 06).
#include <algorithm>

#include "door.h"
#include "limits.h"
#include "objects.h"
#include "submit.h"
#include "waiting.h"

using namespace refdevice;

namespace {

aclError create_stream(aclrtStream *stream, std::uint32_t priority, std::uint32_t flag)
{
    const auto context = current_context();
    if (const auto code = reject(stream == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
    if (const auto code = reject(context == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no context is set")) return code;
    if (const auto code = check_stream_room()) return code;
    *stream = make_stream(context, flag, priority);
    return 0;
}

// The explicit streams that a caller may destroy.
aclError take_stream(aclrtStream handle, std::shared_ptr<Stream> &stream)
{
    stream = runtime().streams.find(handle);
    if (const auto code = reject(stream == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live stream")) return code;
    if (const auto code = reject(stream->is_default, ACL_ERROR_RT_PARAM_INVALID, "the default stream stays")) return code;
    if (const auto code = reject(
            stream->capture != nullptr, ACL_ERROR_RT_STREAM_CAPTURED, "EE1017: the stream is capturing"))
        return code;
    if (const auto code = reject(
            stream->bound.lock() != nullptr, ACL_ERROR_RT_STREAM_MODEL, "the stream is bound to a model"))
        return code;
    runtime().streams.remove(handle);
    return 0;
}

template <typename T>
aclError getter(const char *name, aclrtStream handle, T *output, T Stream::*member)
{
    return enter(name, [&](HostLock &) -> aclError {
        aclError code = 0;
        const auto stream = stream_of(handle, code);
        if (stream == nullptr) return reject(true, code, "not a live stream");
        if (const auto bad = reject(output == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return bad;
        *output = (*stream).*member;
        return 0;
    });
}

}  // namespace

extern "C" {

aclError aclrtCreateStream(aclrtStream *stream)
{
    return enter("aclrtCreateStream", [&](HostLock &) { return create_stream(stream, 0, 0); });
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    return enter("aclrtCreateStreamWithConfig", [&](HostLock &) { return create_stream(stream, priority, flag); });
}

aclError aclrtDestroyStream(aclrtStream handle)
{
    std::shared_ptr<Stream> stream;
    return enter("aclrtDestroyStream", [&](HostLock &lock) -> aclError {
        if (const auto code = take_stream(handle, stream)) return code;
        if (!kept(Rule::STRM_029)) {
            stream->queue.abort();
            return 0;
        }
        lock.unlock();
        stream->queue.wait_for(stream->queue.last(), std::nullopt);
        lock.lock();
        return 0;
    });
}

aclError aclrtDestroyStreamForce(aclrtStream handle)
{
    std::shared_ptr<Stream> stream;
    return enter("aclrtDestroyStreamForce", [&](HostLock &) -> aclError {
        if (const auto code = demand(Rule::STRM_032)) return code;
        if (const auto code = take_stream(handle, stream)) return code;
        stream->queue.abort();
        return 0;
    });
}

aclError aclrtSynchronizeStream(aclrtStream handle)
{
    return enter("aclrtSynchronizeStream", [&](HostLock &lock) {
        return synchronize_stream(lock, handle, std::nullopt, Rule::SYNC_001);
    });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream handle, int32_t timeout)
{
    return enter("aclrtSynchronizeStreamWithTimeout", [&](HostLock &lock) -> aclError {
        if (const auto code = check_timeout(timeout)) return code;
        return synchronize_stream(lock, handle, limit_of(timeout), timeout < 0 ? Rule::SYNC_002 : Rule::SYNC_003);
    });
}

aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus *status)
{
    return enter("aclrtStreamQuery", [&](HostLock &) -> aclError {
        aclError code = 0;
        const auto stream = stream_of(handle, code);
        if (stream == nullptr) return reject(true, code, "not a live stream");
        if ((code = reject(status == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) != 0) return code;
        if ((code = check_default_stream(*stream, Rule::STRM_010)) != 0) return code;
        if ((code = check_stream_wait(*stream, Rule::SYNC_004)) != 0) return code;
        *status = stream->queue.idle() || !kept(Rule::STRM_026) ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
        return 0;
    });
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    return getter("aclrtStreamGetId", stream, streamId, &Stream::id);
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    return getter("aclrtStreamGetFlags", stream, flags, &Stream::flags);
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    return getter("aclrtStreamGetPriority", stream, priority, &Stream::priority);
}

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
    return enter("aclrtGetStreamAvailableNum", [&](HostLock &) -> aclError {
        if (const auto code = reject(streamCount == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        *streamCount = static_cast<std::uint32_t>(std::max<std::int64_t>(streams_left(), 0));
        return 0;
    });
}

}  // extern "C"
