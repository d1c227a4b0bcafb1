// What handles stand for: contexts, streams, events, captures, models, task groups. Guarded by the host mutex unless said.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl_rt.h"
#include "handle.h"
#include "queue.h"

namespace refdevice {

struct Capture;
struct Model;
struct TaskGroup;

// One operator call: out = self + alpha * other, or self * other, on `count` float32 elements.
struct Kernel {
    enum class Op { Add, Mul };
    Op op = Op::Add;
    const void *self = nullptr, *other = nullptr;
    void *out = nullptr;
    float alpha = 1.0F;
    std::size_t count = 0;
};

// The parameters of a captured operator: what an update replaces. Guarded by the device lock.
struct KernelSlot {
    Kernel current, captured;
    bool grouped = false;
};

enum class EventUse { Record, Wait };

// The flag that an event's records (or waits) are bound to since the first of them.
struct EventBond {
    bool external = false;
    bool plain = false;   // by a call without a flag
    bool failed = true;   // the call that bound it was refused
};

struct Event {
    enum class Maker { Plain, WithFlag, Ex };
    Maker maker = Maker::Plain;
    std::uint32_t flags = 0, id = 0;

    // Link of a capture: the last record made in it.
    std::weak_ptr<Capture> capture;
    std::size_t signal = 0, first_signal = 0, lane = 0;
    bool joined_a_stream = false;

    std::optional<EventBond> record_bond, wait_bond;
    std::vector<std::pair<std::weak_ptr<Model>, EventUse>> external_uses;
    bool was_captured = false;

    // Device side, guarded by the device lock: the last record submitted and done, and the flag that a reset clears.
    std::uint64_t latest = 0, completed = 0, timestamp = 0;
    bool set = false;

    bool external() const { return maker == Maker::WithFlag && (flags & ACL_EVENT_EXTERNAL) != 0; }
    bool links_streams() const { return maker == Maker::Ex && (flags & ACL_EVENT_SYNC) != 0; }
};

struct Context;

struct Update {
    std::shared_ptr<TaskGroup> group;
    std::vector<Kernel> kernels;
};

struct Stream {
    std::int32_t id = 0;
    std::uint32_t flags = 0, priority = 0;
    bool is_default = false;
    // What the stream has been through, for the rules that speak of it.
    bool was_captured = false, was_sub_stream = false;
    bool left_group = false;  // only with GRP-007 broken: a failed End has left its task group open
    std::uint32_t replayed = 0;  // the model whose replay is the last work, plus one
    std::weak_ptr<Context> context;
    std::shared_ptr<Capture> capture;  // while capturing
    std::weak_ptr<Model> bound;        // the built model that it belongs to
    std::size_t lane = 0;              // its lane in the capture; 0 is the origin
    std::optional<Update> update;
    std::map<int, aclrtStreamAttrValue> attributes;
    bool op_info_asked = false;
    // Only under faults: the last eager task (CAP-004), and a replay that is overtaken by the work after it (EXE-007).
    std::shared_ptr<Task> previous, overtaken;
    Queue queue;
};

struct Context {
    std::int32_t device = 0;
    std::shared_ptr<Stream> default_stream;
    void *default_handle = nullptr;
    std::vector<std::shared_ptr<Capture>> captures;  // open ones
    bool had_capture = false, had_strict_capture = false;
    std::size_t lost_streams = 0;  // only under the fault RES-010:skip
};

// How a stream came into a capture: it is the origin, or it waited for an event of the origin or of another sub-stream
// (indirectly), which another stream may have waited for before (further).
enum class Joined { Origin, Directly, Indirectly, Further };

// The tasks of one stream in a capture.
struct Lane {
    std::int32_t stream_id = 0;
    Joined joined = Joined::Origin;
    std::weak_ptr<Stream> stream;
    std::vector<std::shared_ptr<Task>> tasks;
    // For each record on this lane that links streams: position and signal; for each wait likewise.
    std::vector<std::pair<std::size_t, std::size_t>> signals, waits;
    bool returned = false, ended = false;  // ended: aclmdlRIEndTask
};

// What decides a conditional task: a word of device memory that belongs to a model being captured.
struct Condition {
    Condition() = default;
    Condition(const Condition &) = delete;
    ~Condition();
    std::weak_ptr<Model> model;
    std::uint32_t initial = 0;
    bool assign_default = false, used = false;
    void *word = nullptr;
};

struct TaskGroup {
    std::weak_ptr<Model> model;
    std::vector<std::shared_ptr<KernelSlot>> slots;
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    std::weak_ptr<Stream> updating;
};

struct Model {
    std::uint32_t id = 0;
    std::weak_ptr<Context> context;
    std::vector<Lane> lanes;
    std::size_t signals = 0;
    std::vector<std::shared_ptr<KernelSlot>> slots;
    std::vector<std::shared_ptr<TaskGroup>> groups;
    bool capturing = true;
    bool has_external = false;    // records or waits of aclrt...EventWithFlag(EXTERNAL)
    bool handle_asked = false;  // CaptureGetInfo gave its handle away
    std::size_t executions = 0;
    std::atomic<int> running{0};  // replays submitted and not finished
    std::atomic<unsigned> aborts{0};
    bool built = false;  // by aclmdlRIBuildBegin, not by a capture
    // A sub-model: made by a conditional task of another model, captured by aclmdlRICaptureToModelRIBegin.
    bool branch = false, captured = false;
    std::vector<std::shared_ptr<Model>> branches;
    std::vector<std::shared_ptr<Condition>> conditions;

    // Streams of the device's pool that the model holds: a long lane takes several hardware queues.
    std::size_t pool_streams() const;
};

// Tasks that one hardware queue takes; a longer lane is extended by another model stream.
constexpr std::size_t kQueueTasks = 2048;

struct Capture {
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    std::thread::id thread;
    std::weak_ptr<Context> context;
    std::shared_ptr<Model> model;
    void *model_handle = nullptr;
    bool invalidated = false, used_external = false;
    bool cache_op_info = false;  // ACL_STREAM_ATTR_CACHE_OP_INFO
    bool exchanged = false;  // some thread exchanged its mode while the capture was open
    std::shared_ptr<TaskGroup> open_group;
    std::size_t group_lane = 0;

    Lane &lane(std::size_t index) { return model->lanes[index]; }
    void invalidate() { invalidated = true; }
};

struct Notify {};
struct Label {};
struct Pool {};
struct Profiling {};

// A stream of a model, as introspection hands it out: a stretch of one lane.
struct ModelStream {
    std::weak_ptr<Model> model;
    std::size_t lane = 0, part = 0;
};

// Everything that a process has once. Guarded by the host mutex.
struct Runtime {
    bool initialised = false;
    std::int32_t next_stream = 1;
    std::uint32_t next_event = 0, next_model = 0;
    std::shared_ptr<Context> primary;
    void *primary_handle = nullptr;
    Registry<Context> contexts{1};
    Registry<Stream> streams{2};
    Registry<Event> events{3};
    Registry<Model> models{4};
    Registry<TaskGroup> groups{5};
    Registry<Notify> notifies{6};
    Registry<Label> labels{7};
    Registry<ModelStream> model_streams{8};
    Registry<Task> tasks{9};
    Registry<Condition> conditions{10};
    Registry<Pool> pools{11};
    Registry<Profiling> profilings{12};
};

Runtime &runtime();

// The calling thread's current context, or nullptr.
std::shared_ptr<Context> current_context();
void set_current_context(std::shared_ptr<Context> context);

// A new context with its default stream, or a new stream of a context; registered.
std::pair<void *, std::shared_ptr<Context>> make_context(std::int32_t device);
void *make_stream(const std::shared_ptr<Context> &context, std::uint32_t flags, std::uint32_t priority);

// The stream that a handle names (NULL: the current context's default stream); `code` says why there is none.
std::shared_ptr<Stream> stream_of(aclrtStream handle, aclError &code);

}  // namespace refdevice
