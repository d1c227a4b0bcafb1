#include <utility>

#include "objects.h"

namespace refdevice {
namespace {

thread_local std::weak_ptr<Context> t_context;

}  // namespace

Runtime &runtime()
{
    static Runtime instance;
    return instance;
}

std::shared_ptr<Context> current_context() { return t_context.lock(); }

void set_current_context(std::shared_ptr<Context> context) { t_context = std::move(context); }

std::pair<void *, std::shared_ptr<Context>> make_context(std::int32_t device)
{
    auto context = std::make_shared<Context>();
    context->device = device;
    void *handle = runtime().contexts.add(context);
    context->default_handle = make_stream(context, 0, 0);
    context->default_stream = runtime().streams.find(context->default_handle);
    context->default_stream->is_default = true;
    return {handle, context};
}

void *make_stream(const std::shared_ptr<Context> &context, std::uint32_t flags, std::uint32_t priority)
{
    auto stream = std::make_shared<Stream>();
    stream->id = runtime().next_stream++;
    stream->flags = flags;
    stream->priority = priority;
    stream->context = context;
    return runtime().streams.add(std::move(stream));
}

std::shared_ptr<Stream> stream_of(aclrtStream handle, aclError &code)
{
    code = 0;
    if (handle == nullptr) {
        const auto context = current_context();
        if (context == nullptr) code = ACL_ERROR_RT_CONTEXT_NULL;
        return context == nullptr ? nullptr : context->default_stream;
    }
    auto stream = runtime().streams.find(handle);
    // A destroyed or foreign handle: the code that the open-source runtime gives.
    if (stream == nullptr) code = ACL_ERROR_RT_INVALID_HANDLE;
    return stream;
}

}  // namespace refdevice
