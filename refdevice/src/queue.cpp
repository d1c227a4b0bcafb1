#include "queue.h"

#include <string>
#include <utility>

#include "jitter.h"

namespace refdevice {

DeviceState &device_state()
{
    static DeviceState state;
    return state;
}

Queue::~Queue()
{
    {
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        stopping_ = true;
    }
    device_state().changed.notify_all();
    if (worker_.joinable()) worker_.join();
}

std::uint64_t Queue::submit(std::shared_ptr<Task> task)
{
    std::uint64_t ticket = 0;
    {
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        tasks_.push_back(std::move(task));
        ticket = ++submitted_;
        if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
    }
    device_state().changed.notify_all();
    return ticket;
}

std::uint64_t Queue::last() const
{
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    return submitted_;
}

bool Queue::idle() const
{
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    return submitted_ == completed_;
}

bool Queue::wait_for(std::uint64_t ticket, const Limit &limit) const
{
    DeviceLock lock(device_state().mutex);
    const auto done = [&] { return completed_ >= ticket; };
    if (limit) return device_state().changed.wait_for(lock, *limit, done);
    device_state().changed.wait(lock, done);
    return true;
}

void Queue::discard()
{
    {
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        discarded_ = submitted_;
    }
    device_state().changed.notify_all();
}

void Queue::abort()
{
    {
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        aborted_ = true;
    }
    device_state().changed.notify_all();
}

bool Queue::aborted() const
{
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    return given_up();
}

aclError Queue::take_error()
{
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    return std::exchange(error_, 0);
}

void Queue::fail(aclError code)
{
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    if (error_ == 0) error_ = code;
}

void Queue::wait(const std::function<bool()> &ready)
{
    DeviceLock lock(device_state().mutex);
    device_state().changed.wait(lock, [&] { return given_up() || ready(); });
}

bool Queue::wait_within(const std::chrono::milliseconds &limit, const std::function<bool()> &ready)
{
    DeviceLock lock(device_state().mutex);
    return device_state().changed.wait_for(lock, limit, [&] { return given_up() || ready(); });
}

void Queue::work()
{
    DeviceLock lock(device_state().mutex);
    for (;;) {
        device_state().changed.wait(lock, [&] { return stopping_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        auto task = std::move(tasks_.front());
        tasks_.pop_front();
        const bool skip = given_up();
        lock.unlock();
        if (!skip) {
            jitter();
            Run run{*this, nullptr};
            task->run(run);
        }
        task.reset();
        lock.lock();
        ++completed_;
        device_state().changed.notify_all();
    }
}

}  // namespace refdevice
