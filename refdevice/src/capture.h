// The capture state machine: begin, join, end (dev guide 04-01, 04-02; API reference 15).
#pragma once

#include <memory>

#include "door.h"
#include "objects.h"

namespace refdevice {

// Open a capture on `stream`, which does not capture yet, into a new model or into a sub-model.
void begin_capture(const std::shared_ptr<Stream> &stream, aclmdlRICaptureMode mode, aclmdlRI sub_model);

// Make `stream` part of the capture as a sub-stream.
void join_capture(const std::shared_ptr<Stream> &stream, const std::shared_ptr<Capture> &capture, Joined how);

// Whether every sub-stream has returned to the origin; else the refusal that CaptureEnd gives.
aclError check_joined(const Capture &capture);

// Take all streams out of the capture. The model stays only if `keep_model`.
void close_capture(const std::shared_ptr<Capture> &capture, bool keep_model);

// Captured work on events.
aclError record_in_capture(const std::shared_ptr<Stream> &stream, const std::shared_ptr<Event> &event);
aclError wait_in_capture(const std::shared_ptr<Stream> &stream, const std::shared_ptr<Event> &event);

// The open capture that an event was recorded in, or nullptr.
std::shared_ptr<Capture> capture_of(const Event &event);

}  // namespace refdevice
