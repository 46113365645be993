/* Time zones: IANA zones as the system's tzdata describes them, UTC, and fixed offsets. Nothing here looks at the process's
 * own zone. A zone is immutable once loaded and may be used by any thread; the caller keeps and shares it. */
#ifndef ORR_ZONE_H
#define ORR_ZONE_H

#include "base/env.h"
#include "base/error.h"

typedef struct orr_zone orr_zone;

/* `name`: "UTC", "Z", "+02:00", "-0330", or an IANA name such as "Europe/Vienna". An unknown name is ORR_E_ARGUMENT, absent
 * tzdata ORR_E_NOT_FOUND, a damaged file ORR_E_STORE. */
int zone_load(const orr_allocator *allocator, const char *name, orr_zone **out, orr_error *err);
/* The same from the bytes of a TZif file (RFC 8536). */
int zone_from_bytes(const orr_allocator *allocator, const char *name, const uint8_t *bytes, size_t size, orr_zone **out,
                    orr_error *err);
/* NULL and zone_utc() are fine. */
void zone_free(orr_zone *zone);

/* Needs no loading and no freeing. */
const orr_zone *zone_utc(void);
/* As zone_load was given it; lives as long as the zone. NULL is UTC. */
const char *zone_name(const orr_zone *zone);

/* What local clocks add to UTC at an instant. */
int64_t zone_offset_ms(const orr_zone *zone, orr_time utc);

/* The next instant after `utc` from which on clocks may add something else; false when there is none. */
bool zone_next_change(const orr_zone *zone, orr_time utc, orr_time *out);

typedef enum zone_fit {
  ZONE_ONCE,   /* the usual case */
  ZONE_GAP,    /* clocks jump over this local time; the instant is the first one after the jump */
  ZONE_TWICE,  /* clocks show it twice; the instant is the earlier one */
} zone_fit;

/* The instant at which clocks show `local`: milliseconds since 1970-01-01T00:00 by the local clock. */
zone_fit zone_instant(const orr_zone *zone, int64_t local, orr_time *out);

#endif
