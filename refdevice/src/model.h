// Models as handles: which one a call means, what executing needs, what the export says.
#pragma once

#include <memory>
#include <string>

#include "door.h"
#include "objects.h"

namespace refdevice {

// The model that a handle names; NULL is refused by `null_rule` (and gives no model where that is broken).
aclError model_of_handle(aclmdlRI handle, Rule null_rule, std::shared_ptr<Model> &model);

// A new model of the current context; registered.
std::pair<void *, std::shared_ptr<Model>> make_model();

// Whether the model is ready to run: its capture or build has ended.
aclError check_executable(const Model &model);

// One event of the trace-viewer format for each task.
std::string json_of(const Model &model, bool verbose);
std::string text_of(const Model &model);

}  // namespace refdevice
