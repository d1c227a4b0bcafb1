// From an API call to a stream: what may be submitted where, and whether it runs or is captured.
#pragma once

#include <memory>
#include <string>

#include "door.h"
#include "objects.h"

namespace refdevice {

enum class Work { Copy, Memset, Kernel, Record, Wait, Reset, Replay, ValueWrite, ValueWait, HostFunc, Condition, Reduce };

// The default-stream ban (STRM-004 ... STRM-011) and its end (STRM-012).
aclError check_default_stream(const Stream &stream, Rule rule);

// Submit a task: refused, captured, or appended to the stream's queue (then `ticket` is set).
aclError submit(
    const std::shared_ptr<Stream> &stream, std::shared_ptr<Task> task, Work work, std::uint64_t *ticket = nullptr);

// The last task that the calling thread submitted, if a capture or a build took it (aclrtCacheLastTask... speak of it).
struct LastTask {
    std::weak_ptr<Task> task;
    std::weak_ptr<Model> model;
    std::weak_ptr<Capture> capture;
    std::size_t lane = 0;
};
LastTask &last_task();

// A call that is not safe while a capture is open: which one, for the rules that name it.
enum class NonSafe { Memset, Memcpy, Memcpy2d, UnpinnedCopy, UnpinnedCopy2d, Batch, UnpinnedBatch };
aclError check_non_safe(const Context &context, NonSafe call);

// Whether a call of this kind must be denied its effect although it is accepted (fault MEM-010:skip).
bool effect_is_broken(const Context &context);

// The calling thread's capture mode, as aclmdlRICaptureThreadExchangeMode keeps it.
struct ThreadMode {
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    bool exchanged = false;  // since the last CaptureBegin of this thread
};
ThreadMode &thread_mode();

// The strictest open capture that the calling thread began in the context, or nullptr.
const Capture *own_capture(const Context &context);
const char *mode_name(aclmdlRICaptureMode mode);

}  // namespace refdevice
