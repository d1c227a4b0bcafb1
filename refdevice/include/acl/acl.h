/* Entry header of the reference device's interface. */
#ifndef REFDEVICE_ACL_H
#define REFDEVICE_ACL_H

#include "acl/acl_base.h"
#include "acl/acl_mdl.h"
#include "acl/acl_rt.h"

#endif
