// Entry points: tensors, scalars and the two operators (aclnn, two-phase calls).
#include <map>
#include <mutex>
#include <vector>

#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_mul.h"
#include "door.h"
#include "group.h"
#include "objects.h"

using namespace refdevice;

// The handles of the op library; looked up like all others.
struct aclTensor {
    void *address = nullptr;
    std::size_t count = 0;
    aclDataType type = ACL_FLOAT;
};
struct aclScalar {
    float value = 0;
};
struct aclOpExecutor {
    Kernel kernel;
};

namespace {

struct Operands {
    Registry<aclTensor> tensors{6};
    Registry<aclScalar> scalars{7};
    Registry<aclOpExecutor> executors{8};
};

Operands &operands()
{
    static Operands instance;
    return instance;
}

aclError prepare(
    Kernel::Op op, const aclTensor *self, const aclTensor *other, const aclScalar *alpha, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const auto a = operands().tensors.find(self), b = operands().tensors.find(other), c = operands().tensors.find(out);
    const auto scalar = operands().scalars.find(alpha);
    const bool complete = a && b && c && (op == Kernel::Op::Mul || scalar) && workspaceSize && executor;
    if (const auto code = reject(!complete, ACL_ERROR_INVALID_PARAM, "an operand is missing")) return code;
    const bool same = a->count == b->count && b->count == c->count;
    if (const auto code = reject(!same, ACL_ERROR_INVALID_PARAM, "the operands differ in size")) return code;
    if (const auto code = reject(
            a->type != ACL_FLOAT || b->type != ACL_FLOAT || c->type != ACL_FLOAT, ACL_ERROR_UNSUPPORTED_DATA_TYPE,
            "only ACL_FLOAT is computed"))
        return code;
    auto made = std::make_shared<aclOpExecutor>();
    made->kernel = Kernel{op, a->address, b->address, c->address, scalar ? scalar->value : 1.0F, c->count};
    *workspaceSize = 0;
    *executor = static_cast<aclOpExecutor *>(operands().executors.add(std::move(made)));
    return 0;
}

aclError launch(const char *name, aclOpExecutor *executor, aclrtStream handle)
{
    return enter(name, [&](HostLock &) -> aclError {
        aclError code = 0;
        const auto stream = stream_of(handle, code);
        if (stream == nullptr) return reject(true, code, "not a live stream");
        // An executor is used up by its launch, also by one that is refused.
        const auto taken = operands().executors.remove(executor);
        if ((code = reject(taken == nullptr, ACL_ERROR_INVALID_PARAM, "not an executor, or used before")) != 0) return code;
        return submit_kernel(stream, taken->kernel);
    });
}

}  // namespace

extern "C" {

aclTensor *aclCreateTensor(
    const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t * /*stride*/, int64_t /*offset*/,
    aclFormat /*format*/, const int64_t * /*storageDims*/, uint64_t /*storageDimsNum*/, void *tensorData)
{
    aclTensor *handle = nullptr;
    enter("aclCreateTensor", [&](HostLock &) -> aclError {
        if (const auto code = reject(viewDims == nullptr && viewDimsNum != 0, ACL_ERROR_INVALID_PARAM, "no shape")) return code;
        auto made = std::make_shared<aclTensor>();
        made->address = tensorData;
        made->count = 1;
        for (uint64_t i = 0; i < viewDimsNum; ++i) made->count *= static_cast<std::size_t>(viewDims[i]);
        made->type = dataType;
        handle = static_cast<aclTensor *>(operands().tensors.add(std::move(made)));
        return 0;
    });
    return handle;
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    return enter("aclDestroyTensor", [&](HostLock &) {
        return reject(operands().tensors.remove(tensor) == nullptr, ACL_ERROR_INVALID_PARAM, "not a live tensor");
    });
}

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
    aclScalar *handle = nullptr;
    enter("aclCreateScalar", [&](HostLock &) -> aclError {
        if (const auto code = reject(value == nullptr || dataType != ACL_FLOAT, ACL_ERROR_INVALID_PARAM, "needs a float")) return code;
        auto made = std::make_shared<aclScalar>();
        made->value = *static_cast<const float *>(value);
        handle = static_cast<aclScalar *>(operands().scalars.add(std::move(made)));
        return 0;
    });
    return handle;
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
    return enter("aclDestroyScalar", [&](HostLock &) {
        return reject(operands().scalars.remove(scalar) == nullptr, ACL_ERROR_INVALID_PARAM, "not a live scalar");
    });
}

aclnnStatus aclnnAddGetWorkspaceSize(
    const aclTensor *self, const aclTensor *other, const aclScalar *alpha, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    return enter("aclnnAddGetWorkspaceSize", [&](HostLock &) {
        return prepare(Kernel::Op::Add, self, other, alpha, out, workspaceSize, executor);
    });
}

aclnnStatus aclnnAdd(void * /*workspace*/, uint64_t /*workspaceSize*/, aclOpExecutor *executor, aclrtStream stream)
{
    return launch("aclnnAdd", executor, stream);
}

aclnnStatus aclnnMulGetWorkspaceSize(
    const aclTensor *self, const aclTensor *other, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return enter("aclnnMulGetWorkspaceSize", [&](HostLock &) {
        return prepare(Kernel::Op::Mul, self, other, nullptr, out, workspaceSize, executor);
    });
}

aclnnStatus aclnnMul(void * /*workspace*/, uint64_t /*workspaceSize*/, aclOpExecutor *executor, aclrtStream stream)
{
    return launch("aclnnMul", executor, stream);
}

}  // extern "C"
