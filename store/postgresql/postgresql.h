/* The store that many machines share: PostgreSQL behind the store's contract.
 *
 * What the contract calls a view is a transaction that only reads one moment of the database; a
 * commit is one call of a function. Commits of all stores that share the database come one after
 * the other, each for a whole group of batches.
 *
 * When a session is lost while a commit is under way, the store asks the database what became of it
 * (schema.c); it waits for a server that is being restarted, or whose standby takes over, for
 * POSTGRES_PATIENCE_MS. When it cannot learn by then whether the commit is there, it says so
 * (STORE_IN_DOUBT), and goes on when the server is back: in a lane of its own anew, so that the
 * doubtful commit, should it still be on its way, is refused. A server that has stayed away for so
 * long keeps nobody waiting: it is tried now and then, and who asks meanwhile is answered at once. */
#ifndef ORR_STORE_POSTGRESQL_H
#define ORR_STORE_POSTGRESQL_H

#include "store/store.h"

#define POSTGRES_PATIENCE_MS 20000

/* options->path is a URL (url.h). ORR_E_ARGUMENT: it cannot be read; ORR_E_STORE: what is the
 * matter with the server or its schema, and what to do. What answers never holds the password. */
int store_open_postgresql(const store_options *options, store **out, orr_error *err);

#endif
