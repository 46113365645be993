/* A store that fails on purpose: it wraps another one and answers ORR_E_STORE to the n-th call of a kind, once or from then on.
 * A failed call does not reach the wrapped store, so "no batch took effect" holds. */
#ifndef ORR_STORE_FAULT_H
#define ORR_STORE_FAULT_H

#include "store/store.h"

/* FAULT_RACE counts commits, too, and makes them lose: each batch is answered a conflict, as if another had come first. */
typedef enum fault_call {
  FAULT_ANY,
  FAULT_SNAPSHOT,
  FAULT_GET,
  FAULT_SCAN,
  FAULT_NEXT,
  FAULT_COMMIT,
  FAULT_RACE,
  FAULT_CALLS
} fault_call;

/* Takes `inner` over, and closes it with itself; on failure `inner` stays the caller's. */
int store_open_fault(store *inner, const orr_allocator *allocator, store **out, orr_error *err);
/* From now on: the `nth` call of this kind fails (1 is the next one; 0: none), and with `forever` all behind it. */
void fault_arm(store *s, fault_call call, uint64_t nth, bool forever);
/* From now on what fails is said to have lost its connection (STORE_AWAY), its view included; or not. */
void fault_away(store *s, bool away);
/* Calls of this kind since fault_arm. */
uint64_t fault_count(store *s, fault_call call);

#endif
