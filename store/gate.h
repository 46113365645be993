/* LMDB's map may only move while no transaction of this process is open. Transactions pass the gate one by one and in any number;
 * who must move the map closes it, waits until the last one has left, and opens it again. */
#ifndef ORR_STORE_GATE_H
#define ORR_STORE_GATE_H

#include <pthread.h>
#include <stdbool.h>

/* One transaction's passage. A snapshot may be handed from thread to thread: `thread` is the one that entered. */
typedef struct gate_pass {
  struct gate_pass *next, *previous;
  pthread_t thread;
  bool inside;
} gate_pass;

typedef struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  gate_pass *passes; /* everybody inside */
  bool closed;
} gate;

void gate_init(gate *g);
void gate_destroy(gate *g);
void gate_enter(gate *g, gate_pass *pass);
void gate_leave(gate *g, gate_pass *pass); /* nothing when not inside */

/* Waits until nobody is inside and keeps everybody out until gate_open. False, at once, when this thread is inside itself: it would
 * wait for ever. */
bool gate_close(gate *g);
void gate_open(gate *g);

#endif
