/* What a worker has taken from the queue at a stroke and not begun: entries that it begins one after another. A delegate
 * may compute, or block, for long, so whatever waits behind it can be taken by a worker that has nothing to do.
 *
 * The worker that owns the stroke takes from it without a lock. Filling it and sharing it need the lock of the queue that
 * it was filled from, so that who finds the queue empty sees what others have of it. */
#ifndef ORR_STROKE_H
#define ORR_STROKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Few enough to stay fair between workers, enough to read ahead for with one question (uow/ahead.h). */
#define STROKE_MAX 32

struct entry;

/* All zero: empty. */
typedef struct stroke {
  atomic_uint_fast64_t state; /* stroke.c */
  struct entry *_Atomic entries[STROKE_MAX];
} stroke;

/* By its owner, when it is empty, with the queue's lock held; at most STROKE_MAX. */
void stroke_fill(stroke *s, struct entry *const *entries, uint32_t count);
/* How many are left. Any thread. */
uint32_t stroke_left(const stroke *s);
/* Is this entry left? Any thread that holds the queue's lock; the answer may be over soon. */
bool stroke_has(const stroke *s, const struct entry *e);
/* Takes the next entry, to begin it; NULL: none is left. The owner, or any thread that holds the queue's lock. */
struct entry *stroke_next(stroke *s);
/* Takes the first half of what is left, of one that one; 0: nothing is. Any thread that holds the queue's lock. */
uint32_t stroke_share(stroke *s, struct entry **out);

#endif
