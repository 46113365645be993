/* A session with the server: connecting, statements, failures by name.
 *
 * A session is always in libpq's pipeline mode: what needs no answer of its own, the beginning of a
 * view and its end, travels with the next question, so that a question costs one round trip. One
 * thread at a time. */
#ifndef ORR_STORE_POSTGRESQL_CONNECTION_H
#define ORR_STORE_POSTGRESQL_CONNECTION_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/env.h"
#include "base/error.h"
#include "store/postgresql/libpq.h"
#include "store/store.h"

typedef enum postgres_statement {
  POSTGRES_GET,
  POSTGRES_AHEAD,
  POSTGRES_FORWARDS,
  POSTGRES_BACKWARDS,
  POSTGRES_PAGE,
  POSTGRES_PAGES,
  POSTGRES_PAGES_FORWARDS,
  POSTGRES_PAGES_BACKWARDS,
  POSTGRES_COMMIT,
  POSTGRES_FOREIGN,
  POSTGRES_STATEMENTS
} postgres_statement;

#define POSTGRES_AHEAD_ROWS 32 /* of each span that is read ahead */
#define POSTGRES_AHEAD_PAGES 4 /* of each range of pages */

/* Parameters in binary: at most this many. */
#define POSTGRES_PARAMETERS_MAX 33
typedef struct postgres_parameters {
  int count;
  const char *values[POSTGRES_PARAMETERS_MAX];
  int sizes[POSTGRES_PARAMETERS_MAX];
} postgres_parameters;

typedef struct postgres_connection {
  struct postgres_connection *next; /* in a list of idle ones */
  PGconn *pg;
  int unread; /* pipelines whose answers nobody has read */
  atomic_uint_fast64_t *questions; /* counts the round trips of all sessions; NULL: nobody counts */
  bool in_transaction;
} postgres_connection;

/* What came of a statement, beyond the codes of errors: */
#define POSTGRES_LOST \
  1 /* the session is gone, and whether the statement took effect is not known */
#define POSTGRES_AGAIN \
  2 /* it had no effect, through no fault of its own: a deadlock, or a failed serialization */
#define POSTGRES_FENCED 3 /* a commit of a lane that was taken over */
#define POSTGRES_STALE \
  4 /* a commit had no effect, since something that it writes is not as it expects */

/* As error_set of ORR_E_STORE, with the mark STORE_AWAY. */
#define postgres_away(err, ...) (error_set((err), ORR_E_STORE, __VA_ARGS__), postgres_mark_away(err))
static inline int postgres_mark_away(orr_error *err) {
  (void)error_mark(err, STORE_AWAY);
  return ORR_E_STORE;
}

/* Opens a session that computes as the store relies on it (isolation, plans, no time limits);
 * `volatile_commits`: the server need not flush commits before it answers. ORR_E_STORE, with what
 * to do in the message; *transient, and STORE_AWAY, tell that a later try may succeed. */
int postgres_connect(const orr_allocator *allocator, const char *url, const char *name,
                     bool volatile_commits, postgres_connection **out, bool *transient,
                     orr_error *err);
/* Ends the session. In a child of the process that opened it (`forked`) the server hears nothing of
 * it. NULL is fine. */
void postgres_disconnect(const orr_allocator *allocator, postgres_connection *c, bool forked);
/* Whether libpq knows that the session has ended. */
bool postgres_is_lost(const postgres_connection *c);
/* Of a session at rest: what the server has said meanwhile is read, so that its good-bye is heard.
 */
bool postgres_is_alive(postgres_connection *c);

/* Makes the statements known to the server: once a session, whose database must have the schema.
 * Answers as postgres_ask. */
int postgres_prepare(postgres_connection *c, const char *name, orr_error *err);

/* Begins a transaction with the next question, in the same round trip: one that reads a consistent
 * view, or one that writes. */
int postgres_begin(postgres_connection *c, bool writes);
/* Ends it without waiting for the answer: for views. */
void postgres_end_view(postgres_connection *c);

/* Asks, and waits for the answer: *out (PQclear it), or NULL after a failure. 0, ORR_E_*, or one of
 * POSTGRES_*; `name` is the server's, for messages. */
int postgres_ask(postgres_connection *c, postgres_statement statement,
                 const postgres_parameters *parameters, const char *name, PGresult **out,
                 orr_error *err);
/* The same for a statement that is not prepared; its parameters and its answer are text. */
int postgres_ask_text(postgres_connection *c, const char *sql, int count, const char *const *values,
                      const char *name, PGresult **out, orr_error *err);

#endif
