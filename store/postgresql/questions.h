/* Questions between the processes of a database: notifications, of which nothing is kept. Who asks says on the channel of
 * questions on which one of its own it listens; answers come there, cut into parts.
 *
 * Takers hear questions by the thread of notices (notice.h), and wait for them on a thread of their own. */
#ifndef ORR_STORE_POSTGRESQL_QUESTIONS_H
#define ORR_STORE_POSTGRESQL_QUESTIONS_H

#include "store/store.h"

/* store_ask and store_questions_open of a database, and those that follow. */
int postgres_ask_others(store *base, int64_t wait_ms, store_answer_fn take, void *ud, orr_error *err);
/* See there. */
store_questions *postgres_questions_open(store *base, const char *name, orr_error *err);
/* See there. */
bool postgres_questions_wait(store_questions *base);
/* See there. */
void postgres_questions_answer(store_questions *base, const void *bytes, size_t size);
/* See there. */
void postgres_questions_end(store_questions *base);
/* See there. */
void postgres_questions_close(store_questions *base);

#endif
