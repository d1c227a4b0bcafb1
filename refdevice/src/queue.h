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
#include <thread>

#include "acl/acl_base.h"

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
    // Wait until all tasks up to `ticket` are done. False when the limit passed first.
    bool wait_for(std::uint64_t ticket, const Limit &limit) const;
    // Give up what has not run yet and let blocked waits return.
    void abort();
    bool aborted() const;
    // The first device-side error since the last call, then forgotten.
    aclError take_error();
    void fail(aclError code);

    // For tasks: block until `ready` holds or the queue is aborted. `ready` runs under the device lock.
    void wait(const std::function<bool()> &ready);

private:
    void work();

    std::deque<std::shared_ptr<Task>> tasks_;
    std::uint64_t submitted_ = 0, completed_ = 0;
    bool stopping_ = false, aborted_ = false;
    aclError error_ = 0;
    std::thread worker_;
};

}  // namespace refdevice
