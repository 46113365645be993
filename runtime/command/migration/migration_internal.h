/* Migration: what its files share.
 *
 * A plan says which node of the source definition becomes which of the target. Ids of executions, tasks, jobs and the rest
 * stay as they are; what changes in each record is the definition and the node it names. The tree of scopes changes where
 * sub-processes vanish or appear (scopes.c), never sideways: the nearest scope around a node that is mapped becomes one
 * around its target. */
#ifndef ORR_COMMAND_MIGRATION_MIGRATION_INTERNAL_H
#define ORR_COMMAND_MIGRATION_MIGRATION_INTERNAL_H

#include "state/execution.h"
#include "uow/find.h"

/* One activity becomes one, mostly. By dialect several may end for one that begins, or one for several. */
typedef struct migration_instruction {
  const char **from, **to;
  uint32_t n_from, n_to;
  bool update_event_trigger;
  const char *assignee;      /* of the user task that is there afterwards; NULL: as it is */
  orr_value local_variables; /* of what begins */
} migration_instruction;

/* What ends (nodes of the source) and what begins in its place, once for all that has ended. */
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
  bool *holds;      /* by index in the target: something is mapped to it, or to what is in it: it is not new */
  orr_value variables; /* set in each instance */
  bool arms_new;       /* event sub-processes that only the target has, whatever its dialect */
} migration;

/* What stands against a migration: all of it, as the `problems` of one error. */
typedef struct obstacles {
  context *c;
  orr_builder *list; /* of maps: instance_id, activity_id, target_id, message; the first ORR_PROBLEMS_MAX */
  uint32_t count, missing; /* missing: those of instances that there are not */
  char *first;       /* the first message; arena */
} obstacles;

/* An instruction, activity or instance that is not about one of these leaves it NULL or 0. */
struct obstacle_at {
  orr_id instance;
  const char *activity, *target;
};

/* An empty array, which obstacles_end frees. 0 or ORR_E_MEMORY. */
int obstacles_begin(context *c, obstacles *out);
/* Adds one; behind ORR_PROBLEMS_MAX they are only counted. */
void obstacle_add(obstacles *g, struct obstacle_at about, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same, of an instance that there is not. */
void obstacle_add_missing(obstacles *g, orr_id instance, const char *what);
/* With every problem ORR_E_NOT_FOUND, when all that is wrong is that instances are missing, else ORR_E_ARGUMENT; 0 when
 * there is none. */
int obstacles_refuse(obstacles *g);
/* The array itself. */
int obstacles_value(obstacles *g, orr_value *out);
/* Frees the array. Nothing when it never began. */
void obstacles_end(obstacles *g);

/* ---- Plans: plan_commands.c, validate.c ----------------------------------------------------- */

/* Reads a plan as the API shows it, into the mapping; instructions that fit neither model are obstacles. */
int migration_read(context *c, const orr_value *plan, migration *out, obstacles *g);
/* May what waits at one of them go on waiting at the other? */
bool migration_same_kind(const node *from, const node *to);
/* What the two models alone say against the instructions. */
void migration_validate(const migration *m, obstacles *g);

/* Where what has completed there may be compensated from now on: its own target, or that of its compensation boundary
 * event's activity. */
const node *migration_compensated(const migration *m, uint32_t node_number);
static inline const node *migration_to(const migration *m, uint32_t node_number) {
  return node_number != 0 ? m->to[node_number - 1] : NULL;
}
/* A flow at a mapped node, by its id; of a node with one way out that way. NULL: there is none. */
const flow *migration_leaving_flow(const migration *m, uint32_t flow_number, const node *target);

/* ---- Instances ------------------------------------------------------------------------------- */

/* check.c: what this instance's state says against it. */
int migration_check(const migration *m, const rec_instance *instance, obstacles *g);
/* apply.c: moves a checked instance. */
int migration_apply(const migration *m, rec_instance *instance);
/* All executions of an instance, and where each stood before it moved. */
typedef struct migrated {
  unit_found executions;
  const node **from; /* by position in executions; in the source */
  orr_id *parents;   /* by position: the scope then, in ascending order of the executions' ids */
} migrated;
/* apply.c: where an execution stands in the list, by its id. */
bool migrated_position(const migrated *all, orr_id id, size_t *out);
/* scopes.c: does the scope of this execution vanish, which stands in the source still? */
bool migration_vanishes(const migration *m, const rec_execution *e);
/* Moves what stays out of vanishing scopes, and adds these to the `count` ids of what is to be
 * canceled; there is room for as many as executions. */
int migration_vanish(const migration *m, const migrated *moved, orr_id *ids, uint32_t *count);
/* Once all executions stand in the target: opens what appears around them. */
int migration_appear(const migration *m, const migrated *moved);
/* replace.c: adds what is replaced to the ids of what is to be canceled; ended[number] tells of
 * which replacement there was something. */
void migration_list_replaced(const migration *m, const migrated *all, bool *ended, orr_id *ids,
                             uint32_t *count);
/* Plans what begins instead, once the instance runs by the target. */
int migration_begin_replacing(const migration *m, orr_id instance, const bool *ended);
/* Plans who gets the tasks that are there then; `before` holds the executions of the source. */
int migration_assign(const migration *m, orr_id instance, const migrated *before);
/* events.c: subscriptions and timers of scopes that have moved already. */
int migration_events(const migration *m, const rec_instance *instance, const migrated *moved);

#endif
