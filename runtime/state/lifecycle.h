/* The states of a token and the legal moves between them. lifecycle_move alone changes a state. */
#ifndef ORR_LIFECYCLE_H
#define ORR_LIFECYCLE_H

#include <stdint.h>

typedef enum execution_state {
  EXECUTION_ARRIVING = 0, /* about to enter its node, or waits for its async-before job */
  EXECUTION_STARTING,     /* scope open, start listeners and input mapping run */
  EXECUTION_ACTIVE,       /* the behavior runs or waits */
  EXECUTION_JOINING,      /* waits at a joining gateway for other tokens */
  EXECUTION_LEAVING,      /* output mapping and end listeners run, or it waits for its async-after job */
  EXECUTION_CANCELING,    /* end listeners of something that is canceled run */
  EXECUTION_ENDED,
  EXECUTION_STATES
} execution_state;

struct context;
struct rec_execution;

/* Moves a token to `to`; an illegal move is a programmer's error: assert in debug builds, ORR_E_STATE otherwise. */
int lifecycle_move(struct context *c, struct rec_execution *e, execution_state to);

#endif
