// The tasks that streams execute, eagerly or in a replay.
#pragma once

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
    int value = 0;
    std::size_t count = 0;

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
};

// Records an event. `ticket` names the submission; 0 for a captured record of an external event.
struct RecordTask final : Task {
    RecordTask(std::shared_ptr<Event> what, std::uint64_t which) : event(std::move(what)), ticket(which) {}
    std::shared_ptr<Event> event;
    std::uint64_t ticket;

    void run(Run &run) override;
    const char *type() const override { return "EVENT_RECORD"; }
};

// Waits for one submitted record of an Ex event (snapshot), or for the flag of the other events.
struct WaitTask final : Task {
    WaitTask(std::shared_ptr<Event> what, std::uint64_t which) : event(std::move(what)), ticket(which) {}
    std::shared_ptr<Event> event;
    std::uint64_t ticket;

    void run(Run &run) override;
    const char *type() const override { return "EVENT_WAIT"; }
};

struct ResetTask final : Task {
    explicit ResetTask(std::shared_ptr<Event> what) : event(std::move(what)) {}
    std::shared_ptr<Event> event;

    void run(Run &run) override;
    const char *type() const override { return "EVENT_RESET"; }
};

// Record and wait between the streams of one model.
struct SignalTask final : Task {
    explicit SignalTask(std::size_t which) : signal(which) {}
    std::size_t signal;

    void run(Run &run) override;
    const char *type() const override { return "EVENT_RECORD"; }
};

struct SignalWaitTask final : Task {
    explicit SignalWaitTask(std::size_t which) : signal(which) {}
    std::size_t signal;

    void run(Run &run) override;
    const char *type() const override { return "EVENT_WAIT"; }
};

// One execution of a model.
class Replay {
public:
    explicit Replay(std::shared_ptr<Model> model) : model_(std::move(model)), signals_(model_->signals, false) {}
    // Run all lanes; returns when the last one is done.
    void run(Queue &queue);
    // Guarded by the device lock.
    std::vector<bool> &signals() { return signals_; }

private:
    void run_lane(Queue &queue, const Lane &lane);

    std::shared_ptr<Model> model_;
    std::vector<bool> signals_;
};

struct ReplayTask final : Task {
    explicit ReplayTask(std::shared_ptr<Model> what) : model(std::move(what)) {}
    std::shared_ptr<Model> model;

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
