/* What a modification is to do: its instructions, and what goes when one moves a token. */
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
  orr_id *left; /* scopes that its canceling may have left empty, and that end when all is done */
  uint32_t n_left;
  const instruction *moves; /* a start: what it cancels before; a cancel: what starts instead */
};

typedef struct modification {
  instruction *items;
  uint32_t count, flags;
  const char *reason;
  bool skip_listeners, skip_io_mappings; /* the context's, restored at the end */
  uint32_t since;    /* the run that planned it */
  bool keeps_scopes; /* what canceling leaves empty may be started in again */
  bool started;      /* the latest instruction started something */
} modification;

/* Reads an array of maps. Before the instance starts (`starting`) nothing can be canceled. 0 or the
 * context's error. */
int modify_read(context *c, const definition *d, const orr_value *list, bool starting,
                modification *out);
/* ORR_E_ARGUMENT, with the instruction's number. `name`: what is wrong; NULL: nothing to name. */
int modify_wrong(context *c, const instruction *in, const char *what, const char *name);
/* One of a multi-instance moves by itself, with each of the others. *out: this one is in none; the
 * first that is there moves, and others stay. 0 or the context's error. */
int move_is_alone(context *c, const rec_execution *e, bool *out);
/* The outermost around the token that does not hold the place where it goes on. NULL: the context's
 * error. */
const rec_execution *move_whole(context *c, const definition *d, const rec_execution *e,
                                const node *to);

#endif
