/* Instances: how they start, what reaches them, what changes them, their variables. */
#ifndef ORRERY_INSTANCES_H
#define ORRERY_INSTANCES_H

#include "orrery/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Instances ------------------------------------------------------------------------------- */

typedef struct orr_start_options {
  uint32_t size;
  const char *key;               /* a definition by its key: `version` of it, or the latest */
  orr_id definition;             /* or a definition by its id */
  const char *message;           /* or by the message of its start event; may go with `definition` */
  int64_t version;
  const char *tenant;
  const char *business_key;
  const char *initiator;         /* the user who starts it; default: the thread's */
  const char *start_event;       /* the id of the start event, where there are several */
  const orr_value *variables;
  const orr_value *transient;    /* variables that are seen until the transaction ends */
  const orr_value *instructions; /* as for orr_engine_instance_modify: where it starts */
  bool skip_listeners, skip_io_mappings;
  bool async;                    /* by a job */
} orr_start_options ORR_OPTIONS;

/// Starts a process instance and runs it to its first wait states.
/// @return the instance; it may have ended.
ORR_API(1) ORR_ERR(ARGUMENT, BPMN_ERROR, CORRELATION, EXPRESSION, NOT_FOUND, SCRIPT, STATE, SUSPENDED)
int orr_engine_instance_start(orr_engine *engine, const orr_start_options *options,
    orr_records **out ORR_OUT, orr_error *err);
/// The start form of a definition, as orr_engine_task_form describes it: of its none start event,
/// else of the first that has one; business_key names the field that gives the business key.
ORR_API(1) ORR_ERR(NOT_FOUND, SCRIPT)
int orr_engine_start_form(orr_engine *engine, orr_id definition, orr_builder *out, orr_error *err);
/// Takes a start form and starts an instance with it, as orr_engine_instance_start does:
/// `variables` of the
/// options are the form's values. `argument`: a value does not fit, with the details `field` and
/// `constraint`.
/// @return the instance; it may have ended.
ORR_API(1) ORR_ERR(ARGUMENT, BPMN_ERROR, EXPRESSION, NOT_FOUND, SCRIPT, STATE, SUSPENDED)
int orr_engine_start_form_submit(orr_engine *engine, const orr_start_options *options,
    orr_records **out ORR_OUT, orr_error *err);

typedef struct orr_message_options {
  uint32_t size;
  orr_id instance, execution, definition;
  const char *business_key;
  const char *tenant;
  const orr_value *match, *local_match;      /* variables that the receiver must have */
  const orr_value *variables;                /* to the instance */
  const orr_value *local_variables;          /* to the waiting scope */
  const orr_value *triggered_variables;      /* to the scope that the message opens */
  const orr_value *transient;
  orr_switch start;                          /* on: start events only; off: waiting executions only */
  bool all;                                  /* every receiver instead of exactly one */
  bool return_variables;                     /* of the receiver, in the result */
  bool async;                                /* each receiver goes on by a job */
  bool match_waiting; /* matched are executions alone: where none fits, a process may start */
} orr_message_options ORR_OPTIONS;

/// Correlates a message. `name` NULL matches any message by the other criteria.
/// @return a map (an array of maps with `all`): type, instance_id, execution_id, variables.
ORR_API(1) ORR_ERR(ARGUMENT, CORRELATION, NOT_FOUND, SUSPENDED)
int orr_engine_message(orr_engine *engine, const char *name ORR_OPT,
    const orr_message_options *options ORR_OPT, orr_builder *out, orr_error *err);

typedef struct orr_signal_options {
  uint32_t size;
  orr_id execution; /* this one only */
  const orr_value *variables;
  const char *tenant;
  bool async;                 /* each receiver goes on by a job */
  const orr_value *transient; /* not with `async`: a job does not keep them */
} orr_signal_options ORR_OPTIONS;

/// Throws a signal to everything that waits for it.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, SUSPENDED)
int orr_engine_signal(orr_engine *engine, const char *name,
    const orr_signal_options *options ORR_OPT, orr_error *err);

/// Lets an execution go on that waits at a receive task or a triggerable service task.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE, SUSPENDED)
int orr_engine_execution_trigger(orr_engine *engine, orr_id execution,
    const orr_value *variables ORR_OPT,
    const orr_value *transient ORR_OPT, orr_error *err);

/// Does the same by a job: the caller does not wait for what follows, and does not race with other
/// changes of the instance.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE, SUSPENDED)
int orr_engine_execution_trigger_later(orr_engine *engine, orr_id execution,
    const orr_value *variables ORR_OPT, orr_error *err);

typedef struct orr_condition_options {
  uint32_t size;
  const orr_value *variables;
  const char *business_key;
  orr_id definition;
  const char *tenant;
  const orr_value *transient; /* conditions see them too */
} orr_condition_options ORR_OPTIONS;

/// Starts an instance for each conditional start event whose condition holds for `variables`.
/// @return the instances.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_conditions_evaluate(orr_engine *engine, const orr_condition_options *options,
    orr_records **out ORR_OUT, orr_error *err);

/// Suspends the instances a filter (as of the `instances` verb) finds; it needs a criterion.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_instances_suspend(orr_engine *engine, const orr_value *filter, orr_error *err);
/// The opposite of orr_engine_instances_suspend.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_instances_activate(orr_engine *engine, const orr_value *filter, orr_error *err);
typedef struct orr_delete_options {
  uint32_t size;
  bool skip_listeners; /* nobody hears of the end: where listeners fail, or are there no more */
  bool skip_io_mappings; /* output mappings of what is canceled do not run */
  bool keep_called;      /* instances that it has called go on, as if nobody had called them */
} orr_delete_options ORR_OPTIONS;

/// Deletes a running instance with everything it owns. A listener that hears of a canceling may
/// delete its own instance: what its canceler still works at goes behind it, and then the instance.
ORR_API(1) ORR_ERR(NOT_FOUND, SCRIPT)
int orr_engine_instance_delete(orr_engine *engine, orr_id instance, const char *reason ORR_OPT,
    const orr_delete_options *options ORR_OPT, orr_error *err);

/// A sorted array of the ids of the nodes that tokens stand at.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_instance_active(orr_engine *engine, orr_id instance, orr_builder *out,
    orr_error *err);
/// The tree of activity instances.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_instance_tree(orr_engine *engine, orr_id instance, orr_builder *out, orr_error *err);

/* ---- Modification, migration, restart -------------------------------------------------------- */

typedef struct orr_modify_options {
  uint32_t size;
  bool skip_listeners, skip_io_mappings;
} orr_modify_options ORR_OPTIONS;

/// Cancels and starts activities of a running instance; `instructions` is an array of maps as in
/// the Lua API. `suspended`: the instance is, so nothing can be started in it.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE, SUSPENDED)
int orr_engine_instance_modify(orr_engine *engine, orr_id instance, const orr_value *instructions,
    const orr_modify_options *options ORR_OPT, orr_error *err);

typedef struct orr_modify_instances_options {
  uint32_t size;
  const orr_value *instances;    /* an array of ids */
  const orr_value *filter;       /* or what finds them, as for the `instances` verb */
  bool skip_listeners, skip_io_mappings;
  bool async;                    /* each by a job of its own, which fails alone */
} orr_modify_instances_options ORR_OPTIONS;

/// Modifies many running instances in the same way: all of them or, when one fails, none.
/// @return how many.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE, SUSPENDED)
int orr_engine_instances_modify(orr_engine *engine, const orr_value *instructions,
    const orr_modify_instances_options *options, int64_t *out ORR_OUT, orr_error *err);

typedef struct orr_migration_options {
  uint32_t size;
  orr_id source, target;         /* definitions */
  orr_switch map_equal;          /* default on: instructions for every activity that is the same in both */
  bool update_event_triggers;    /* by the instructions that map_equal makes */
  /* an array of { from, to, update_event_trigger, assignee, local_variables }; they win over map_equal's */
  const orr_value *instructions;
  const orr_value *variables;    /* set in each instance */
  bool arm_event_subprocesses;   /* those that only the target has: also in Flowable's dialect, which does not */
} orr_migration_options ORR_OPTIONS;

/// Makes a plan for moving running instances from one definition to another; docs/migration.md says
/// what it may hold.
/// @return a map: source_definition_id, target_definition_id, instructions, variables,
/// arm_event_subprocesses.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_migration_plan(orr_engine *engine, const orr_migration_options *options,
    orr_builder *out, orr_error *err);

typedef struct orr_migrate_options {
  uint32_t size;
  const orr_value *instances;    /* an array of ids */
  const orr_value *filter;       /* or what finds them, as for the `instances` verb */
  bool skip_listeners, skip_io_mappings; /* of what the move starts: an event that is due, a join that is complete */
  bool async;                    /* each by a job of its own, which fails alone */
} orr_migrate_options ORR_OPTIONS;

/// Checks a plan, and whether it can move the given instances. Changes nothing.
/// @return every problem: an array of maps of message, instance_id, activity_id, target_id; empty
/// when there is none.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_migration_check(orr_engine *engine, const orr_value *plan,
    const orr_migrate_options *options ORR_OPT, orr_builder *out, orr_error *err);
/// Moves running instances to the plan's target: all of them or, when one cannot be moved, none.
/// The error's `problems` detail then lists every problem, as orr_engine_migration_check does.
/// @return how many.
ORR_API(1) ORR_ERR(ARGUMENT, CONFLICT, EXPRESSION, NOT_FOUND)
int orr_engine_instances_migrate(orr_engine *engine, const orr_value *plan,
    const orr_migrate_options *options, int64_t *out ORR_OUT, orr_error *err);

typedef struct orr_restart_options {
  uint32_t size;
  const orr_value *instances;    /* an array of ids */
  const orr_value *filter;       /* or what finds them, as for the `history_instances` verb */
  const orr_value *instructions; /* as for orr_engine_instance_start; NULL: at the start event */
  bool initial_variables;        /* those that it began with (kept at history "full"), not those that it ended with */
  bool without_business_key;
  bool skip_listeners, skip_io_mappings;
  bool async;                    /* each by a job of its own */
} orr_restart_options ORR_OPTIONS;

/// Starts ended instances of a definition again, as new ones, with the variables of their history.
/// @return the new instances.
ORR_API(1) ORR_ERR(ARGUMENT, BPMN_ERROR, EXPRESSION, NOT_FOUND, SCRIPT, STATE, SUSPENDED)
int orr_engine_instances_restart(orr_engine *engine, orr_id definition,
    const orr_restart_options *options,
    orr_records **out ORR_OUT, orr_error *err);

/* ---- Variables ------------------------------------------------------------------------------- */

/* Variables of an instance, an execution or a task; `scope` is its id. ORR_LOCAL looks at that scope
 * alone. A token that is no scope has variables of its branch instead, which follow it until it joins
 * others or ends. */
/// Reads one variable of a scope.
/// @return the value; nothing is added when there is no such variable.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_variable_get(orr_engine *engine, orr_id scope, const char *name, orr_reach reach,
    orr_builder *out, orr_error *err);
/// Reads every variable that a scope sees.
/// @return a map.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_variables_get(orr_engine *engine, orr_id scope, orr_reach reach, orr_builder *out,
    orr_error *err);
/// Reads one variable with its declared type.
/// @return a map of type, value and info, as from orr_builder_describe, or nothing.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_variable_get_typed(orr_engine *engine, orr_id scope, const char *name,
    orr_reach reach, orr_builder *out, orr_error *err);
/// Reads every variable that a scope sees, with their declared types.
/// @return a map of such maps by name.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_variables_get_typed(orr_engine *engine, orr_id scope, orr_reach reach,
    orr_builder *out, orr_error *err);
/// Sets each entry of a map: in the nearest scope that has the variable, else in the instance; with
/// ORR_LOCAL in this scope.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, SUSPENDED)
int orr_engine_variables_set(orr_engine *engine, orr_id scope, const orr_value *variables,
    orr_reach reach, orr_error *err);
/// Removes a variable from the nearest scope that has it; with ORR_LOCAL from this scope.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_variable_remove(orr_engine *engine, orr_id scope, const char *name, orr_reach reach,
    orr_error *err);

#ifdef __cplusplus
}
#endif
#endif
