/* From a unit to its batch. */
#ifndef ORR_UOW_FLUSH_H
#define ORR_UOW_FLUSH_H

#include "uow/uow.h"

/* Makes the batch from the changes. The batch lives in the unit's arena. Nothing may be changed in the unit afterwards. */
int unit_flush(unit *u, store_batch **out, orr_error *err);

#endif
