// Entry points: initialisation, versions, errors, device, context (API reference 02 ... 05).
#include <cstdlib>
#include <iostream>

#include "door.h"
#include "objects.h"
#include "soc.h"
#include "waiting.h"

using namespace refdevice;

extern "C" {

aclError aclInit(const char * /*configPath*/)
{
    return enter("aclInit", [](HostLock &) -> aclError {
        if (runtime().initialised) return reject(true, ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before");
        if (const char *text = std::getenv("REFDEVICE_FAULT")) {
            if (const auto wrong = set_faults(text)) {
                std::cerr << "refdevice: REFDEVICE_FAULT: " << *wrong << std::endl;
                return reject(true, ACL_ERROR_INVALID_PARAM, "REFDEVICE_FAULT is not valid");
            }
        }
        if (!soc_is_known()) {
            std::cerr << "refdevice: REFDEVICE_SOC=" << soc_name() << " is not a SoC that this device can be; known are "
                      << known_socs() << std::endl;
            return reject(true, ACL_ERROR_INVALID_PARAM, "REFDEVICE_SOC is not valid");
        }
        runtime().initialised = true;
        return 0;
    });
}

aclError aclFinalize(void)
{
    return enter("aclFinalize", [](HostLock &) -> aclError {
        if (const auto code = reject(!runtime().initialised, ACL_ERROR_UNINITIALIZE, "aclInit was not called")) return code;
        runtime().initialised = false;
        return 0;
    });
}

const char *aclGetRecentErrMsg(void) { return recent_message(); }

aclError aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch)
{
    return enter("aclrtGetVersion", [&](HostLock &) -> aclError {
        if (const auto code = reject(!major || !minor || !patch, ACL_ERROR_INVALID_PARAM, "an output is NULL")) return code;
        *major = ACL_MAJOR_VERSION;
        *minor = ACL_MINOR_VERSION;
        *patch = ACL_PATCH_VERSION;
        return 0;
    });
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel /*level*/) { return last_error(true); }

aclError aclrtGetLastError(aclrtLastErrLevel /*level*/) { return last_error(false); }

aclError aclrtSetDevice(int32_t deviceId)
{
    return enter("aclrtSetDevice", [&](HostLock &) -> aclError {
        Runtime &state = runtime();
        if (const auto code = reject(!state.initialised, ACL_ERROR_UNINITIALIZE, "aclInit was not called")) return code;
        if (const auto code = reject(deviceId != 0, ACL_ERROR_RT_INVALID_DEVICEID, "there is only device 0")) return code;
        if (state.primary == nullptr) std::tie(state.primary_handle, state.primary) = make_context(deviceId);
        set_current_context(state.primary);
        return 0;
    });
}

static aclError reset_device(const char *name, int32_t deviceId)
{
    return enter(name, [&](HostLock &lock) -> aclError {
        Runtime &state = runtime();
        if (const auto code = reject(deviceId != 0, ACL_ERROR_RT_INVALID_DEVICEID, "there is only device 0")) return code;
        const auto streams = state.streams.all();
        state.streams.clear();
        state.contexts.clear();
        state.models.clear();
        state.events.clear();
        state.groups.clear();
        state.primary = nullptr;
        set_current_context(nullptr);
        lock.unlock();
        for (const auto &stream : streams) stream->queue.abort();
        return 0;
    });
}

aclError aclrtResetDevice(int32_t deviceId) { return reset_device("aclrtResetDevice", deviceId); }

aclError aclrtResetDeviceForce(int32_t deviceId) { return reset_device("aclrtResetDeviceForce", deviceId); }

aclError aclrtGetDevice(int32_t *deviceId)
{
    return enter("aclrtGetDevice", [&](HostLock &) -> aclError {
        if (const auto code = reject(deviceId == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        const auto context = current_context();
        if (const auto code = reject(context == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no device is set")) return code;
        *deviceId = context->device;
        return 0;
    });
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    return enter("aclrtGetDeviceCount", [&](HostLock &) -> aclError {
        if (const auto code = reject(count == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        *count = 1;
        return 0;
    });
}

const char *aclrtGetSocName(void) { return soc_name().c_str(); }

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    return enter("aclrtQueryDeviceStatus", [&](HostLock &) -> aclError {
        if (const auto code = reject(
                deviceId != 0 || deviceStatus == nullptr, ACL_ERROR_RT_PARAM_INVALID, "bad device number or output"))
            return code;
        *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
        return 0;
    });
}

aclError aclrtSynchronizeDevice(void)
{
    return enter("aclrtSynchronizeDevice", [](HostLock &lock) { return synchronize_device(lock, std::nullopt, false); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    return enter("aclrtSynchronizeDeviceWithTimeout", [&](HostLock &lock) -> aclError {
        if (const auto code = check_timeout(timeout)) return code;
        return synchronize_device(lock, limit_of(timeout), true);
    });
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    return enter("aclrtCreateContext", [&](HostLock &) -> aclError {
        if (const auto code = reject(
                context == nullptr || deviceId != 0, ACL_ERROR_RT_PARAM_INVALID, "bad output or device number"))
            return code;
        auto [handle, made] = make_context(deviceId);
        set_current_context(made);
        *context = handle;
        return 0;
    });
}

aclError aclrtDestroyContext(aclrtContext context)
{
    return enter("aclrtDestroyContext", [&](HostLock &) -> aclError {
        const auto gone = runtime().contexts.remove(context);
        if (const auto code = reject(gone == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live context")) return code;
        runtime().streams.remove(gone->default_handle);
        return 0;
    });
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    return enter("aclrtSetCurrentContext", [&](HostLock &) -> aclError {
        const auto found = runtime().contexts.find(context);
        if (const auto code = reject(found == nullptr, ACL_ERROR_RT_INVALID_HANDLE, "not a live context")) return code;
        set_current_context(found);
        return 0;
    });
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    return enter("aclrtGetCurrentContext", [&](HostLock &) -> aclError {
        const auto current = current_context();
        if (const auto code = reject(context == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        if (const auto code = reject(current == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no context is set")) return code;
        *context = runtime().contexts.handle_of(current.get());
        return 0;
    });
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
    return enter("aclrtCtxGetCurrentDefaultStream", [&](HostLock &) -> aclError {
        const auto current = current_context();
        if (const auto code = reject(stream == nullptr, ACL_ERROR_INVALID_PARAM, "the output is NULL")) return code;
        if (const auto code = reject(current == nullptr, ACL_ERROR_RT_CONTEXT_NULL, "no context is set")) return code;
        *stream = current->default_handle;
        return 0;
    });
}

}  // extern "C"
