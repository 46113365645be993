/* The database's clock, which judges the leases of all machines: a store's time is the machine's
 * monotonic clock and a distance, which is measured again and again. So neither a wall clock that
 * is wrong nor one that is set matters. */
#ifndef ORR_STORE_POSTGRESQL_CLOCK_H
#define ORR_STORE_POSTGRESQL_CLOCK_H

#include <stdatomic.h>

#include "store/postgresql/connection.h"

/* A distance that changes by more at once is a jump: of the server's clock, of another server that
 * has taken over, or of this machine, which slept. */
#define POSTGRES_CLOCK_JUMP_MS 500
/* An answer that took longer tells too little. */
#define POSTGRES_CLOCK_TRIP_MS 400

/* Written by one thread at a time, read by any. Zero it. */
typedef struct postgres_clock {
  atomic_bool known;
  _Atomic int64_t distance_ms; /* the server's time less the monotonic clock */
  _Atomic int64_t jump_ms;     /* that was seen and not yet seen again; 0: none */
} postgres_clock;

/* Takes note of a measurement: the server's time in milliseconds, and when it was asked and had
 * answered. A jump counts when it has been measured twice. */
void postgres_clock_note(postgres_clock *clock, int64_t server_ms, int64_t asked_ns,
                         int64_t answered_ns);
/* The server's time now; it is known. */
int64_t postgres_clock_now(const postgres_clock *clock, int64_t mono_ns);
/* What is asked along with the time. */
typedef struct postgres_company {
  int64_t others; /* stores that have the database open besides */
  int level;      /* the database's (schema.h) */
} postgres_company;
/* Asks the server. Answers as postgres_ask. */
int postgres_clock_measure(postgres_clock *clock, const orr_env *env, postgres_connection *c,
                           int64_t lane, const char *name, postgres_company *out, orr_error *err);

#endif
