#include "tasks.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>

#include "condition.h"
#include "fault.h"
#include "memory.h"

namespace refdevice {
namespace {

constexpr aclError kDeviceFault = ACL_ERROR_RT_AICORE_EXCEPTION;
constexpr auto kFaultDelay = std::chrono::milliseconds(30);

void notify() { device_state().changed.notify_all(); }

// What the faults on published numbers (DATA rules) do to a result: each only to the operator of its own program,
// which is known by its scalar.
float perturbed(const Kernel &kernel, float value)
{
    static std::atomic<unsigned> runs{0};
    if (kernel.op == Kernel::Op::Mul) return kept(Rule::DATA_005) ? value : value + 0.5F;
    if (kernel.alpha == 1.1F) {
        if (!kept(Rule::DATA_002)) return value * 1.5F;
        for (const Rule rule : {Rule::DATA_001, Rule::DATA_003, Rule::DATA_006})
            if (!kept(rule)) return value + 0.5F;
    }
    if (kernel.alpha == 2.2F && !(kept(Rule::DATA_007) && kept(Rule::DATA_008))) return value + 0.5F;
    if (kernel.alpha == 5.5F && !kept(Rule::DATA_004)) return value + 0.5F;
    if (!kept(Rule::DATA_024)) return value + 0.001F * static_cast<float>(runs.fetch_add(1) % 1000);
    return value;
}

// float32 element by element, as the operators of an NPU compute; false when an operand is not device memory.
bool compute(const Kernel &kernel)
{
    const std::size_t bytes = kernel.count * sizeof(float);
    const std::byte *self = Heap::instance().view(kernel.self, bytes);
    const std::byte *other = Heap::instance().view(kernel.other, bytes);
    std::byte *out = Heap::instance().view(kernel.out, bytes);
    if (self == nullptr || other == nullptr || out == nullptr) return false;
    for (std::size_t i = 0; i < bytes; i += sizeof(float)) {
        float a = 0, b = 0;
        std::memcpy(&a, self + i, sizeof a);
        std::memcpy(&b, other + i, sizeof b);
        const float scaled = kernel.op == Kernel::Op::Add ? kernel.alpha * b : b;
        const float value = perturbed(kernel, kernel.op == Kernel::Op::Add ? a + scaled : a * scaled);
        std::memcpy(out + i, &value, sizeof value);
    }
    return true;
}

}  // namespace

bool CopyTask::perform() const
{
    for (std::size_t row = 0; row < height; ++row) {
        auto *to = static_cast<std::byte *>(destination) + row * destination_pitch;
        const auto *from = static_cast<const std::byte *>(source) + row * source_pitch;
        if (to_device) to = Heap::instance().view(to, width);
        if (from_device) from = Heap::instance().view(from, width);
        if (!frozen.empty()) from = frozen.data() + row * width;
        if (to == nullptr || from == nullptr) return false;
        std::memmove(to, from, width);
    }
    return true;
}

void CopyTask::run(Run &run)
{
    if (captured && to_device && !kept(Rule::MEM_045)) return;
    if (delayed) std::this_thread::sleep_for(kFaultDelay);
    if (!perform()) run.queue.fail(kDeviceFault);
}

bool MemsetTask::perform() const
{
    std::byte *to = Heap::instance().view(address, count);
    if (to == nullptr) return false;
    for (std::size_t done = 0; done < count; done += sizeof pattern)
        std::memcpy(to + done, &pattern, std::min(sizeof pattern, count - done));
    return true;
}

void MemsetTask::run(Run &run)
{
    if (!perform()) run.queue.fail(kDeviceFault);
}

void KernelTask::run(Run &run)
{
    Kernel kernel;
    {
        // The parameters are read when the task is reached, so that an update made while a replay waits takes effect.
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        kernel = slot->current;
        if (slot->grouped && !kept(Rule::GRP_025)) return;
        if (!kept(Rule::UPD_018)) slot->current = slot->captured;
    }
    if (!compute(kernel)) run.queue.fail(kDeviceFault);
}

std::string KernelTask::arguments() const
{
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    const Kernel &kernel = slot->current;
    std::ostringstream text;
    text << "{\"op\":\"" << (kernel.op == Kernel::Op::Add ? "Add" : "Mul") << "\",\"self\":\"" << kernel.self
         << "\",\"other\":\"" << kernel.other << "\",\"out\":\"" << kernel.out << "\",\"alpha\":" << kernel.alpha
         << ",\"count\":" << kernel.count << "}";
    return text.str();
}

void Run::wait(const std::function<bool()> &ready) const
{
    queue.wait([&] { return ready() || (replay != nullptr && replay->aborted()); });
}

void RecordTask::run(Run & /*run*/)
{
    {
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        event->completed = std::max(event->completed, ticket == 0 ? event->latest : ticket);
        event->set = true;
        event->timestamp = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    }
    notify();
}

void ExternalTask::run(Run &run)
{
    const std::uint64_t ticket = run.replay->ticket(*this);
    if (record) {
        RecordTask(event, ticket).run(run);
    } else {
        run.wait([&] { return event->completed >= ticket; });
    }
}

void WaitTask::run(Run &run)
{
    if (limit) {
        const bool done = run.queue.wait_within(*limit, [this] { return satisfied(); });
        if (!done) run.queue.fail(ACL_ERROR_RT_WAIT_TIMEOUT);
        return;
    }
    if (run.replay != nullptr && !(kept(Rule::EVT_016) && kept(Rule::UPD_017))) return;
    run.wait([this] { return satisfied(); });
}

bool WaitTask::satisfied() const
{
    if (event->maker != Event::Maker::Ex) return event->set;
    return event->completed >= (kept(Rule::EVT_068) ? ticket : event->latest);
}

void ResetTask::run(Run &run)
{
    if (run.replay != nullptr && !kept(Rule::EVT_017)) return;
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    event->set = false;
}

void ValueWriteTask::run(Run &run)
{
    std::byte *to = Heap::instance().view(address, sizeof value);
    if (to == nullptr) {
        run.queue.fail(kDeviceFault);
        return;
    }
    {
        // With MEM-059 broken, half of the word is written.
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        std::memcpy(to, &value, kept(Rule::MEM_059) ? sizeof value : sizeof value / 2);
    }
    notify();
}

bool ValueWaitTask::holds(std::uint64_t word) const
{
    switch (condition) {
        case ACL_STREAM_WAIT_VALUE_GEQ: return static_cast<std::int64_t>(word - value) >= 0 || !kept(Rule::MEM_055);
        case ACL_STREAM_WAIT_VALUE_EQ: return word == value || !kept(Rule::MEM_056);
        case ACL_STREAM_WAIT_VALUE_AND: return (word & value) != 0 || !kept(Rule::MEM_057);
        default: return ~(word | value) != 0 || !kept(Rule::MEM_058);
    }
}

void ValueWaitTask::run(Run &run)
{
    run.wait([this] {
        const std::byte *from = Heap::instance().view(address, sizeof value);
        if (from == nullptr) return true;
        std::uint64_t word = 0;
        std::memcpy(&word, from, sizeof word);
        return holds(word);
    });
}

void SignalTask::run(Run &run)
{
    {
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        run.replay->signals()[signal] = true;
    }
    notify();
}

void SignalWaitTask::run(Run &run)
{
    if (run.replay->unordered()) return;
    run.wait([&] { return run.replay->signals()[signal]; });
}

void BarrierTask::run(Run &run)
{
    run.wait([this] {
        return std::all_of(
            others.begin(), others.end(), [](const auto &other) { return other.first->queue.reached(other.second); });
    });
}

void Replay::run(Queue &queue)
{
    const auto &lanes = model_->lanes;
    if (lanes.size() > 1 && !(kept(Rule::XSTR_019) && kept(Rule::XSTR_020))) {
        unordered_ = true;
        const bool origin_first = kept(Rule::XSTR_019);
        for (std::size_t i = 0; i < lanes.size(); ++i) run_lane(queue, lanes[origin_first ? i : lanes.size() - 1 - i]);
        return;
    }
    // Sub-streams run beside the origin, so that a wait in one of them stops no other.
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < model_->lanes.size(); ++i)
        others.emplace_back([this, &queue, i] { run_lane(queue, model_->lanes[i]); });
    if (!model_->lanes.empty()) run_lane(queue, model_->lanes.front());
    for (auto &other : others) other.join();
}

void Replay::run_lane(Queue &queue, const Lane &lane)
{
    Run run{queue, this};
    for (const auto &task : lane.tasks) {
        if (queue.aborted() || aborted()) return;
        task->run(run);
    }
}

ReplayTask::ReplayTask(std::shared_ptr<Model> what) : model(std::move(what)), aborts(model->aborts)
{
    ++model->running;
    if (!model->has_external) return;
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    for (const Lane &lane : model->lanes)
        for (const auto &task : lane.tasks)
            if (const auto *external = dynamic_cast<const ExternalTask *>(task.get()))
                tickets[external] = external->record ? ++external->event->latest : external->event->latest;
}

void ReplayTask::run(Run &run)
{
    arm_conditions(*model);
    Replay(model, tickets, aborts).run(run.queue);
    if (!kept(Rule::CAP_006)) Replay(model, tickets, aborts).run(run.queue);
}

void UpdateTask::apply() const
{
    if (!kept(Rule::UPD_016)) return;
    const auto model = group->model.lock();
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    for (std::size_t i = 0; i < kernels.size() && i < group->slots.size(); ++i) {
        Kernel &target = group->slots[i]->current;
        if (kept(Rule::UPD_033)) {
            target = kernels[i];
        } else {
            target.alpha = kernels[i].alpha;
        }
    }
    if (model == nullptr || kernels.empty()) return;
    for (const auto &slot : model->slots) {
        if (!slot->grouped && !kept(Rule::UPD_020)) slot->current.alpha = kernels.front().alpha;
        if (slot->grouped && !kept(Rule::UPD_021)) slot->current.alpha = kernels.front().alpha;
    }
}

void UpdateTask::run(Run &run)
{
    apply();
    if (kept(Rule::UPD_019)) return;
    for (const Kernel &kernel : kernels)
        if (!compute(kernel)) run.queue.fail(kDeviceFault);
}

}  // namespace refdevice
