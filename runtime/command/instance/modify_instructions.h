/* A modification's instructions, and what is canceled when one moves a token. */
#ifndef ORR_COMMAND_MODIFY_INSTRUCTIONS_H
#define ORR_COMMAND_MODIFY_INSTRUCTIONS_H

#include "state/execution.h"

typedef enum instruction_kind {
  CANCEL,
  CANCEL_INSTANCE,
  START_BEFORE,
  START_AFTER,
  TRANSITION
} instruction_kind;

typedef struct instruction instruction;
struct instruction {
  instruction_kind kind;
  const node *node;
  const flow *flow; /* START_AFTER, TRANSITION */
  bool body;        /* the multi-instance as a whole */
  orr_id instance;  /* CANCEL_INSTANCE: a tree node's id */
  orr_id ancestor;
  orr_value variables, local_variables, transient;
  uint32_t number; /* from 1, for messages */
  orr_id *left; /* scopes that it may have left empty; they end when all is done */
  uint32_t n_left;
  const instruction *moves; /* of a start: the cancel that it moves; of a cancel: the start */
};

typedef struct modification {
  instruction *items;
  uint32_t count, flags;
  const char *reason;
  bool skip_listeners, skip_io_mappings; /* the context's, restored at the end */
  uint32_t since;    /* the run that planned it */
  bool keeps_scopes; /* scopes that it leaves empty stay until all is done */
  bool started;      /* the latest instruction started something */
} modification;

/* Reads an array of maps. Before the instance starts (`starting`) nothing can be canceled. 0 or the
 * context's error. */
int modify_read(context *c, const definition *d, const orr_value *list, bool starting,
                modification *out);
/* ORR_E_ARGUMENT with the instruction's number. `name`: what is wrong, or NULL. */
int modify_wrong(context *c, const instruction *in, const char *what, const char *name);
/* *out: is the token in no multi-instance? Then only the first token at its node moves, and the
 * others stay. In a multi-instance, each token moves within its own instance. 0 or the context's
 * error. */
int move_is_alone(context *c, const rec_execution *e, bool *out);
/* The outermost scope around the token that does not contain the place where it continues. NULL:
 * the context's error. */
const rec_execution *move_whole(context *c, const definition *d, const rec_execution *e,
                                const node *to);

#endif
