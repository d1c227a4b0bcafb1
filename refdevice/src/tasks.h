// The tasks that streams execute, eagerly or in a replay.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "objects.h"

namespace refdevice {

// A copy of `height` rows of `width` bytes. Addresses are kept, contents are read when the task runs.
struct CopyTask final : Task {
    void *destination = nullptr;
    const void *source = nullptr;
    std::size_t destination_pitch = 0, source_pitch = 0, width = 0, height = 1;
    bool to_device = false, from_device = false, delayed = false, captured = false;
    std::vector<std::byte> frozen;  // only under the fault MEM-044:skip

    void run(Run &run) override;
    const char *type() const override { return "MEMCPY_ASYNC"; }
    // Copy now; false when an address is not valid device memory.
    bool perform() const;
};

struct MemsetTask final : Task {
    void *address = nullptr;
    std::uint32_t pattern = 0;
    std::size_t count = 0;  // bytes

    // `bytes` bytes of the same value, or `words` words of 32 bits.
    void fill_bytes(void *where, int value, std::size_t bytes)
    {
        address = where;
        pattern = static_cast<std::uint8_t>(value) * 0x01010101U;
        count = bytes;
    }
    void fill(void *where, std::uint32_t value, std::size_t words)
    {
        address = where;
        pattern = value;
        count = words * sizeof value;
    }

    void run(Run &run) override;
    const char *type() const override { return "MEMSET_ASYNC"; }
    bool perform() const;
};

struct KernelTask final : Task {
    explicit KernelTask(std::shared_ptr<KernelSlot> parameters) : slot(std::move(parameters)) {}
    std::shared_ptr<KernelSlot> slot;

    void run(Run &run) override;
    const char *type() const override { return "KERNEL_AIVEC"; }
    std::string arguments() const override;
    aclmdlRITaskType kind() const override { return ACL_MODEL_RI_TASK_KERNEL; }
};

// Records an event. `ticket` names the submission; 0 for a captured record of an external event.
struct RecordTask final : Task {
    RecordTask(std::shared_ptr<Event> what, std::uint64_t which) : event(std::move(what)), ticket(which) {}
    std::shared_ptr<Event> event;
    std::uint64_t ticket;

    void run(Run &run) override;
    const char *type() const override { return "EVENT_RECORD"; }
    aclmdlRITaskType kind() const override { return ACL_MODEL_RI_TASK_EVENT_RECORD; }
};

// Waits for one submitted record of an Ex event (snapshot), or for the flag of the other events.
struct WaitTask final : Task {
    WaitTask(std::shared_ptr<Event> what, std::uint64_t which, Limit longest = {})
        : event(std::move(what)), ticket(which), limit(longest)
    {
    }
    std::shared_ptr<Event> event;
    std::uint64_t ticket;
    Limit limit;  // after which the wait fails (aclrtSetOpWaitTimeout, aclrtStreamWaitEventWithTimeout)

    // Under the device lock.
    bool satisfied() const;

    void run(Run &run) override;
    const char *type() const override { return "EVENT_WAIT"; }
    aclmdlRITaskType kind() const override { return ACL_MODEL_RI_TASK_EVENT_WAIT; }
};

// A captured external record or wait: at every execution it stands for a record of its own, or for the record that was
// latest when the execution was submitted.
struct ExternalTask final : Task {
    ExternalTask(std::shared_ptr<Event> what, bool records) : event(std::move(what)), record(records) {}
    std::shared_ptr<Event> event;
    bool record;

    void run(Run &run) override;
    const char *type() const override { return record ? "EVENT_RECORD" : "EVENT_WAIT"; }
    aclmdlRITaskType kind() const override
    {
        return record ? ACL_MODEL_RI_TASK_EVENT_RECORD : ACL_MODEL_RI_TASK_EVENT_WAIT;
    }
};

// The record that each external task of a model means in one execution.
using Tickets = std::map<const Task *, std::uint64_t>;

struct ResetTask final : Task {
    explicit ResetTask(std::shared_ptr<Event> what) : event(std::move(what)) {}
    std::shared_ptr<Event> event;

    void run(Run &run) override;
    const char *type() const override { return "EVENT_RESET"; }
    aclmdlRITaskType kind() const override { return ACL_MODEL_RI_TASK_EVENT_RESET; }
};

// Record and wait between the streams of one model.
struct SignalTask final : Task {
    explicit SignalTask(std::size_t which) : signal(which) {}
    std::size_t signal;

    void run(Run &run) override;
    const char *type() const override { return "EVENT_RECORD"; }
    aclmdlRITaskType kind() const override { return ACL_MODEL_RI_TASK_EVENT_RECORD; }
};

struct SignalWaitTask final : Task {
    explicit SignalWaitTask(std::size_t which) : signal(which) {}
    std::size_t signal;

    void run(Run &run) override;
    const char *type() const override { return "EVENT_WAIT"; }
    aclmdlRITaskType kind() const override { return ACL_MODEL_RI_TASK_EVENT_WAIT; }
};

// Waits for work that other streams had when it was submitted (only under the fault STRM-027:skip).
struct BarrierTask final : Task {
    std::vector<std::pair<std::shared_ptr<Stream>, std::uint64_t>> others;

    void run(Run &run) override;
    const char *type() const override { return "BARRIER"; }
};

struct ValueWriteTask final : Task {
    ValueWriteTask(void *where, std::uint64_t what) : address(where), value(what) {}
    void *address;
    std::uint64_t value;

    void run(Run &run) override;
    const char *type() const override { return "VALUE_WRITE"; }
    aclmdlRITaskType kind() const override { return ACL_MODEL_RI_TASK_VALUE_WRITE; }
};

struct ValueWaitTask final : Task {
    ValueWaitTask(void *where, std::uint64_t what, std::uint32_t how) : address(where), value(what), condition(how) {}
    void *address;
    std::uint64_t value;
    std::uint32_t condition;

    void run(Run &run) override;
    const char *type() const override { return "VALUE_WAIT"; }
    aclmdlRITaskType kind() const override { return ACL_MODEL_RI_TASK_VALUE_WAIT; }
    // Whether the word lets the stream go on.
    bool holds(std::uint64_t word) const;
};

struct HostFuncTask final : Task {
    HostFuncTask(aclrtHostFunc what, void *with) : function(what), arguments_of(with) {}
    aclrtHostFunc function;
    void *arguments_of;

    void run(Run & /*run*/) override { function(arguments_of); }
    const char *type() const override { return "HOST_FUNC"; }
};

// One execution of a model.
class Replay {
public:
    // `aborts`: how often the model had been aborted when the execution was submitted.
    Replay(std::shared_ptr<Model> model, const Tickets &tickets, unsigned aborts)
        : model_(std::move(model)), tickets_(tickets), signals_(model_->signals, false), aborts_(aborts)
    {
    }
    // Run all lanes; returns when the last one is done.
    void run(Queue &queue);
    // Whether a wait on a signal is ignored: the lanes run one after the other, as a broken XSTR-019 or XSTR-020 does.
    bool unordered() const { return unordered_; }
    // Guarded by the device lock.
    std::vector<bool> &signals() { return signals_; }
    // Whether aclmdlRIAbort stopped the model since then.
    bool aborted() const { return model_->aborts != aborts_; }
    std::uint64_t ticket(const Task &task) const { return tickets_.at(&task); }

private:
    void run_lane(Queue &queue, const Lane &lane);

    std::shared_ptr<Model> model_;
    const Tickets &tickets_;
    std::vector<bool> signals_;
    bool unordered_ = false;
    unsigned aborts_;
};

struct ReplayTask final : Task {
    explicit ReplayTask(std::shared_ptr<Model> what);
    ~ReplayTask() override { --model->running; }
    ReplayTask(const ReplayTask &) = delete;
    std::shared_ptr<Model> model;
    Tickets tickets;
    unsigned aborts;

    void run(Run &run) override;
    const char *type() const override { return "MODEL_EXECUTE"; }
};

// Swaps the parameters of a group's operators when the update stream gets here.
struct UpdateTask final : Task {
    UpdateTask(std::shared_ptr<TaskGroup> what, std::vector<Kernel> with) : group(std::move(what)), kernels(std::move(with)) {}
    std::shared_ptr<TaskGroup> group;
    std::vector<Kernel> kernels;

    void run(Run &run) override;
    const char *type() const override { return "MODEL_UPDATE"; }
    void apply() const;
};

}  // namespace refdevice
