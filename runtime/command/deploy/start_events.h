/* What lets instances begin by themselves: the subscriptions and timers of a definition's start events. Only the latest
 * version of a key has them. */
#ifndef ORR_START_EVENTS_H
#define ORR_START_EVENTS_H

#include "command/frame.h"
#include "uow/find.h"


/* Adds a problem for every start event among `all` that could not be subscribed: a name that gives no text, or a message
 * that another process is started by. */
int start_events_check(context *c, definition *const *all, uint32_t count, const char *tenant, problems *list);
/* Subscribes the start events of a definition that has become the latest. 0 or the context's error. */
int start_events_create(context *c, const definition *d, const rec_definition *r);
/* Takes its subscriptions and start timers back. */
int start_events_remove(context *c, orr_id definition_id);
/* The same for versions that become the latest when later ones are deleted: what has another receiver
 * by now is left out. */
int start_events_restore(context *c, const unit_found *all);

/* The same of any version of a definition, named by its id, as if it were the latest; 0: of all the latest ones. Those of
 * a named one are no records: they have no id, but definition_id, node and tenant. */
int start_candidates(context *c, const char *type, const char *name, orr_id definition_id, unit_found *out);
/* Jobs of a definition that belong to no instance: start timers, delayed suspensions. */
int definition_jobs(context *c, orr_id definition_id, unit_found *out);

#endif
