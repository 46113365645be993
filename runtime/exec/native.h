/* Delegates and listeners in C, registered by the host program (orr_engine_register): called before the script host is asked. */
#ifndef ORR_NATIVE_H
#define ORR_NATIVE_H

#include "agenda.h"

/* False when the implementation names no C function; else *result is the answer, as host->call gives it. */
bool native_call(context *c, const host_call *call, host_result *result, host_status *status);

#endif
