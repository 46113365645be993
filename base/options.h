/* The option structs of the public header, whatever version of it the caller was built against. */
#ifndef ORR_BASE_OPTIONS_H
#define ORR_BASE_OPTIONS_H

#include "orrery.h"

/* Fills `own` (`size` bytes, a struct that begins with uint32_t size) with what the caller gave; NULL gives nothing. A
 * shorter struct of an older header leaves the later fields zero; of a longer one the fields that this library does not
 * know must be zero. Returns `own`; NULL with ORR_E_ARGUMENT when the struct has no size, or sets an unknown field. */
const void *options_take(void *own, size_t size, const void *given, orr_error *err);

#endif
