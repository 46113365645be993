/* Jobs that lie where the job before them lay.
 *
 * A chain of jobs would delete a record and put one for each of them. Instead a job that follows another, whose id is the
 * next one and which the same owner has locked, overwrites its record: the key stays that of an earlier job, `local` says
 * which id it has. So a key stands for the ids from its own up to the record's, all of which were the chain's, and no other
 * key lies among them: who looks an id up finds the greatest key that is not above it. An id that has had a successor is
 * gone, as if its record were.
 *
 * Only a locked job lies so. One that comes to be anything else moves to its own key with the same commit, so that rows of
 * ready jobs, and whatever else leads to jobs by their ids, lead to keys. What leads to a locked one (the group, rows of
 * owners) is made of keys. The revision goes on through all of them, so a commit that has read one loses when another has
 * followed. */
#ifndef ORR_SUCCESSION_H
#define ORR_SUCCESSION_H

#include "uow/uow.h"

/* `to`, which is new here and locked, takes the place of `from`, which this unit has deleted; nothing happens where it cannot.
 * Just before the batch is made: neither is looked up any more. */
void succession_begin(rec_job *from, rec_job *to);

/* The id whose key it lies at. */
orr_id succession_key(const rec_job *job);
/* As unit_job, for a caller who knows what succession_key has told of it; 0: nothing. It may have moved since. */
rec_job *succession_job(unit *u, orr_id id, orr_id key, orr_error *err);

/* For this folder. The record with this id at an earlier key, or one that is not it; NULL with err, or without when there is
 * none. */
rec_head *succession_load(unit *u, const rec_type *type, orr_id id, orr_error *err);
/* The same in a view: key and value of what lies at the greatest key of the group that is not above the id. ORR_E_NOT_FOUND:
 * nothing (err stays empty). They last until `row` is closed, which the caller does, whatever the answer. */
int succession_seek(store_snapshot *snapshot, const rec_type *type, orr_id id, store_cursor **row, store_bytes *key,
                    store_bytes *value, orr_error *err);
/* Does this changed record have to leave an earlier one's key? */
bool succession_ends(const rec_head *head);
/* It lies at its own from here on; the caller has removed what was at the other. ORR_E_MEMORY. */
int succession_end(unit *u, rec_head *head);

#endif
