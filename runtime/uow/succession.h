/* Jobs at the key of the job before them.
 *
 * A chain of jobs would delete one record and put another for each job. Instead, a job that follows
 * another, has the next id and is locked by the same owner, overwrites the other's record. The key
 * stays that of the earlier job; `local` says which id the record has now. So a key stands for the
 * ids from its own up to the record's. All of them were the chain's, and no other key lies between.
 * A look-up of an id finds the greatest key that is not above it. An id that has a successor is
 * gone, as if its record were.
 *
 * Only locked jobs lie so. When one changes to any other state, its commit moves it to its own key.
 * So rows of ready jobs, and everything else that leads to jobs by their ids, lead to keys; what
 * leads to a locked job (the group, rows of owners) consists of keys. The revision continues
 * through all of them, so a commit that has read one loses when another has followed. */
#ifndef ORR_SUCCESSION_H
#define ORR_SUCCESSION_H

#include "uow/uow.h"

/* Puts `to`, a new locked job, in the place of `from`, which this unit has deleted; does nothing
 * where that cannot be. To be called just before the batch is made, when neither is looked up any
 * more. */
void succession_begin(rec_job *from, rec_job *to);

/* The id whose key the job lies at. */
orr_id succession_key(const rec_job *job);
/* As unit_job, for a caller that knows what succession_key returned (0: it does not). The job may
 * have moved since. */
rec_job *succession_job(unit *u, orr_id id, orr_id key, orr_error *err);

/* For this folder: the record with this id at an earlier key, or another one that lies there. NULL
 * with err, or without: there is none. */
rec_head *succession_load(unit *u, const rec_type *type, orr_id id, orr_error *err);
/* The same in a view: key and value of what lies at the greatest key of the group that is not above
 * the id. ORR_E_NOT_FOUND: nothing (err stays empty). They are valid until the caller closes `row`,
 * which it does whatever the answer. */
int succession_seek(store_snapshot *snapshot, const rec_type *type, orr_id id, store_cursor **row, store_bytes *key,
                    store_bytes *value, orr_error *err);
/* Must this changed record leave an earlier job's key? */
bool succession_ends(const rec_head *head);
/* It lies at its own key from here on. The caller has removed what was at the other.
 * ORR_E_MEMORY. */
int succession_end(unit *u, rec_head *head);

#endif
