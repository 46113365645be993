/* What each kind of node does: one vtable a kind, found by node type (and event type) in one table, behavior.c.
 *
 * A behavior reads records, plans operations, and touches only its own token. Allowed next steps:
 *   execute:   plan op_leave (done at once), or return with a reason to wait recorded (task, subscription, job,
 *              called instance, children), or agenda_call with a continuation that does one of these.
 *   trigger:   the thing it waits for happened (task completed, message received, timer due, called instance
 *              ended); plan op_leave.
 *   completed: a scope's last child ended; plan op_leave (sub-process) or op_end_instance.
 *   cancel:    the token is being canceled: let go of what only this behavior knows (a called instance, an external task).
 *              May be NULL. */
#ifndef ORR_BEHAVIOR_H
#define ORR_BEHAVIOR_H

#include "exec/agenda.h"
#include "state/execution.h"

typedef enum trigger_kind {
  TRIGGER_API = 1, /* engine:trigger */
  TRIGGER_MESSAGE, TRIGGER_SIGNAL, TRIGGER_TIMER, TRIGGER_CONDITION,
  TRIGGER_TASK,    /* user task completed */
  TRIGGER_CALLED,  /* the called instance ended; op->other is its id */
  TRIGGER_EXTERNAL,
} trigger_kind;

typedef struct behavior {
  int (*execute)(context *c, rec_execution *e, const node *n);
  int (*trigger)(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables);
  int (*completed)(context *c, rec_execution *e, const node *n);
  int (*cancel)(context *c, rec_execution *e, const node *n);
} behavior;

/* Never NULL: each type of node has one. */
const behavior *behavior_of(const node *n);

/* One file a family. */
extern const behavior behavior_pass;          /* pass_through.c: task, manual task, none events: leaves at once */
extern const behavior behavior_boundary_event, behavior_start_event;                              /* pass_through.c */
extern const behavior behavior_catch_event, behavior_throw_event, behavior_end_event;             /* catch_event.c */
extern const behavior behavior_sub_process, behavior_event_sub_process, behavior_transaction;     /* sub_process.c */
extern const behavior behavior_exclusive, behavior_parallel, behavior_inclusive, behavior_event_gateway; /* gateway.c */
extern const behavior behavior_user_task;     /* user_task.c */
extern const behavior behavior_service_task;  /* service_task.c: service, send, business rule, script; external tasks */
extern const behavior behavior_receive_task;  /* receive_task.c */
extern const behavior behavior_call_activity; /* call_activity.c */
/* multi_instance.c: not found by type, but wrapped around any activity with loop characteristics. */
extern const behavior behavior_multi_body;

#endif
