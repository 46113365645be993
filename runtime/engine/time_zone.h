/* The store's time zone. It lies in the store, so that every engine that works on it counts days by the same clocks:
 * a new store takes the option or UTC, an older one the option of the first engine that brings one along. */
#ifndef ORR_TIME_ZONE_H
#define ORR_TIME_ZONE_H

#include "engine/engine.h"
#include "state/context.h"
#include "time/zone.h"

/* Is the zone of the option one that there is? Asked before a store is made. ORR_E_ARGUMENT. */
int time_zone_check(const orr_engine *engine, orr_error *err);
/* Finds out the store's zone, or settles it, when an engine opens. An option that differs is ORR_E_ARGUMENT. */
int time_zone_open(orr_engine *engine, orr_error *err);
/* Frees what time_zone_open has made; the engine is closing. */
void time_zone_close(orr_engine *engine);

/* The zone to count by. Another process may change it: a look at the store, within a second. It lives as long as the
 * engine. NULL: the store could not be read; c->error says why. */
const orr_zone *time_zone(context *c);
/* The same as it was last seen, for who has no context. Any thread. */
const orr_zone *time_zone_seen(orr_engine *engine);
/* The next look is at the store, whatever was seen before. */
void time_zone_forget(orr_engine *engine);
/* Writes the store's zone; `name` is one. */
int time_zone_write(unit *u, const char *name, orr_error *err);

#endif
