#include "capture.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "condition.h"
#include "model.h"
#include "submit.h"
#include "tasks.h"

namespace refdevice {
namespace {

// Whether the lane's work flows back into the origin (lane 0), directly or through other lanes.
bool reaches_origin(const Model &model, std::size_t lane, std::set<std::size_t> &visited)
{
    if (lane == 0) return true;
    if (!visited.insert(lane).second) return false;
    const Lane &from = model.lanes[lane];
    // Only a record that is the lane's last task carries everything before it back.
    if (from.signals.empty() || from.signals.back().first + 1 != from.tasks.size()) return false;
    const std::size_t signal = from.signals.back().second;
    for (std::size_t other = 0; other < model.lanes.size(); ++other)
        for (const auto &wait : model.lanes[other].waits)
            if (wait.second == signal && other != lane && reaches_origin(model, other, visited)) return true;
    return false;
}

// Whether the lane returned to another sub-stream, or another one to it.
bool tied_to_sub_stream(const Model &model, const Lane &lane)
{
    const auto waits_for = [](const Lane &waiting, const Lane &recording) {
        return std::any_of(waiting.waits.begin() + (waiting.waits.empty() ? 0 : 1), waiting.waits.end(), [&](const auto &wait) {
            return std::any_of(recording.signals.begin(), recording.signals.end(), [&](const auto &signal) {
                return signal.second == wait.second;
            });
        });
    };
    return std::any_of(model.lanes.begin() + 1, model.lanes.end(), [&](const Lane &other) {
        return &other != &lane && (waits_for(other, lane) || waits_for(lane, other));
    });
}

// Which rule an unjoined lane breaks: how far did it get?
Rule unjoined_rule(const Model &model, const Lane &lane)
{
    if (tied_to_sub_stream(model, lane)) return Rule::XSTR_014;
    if (lane.signals.empty()) return lane.tasks.size() > lane.waits.size() ? Rule::XSTR_010 : Rule::XSTR_009;
    const std::size_t signal = lane.signals.back().second;
    const bool waited = std::any_of(model.lanes.begin(), model.lanes.end(), [&](const Lane &other) {
        return std::any_of(
            other.waits.begin(), other.waits.end(), [&](const auto &wait) { return wait.second == signal; });
    });
    return waited ? Rule::XSTR_012 : Rule::XSTR_011;
}

}  // namespace

void begin_capture(const std::shared_ptr<Stream> &stream, aclmdlRICaptureMode mode, aclmdlRI sub_model)
{
    auto capture = std::make_shared<Capture>();
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->context = stream->context;
    if (sub_model == nullptr) {
        std::tie(capture->model_handle, capture->model) = make_model();
    } else {
        capture->model_handle = sub_model;
        capture->model = runtime().models.find(sub_model);
        capture->model->captured = false;
        capture->model->capturing = true;
        capture->model->lanes.clear();
    }
    capture->model->context = stream->context;
    join_capture(stream, capture, Joined::Origin);
    if (stream->previous != nullptr && !kept(Rule::CAP_004)) capture->lane(0).tasks.push_back(stream->previous);
    if (const auto context = stream->context.lock()) {
        context->captures.push_back(capture);
        context->had_capture = true;
        context->had_strict_capture |= mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    }
    thread_mode().exchanged = false;
}

void join_capture(const std::shared_ptr<Stream> &stream, const std::shared_ptr<Capture> &capture, Joined how)
{
    Lane lane;
    lane.joined = how;
    lane.stream_id = stream->id;
    lane.stream = stream;
    stream->capture = capture;
    stream->was_captured = true;
    stream->was_sub_stream = how != Joined::Origin;
    stream->lane = capture->model->lanes.size();
    capture->model->lanes.push_back(std::move(lane));
}

aclError check_joined(const Capture &capture)
{
    const Model &model = *capture.model;
    for (std::size_t i = 1; i < model.lanes.size(); ++i) {
        std::set<std::size_t> visited;
        const bool joined = reaches_origin(model, i, visited);
        if (joined) {
            if (const auto code = demand(visited.size() == 1 ? Rule::XSTR_007 : Rule::XSTR_008)) return code;
            continue;
        }
        if (const auto code = refuse(
                {unjoined_rule(model, model.lanes[i])}, true, ACL_ERROR_RT_STREAM_UNJOINED,
                "EE1017: a sub-stream has not returned to the origin stream"))
            return code;
    }
    return 0;
}

void close_capture(const std::shared_ptr<Capture> &capture, bool keep_model)
{
    for (const Lane &lane : capture->model->lanes)
        if (const auto stream = lane.stream.lock()) stream->capture = nullptr;
    if (const auto context = capture->context.lock()) {
        auto &open = context->captures;
        open.erase(std::remove(open.begin(), open.end(), capture), open.end());
    }
    capture->model->capturing = false;
    capture->model->captured = keep_model;
    if (keep_model || capture->model->branch) return;
    forget_branches(*capture->model);
    runtime().models.remove(capture->model_handle);
}

std::shared_ptr<Capture> capture_of(const Event &event)
{
    const auto capture = event.capture.lock();
    return capture != nullptr && capture->model->capturing ? capture : nullptr;
}

aclError record_in_capture(const std::shared_ptr<Stream> &stream, const std::shared_ptr<Event> &event)
{
    const auto capture = stream->capture;
    if (event->external()) {
        capture->used_external = true;
        return submit(stream, std::make_shared<RecordTask>(event, 0), Work::Record);
    }
    if (const auto code = reject(
            event->maker != Event::Maker::Ex, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "EE1006: only events of aclrtCreateEventExWithFlag can be captured"))
        return code;
    if (const auto code = refuse(
            {Rule::EVT_020}, (event->flags & ACL_EVENT_IPC) != 0, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: an IPC event"))
        return code;
    if (event->links_streams())
        if (const auto code = demand(Rule::EVT_001)) return code;
    event->was_captured = true;
    const std::size_t signal = capture->model->signals;
    if (const auto code = submit(stream, std::make_shared<SignalTask>(signal), Work::Record)) return code;
    ++capture->model->signals;
    if (event->capture.lock() != capture) event->first_signal = signal;
    event->lane = stream->lane;
    event->joined_a_stream = false;
    Lane &lane = capture->lane(stream->lane);
    lane.signals.emplace_back(lane.tasks.size() - 1, signal);
    event->capture = capture;
    event->signal = signal;
    return 0;
}

aclError wait_in_capture(const std::shared_ptr<Stream> &stream, const std::shared_ptr<Event> &event)
{
    auto capture = stream->capture;
    if (event->external()) {
        static constexpr Rule kByMode[] = {Rule::EVT_011, Rule::EVT_012, Rule::EVT_013};
        if (const auto code = demand(kByMode[capture->mode])) return code;
        capture->used_external = true;
        return submit(stream, std::make_shared<WaitTask>(event, 0), Work::Wait);
    }
    if (const auto code = refuse(
            {Rule::EVT_021}, (event->flags & ACL_EVENT_IPC) != 0, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: an IPC event"))
        return code;
    if ((event->flags & ACL_EVENT_IPC) != 0) return 0;
    if (const auto code = reject(
            !event->links_streams(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "EE1006: only events of aclrtCreateEventExWithFlag(ACL_EVENT_SYNC) can be waited for in a capture"))
        return code;
    const auto source = capture_of(*event);
    if (source == nullptr) {
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        // An event that nobody has recorded counts as complete (API reference 07), so only a record outside matters.
        if (event->latest == 0) return 0;
        return refuse(
            {Rule::EVT_053}, true, ACL_ERROR_RT_CAPTURE_DEPENDENCY, "EE1017: the event was recorded outside the capture");
    }
    if (capture != nullptr && source != capture) {
        const auto conflict = [&] {
            capture->invalidate();
            source->invalidate();
        };
        if (const auto code = refuse(
                {Rule::EVT_055}, true, ACL_ERROR_STREAM_CAPTURE_CONFLICT, "EE1017: the event belongs to another capture")) {
            conflict();
            return code;
        }
        return 0;
    }
    if (capture == nullptr) {
        if (const auto code = check_default_stream(*stream, Rule::STRM_008)) return code;
        if (const auto code = refuse(
                {Rule::XSTR_023}, stream->context.lock() != source->context.lock(), ACL_ERROR_RT_STREAM_CONTEXT,
                "EE1017: the stream belongs to another context than the capture"))
            return code;
        const Joined by = event->lane != 0 ? Joined::Indirectly : Joined::Directly;
        join_capture(stream, source, event->joined_a_stream ? Joined::Further : by);
        event->joined_a_stream = true;
        capture = source;
    }
    const std::size_t signal = kept(Rule::EVT_057) ? event->signal : event->first_signal;
    if (const auto code = submit(stream, std::make_shared<SignalWaitTask>(signal), Work::Wait)) return code;
    Lane &lane = capture->lane(stream->lane);
    lane.waits.emplace_back(lane.tasks.size() - 1, event->signal);
    return 0;
}

}  // namespace refdevice
