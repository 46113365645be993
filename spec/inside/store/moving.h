/* A store whose map has to move all the time: at every commit, as when it is full, and before every new view, as when
 * another process has grown it. The map moves only while no view is open, so what waits with an open view for a commit, or
 * for another view, waits for ever. */
#ifndef ORR_INSIDE_MOVING_H
#define ORR_INSIDE_MOVING_H

#include "store/store.h"

/* Takes `inner` over, and closes it with itself; on failure `inner` stays the caller's. */
int store_open_moving(store *inner, const orr_allocator *allocator, store **out, orr_error *err);
/* How often the map has moved. */
uint64_t moving_moves(store *s);
/* How often it could not: the thread that asked had a view itself, or a view was not given back in MOVING_SECONDS_MAX. The
 * call that asked has failed with ORR_E_STATE. */
uint64_t moving_stuck(store *s);

#define MOVING_SECONDS_MAX 3 /* a thread that is at work has long given its view back */

#endif
