/* The change feed: who watches a topic of external tasks, or an instance, is told that something of it was committed.
 *
 * Watch first, then look, then wait: what is committed after the look comes after the watch, so that no change is lost
 * between them. Commits of this process are told as they are made, by the thread that makes them; those of others are
 * noticed by a look into memory when the feed is asked, and count as a change of everything that is watched. So an event
 * says "look again", and never more. */
#ifndef ORR_FEED_H
#define ORR_FEED_H

#include "engine/engine.h"

/* NULL: memory is out. The store's commits are told to it from here on. */
feed_hub *feed_hub_new(const orr_env *env, store *s);
/* Before the store is closed, and once nothing commits any more: feeds that are still open answer `state` from then on. */
void feed_hub_close(feed_hub *hub);

#endif
