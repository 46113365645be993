/* Child lists: the executions, subscriptions and jobs of a scope. */
#ifndef ORR_UOW_RELATION_H
#define ORR_UOW_RELATION_H

#include "uow/uow.h"

/* The child list of an instance or execution; NULL on failure. Stays valid; new and deleted records come and go in it. */
struct rec_relation *unit_relation_of(unit *u, void *scope, unit_relation relation, orr_error *err);
/* Puts a new execution, subscription or job into its scope's list: call it once `parent` or `execution_id` is set. Does
 * nothing when the scope is not in the unit or its list is not loaded (a later load finds the record). Deleted records
 * leave their list by themselves. */
int unit_attach(unit *u, void *record);
/* Before `parent` or `execution_id` of a record is changed; unit_attach afterwards. */
void unit_detach(unit *u, void *record);

#endif
