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
  const char *filter_duplicates; /* "true": nothing, unless something changed; "changed": what changed, and goes with that */
  orr_time activate_at;          /* definitions are suspended until then */
  const char *source;            /* where it comes from, in the caller's words */
} orr_deploy_options ORR_OPTIONS;

/// Deploys resources: a map of names to bytes. All or nothing. On failure the error's `problems`
/// detail lists what was found: at most a hundred problems, and at most twenty-five that say the
/// same of different things, the last of which tells how many more there are.
/// @return the deployment, with `definitions`, `resources` and `warnings`.
ORR_API(1) ORR_ERR(ARGUMENT, DEPLOYMENT, STORE)
int orr_engine_deploy(orr_engine *engine, const orr_value *resources,
    const orr_deploy_options *options ORR_OPT, orr_records **out ORR_OUT, orr_error *err);
typedef struct orr_check_options {
  uint32_t size;
  bool no_scripts; /* as an engine without scripts checks: what needs Lua is a problem */
} orr_check_options ORR_OPTIONS;

/// Parses and checks resources as a deployment would, and stores nothing.
/// @return an array of problems and warnings.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY)
int orr_engine_deployment_check(orr_engine *engine, const orr_value *resources,
    const orr_check_options *options ORR_OPT, orr_builder *out, orr_error *err);
/// Which dialect a model has in this engine, and why: by the engine's option, or by the vendor whose
/// attributes and elements the model uses, or whose namespace alone it declares.
/// @return a map of `dialect` ("camunda", "flowable" or "orrery") and `reason`, a clause such as "it
/// uses http://flowable.org/bpmn"; empty when the text is no XML.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY)
int orr_engine_model_dialect(orr_engine *engine, const orr_value *model, orr_builder *out,
    orr_error *err);
/// Deletes a deployment and its definitions; with cascade also their instances and history.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_deployment_delete(orr_engine *engine, orr_id deployment, orr_cascade cascade,
    orr_error *err);
/// Deletes one version of a definition; with cascade also its instances and history.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_definition_delete(orr_engine *engine, orr_id definition, orr_cascade cascade,
    orr_error *err);
/// The bytes of one resource of a deployment.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_deployment_resource(orr_engine *engine, orr_id deployment, const char *name,
    orr_builder *out,
    orr_error *err);
/// The names of a deployment's resources: an array, sorted.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_deployment_resources(orr_engine *engine, orr_id deployment, orr_builder *out,
    orr_error *err);

/// Names a user or a group who may start a definition, in addition to those in its model; `type` is
/// "candidate". While none is named, everyone may. The engine does not enforce it.
ORR_API(1) ORR_ERR(ARGUMENT, LIMIT, NOT_FOUND)
int orr_engine_definition_add_link(orr_engine *engine, orr_id definition, const char *type,
    const char *user ORR_OPT, const char *group ORR_OPT, orr_error *err);
/// Removes such a link, also one of the model.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_definition_remove_link(orr_engine *engine, orr_id definition, const char *type,
    const char *user ORR_OPT, const char *group ORR_OPT, orr_error *err);

typedef struct orr_suspend_options {
  uint32_t size;
  orr_id definition;
  const char *key;             /* every version of it */
  const char *tenant;
  bool instances;              /* the running instances too */
  orr_time at;                 /* when, by a job; 0: now */
} orr_suspend_options ORR_OPTIONS;

/// Suspends definitions: no new instances; with `instances`, the running ones too.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_definition_suspend(orr_engine *engine, const orr_suspend_options *options,
    orr_error *err);
/// The opposite of orr_engine_definition_suspend.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_definition_activate(orr_engine *engine, const orr_suspend_options *options,
    orr_error *err);
/// Sets how long the history of instances that end from now on is kept, in place of what the model
/// says: a number of days ("30") or an ISO 8601 duration ("P6M"); NULL: for good.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_definition_set_time_to_live(orr_engine *engine, orr_id definition,
    const char *time_to_live ORR_OPT, orr_error *err);
/// The definitions that the call activities of a definition would call now. What an expression
/// names is left out, and so is a process that is not deployed.
/// @return an array of maps: definition_id, activity_ids (an array of those that call it).
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_definition_calls(orr_engine *engine, orr_id definition, orr_builder *out,
    orr_error *err);

/* ---- Decisions ------------------------------------------------------------------------------- */

typedef struct orr_decision_options {
  uint32_t size;
  const char *key;           /* the id of a decision or decision service; its name when no decision has that id */
  int64_t version;           /* 0: the latest */
  const char *version_tag;
  const char *tenant;        /* "": without one. NULL: without one, or else of the only tenant that has it */
  orr_id deployment;
} orr_decision_options ORR_OPTIONS;

/// Deletes one version of a decision; with cascade also the history of what it decided outside of
/// instances. The version before it, if any, becomes the latest.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_decision_delete(orr_engine *engine, orr_id decision, orr_cascade cascade,
    orr_error *err);
/// Sets how long the history of what a decision decides outside of instances is kept from now on;
/// `time_to_live` as for orr_engine_definition_set_time_to_live.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_decision_set_time_to_live(orr_engine *engine, orr_id decision,
    const char *time_to_live ORR_OPT, orr_error *err);
/// Finds the decision that the options name. `argument`: several tenants have it.
/// @return one record.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_decision_find(orr_engine *engine, const orr_decision_options *options,
    orr_records **out ORR_OUT, orr_error *err);
/// Evaluates a decision or a decision service, and what it requires, over `variables`, in the
/// caller's transaction or one of its own. `state`: the engine has no script host (the Lua module
/// brings one). Recorded in history at the level full.
/// @return an array of maps of outputs by name: for a table, one for each rule that its hit policy
/// takes; for a service, one with its output decisions.
ORR_API(1) ORR_ERR(ARGUMENT, DEPLOYMENT, LIMIT, NOT_FOUND, SCRIPT, STATE)
int orr_engine_decision_evaluate(orr_engine *engine, const orr_decision_options *options,
    const orr_value *variables ORR_OPT, orr_builder *out, orr_error *err);
/// The columns and rules of a decision's table. history_decisions refers to them by number.
/// @return a map of inputs, outputs and rules, which are arrays of maps in the table's order, and
/// aggregation, when it collects by one. Each map has an id, of inputs and outputs also a label, of
/// outputs also a name. The arrays are empty when the decision is not a table.
ORR_API(1) ORR_ERR(DEPLOYMENT, NOT_FOUND)
int orr_engine_decision_table(orr_engine *engine, orr_id decision, orr_builder *out,
    orr_error *err);
/// Compiles a DMN resource of a deployment to Lua. Each call compiles it again, so a Lua state asks
/// once and keeps what it loads.
ORR_API(1) ORR_ERR(DEPLOYMENT, NOT_FOUND)
int orr_engine_decision_code(orr_engine *engine, orr_id deployment, const char *resource,
    orr_builder *out, orr_error *err);
/// What evaluating a decision in Lua has to know of the engine.
/// @return a map: recorded (is history kept at the level full?), time_zone.
ORR_API(1) int orr_engine_decision_settings(orr_engine *engine, orr_builder *out, orr_error *err);
/// Records decisions that were evaluated: an array of maps of decision_id, decision_key, name,
/// version, tenant, inputs, rules, outputs, result; the requested decision comes first, then those
/// that it required. With an execution they belong to its instance.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_decisions_record(orr_engine *engine, const orr_value *rows, orr_id execution ORR_OPT,
    orr_error *err);
/// Counts decisions that were evaluated, and their elements, for the metrics.
ORR_API(1) void orr_engine_decisions_count(orr_engine *engine, int64_t decisions, int64_t elements);
/// Compiles a DMN resource to Lua without an engine. `resources` is a map of it and of what it may
/// import; with `lenient` an expression that cannot be parsed gives null and a warning.
/// @return a map: problems (an array), code (when none of them is an error), name.
ORR_API(1) ORR_ERR(MEMORY)
int orr_decision_compile(const orr_value *resources, const char *resource, bool lenient,
    orr_builder *out, orr_error *err);
/// Counts the commits of all processes to the engine's store: while the number stays the same, what
/// was read before is still true. It is -1 inside a transaction or a job, which sees its changes
/// before their commit. A database is asked, and waited for.
ORR_API(1) int64_t orr_engine_changes(orr_engine *engine);

#ifdef __cplusplus
}
#endif
#endif
