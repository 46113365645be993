/* Delegates and listeners written in C, registered under names (orr_engine_delegate_register): they need no script host. */
#ifndef ORR_NATIVE_H
#define ORR_NATIVE_H

#include "engine/host.h"

/* The name of a function that a host in C may have registered; NULL: it names none. */
const char *native_name(const implementation *run);
/* Runs the call if its implementation names a registered C function. False: it names none. */
bool native_call(context *c, const host_call *call, host_result *result, host_status *status);

#endif
