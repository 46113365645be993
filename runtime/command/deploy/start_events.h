/* The subscriptions and timers of start events, which let instances begin by themselves. Only the
 * latest version of a key has them. */
#ifndef ORR_START_EVENTS_H
#define ORR_START_EVENTS_H

#include "command/frame.h"
#include "uow/find.h"


/* Adds a problem for each start event of `all` that cannot be subscribed: its name gives no text,
 * or its message starts another process. */
int start_events_check(context *c, definition *const *all, uint32_t count, const char *tenant, problems *list);
/* Subscribes the start events of a definition that has become the latest. 0 or the context's
 * error. */
int start_events_create(context *c, const definition *d, const rec_definition *r);
/* Removes its subscriptions and start timers. */
int start_events_remove(context *c, orr_id definition_id);
/* Subscribes those of versions that become the latest because later ones are deleted. Leaves out
 * what has another receiver by now. */
int start_events_restore(context *c, const unit_found *all);

/* The start events that a message or signal of this name reaches: those of one definition as if it
 * were the latest or, with 0, of all latest ones. Those of a named definition are no stored
 * records: they have no id, but definition_id, node and tenant. */
int start_candidates(context *c, const char *type, const char *name, orr_id definition_id, unit_found *out);
/* A definition's jobs that belong to no instance: start timers, delayed suspensions. */
int definition_jobs(context *c, orr_id definition_id, unit_found *out);

#endif
