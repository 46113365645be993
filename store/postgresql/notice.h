/* News between the stores of a database: who has committed says so, and who waits for work hears
 * it, on a session of their own, so that a commit never waits for it.
 *
 * A thread listens, tells of own commits (the first at once, further ones every POSTGRES_NOTICE_MS
 * at most, and only while others have the store open), counts those of others for who must not wait
 * for that, and measures the server's clock. It is started by the first commit, or by who wants to
 * hear. Nothing depends on it: who hears nothing asks. */
#ifndef ORR_STORE_POSTGRESQL_NOTICE_H
#define ORR_STORE_POSTGRESQL_NOTICE_H

#include "store/store.h"

#define POSTGRES_NOTICE_MS 20

/* Channels are named for the table, so each store of a database has its own; the longest of them. */
#define POSTGRES_CHANNEL_BYTES 64
#define POSTGRES_QUESTIONS "_questions" /* behind the channel of news: that of questions (questions.h) */

typedef struct postgres_notice postgres_notice;
struct postgres_store;
struct postgres_connection;

/* Nothing runs yet. NULL: out of memory, or of file descriptors. */
postgres_notice *postgres_notice_new(struct postgres_store *s);
/* Ends the thread, behind what it still has to tell. In a child of fork there is none. NULL is
 * fine. */
void postgres_notice_free(postgres_notice *n, bool forked);
/* This store has committed. Any thread. */
void postgres_notice_tell(postgres_notice *n);
/* Has the thread count others' commits (postgres_count_news). Never waits. False: there is no
 * thread. */
bool postgres_notice_count(postgres_notice *n);
/* The thread calls `fn` when another store has committed, or the clock jumps. NULL: it makes no more
 * calls, and none is under way. */
void postgres_notice_on_commit(postgres_notice *n, store_foreign_commit_fn fn, void *ud);
/* The thread calls `fn` when another process asks, with the channel on which that process waits for
 * answers; otherwise as postgres_notice_on_commit. */
typedef void (*postgres_question_fn)(void *ud, const char *answer_to);
void postgres_notice_take_questions(postgres_notice *n, postgres_question_fn fn, void *ud);
/* The channel of news of the session's store. 0, or what postgres_ask_text answers. */
int postgres_notice_channel(struct postgres_connection *c, const char *name, char *out, size_t size);
/* Is the session there, so that nothing is missed from here on? */
bool postgres_notice_listens(const postgres_notice *n);

#endif
