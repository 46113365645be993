/* Units of one instance that are under way at the same time in this process, and what they share.
 *
 * Jobs of parallel branches that are not exclusive overlap, and each of them writes what belongs to all: how many tokens a
 * scope has left, how many flows have come to a join, which ids and rows of history are in use. Were each to write what it
 * found plus its own part, all but one would lose. Instead
 *   - ids and numbers of history rows are dealt out here, so that no two of these units use the same;
 *   - a record whose counters alone a unit changes (unit_touch_counter) is brought up to date just before the batch is
 *     made: a counter is what the others have left, those included whose batches are submitted and not yet answered, plus
 *     what this unit has added. The committer writes batches in the order of their submission.
 * A batch that builds on one that loses is lost as well: a record that is published never has the
 * same revision twice (source_first_revision), also where a unit changes more of it than counters.
 *
 * What this is not: other processes, and commands of this one, take no part. What they change in between is found by the
 * store as ever, and costs a conflict; also when a record's other fields were changed, or a scope's flags that say how its
 * tokens go on. What an operation has concluded from a counter it looks at again afterwards (exec/verdict.h).
 *
 * Locks: an instance's shelf is locked from unit_settle until the batch is submitted. Whoever waits for it has no view open,
 * since who has it may open one. Numbers are dealt under a lock of their own, which may be taken with a view open. */
#ifndef ORR_SIBLINGS_H
#define ORR_SIBLINGS_H

#include "uow/uow.h"

typedef struct siblings siblings;

/* A place among the units of an instance; taken before the unit's view is opened, so that the view shows all that siblings
 * of before have committed. */
typedef struct siblings_place {
  siblings *with; /* NULL: none, the unit has no siblings */
  uint32_t era, seen;
} siblings_place;

/* Any thread, without a view. Without memory there is no place, which costs no more than conflicts. */
siblings_place siblings_join(unit_source *source, uint64_t group);
/* Gives a place back that no unit has taken over. */
void siblings_leave(siblings_place place);

/* The unit takes the place over, and gives it back when it ends. It must not have changed anything yet. */
void unit_meet_siblings(unit *u, siblings_place place);
/* Is what it counts brought together with others' counts? Else its counters are fields like all others. */
bool unit_has_siblings(const unit *u);
/* Has it a place? Then siblings may deal the instance's numbers out, whether it knows of any or not. */
bool unit_has_place(const unit *u);
/* There can be none, though it has a place. */
void unit_without_siblings(unit *u);

/* To be called before something is concluded from what siblings change, too: what the unit has read of scopes and joins
 * becomes as they have committed it since. */
void unit_catch_up(unit *u);

/* Brings counters up to date, and holds the others up until siblings_submitted, unit_unsettle or unit_end. */
void unit_settle(unit *u);
/* Holds nobody up any more; free for a unit that does not. */
void unit_unsettle(unit *u);
/* The unit's batch is made: the others see it from now on. NULL: it is no concern of theirs, and they are held up no longer.
 * Else the batch has to be submitted to the committer, then siblings_submitted be called, and, when it is answered,
 * siblings_answered; the unit may end before. */
siblings *unit_publish(unit *u, const store_batch *batch);
/* On the thread that published: the others go on. */
void siblings_submitted(siblings *s);
/* On the committer's thread, with the batch's status. */
void siblings_answered(siblings *s, int status);

/* Called, on the committer's thread, once every published batch of the instance is answered. It must be quick. */
typedef struct siblings_waiter {
  struct siblings_waiter *next;
  void (*quiet)(struct siblings_waiter *waiter);
} siblings_waiter;
/* False: they are answered already, and `waiter` is not called. For a unit that is not settled. */
bool unit_await_siblings(unit *u, siblings_waiter *waiter);

#endif
