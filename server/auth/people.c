/* What the role "task" may do. */
#include "server/auth/people.h"

#include <string.h>
#include <strings.h>

#include "server/auth/auth.h"
#include "server/server_internal.h"
#include "server/transport/json_in.h"

#define OWN_ID_MAX (UINT64_C(1) << 23) /* ids of the engine's are larger */

/* ---- Conditions --------------------------------------------------------------------------- */

static void put_one(orr_builder *b, const char *key, orr_value value) {
  orr_builder_map(b);
  orr_builder_put(b, key, value);
  orr_builder_end(b);
}

/* { key = { the user's groups } }; nothing for a user without groups. */
static void put_groups(const request *q, orr_builder *b, const char *key) {
  const char *at = q->user->groups + strspn(q->user->groups, ",");
  if (!*at) return;
  orr_builder_map(b);
  orr_builder_key(b, key, strlen(key));
  orr_builder_array(b);
  while (*at) {
    size_t size = strcspn(at, ",");
    orr_value group = orr_bytes(at, size);
    orr_builder_add(b, &group);
    at += size + strspn(at + size, ",");
  }
  orr_builder_end(b);
  orr_builder_end(b);
}

static void any_begin(orr_builder *b) {
  orr_builder_key(b, "any", strlen("any"));
  orr_builder_array(b);
}

/* Key of a map: tasks that the user may see. */
static void put_visible(const request *q, orr_builder *b) {
  orr_value me = orr_string(q->user->name);
  any_begin(b);
  put_one(b, "assignee", me);
  put_one(b, "owner", me);
  put_one(b, "candidate_user", me);
  put_groups(q, b, "candidate_groups");
  orr_builder_end(b);
}

/* Keys of a map: definitions that the user may start. */
static void put_startable(const request *q, orr_builder *b) {
  orr_builder_put(b, "startable", orr_bool(true));
  any_begin(b);
  put_one(b, "startable_by", orr_string(q->user->name));
  put_groups(q, b, "startable_by_groups");
  orr_builder_end(b);
}

void people_narrow(const request *q, orr_builder *b) {
  if (!q->limited) return;
  people of = q->operation->people;
  if (of != PEOPLE_TASKS && of != PEOPLE_STARTS && of != PEOPLE_DONE) return;
  orr_builder_map(b);
  if (of == PEOPLE_TASKS) put_visible(q, b);
  else if (of == PEOPLE_STARTS) put_startable(q, b);
  else orr_builder_put(b, "assignee", orr_string(q->user->name));
  orr_builder_end(b);
}

bool people_may_ask(request *q, const param *p) {
  bool told = !q->limited || q->operation->people == PEOPLE_TASKS;
  bool inside = p->kind == PARAM_VARIABLES || strncmp(p->name, "incident", 8) == 0;
  if (told || !inside) return true;
  request_fail(q, 403, "AuthorizationException",
               "The user with id \"%s\" has the role \"task\", which is not told of '%s'",
               q->user->name, p->name);
  return false;
}

/* ---- What the request names --------------------------------------------------------------- */

static bool not_there(request *q) {
  orr_error err = {.code = ORR_E_NOT_FOUND};
  request_fail_missing(q, &err, q->operation->missing_status, q->operation->missing,
                       q->path[0] ? q->path[0] : "");
  return false;
}

static bool not_allowed(request *q, const char *why) {
  request_fail(q, 403, "AuthorizationException",
               "The user with id \"%s\" has the role \"task\": %s", q->user->name, why);
  return false;
}

/* The first record that the filter in the builder finds; NULL: none, or the request has failed. The
 * caller frees. */
static orr_records *first_found(request *q, const char *verb, orr_builder *b) {
  orr_value filter;
  orr_error err = {0};
  orr_records *found = NULL;
  int rc = orr_builder_value(b, &filter, &err);
  if (!rc) rc = orr_engine_list(q->engine->engine, verb, &filter, &found, &err);
  if (rc) request_fail_engine(q, &err);
  if (found && orr_records_count(found) > 0) return found;
  orr_records_free(found);
  return NULL;
}

/* By the engine's id, or the one that its maker gave it. NULL: there is none that the user may see,
 * or the request has failed. */
static orr_records *task_seen(request *q, const char *key, orr_value id) {
  orr_builder *b = request_builder(q);
  if (!b) return NULL;
  orr_builder_map(b);
  orr_builder_put(b, key, id);
  put_visible(q, b);
  orr_builder_end(b);
  return first_found(q, "tasks", b);
}

/* The latest of a path's key, of a tenant or of none, or the one of its id; `own`: if the user may
 * start it. */
static orr_id definition_of_path(request *q, bool own) {
  orr_builder *b = request_builder(q);
  if (!b) return 0;
  orr_builder_map(b);
  if (strstr(q->operation->path, "/key/")) {
    orr_builder_put(b, "key", orr_string(q->path[0]));
    orr_builder_put(b, "latest", orr_bool(true));
    orr_builder_put(b, "tenant", q->path[1] ? orr_string(q->path[1]) : orr_null());
  } else {
    orr_builder_put(b, "id", orr_int((int64_t)request_id(q)));
  }
  if (own) put_startable(q, b);
  orr_builder_end(b);
  orr_records *found = first_found(q, "definitions", b);
  orr_id id = found ? orr_records_id(found, 0) : 0;
  orr_records_free(found);
  return id;
}

/* ---- Tasks -------------------------------------------------------------------------------- */

static bool text_is(const orr_value *have, const char *text) {
  if (have->type != ORR_STRING) return !text || !*text;
  return text && strlen(text) == have->size && memcmp(text, have->as.bytes, have->size) == 0;
}

static bool has_it(const request *q, const orr_records *task) {
  orr_value assignee = orr_records_get(task, 0, "assignee");
  return text_is(&assignee, q->user->name);
}

static bool permit_own(request *q, const orr_records *task) {
  return has_it(q, task) ? true : not_allowed(q, "the task is not theirs; they may claim it");
}

static bool permit_claim(request *q) {
  const char *user = body_text(q, "userId");
  if (q->status) return false;
  bool self = user && strcmp(user, q->user->name) == 0;
  return self ? true : not_allowed(q, "they claim tasks for themselves");
}

static bool delegation_is(const orr_value *have, const char *text) {
  if (have->type != ORR_STRING) return !text;
  return text && strlen(text) == have->size && strncasecmp(text, have->as.bytes, have->size) == 0;
}

/* What is not given a PUT clears. */
static bool permit_dates(request *q, const orr_records *task) {
  static const char *const texts[] = {"name", "description", "assignee", "owner"};
  bool same = true;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    orr_value have = orr_records_get(task, 0, texts[i]);
    same = same && text_is(&have, body_text(q, texts[i]));
  }
  orr_value delegation = orr_records_get(task, 0, "delegation");
  orr_value parent = orr_records_get(task, 0, "parent_id");
  orr_value priority = orr_records_get(task, 0, "priority");
  const char *given = body_text(q, "parentTaskId");
  int64_t rank = body_int(q, "priority", priority.as.integer);
  if (q->status) return false;
  same = same && delegation_is(&delegation, body_text(q, "delegationState"));
  same = same && rank == priority.as.integer;
  same = same && (parent.type == ORR_INT ? given && (int64_t)id_of_text(given) == parent.as.integer
                                         : !given);
  return same ? true : not_allowed(q, "of a task they may change due and followUp alone");
}

static bool permit_task(request *q) {
  orr_records *task = task_seen(q, "id", orr_int((int64_t)request_id(q)));
  if (!task) return q->status ? false : not_there(q);
  people of = q->operation->people;
  bool may = of == PEOPLE_CLAIM ? permit_claim(q) : of == PEOPLE_TASK || permit_own(q, task);
  if (may && of == PEOPLE_DATES) may = permit_dates(q, task);
  orr_records_free(task);
  return may;
}

static bool permit_task_of(request *q) {
  const char *id = request_argument(q, "taskId");
  if (!id || !*id) {
    request_refuse(q, "taskId is expected: the id of one's own task");
    return false;
  }
  orr_id number = id_of_text(id);
  orr_records *task = number > OWN_ID_MAX ? task_seen(q, "id", orr_int((int64_t)number))
                                          : task_seen(q, "own_id", orr_string(id));
  if (!task && !q->status)
    request_fail(q, 404, "InvalidRequestException", "No task found for task id %s", id);
  orr_records_free(task);
  return !q->status;
}

/* ---- Processes ---------------------------------------------------------------------------- */

/* Where an instance begins, and what it leaves out, is an operator's business. */
static bool permit_start(request *q) {
  static const char *const others[] = {"startInstructions", "skipCustomListeners",
                                       "skipIoMappings"};
  if (!definition_of_path(q, true)) return q->status ? false : not_there(q);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (body_given(q, others[i])) return not_allowed(q, "they start a process at its beginning");
  return true;
}

static bool permit_model(request *q) {
  if (definition_of_path(q, true)) return true;
  orr_id id = q->status ? 0 : definition_of_path(q, false);
  orr_builder *b = id ? request_builder(q) : NULL;
  if (!b) return q->status ? false : not_there(q);
  orr_builder_map(b);
  orr_builder_put(b, "definition_id", orr_int((int64_t)id));
  orr_builder_put(b, "limit", orr_int(1));
  put_visible(q, b);
  orr_builder_end(b);
  orr_records *task = first_found(q, "tasks", b);
  bool seen = task;
  orr_records_free(task);
  return seen || q->status ? seen : not_there(q);
}

static bool permit_self(request *q) {
  const char *user = request_argument(q, "userId");
  bool self = user && strcmp(user, q->user->name) == 0;
  return self || !user ? true : not_allowed(q, "they see their own groups");
}

bool people_permit(request *q) {
  if (!q->limited) return true;
  switch (q->operation->people) {
    case PEOPLE_ALL:
    case PEOPLE_TASKS:
    case PEOPLE_DONE:
    case PEOPLE_STARTS: return true; /* people_narrow sees to lists */
    case PEOPLE_TASK:
    case PEOPLE_OWN:
    case PEOPLE_CLAIM:
    case PEOPLE_DATES: return permit_task(q);
    case PEOPLE_TASK_OF: return permit_task_of(q);
    case PEOPLE_START: return permit_start(q);
    case PEOPLE_MODEL: return permit_model(q);
    case PEOPLE_SELF: return permit_self(q);
    case PEOPLE_NONE: break;
  }
  return not_allowed(q, "this is an operator's");
}
