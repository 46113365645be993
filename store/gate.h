/* LMDB's map may only move while no transaction of this process is open. Transactions pass the gate one by one and in any
 * number; who must move the map closes it, waits until the last one has left, and opens it again.
 *
 * Every view passes, and the map hardly ever moves. So passing takes no lock: it costs a store into memory of one's own and
 * a look at whether the gate is closed. Their order decides: who enters says so before it looks whether the gate is closed,
 * who closes says so before it looks who is inside. */
#ifndef ORR_STORE_GATE_H
#define ORR_STORE_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Where one transaction at a time passes. A snapshot may be handed from thread to thread: `thread` is the one that entered. */
typedef struct gate_pass {
  struct gate_pass *next, *previous;
  _Atomic pthread_t thread;
  atomic_bool inside;
} gate_pass;

typedef struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  gate_pass *passes; /* all that were added; the mutex guards the list */
  atomic_bool closed;
} gate;

/* Open, without passes. */
void gate_init(gate *g);
/* No pass is used any more. */
void gate_destroy(gate *g);

/* A pass must be added before it is used, and taken away before its memory goes, which leaves the gate when it is inside. */
void gate_add(gate *g, gate_pass *pass);
/* Leaves the gate first, when it is in. */
void gate_remove(gate *g, gate_pass *pass);

/* Waits while the gate is closed, unless this thread is inside already by another pass: the wait would be for itself. */
void gate_enter(gate *g, gate_pass *pass);
void gate_leave(gate *g, gate_pass *pass); /* nothing when not inside */
/* Is its owner inside? For that thread; others see what was. */
bool gate_inside(const gate_pass *pass);

/* Waits until nobody is inside and keeps everybody out until gate_open. False, at once, when this thread is inside itself:
 * it would wait for ever. */
bool gate_close(gate *g);
/* Lets those in that wait. */
void gate_open(gate *g);

#endif
