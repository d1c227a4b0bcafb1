/* Basic types of the reference device's interface: result, tensor formats and types (API reference 25). */
#ifndef REFDEVICE_ACL_BASE_H
#define REFDEVICE_ACL_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "acl/error_codes/acl_error_codes.h"
#include "acl/error_codes/rt_error_codes.h"

#if defined(__GNUC__)
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#define ACL_DEPRECATED_MESSAGE(text) __attribute__((deprecated(text)))
#else
#define ACL_FUNC_VISIBILITY
#define ACL_DEPRECATED_MESSAGE(text)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int aclError;

typedef enum {
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT64 = 9
} aclDataType;

typedef enum {
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2
} aclFormat;

#ifdef __cplusplus
}
#endif

#endif
