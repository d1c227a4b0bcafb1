// Entry points: starting and stopping profiling, configuring dumps. This device measures and dumps nothing.
#include <fstream>

#include "acl/acl_mdl.h"
#include "acl/acl_prof.h"
#include "door.h"
#include "objects.h"

using namespace refdevice;

namespace {

aclError with_config(const char *name, const aclprofConfig *config)
{
    return enter(name, [&](HostLock &) {
        return reject(runtime().profilings.find(config) == nullptr, ACL_ERROR_INVALID_PARAM, "not a live configuration");
    });
}

aclError nothing(const char *name)
{
    return enter(name, [](HostLock &) { return 0; });
}

}  // namespace

extern "C" {

aclError aclprofInit(const char *profilerResultPath, size_t length)
{
    return enter("aclprofInit", [&](HostLock &) {
        return reject(profilerResultPath == nullptr || length == 0, ACL_ERROR_INVALID_PARAM, "no path");
    });
}

aclError aclprofFinalize(void) { return nothing("aclprofFinalize"); }

aclprofConfig *aclprofCreateConfig(
    uint32_t *deviceIdList, uint32_t deviceNums, aclprofAicoreMetrics /*aicoreMetrics*/,
    const aclprofAicoreEvents * /*aicoreEvents*/, uint64_t /*dataTypeConfig*/)
{
    void *made = nullptr;
    enter("aclprofCreateConfig", [&](HostLock &) -> aclError {
        if (const auto code = reject(deviceIdList == nullptr || deviceNums == 0, ACL_ERROR_INVALID_PARAM, "no device")) return code;
        made = runtime().profilings.add(std::make_shared<Profiling>());
        return 0;
    });
    return static_cast<aclprofConfig *>(made);
}

aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig)
{
    return enter("aclprofDestroyConfig", [&](HostLock &) {
        return reject(runtime().profilings.remove(profilerConfig) == nullptr, ACL_ERROR_INVALID_PARAM, "not a live configuration");
    });
}

aclError aclprofStart(const aclprofConfig *profilerConfig) { return with_config("aclprofStart", profilerConfig); }

aclError aclprofStop(const aclprofConfig *profilerConfig) { return with_config("aclprofStop", profilerConfig); }

aclError aclmdlInitDump(void) { return nothing("aclmdlInitDump"); }

aclError aclmdlSetDump(const char *dumpCfgPath)
{
    return enter("aclmdlSetDump", [&](HostLock &) {
        const bool readable = dumpCfgPath != nullptr && std::ifstream(dumpCfgPath).is_open();
        return reject(!readable, ACL_ERROR_INVALID_PARAM, "no readable configuration");
    });
}

aclError aclmdlFinalizeDump(void) { return nothing("aclmdlFinalizeDump"); }

}  // extern "C"
