/* What a script raised, as the core's failure. */
#ifndef ORRERY_HOST_HOST_ERROR_H
#define ORRERY_HOST_HOST_ERROR_H

#include "bindings/host/host_types.h"

/* What the error object on top of the coroutine's stack is to the core; `status`: what Lua answered. Raises nothing. */
void host_failure(fiber *f, int status, int default_code, host_result *result);

#endif
