// The device side of a stream: a FIFO with a worker of its own, so that work is really asynchronous.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "acl/acl_rt.h"

namespace refdevice {

// One lock and one condition for all device-side state: events, signals, completion.
struct DeviceState {
    std::mutex mutex;
    std::condition_variable changed;
};
DeviceState &device_state();
using DeviceLock = std::unique_lock<std::mutex>;

// How long a host wait may take; nothing means without limit.
using Limit = std::optional<std::chrono::milliseconds>;

class Queue;
class Replay;

// What a running task may use: the queue it runs on, and the replay it is part of, if any.
struct Run {
    Queue &queue;
    Replay *replay;

    // Block until `ready` holds or the work is given up; `ready` runs under the device lock.
    void wait(const std::function<bool()> &ready) const;
};

class Task {
public:
    virtual ~Task() = default;
    // Execute. Blocks for events through `Queue::wait`.
    virtual void run(Run &run) = 0;
    // The task type as a person reads it in the JSON export.
    virtual const char *type() const = 0;
    // Arguments of an operator for the verbose export, as a JSON object; empty for other tasks.
    virtual std::string arguments() const { return {}; }
    // The task type that aclmdlRITaskGetType gives.
    virtual aclmdlRITaskType kind() const { return ACL_MODEL_RI_TASK_DEFAULT; }

    // What aclrtCacheLastTaskOpInfo and aclrtCacheLastTaskExtendInfo left. Guarded by the host mutex.
    std::string op_info, extend_info;

protected:
    Task() = default;
    Task(const Task &) = default;
};

class Queue {
public:
    Queue() = default;
    ~Queue();
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;

    // Append a task; returns its ticket.
    std::uint64_t submit(std::shared_ptr<Task> task);
    // The ticket of the last submitted task.
    std::uint64_t last() const;
    bool idle() const;
    // For tasks of other streams, which hold the device lock: whether `ticket` is done.
    bool reached(std::uint64_t ticket) const { return completed_ >= ticket; }
    // Wait until all tasks up to `ticket` are done. False when the limit passed first.
    bool wait_for(std::uint64_t ticket, const Limit &limit) const;
    // Give up what was submitted so far; what comes later runs.
    void discard();
    // Give up what has not run yet and let blocked waits return.
    void abort();
    bool aborted() const;
    // The first device-side error since the last call, then forgotten.
    aclError take_error();
    void fail(aclError code);

    // For tasks: block until `ready` holds or the queue is aborted. `ready` runs under the device lock.
    void wait(const std::function<bool()> &ready);
    // The same for a limited time; whether `ready` came true (or the queue was aborted).
    bool wait_within(const std::chrono::milliseconds &limit, const std::function<bool()> &ready);

private:
    void work();
    // Whether the task that runs now, or is next, is given up. Under the device lock.
    bool given_up() const { return aborted_ || completed_ < discarded_; }

    std::deque<std::shared_ptr<Task>> tasks_;
    std::uint64_t submitted_ = 0, completed_ = 0;
    std::uint64_t discarded_ = 0;  // tickets up to this one are given up
    bool stopping_ = false, aborted_ = false;
    aclError error_ = 0;
    std::thread worker_;
};

}  // namespace refdevice
