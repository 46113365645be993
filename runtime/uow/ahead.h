/* Reading ahead what belongs to an instance, for stores that are a network away. */
#ifndef ORR_UOW_AHEAD_H
#define ORR_UOW_AHEAD_H

#include "uow/uow.h"

/* The caller is about to load records of the group that the id belongs to: what a step mostly needs of it comes with one
 * question, where a question takes time. Elsewhere nothing happens. */
void unit_read_ahead(unit *u, orr_id id);

#endif
