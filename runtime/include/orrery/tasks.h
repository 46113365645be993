/* Work for people and other programs: user tasks, comments, external tasks. */
#ifndef ORRERY_TASKS_H
#define ORRERY_TASKS_H

#include "orrery/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- User tasks ------------------------------------------------------------------------------ */

/// Creates a task without a process, or a subtask. `fields` is a map of what orr_engine_task_update
/// takes, and tenant, and parent_id (of any task; the subtask ends with it), and own_id (a text of
/// up to 255 bytes that lists find it by beside its id; refused when a task has it already, an
/// ended one of history included). Such a task has variables of its own and no listeners; to
/// complete or delete it continues nothing.
/// @return the task.
ORR_API(1) ORR_ERR(ARGUMENT, LIMIT, NOT_FOUND)
int orr_engine_task_create(orr_engine *engine, const orr_value *fields, orr_records **out ORR_OUT,
    orr_error *err);
/// Completes a user task; `local_variables` go to the task's own scope first.
ORR_API(1) ORR_ERR(BPMN_ERROR, NOT_FOUND, SCRIPT, STATE, SUSPENDED)
int orr_engine_task_complete(orr_engine *engine, orr_id task, const orr_value *variables ORR_OPT,
    const orr_value *local_variables ORR_OPT, const orr_value *transient ORR_OPT, orr_error *err);
/// Assigns a task to a user, unless it has another assignee (`state`).
ORR_API(1) ORR_ERR(NOT_FOUND, STATE, SUSPENDED)
int orr_engine_task_claim(orr_engine *engine, orr_id task, const char *user ORR_OPT,
    orr_error *err);
/// Sets or clears (NULL) the assignee.
ORR_API(1) ORR_ERR(NOT_FOUND, SUSPENDED)
int orr_engine_task_assign(orr_engine *engine, orr_id task, const char *user ORR_OPT,
    orr_error *err);
/// Hands a task to another user, who resolves it for the owner.
ORR_API(1) ORR_ERR(NOT_FOUND, SUSPENDED)
int orr_engine_task_delegate(orr_engine *engine, orr_id task, const char *user, orr_error *err);
/// Gives a delegated task back to its owner.
ORR_API(1) ORR_ERR(NOT_FOUND, SUSPENDED)
int orr_engine_task_resolve(orr_engine *engine, orr_id task, const orr_value *variables ORR_OPT,
    orr_error *err);
/// Changes any of name, description, assignee, owner, priority, due, follow_up, category; null
/// clears.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, SUSPENDED)
int orr_engine_task_update(orr_engine *engine, orr_id task, const orr_value *changes,
    orr_error *err);
/// The users and groups tied to a task: an array of maps of type, and user or group.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_task_links(orr_engine *engine, orr_id task, orr_builder *out, orr_error *err);
/// Ties a user or a group to a task; `type` is "candidate", "participant" or a word of the
/// caller's. A user tied as "assignee" or "owner" becomes its assignee or owner.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_task_add_link(orr_engine *engine, orr_id task, const char *type,
    const char *user ORR_OPT, const char *group ORR_OPT, orr_error *err);
/// Removes what orr_engine_task_add_link added.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_task_remove_link(orr_engine *engine, orr_id task, const char *type,
    const char *user ORR_OPT, const char *group ORR_OPT, orr_error *err);
/// Deletes a task that belongs to no process, and its subtasks; their history stays.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_task_delete(orr_engine *engine, orr_id task, const char *reason ORR_OPT,
    orr_error *err);
/// Raises a BPMN error where the task stands.
ORR_API(1) ORR_ERR(BPMN_ERROR, NOT_FOUND, SUSPENDED)
int orr_engine_task_bpmn_error(orr_engine *engine, orr_id task, const char *code,
    const char *message ORR_OPT, const orr_value *variables ORR_OPT, orr_error *err);
/// Raises an escalation where the task stands. `state`: nothing catches it.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE, SUSPENDED)
int orr_engine_task_escalation(orr_engine *engine, orr_id task, const char *code,
    const orr_value *variables ORR_OPT, orr_error *err);

/// The form of a user task, as a map: key (its formKey), reference (of a Camunda Form: key,
/// binding, version), deployment_id and resource (where the form lies, when it was deployed),
/// fields. Each field is a map: id, label, type, value (the variable's, else the default; a date as
/// a text of its pattern), default, variable, required, readonly, date_pattern, values (maps of id
/// and name), constraints (maps of name and config), properties, error (why its value will not do).
/// A task without a form has no fields. Expressions of defaults only read: what would change
/// something fails in them.
ORR_API(1) ORR_ERR(NOT_FOUND, SCRIPT)
int orr_engine_task_form(orr_engine *engine, orr_id task, orr_builder *out, orr_error *err);
/// Takes a task's form: each field's value is checked, made one of its type and set, what is no
/// field of the form becomes a variable of its name, and the task is completed, or resolved when it
/// was delegated. `argument`: a value does not fit, with the details `field` and `constraint`; then
/// nothing has changed.
ORR_API(1) ORR_ERR(ARGUMENT, BPMN_ERROR, EXPRESSION, NOT_FOUND, SCRIPT, STATE, SUSPENDED)
int orr_engine_task_submit_form(orr_engine *engine, orr_id task, const orr_value *values ORR_OPT,
    orr_error *err);

/* ---- Comments and attachments ---------------------------------------------------------------- */

/// Adds a comment to a task or an instance (`to` is its id), which may have ended. The verb
/// `comments` lists them.
/// @return the comment.
ORR_API(1) ORR_ERR(ARGUMENT, LIMIT, NOT_FOUND)
int orr_engine_comment_add(orr_engine *engine, orr_id to, const char *message,
    orr_records **out ORR_OUT, orr_error *err);
/// Changes a comment's message, and its time to now.
ORR_API(1) ORR_ERR(ARGUMENT, LIMIT, NOT_FOUND)
int orr_engine_comment_update(orr_engine *engine, orr_id comment, const char *message,
    orr_error *err);
/// Deletes a comment.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_comment_delete(orr_engine *engine, orr_id comment, orr_error *err);
/// Attaches a document to a task or an instance (`to` is its id): a map of name, type, description,
/// and content (any bytes) or url. The verb `attachments` lists them, without their content.
/// @return the attachment.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_attachment_add(orr_engine *engine, orr_id to, const orr_value *attachment,
    orr_records **out ORR_OUT, orr_error *err);
/// The bytes of an attachment, or nothing when it has a url instead.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_attachment_content(orr_engine *engine, orr_id attachment, orr_builder *out,
    orr_error *err);
/// Deletes an attachment and its content.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_attachment_delete(orr_engine *engine, orr_id attachment, orr_error *err);

/* ---- External tasks -------------------------------------------------------------------------- */

/// Fetches external tasks and locks them for a worker. `request` is a map as in the Lua API:
/// worker, max, use_priority, order_by, topics.
/// @return the tasks.
ORR_API(1) ORR_ERR(ARGUMENT)
int orr_engine_externals_fetch_and_lock(orr_engine *engine, const orr_value *request,
    orr_records **out ORR_OUT, orr_error *err);
/// Completes a task that the worker holds.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE, SUSPENDED)
int orr_engine_external_complete(orr_engine *engine, orr_id task, const char *worker,
    const orr_value *variables ORR_OPT, const orr_value *local_variables ORR_OPT, orr_error *err);
/// Raises a BPMN error where the task stands.
ORR_API(1) ORR_ERR(BPMN_ERROR, NOT_FOUND, STATE)
int orr_engine_external_bpmn_error(orr_engine *engine, orr_id task, const char *worker,
    const char *code, const char *message ORR_OPT, const orr_value *variables ORR_OPT,
    orr_error *err);
/// Records a failure; `failure` is a map: message, details, retries, retry_timeout, variables,
/// local_variables; NULL: nothing is said of it.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE)
int orr_engine_external_fail(orr_engine *engine, orr_id task, const char *worker,
    const orr_value *failure ORR_OPT, orr_error *err);
/// Locks a task for a worker.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE)
int orr_engine_external_lock(orr_engine *engine, orr_id task, const char *worker,
    orr_duration duration, orr_error *err);
/// Extends a worker's lock: it ends `duration` from now.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE)
int orr_engine_external_extend_lock(orr_engine *engine, orr_id task, const char *worker,
    orr_duration duration, orr_error *err);
/// Unlocks a task, whoever holds it.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_external_unlock(orr_engine *engine, orr_id task, orr_error *err);
/// Sets how often a task may still be tried; above 0 resolves its incident.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_external_set_retries(orr_engine *engine, orr_id task, int64_t retries,
    orr_error *err);
/// Sets the priority of a task.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_external_set_priority(orr_engine *engine, orr_id task, int64_t priority,
    orr_error *err);
/// Unlocks every task of a worker, or of a topic, or of both.
ORR_API(1)
int orr_engine_externals_unlock(orr_engine *engine, const char *worker ORR_OPT,
    const char *topic ORR_OPT, orr_error *err);

#ifdef __cplusplus
}
#endif
#endif
