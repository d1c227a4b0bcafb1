// Conditional tasks: sub-models that a word of device memory chooses while the model runs (API reference 15).
#pragma once

#include <memory>
#include <vector>

#include "door.h"
#include "objects.h"

namespace refdevice {

// Runs the sub-model that the condition chooses: one of several, or one again and again.
struct CondTask final : Task {
    std::shared_ptr<Condition> condition;
    aclmdlRICondTaskType how = ACL_MODEL_RI_COND_TYPE_IF;
    std::vector<std::shared_ptr<Model>> branches;

    void run(Run &run) override;
    const char *type() const override { return "CONDITION"; }
};

// Give every condition of the model and its sub-models the value that an execution starts with.
void arm_conditions(const Model &model);

// Whether each sub-model of a capture that ends has been captured; else the refusal that CaptureEnd gives.
aclError check_branches(const Model &model);

// A call that takes root models only.
aclError check_root(const Model &model);

// Forget the handles of a model's conditions and sub-models.
void forget_branches(const Model &model);

}  // namespace refdevice
