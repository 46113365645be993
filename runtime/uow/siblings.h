/* Siblings: units of one instance that run at the same time in this process, and what they share.
 *
 * Jobs of parallel branches that are not exclusive overlap. Each of them writes what belongs to
 * all: how many tokens a scope has left, how many flows have reached a join, which ids and rows of
 * history are in use. If each wrote what it had read plus its own part, all but one would lose.
 * Instead
 *
 * - ids and numbers of history rows are dealt out here, so no two of these units use the same;
 *
 * - a record of which a unit changes only counters (unit_touch_counter) is brought up to date just
 * before the batch is made. A counter then is what the others have left, including those whose
 * batches are submitted and not answered yet, plus what this unit has added. The committer writes
 * batches in the order in which they were submitted.
 *
 * A batch that builds on one that loses must lose as well: a published record never has the same
 * revision twice (source_first_revision), also where a unit changes more of it than counters.
 *
 * Other processes, and commands of this one, take no part. The store finds what they change in
 * between, as ever, and that costs a conflict. So does a change of a record's other fields, or of a
 * scope's flags that decide how its tokens continue. An operation's assumption about a counter is
 * checked again afterwards (exec/assumption.h).
 *
 * Locks: unit_settle locks what the instance's siblings share, until the batch is submitted. A
 * thread that waits for that lock has no view open, because its holder may open one. Another lock
 * guards the numbers, and may be taken with a view open. */
#ifndef ORR_SIBLINGS_H
#define ORR_SIBLINGS_H

#include "uow/uow.h"

typedef struct siblings siblings;

/* A unit's place among the units of an instance. Taken before the unit opens its view, so that the
 * view shows everything that earlier siblings have committed. */
typedef struct siblings_place {
  siblings *with; /* NULL: none, the unit has no siblings */
  uint32_t era, seen;
} siblings_place;

/* Any thread, without a view. Without memory there is no place, and that costs no more than
 * conflicts. */
siblings_place siblings_join(unit_source *source, uint64_t group);
/* Gives back a place that no unit has taken over. */
void siblings_leave(siblings_place place);

/* The unit takes the place over, before it changes anything, and gives it back when it ends. */
void unit_meet_siblings(unit *u, siblings_place place);
/* Are its counters brought together with those of others? Else they are fields like any other. */
bool unit_has_siblings(const unit *u);
/* Does it have a place? Then siblings may deal out the instance's numbers, whether it knows of any
 * or not. */
bool unit_has_place(const unit *u);
/* It has a place, but can have no siblings. */
void unit_without_siblings(unit *u);

/* To be called before an operation concludes something from what siblings change: brings the scopes
 * and joins that the unit has read up to what they have committed since. */
void unit_catch_up(unit *u);

/* Brings counters up to date. Holds up the siblings until siblings_submitted, unit_unsettle or
 * unit_end. */
void unit_settle(unit *u);
/* Holds them up no longer. Does nothing for a unit that does not. */
void unit_unsettle(unit *u);
/* The unit's batch is made: siblings see it from now on. NULL: it does not concern them, and they
 * are no longer held up. Otherwise the caller submits the batch, calls siblings_submitted and, when
 * the batch is answered, siblings_answered. The unit may end before that. */
siblings *unit_publish(unit *u, const store_batch *batch);
/* On the thread that published: the others continue. */
void siblings_submitted(siblings *s);
/* On the committer's thread, with the batch's status. */
void siblings_answered(siblings *s, int status);

/* The committer's thread calls `quiet` once every published batch of the instance is answered. It
 * must be quick. */
typedef struct siblings_waiter {
  struct siblings_waiter *next;
  void (*quiet)(struct siblings_waiter *waiter);
} siblings_waiter;
/* False: they are answered already, and `waiter` will not be called. For a unit that is not
 * settled. */
bool unit_await_siblings(unit *u, siblings_waiter *waiter);

#endif
