/* A lock for the place of LMDB's map, which may only move while this process has no transaction open.
 * Each transaction holds the lock shared, as a reader. A thread that must move the map holds it
 * exclusively: it keeps new readers out, waits until the last one has left, and lets them in again.
 *
 * Every view is a reader, and the map hardly ever moves. So readers take no mutex: a reader writes a
 * flag of its own and then looks whether the lock is exclusive. The thread that moves the map does the
 * two in the other order: it marks the lock exclusive and then looks at the readers' flags. So at
 * least one of them sees the other. */
#ifndef ORR_STORE_MAP_LOCK_H
#define ORR_STORE_MAP_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* One transaction at a time. A snapshot may be handed from thread to thread: `thread` is the one that entered. */
typedef struct map_reader {
  struct map_reader *next, *previous;
  _Atomic pthread_t thread;
  atomic_bool inside;
} map_reader;

typedef struct map_lock {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  map_reader *readers; /* all that were added; `mutex` guards the list */
  atomic_bool closed;
} map_lock;

/* Held by nobody, without readers. */
void map_lock_init(map_lock *g);
/* No reader is used any more. */
void map_lock_destroy(map_lock *g);

/* A reader must be added before it is used, and taken away before its memory goes, which leaves the gate when it is inside. */
void map_lock_add(map_lock *g, map_reader *reader);
/* Leaves the lock first, if the reader holds it. */
void map_lock_remove(map_lock *g, map_reader *reader);

/* Waits while the lock is held exclusively, unless this thread holds it by another reader: it would
 * wait for itself. */
void map_lock_share(map_lock *g, map_reader *reader);
void map_lock_leave(map_lock *g, map_reader *reader); /* nothing when not inside */
/* Is its owner inside? For that thread; others see what was. */
bool map_lock_held(const map_reader *reader);

/* Keeps readers out until map_lock_readmit, and waits until the last one has left. False, at once, when
 * this thread is a reader itself: it would wait for ever. */
bool map_lock_exclude(map_lock *g);
/* Lets readers in again. */
void map_lock_readmit(map_lock *g);

#endif
