/* What is deployed: definitions of processes and decisions, and their suspension. */
#ifndef ORRERY_REPOSITORY_H
#define ORRERY_REPOSITORY_H

#include "orrery/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Deployments ----------------------------------------------------------------------------- */

typedef struct orr_deploy_options {
  uint32_t size;
  const char *name;
  const char *tenant;
  /* since its namesake. "true": skip when nothing changed; "changed": deploy only what changed */
  const char *filter_duplicates;
  orr_time activate_at;          /* definitions are suspended until then */
  const char *source;            /* where it comes from, in the caller's words */
} orr_deploy_options ORR_OPTIONS;

/// Deploys resources: a map of names to bytes. All or nothing; the error's `problems` detail lists
/// what was found: at most a hundred problems, and of those that say the same of different things
/// twenty-five, the last of which tells how many more there are.
/// @return the deployment, with `definitions`, `resources` and `warnings`.
ORR_API(1) ORR_ERR(ARGUMENT, DEPLOYMENT, STORE)
int orr_engine_deploy(orr_engine *engine, const orr_value *resources,
    const orr_deploy_options *options ORR_OPT, orr_records **out ORR_OUT, orr_error *err);
/// Parses and checks resources as a deployment would, and stores nothing.
/// @return an array of problems and warnings.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY)
int orr_engine_check(orr_engine *engine, const orr_value *resources, orr_builder *out,
    orr_error *err);
/// Deletes a deployment and its definitions; with cascade also their instances and history.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_undeploy(orr_engine *engine, orr_id deployment, orr_cascade cascade, orr_error *err);
/// Deletes one version of a definition; with cascade also its instances and history.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_delete_definition(orr_engine *engine, orr_id definition, orr_cascade cascade,
    orr_error *err);
/// The bytes of one resource of a deployment.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_resource(orr_engine *engine, orr_id deployment, const char *name, orr_builder *out,
    orr_error *err);
/// The names of a deployment's resources: an array, sorted.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_resources(orr_engine *engine, orr_id deployment, orr_builder *out, orr_error *err);

/// Names a user or a group as who may start a definition, beside those of its model; type is
/// "candidate". While there is none, everyone may. Nothing is enforced.
ORR_API(1) ORR_ERR(ARGUMENT, LIMIT, NOT_FOUND)
int orr_engine_definition_add_link(orr_engine *engine, orr_id definition, const char *type,
    const char *user ORR_OPT, const char *group ORR_OPT, orr_error *err);
/// Takes one away, be it the model's own.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_definition_remove_link(orr_engine *engine, orr_id definition, const char *type,
    const char *user ORR_OPT, const char *group ORR_OPT, orr_error *err);

typedef struct orr_suspend_options {
  uint32_t size;
  orr_id definition;
  const char *key;             /* every version of it */
  const char *tenant;
  bool instances;              /* the running instances too */
  orr_time at;                 /* later, by a job */
} orr_suspend_options ORR_OPTIONS;

/// Suspends definitions: no new instances; with `instances`, the running ones too.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_suspend_definition(orr_engine *engine, const orr_suspend_options *options,
    orr_error *err);
/// The opposite of orr_engine_suspend_definition.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_activate_definition(orr_engine *engine, const orr_suspend_options *options,
    orr_error *err);
/// Sets how long the history of instances that end from now on is kept, in place of what the model
/// says: a number of days ("30") or an ISO 8601 duration ("P6M"); NULL: for good.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_set_history_time_to_live(orr_engine *engine, orr_id definition,
    const char *time_to_live ORR_OPT, orr_error *err);
/// What the call activities of a definition would call now, as far as the model says it without an
/// expression, and there is such a process.
/// @return an array of maps: definition_id, activity_ids (an array of those that call it).
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_called_definitions(orr_engine *engine, orr_id definition, orr_builder *out,
    orr_error *err);

/* ---- Decisions ------------------------------------------------------------------------------- */

typedef struct orr_decision_options {
  uint32_t size;
  const char *key;           /* the id of a decision or decision service; its name when no decision has that id */
  int64_t version;           /* 0: the latest */
  const char *version_tag;
  const char *tenant;        /* "": of none. NULL: of none, else of the only tenant that has it */
  orr_id deployment;
} orr_decision_options ORR_OPTIONS;

/// Deletes one version of a decision; with cascade also the history of what it decided outside of
/// instances. The version before it, if any, is the latest then.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_delete_decision(orr_engine *engine, orr_id decision, orr_cascade cascade,
    orr_error *err);
/// Finds the decision that is meant. `argument`: several tenants have it.
/// @return its record alone.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_decision(orr_engine *engine, const orr_decision_options *options,
    orr_records **out ORR_OUT, orr_error *err);
/// Evaluates a decision, or a decision service, and what it requires, over `variables`: its own
/// transaction, or the caller's. `state`: the engine has no script host (the Lua module brings
/// one). Kept in history at the level full.
/// @return an array with a map for each result, of outputs by name: of a table one for each rule
/// that its hit policy takes; of a service one with its output decisions.
ORR_API(1) ORR_ERR(ARGUMENT, DEPLOYMENT, LIMIT, NOT_FOUND, SCRIPT, STATE)
int orr_engine_decide(orr_engine *engine, const orr_decision_options *options,
    const orr_value *variables ORR_OPT, orr_builder *out, orr_error *err);
/// What the model says of a decision's table, which is what names the numbers of history_decisions.
/// @return a map: inputs, outputs, rules: arrays of maps, in the table's order, of id, of inputs
/// and outputs also label, of outputs name; all empty when the decision is none by a table;
/// aggregation, when it collects by one.
ORR_API(1) ORR_ERR(DEPLOYMENT, NOT_FOUND)
int orr_engine_decision_table(orr_engine *engine, orr_id decision, orr_builder *out,
    orr_error *err);
/// The Lua code of a DMN resource of a deployment, made anew: a Lua state asks once and keeps what
/// it loads.
ORR_API(1) ORR_ERR(DEPLOYMENT, NOT_FOUND)
int orr_engine_decision_code(orr_engine *engine, orr_id deployment, const char *resource,
    orr_builder *out, orr_error *err);
/// What deciding has to know of the engine.
/// @return a map: recorded (is history kept at the level full?), time_zone.
ORR_API(1) int orr_engine_decision_settings(orr_engine *engine, orr_builder *out, orr_error *err);
/// Writes down what was decided: an array of maps (decision_id, decision_key, name, version,
/// tenant, inputs, rules, outputs, result), the decision that was asked for first. With an
/// execution it belongs to its instance.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_record_decisions(orr_engine *engine, const orr_value *rows, orr_id execution ORR_OPT,
    orr_error *err);
/// Compiles one of a map of resources without an engine; the others are what it may import. With
/// `lenient` an expression that is none gives null and a warning.
/// @return a map: problems, an array; code, when there is no error among them; name.
ORR_API(1) ORR_ERR(MEMORY)
int orr_decision_compile(const orr_value *resources, const char *resource, bool lenient,
    orr_builder *out, orr_error *err);
/// Counts the commits that the engine's store has seen, of any process: what was read before is
/// still so while it stays the same. Nothing (-1) inside a transaction or a job, where changes are
/// seen before their commit.
ORR_API(1) int64_t orr_engine_changes(orr_engine *engine);

#ifdef __cplusplus
}
#endif
#endif
