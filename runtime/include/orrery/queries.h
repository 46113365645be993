/* Reading: lists, counts, statistics, history, and a feed of changes. */
#ifndef ORRERY_QUERIES_H
#define ORRERY_QUERIES_H

#include "orrery/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Lists ----------------------------------------------------------------------------------- */

/// Lists records. Verbs: deployments, definitions, instances, executions, subscriptions, tasks,
/// jobs, job_definitions, incidents, external_tasks, external_topics, variables, decisions,
/// history_instances, history_activities, history_tasks, history_variables, history_incidents,
/// history_jobs, history_externals, history_decisions, history_details, history_links,
/// history_flows, history_operations, comments, attachments, limits, batches.
///
/// A filter is a map whose conditions must all hold. A key is a field's name, for equality, or a
/// field's name and an operator: _ne _in _not_in _like _not_like _before _after _gt _ge _lt _le,
/// and without regard to case _ieq _ine _ilike _not_ilike. Patterns are SQL's: % stands for any run
/// of bytes, _ for any byte, and a backslash takes that meaning from the next byte. `any`, `all`
/// and `none` take arrays of filters, of which one, each, or not one must hold. A verb may have
/// keys of its own; docs/lists.md has them all, and what each costs. A field named …_at may be used
/// without that ending: started_before. order_by, limit, offset, with_fields and
/// with_variables say what is returned of the matches. Times in filters are as orr_seconds makes
/// them, or ISO 8601 texts; in records orr_milliseconds reads them.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_list(orr_engine *engine, const char *verb, const orr_value *filter ORR_OPT,
    orr_records **out ORR_OUT, orr_error *err);
/// Counts what orr_engine_list would list.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_count(orr_engine *engine, const char *verb, const orr_value *filter ORR_OPT,
    int64_t *out ORR_OUT, orr_error *err);
/// Finds a verb's record by its id: one record, or none.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_find(orr_engine *engine, const char *verb, orr_id id, orr_records **out ORR_OUT,
    orr_error *err);

/* ---- Statistics ------------------------------------------------------------------------------ */

/// Counts what runs. `request` is a map, or NULL: definition (an id), failed_jobs, incidents,
/// root_incidents (switches), incident_type. Walks one index, whatever the number of activities.
/// Or it is candidate_groups (a switch) alone: the tasks that nobody has taken, by the groups that
/// are asked to take them.
/// @return without a definition a row for each that is deployed: definition_id, definition_key,
/// version, name, tenant, deployment_id, instances, and on request failed_jobs (those without
/// retries) and incidents (a map of counts by type). With a definition a row for each activity that
/// has tokens, or what was requested: activity_id and the same counts. With candidate_groups a row
/// for each group: candidate_group (not set in the last row: of tasks without one) and tasks.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STORE)
int orr_engine_statistics(orr_engine *engine, const orr_value *request ORR_OPT,
    orr_records **out ORR_OUT, orr_error *err);
/// Counts the history of a definition's activities. `request` is a map: definition (an id),
/// incidents (a switch), and which process instances count: instance_in, started_before,
/// started_after, ended_before, ended_after (inclusive).
/// @return a row for each activity: activity_id, instances (not ended), finished, canceled (of the
/// finished), complete_scope (ended where no flow leaves), and on request open_incidents,
/// resolved_incidents, deleted_incidents.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_history_statistics(orr_engine *engine, const orr_value *request,
    orr_records **out ORR_OUT, orr_error *err);

/* ---- History --------------------------------------------------------------------------------- */

/// Deletes the history of instances that ended before a time, with those that they called, and of
/// whatever ended before it and belongs to no instance: tasks, decisions, batches, users'
/// operations, the log of jobs and their incidents. Several transactions of bounded size.
/// @return how many instances, tasks, decisions and batches were deleted, and rows of none of them.
ORR_API(1)
int orr_engine_history_clean(orr_engine *engine, orr_time ended_before, int64_t *out ORR_OUT,
    orr_error *err);
/// Deletes the history of one instance that has ended.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_history_delete(orr_engine *engine, orr_id instance, orr_error *err);
/// Deletes the history of variables, their last values and every change: of an instance and
/// everything in it, or of one scope or task (`of` is its id); with `name`, of one variable of that
/// scope. Variables of what still runs keep their values, and enter history again when they are
/// next set.
/// @return how many were deleted.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_history_delete_variables(orr_engine *engine, orr_id of, const char *name ORR_OPT,
    int64_t *out ORR_OUT, orr_error *err);
/// How long instances or tasks took, by the "month" or "quarter" (`period`) in which they began.
/// Only those that have ended count. `verb` is history_instances or history_tasks, `filter` as for
/// its list; every row that it finds is read.
/// @return an array of maps, earliest first: year, period (1 to 12, or to 4), count, minimum,
/// maximum, average (seconds).
ORR_API(1) ORR_ERR(ARGUMENT)
int orr_engine_history_durations(orr_engine *engine, const char *verb,
    const orr_value *filter ORR_OPT,
    const char *period, orr_builder *out, orr_error *err);
/// Sets or clears (NULL) the annotation of a user's operation, on all its rows in
/// history_operations.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_operation_annotate(orr_engine *engine, orr_id operation, const char *text ORR_OPT,
    orr_error *err);
/// Schedules jobs that delete the history of instances whose definition's historyTimeToLive has
/// passed since they ended, with those that they called; what belongs to no definition is kept as
/// long as the definition whose history is kept longest. With `ended_before`, of all that ended
/// before that time. `request` is a map: at (the first time; default now), every (a duration: how
/// long after a round the next one begins), batch_size (instances in one transaction; default 100),
/// priority, ended_before. It replaces the schedule there was. An empty map cleans once, now; { off
/// = true } ends the schedule.
ORR_API(1) ORR_ERR(ARGUMENT)
int orr_engine_history_schedule_clean(orr_engine *engine, const orr_value *request, orr_error *err);

/* ---- Change feed ----------------------------------------------------------------------------- */

/// A feed of commits that changed what it watches: an external task of a topic was created, or
/// changed and still exists; any record of an instance changed; or, when it watches everything,
/// records of a kind. An event means "read again": what another process changed is not known, so
/// its commit counts as a change of everything. To miss nothing, watch first, then read, then wait.
/// A lock that expires is no commit. May be used from any thread, by one at a time.
typedef struct orr_feed orr_feed ORR_CLASS(destroy = orr_feed_close);
/// Opens a feed that watches nothing yet, for orr_feed_close. Once the engine is closed its
/// functions answer `state`; it must be closed all the same.
ORR_API(1) ORR_ERR(LIMIT, MEMORY, STATE)
int orr_feed_open(orr_engine *engine, orr_feed **out, orr_error *err);
/// Closes a feed and its descriptor, before or after its engine. NULL is fine.
ORR_API(1) void orr_feed_close(orr_feed *feed);
/// Watches something: `what` is a map of topic (a text), instance (an id) or all (true). Watching
/// it again changes nothing.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STATE)
int orr_feed_watch(orr_feed *feed, const orr_value *what, orr_error *err);
/// The opposite of orr_feed_watch. It is fine when `what` is not watched.
ORR_API(1) ORR_ERR(ARGUMENT, STATE)
int orr_feed_unwatch(orr_feed *feed, const orr_value *what, orr_error *err);
/// What has changed since the last call, each once, in the order of the changes: an array of maps
/// with topic, or instance_id, or, when everything is watched, kind (as from orr_records_kind:
/// "execution", "variable", "history_task", …) and id (the instance that the record belongs to; for
/// a record of no instance nothing, or an id that no instance has). A single all = true stands for
/// more than 256 changes, and for those of other processes. Whether other processes have committed
/// is looked up in memory at each call, so a loop that cares about them calls every 20 to 50 ms. It
/// never waits, for a database neither: that is asked by a thread of the store, so its news come
/// one call later.
ORR_API(1) ORR_ERR(STATE) int orr_feed_take(orr_feed *feed, orr_builder *out, orr_error *err);
/// Waits until there is something to take. It looks for commits of other processes every 20 ms.
/// @return false on time-out.
ORR_API(1) ORR_ERR(STATE)
int orr_feed_wait(orr_feed *feed, double timeout_ms, bool *out ORR_OUT, orr_error *err);
/// As orr_engine_changes, as far as it is known without waiting for anybody; -1 once the engine is
/// closed. Any thread.
ORR_API(1) int64_t orr_feed_changes(orr_feed *feed);
/// A file descriptor that is readable while there is a change of this process to take, for poll,
/// epoll or uv_poll_t. It is the feed's: the caller neither reads nor closes it; orr_feed_take
/// empties it.
ORR_API(1) int orr_feed_descriptor(orr_feed *feed);

#ifdef __cplusplus
}
#endif
#endif
