#include "condition.h"

#include <algorithm>
#include <cstring>

#include "memory.h"
#include "tasks.h"

namespace refdevice {
namespace {

std::uint64_t read_word(const Condition &condition)
{
    std::uint64_t word = 0;
    const std::lock_guard<std::mutex> lock(device_state().mutex);
    if (const std::byte *from = Heap::instance().view(condition.word, sizeof word)) std::memcpy(&word, from, sizeof word);
    return word;
}

}  // namespace

Condition::~Condition() { Heap::instance().release(word); }

void CondTask::run(Run &run)
{
    const auto run_branch = [&](std::size_t index) {
        static const Tickets none;  // a sub-model has no external records and waits
        if (index < branches.size()) Replay(branches[index], none, branches[index]->aborts).run(run.queue);
    };
    switch (how) {
        case ACL_MODEL_RI_COND_TYPE_IF: return run_branch(read_word(*condition) != 0 ? 0 : 1);
        case ACL_MODEL_RI_COND_TYPE_SWITCH: return run_branch(read_word(*condition));
        default:
            while (read_word(*condition) != 0 && !run.queue.aborted() && !run.replay->aborted()) run_branch(0);
    }
}

void arm_conditions(const Model &model)
{
    for (const auto &condition : model.conditions) {
        if (!condition->assign_default) continue;
        const std::uint64_t word = condition->initial;
        const std::lock_guard<std::mutex> lock(device_state().mutex);
        if (std::byte *to = Heap::instance().view(condition->word, sizeof word)) std::memcpy(to, &word, sizeof word);
    }
    for (const auto &branch : model.branches) arm_conditions(*branch);
}

aclError check_branches(const Model &model)
{
    const bool all = std::all_of(model.branches.begin(), model.branches.end(), [](const auto &one) { return one->captured; });
    return reject(!all, ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING, "EE1017: a sub-model has not been captured");
}

aclError check_root(const Model &model)
{
    return reject(model.branch, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1006: a sub-model, which its root model stands for");
}

void forget_branches(const Model &model)
{
    for (const auto &condition : model.conditions)
        runtime().conditions.remove(runtime().conditions.handle_of(condition.get()));
    for (const auto &branch : model.branches) {
        forget_branches(*branch);
        runtime().models.remove(runtime().models.handle_of(branch.get()));
    }
}

}  // namespace refdevice
