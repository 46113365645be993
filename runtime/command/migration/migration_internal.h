/* What the files of migration share.
 *
 * A plan says which node of the source definition becomes which of the target. Executions, tasks,
 * jobs and everything else keep their ids; in each record, the definition and the node that it
 * names change. The tree of scopes changes where sub-processes vanish or appear (scopes.c), never
 * sideways: the nearest scope around a mapped node becomes one around its target. */
#ifndef ORR_COMMAND_MIGRATION_MIGRATION_INTERNAL_H
#define ORR_COMMAND_MIGRATION_MIGRATION_INTERNAL_H

#include "state/execution.h"
#include "uow/find.h"

/* Mostly one activity becomes one. By dialect, several may end for one that begins, or one for
 * several. */
typedef struct migration_instruction {
  const char **from, **to;
  uint32_t n_from, n_to;
  bool update_event_trigger;
  const char *assignee;      /* of the user task that is there afterwards; NULL: as it is */
  orr_value local_variables; /* of what begins */
} migration_instruction;

/* What ends (nodes of the source), and what begins instead, once for all that has ended. */
typedef struct replacement {
  const migration_instruction *by;
  const node **to;
  uint32_t number; /* from 0 */
} replacement;

typedef struct migration {
  context *c;
  definition *source, *target;
  migration_instruction *items;
  uint32_t count;
  const node **to;  /* by index in the source: the target; NULL: not mapped */
  bool *update;     /* by index in the source: the event is armed anew */
  const replacement **replaced; /* by index in the source; NULL: what is there moves, by `to` */
  uint32_t n_replacements;
  bool *image;      /* by index in the target: something is mapped to it */
  bool *holds;      /* by index in the target: something is mapped to it or into it, so it is not new */
  orr_value variables; /* set in each instance */
  bool arms_new;       /* event sub-processes that only the target has, whatever its dialect */
} migration;

/* What stands against a migration: everything, as the `problems` of one error. */
typedef struct obstacles {
  context *c;
  orr_builder *list; /* of maps: instance_id, activity_id, target_id, message; the first ORR_PROBLEMS_MAX */
  uint32_t count, missing; /* missing: those that say that an instance does not exist */
  char *first;       /* the first message; arena */
} obstacles;

/* What an obstacle is about. What it does not concern stays NULL or 0. */
struct obstacle_at {
  orr_id instance;
  const char *activity, *target;
};

/* Begins an empty array, which obstacles_end frees. 0 or ORR_E_MEMORY. */
int obstacles_begin(context *c, obstacles *out);
/* Adds one. Beyond ORR_PROBLEMS_MAX they are only counted. */
void obstacle_add(obstacles *g, struct obstacle_at about, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds one: this instance does not exist. */
void obstacle_add_missing(obstacles *g, orr_id instance, const char *what);
/* 0 when there is none. Else an error with all of them: ORR_E_NOT_FOUND when the only problem is
 * that instances do not exist, else ORR_E_ARGUMENT. */
int obstacles_refuse(obstacles *g);
/* The array itself. */
int obstacles_value(obstacles *g, orr_value *out);
/* Frees the array. Does nothing when it never began. */
void obstacles_end(obstacles *g);

/* ---- Plans: plan_commands.c, validate.c ----------------------------------------------------- */

/* Reads a plan, as the API has it, into the mapping. Instructions that do not fit the models are
 * obstacles. */
int migration_read(context *c, const orr_value *plan, migration *out, obstacles *g);
/* May what waits at one node continue to wait at the other? */
bool migration_same_kind(const node *from, const node *to);
/* What the two models alone say against the instructions. */
void migration_validate(const migration *m, obstacles *g);

/* Where a completed activity may be compensated from now on: at its own target, or that of its
 * compensation boundary event's activity. */
const node *migration_compensated(const migration *m, uint32_t node_number);
static inline const node *migration_to(const migration *m, uint32_t node_number) {
  return node_number != 0 ? m->to[node_number - 1] : NULL;
}
/* The flow of this id that leaves a mapped node, or its only flow. NULL: there is none. */
const flow *migration_leaving_flow(const migration *m, uint32_t flow_number, const node *target);

/* ---- Instances ------------------------------------------------------------------------------- */

/* check.c: adds what this instance's state says against the migration. */
int migration_check(const migration *m, const rec_instance *instance, obstacles *g);
/* apply.c: moves a checked instance. */
int migration_apply(const migration *m, rec_instance *instance);
/* All executions of an instance, and where each was before it moved. */
typedef struct migrated {
  unit_found executions;
  const node **from; /* by position in executions; in the source */
  orr_id *parents;   /* by position: the scope then, in ascending order of the executions' ids */
} migrated;
/* apply.c: the position of an execution in the list, by its id. */
bool migrated_position(const migrated *all, orr_id id, size_t *out);
/* scopes.c: does the scope of this execution, which is still in the source, vanish? */
bool migration_vanishes(const migration *m, const rec_execution *e);
/* Moves what stays out of vanishing scopes, and adds these scopes to the `count` ids that are to be
 * canceled; `ids` has room for all executions. */
int migration_vanish(const migration *m, const migrated *moved, orr_id *ids, uint32_t *count);
/* Once all executions are in the target: opens the scopes that appear around them. */
int migration_appear(const migration *m, const migrated *moved);
/* replace.c: adds what is replaced to the ids that are to be canceled. ended[number]: something of
 * that replacement existed. */
void migration_list_replaced(const migration *m, const migrated *all, bool *ended, orr_id *ids,
                             uint32_t *count);
/* Plans what begins instead, once the instance runs by the target. */
int migration_begin_replacing(const migration *m, orr_id instance, const bool *ended);
/* Plans the new assignees of the tasks that exist then. `before` holds the executions of the
 * source. */
int migration_assign(const migration *m, orr_id instance, const migrated *before);
/* events.c: moves the subscriptions and timers of scopes that have moved already. */
int migration_events(const migration *m, const rec_instance *instance, const migrated *moved);

#endif
