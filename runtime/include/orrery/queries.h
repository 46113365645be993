/* What there is and what there was: lists, counts, history, and a feed of changes. */
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
/// history_flows, history_operations, comments, attachments, limits, batches. Filters are a map
/// whose conditions must all hold: a field's name for equality, or with an operator behind it (_ne
/// _in _not_in _like _not_like _before _after _gt _ge _lt _le, and without regard to case _ieq _ine
/// _ilike _not_ilike; patterns as SQL's: % any run, _ any byte, after a backslash they are
/// themselves), or a key of the verb's own; any, all and none take arrays of filters of which one,
/// each, not one must fit. order_by, limit, offset and with_variables say how what fits is shown.
/// docs/lists.md has every key, and what it costs. A time named …_at may go without:
/// started_before. Times in filters are numbers of seconds since the epoch or ISO 8601 texts; in
/// records they are numbers of seconds (ORR_FLOAT).
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_list(orr_engine *engine, const char *verb, const orr_value *filter ORR_OPT,
    orr_records **out ORR_OUT, orr_error *err);
/// Counts what orr_engine_list would list.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_count(orr_engine *engine, const char *verb, const orr_value *filter ORR_OPT,
    int64_t *out ORR_OUT, orr_error *err);
/// The record of a verb with this id: one record, or none.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_find(orr_engine *engine, const char *verb, orr_id id, orr_records **out ORR_OUT,
    orr_error *err);

/* ---- Statistics ------------------------------------------------------------------------------ */

/// Counts what runs. `request` is a map, or NULL: definition (an id), failed_jobs, incidents,
/// root_incidents (switches), incident_type. Without a definition a row for each that is deployed:
/// definition_id, definition_key, version, name, tenant, deployment_id, instances, and as asked for
/// failed_jobs (those without tries) and incidents (a map of types and counts). With one, a row for
/// each activity at which tokens stand, or that has what was asked for: activity_id and the same
/// counts. One walk along an index, whatever the number of activities.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STORE)
int orr_engine_statistics(orr_engine *engine, const orr_value *request ORR_OPT,
    orr_records **out ORR_OUT, orr_error *err);
/// Counts what history tells of a definition's activities. `request` is a map: definition (an id),
/// incidents (a switch), and of which process instances: instance_in, started_before,
/// started_after, ended_before, ended_after (inclusive). Rows: activity_id, instances (not ended),
/// finished, canceled (of these), complete_scope (ended, and no flow leaves it), and as asked for
/// open_incidents, resolved_incidents, deleted_incidents.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_history_statistics(orr_engine *engine, const orr_value *request,
    orr_records **out ORR_OUT, orr_error *err);

/* ---- History --------------------------------------------------------------------------------- */

/// Deletes history of instances that ended before a time, and of decisions and users' operations
/// made before it outside of instances, in bounded steps.
/// @return how many instances, decisions and operations went.
ORR_API(1)
int orr_engine_clean_history(orr_engine *engine, orr_time ended_before, int64_t *out ORR_OUT,
    orr_error *err);
/// Deletes the history of one instance that has ended.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_delete_history(orr_engine *engine, orr_id instance, orr_error *err);
/// Deletes the history of variables, their last values and each writing: of an instance with all
/// that is in it, or of one scope or task (`of`: its id); with `name` of one variable of that scope.
/// The variables of what runs stay, and are in history again when they are next written.
/// @return how many went.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_delete_history_variables(orr_engine *engine, orr_id of, const char *name ORR_OPT,
    int64_t *out ORR_OUT, orr_error *err);
/// How long what has ended took, by the "month" or "quarter" (`period`) in which it began. `verb`
/// is history_instances or history_tasks; `filter` as for its list. It reads each row that the
/// filter finds.
/// @return an array of maps, earliest first: year, period (1 to 12, or to 4), count, minimum,
/// maximum, average (seconds).
ORR_API(1) ORR_ERR(ARGUMENT)
int orr_engine_durations(orr_engine *engine, const char *verb, const orr_value *filter ORR_OPT,
    const char *period, orr_builder *out, orr_error *err);
/// Sets or clears (NULL) the annotation of a user's operation, on all its rows in
/// history_operations.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_annotate_operation(orr_engine *engine, orr_id operation, const char *text ORR_OPT,
    orr_error *err);
/// Has history cleaned by jobs, of instances whose definition's historyTimeToLive is over since
/// their end; with `ended_before` of all that ended before that time instead. `request` is a map:
/// at (when first; default now), every (a duration: again so long after each round), batch_size
/// (instances in one transaction; default 100), priority, ended_before. Takes the place of the
/// schedule before; an empty map cleans once, now; { off = true } ends the schedule.
ORR_API(1) ORR_ERR(ARGUMENT)
int orr_engine_schedule_clean_history(orr_engine *engine, const orr_value *request, orr_error *err);

/* ---- Change feed ----------------------------------------------------------------------------- */

/// Tells that something was committed of what is watched: an external task of a topic was made, or
/// changed and is still there; any record of an instance changed; or, for who watches everything,
/// records of a kind. An event says "look again": of another process's commits it is not known what
/// they changed, so that they count as a change of everything. Watch first, then look, then wait:
/// nothing is lost then. That a lock ends by itself is no commit. Any thread, one at a time.
typedef struct orr_feed orr_feed ORR_CLASS(destroy = orr_feed_close);
/// Opens a feed that watches nothing yet. Once the engine is closed it answers `state`; close it in
/// any case.
ORR_API(1) ORR_ERR(LIMIT, MEMORY, STATE)
int orr_engine_feed(orr_engine *engine, orr_feed **out ORR_OUT, orr_error *err);
ORR_API(1) void orr_feed_close(orr_feed *feed);
/// `what` is a map of topic (a text), instance (an id) or all (true). Watching it again changes
/// nothing.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STATE)
int orr_feed_watch(orr_feed *feed, const orr_value *what, orr_error *err);
/// The opposite of orr_feed_watch; what is not watched is none.
ORR_API(1) ORR_ERR(ARGUMENT, STATE)
int orr_feed_unwatch(orr_feed *feed, const orr_value *what, orr_error *err);
/// What has changed since the last time, each once, in the order of the changes: an array of maps
/// with topic, or instance_id, or, of everything, kind (as of orr_records_kind; "execution",
/// "variable", "history_task", …) and id (the instance that the record belongs to; where it belongs
/// to none, nothing or an id that no instance has). Of more than 256 changes, and of other
/// processes', all = true stands for them. It also looks, in memory, whether other processes have
/// committed: a loop asks every 20 to 50 ms for these.
ORR_API(1) ORR_ERR(STATE) int orr_feed_take(orr_feed *feed, orr_builder *out, orr_error *err);
/// Waits until there is something to take; false on time-out. It looks for commits of other
/// processes every 20 ms.
ORR_API(1) ORR_ERR(STATE)
int orr_feed_wait(orr_feed *feed, double timeout_seconds, bool *out ORR_OUT, orr_error *err);
/// A file descriptor that can be read while there is something to take that this process committed,
/// for poll, epoll or uv_poll_t; orr_feed_take empties it, the caller must not. It is the feed's.
ORR_API(1) int orr_feed_descriptor(orr_feed *feed);

#ifdef __cplusplus
}
#endif
#endif
