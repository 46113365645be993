/* Making a task's record from a userTask of the model. */
#include "exec/task/task_create.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/value.h"
#include "engine/meter.h"
#include "exec/task/task.h"
#include "job/job.h"
#include "job/timer.h"
#include "state/expression.h"
#include "state/history.h"
#include "state/variable.h"

enum { PRIORITY_DEFAULT = 50 };

static int attribute_failed(context *c, const node *n, const char *attribute) {
  return error_wrap(&c->error, "%s \"%s\", attribute %s", n->element, n->id, attribute);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static int set_task_text(context *c, const rec_execution *e, const node *n, const char *attribute, const expr *from,
                         rec_text *out) {
  if (!expr_given(from)) return 0;
  const char *text;
  if (expr_text(c, from, e->id, n, &text)) return attribute_failed(c, n, attribute);
  *out = unit_textz(c->u, text);
  return 0;
}

/* Some dialects show a name or description that cannot be evaluated as the model has it. */
static int set_shown_text(context *c, const rec_execution *e, const node *n, const char *attribute, const expr *from,
                          rec_text *out) {
  const definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  int rc = set_task_text(c, e, n, attribute, from, out);
  if (!d->dialect->task_text_raw || (rc != ORR_E_EXPRESSION && rc != ORR_E_SCRIPT)) return rc;
  engine_log(c->engine, ORR_LOG_WARNING, NULL, "%s", c->error.message ? c->error.message : orr_strerror(rc));
  orr_error_clear(&c->error);
  c->failed_at = NULL;
  *out = unit_textz(c->u, from->text);
  return 0;
}

static int set_time(context *c, const rec_execution *e, const node *n, const char *attribute, const expr *from, orr_time *out) {
  if (!expr_given(from)) return 0;
  return expr_time(c, from, e->id, n, out) ? attribute_failed(c, n, attribute) : 0;
}

/* A business calendar, if given, computes the due date. */
static int set_due(context *c, const rec_execution *e, const node *n, orr_time *out) {
  const user_task *u = n->user;
  if (!expr_given(&u->due) || !expr_given(&u->calendar)) return set_time(c, e, n, "dueDate", &u->due, out);
  const definition *d = context_definition_of(c, e->id, &c->error);
  timer by = {.date = u->due, .calendar = u->calendar};
  if (!d) return c->error.code;
  return timer_due(c, d, n, &by, e->id, out) ? attribute_failed(c, n, "dueDate") : 0;
}

static int set_task_priority(context *c, const rec_execution *e, const node *n, const expr *from, int64_t *out) {
  *out = PRIORITY_DEFAULT;
  if (!expr_given(from)) return 0;
  return expr_integer(c, from, e->id, n, out) ? attribute_failed(c, n, "priority") : 0;
}

static int set_attributes(context *c, const rec_execution *e, const node *n, rec_task *t) {
  const user_task *u = n->user;
  t->name = unit_textz(c->u, n->name);
  t->description = unit_textz(c->u, n->documentation);
  int rc = set_shown_text(c, e, n, "name", expr_given(&u->name) ? &u->name : &n->name_expr, &t->name);
  if (!rc) rc = set_shown_text(c, e, n, "documentation", &u->description, &t->description);
  if (!rc) rc = set_task_text(c, e, n, "assignee", &u->assignee, &t->assignee);
  if (!rc) rc = set_task_text(c, e, n, "owner", &u->owner, &t->owner);
  if (!rc) rc = set_task_text(c, e, n, "category", &u->category, &t->category);
  if (!rc) rc = set_task_text(c, e, n, "formKey", &u->form_key, &t->form_key);
  if (!rc) rc = set_due(c, e, n, &t->due);
  if (!rc) rc = set_time(c, e, n, "followUpDate", &u->follow_up, &t->follow_up);
  if (!rc) rc = set_task_priority(c, e, n, &u->priority, &t->priority);
  if (t->assignee.size == 0) t->assignee = (rec_text){0}; /* an empty text assigns nobody */
  return rc;
}

/* ---- Links ----------------------------------------------------------------------------------- */

static bool blank(char ch) {
  return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r';
}

static int each_in_text(context *c, const orr_value *v, int (*each)(context *c, void *ud, const char *name), void *ud) {
  const char *at = v->as.bytes, *end = at + v->size;
  while (at < end) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    const char *stop = comma ? comma : end;
    const char *next = comma ? comma + 1 : end;
    while (at < stop && blank(*at)) at++;
    while (stop > at && blank(stop[-1])) stop--;
    if (stop > at) {
      const char *name = arena_strndup(c->arena, at, (size_t)(stop - at));
      int rc = name ? each(c, ud, name) : context_memory(c);
      if (rc) return rc;
    }
    at = next;
  }
  return 0;
}

/* The names in a variable that was declared as Json, which holds its text. */
static int each_in_json(context *c, const orr_value *v, int (*each)(context *c, void *ud, const char *name), void *ud) {
  orr_value tree;
  int rc = json_value(c->arena, &c->engine->env.allocator, v->as.bytes, v->size, &tree, &c->error);
  return rc ? rc : task_each_name(c, &tree, each, ud);
}

static int each_scalar(context *c, const orr_value *v, int (*each)(context *c, void *ud, const char *name), void *ud) {
  const char *name = v->type == ORR_INT   ? arena_printf(c->arena, "%" PRId64, v->as.integer)
                     : v->type == ORR_FLOAT ? arena_printf(c->arena, "%.14g", v->as.number)
                                            : arena_strdup(c->arena, v->as.boolean ? "true" : "false");
  return name ? each(c, ud, name) : context_memory(c);
}

int task_each_name(context *c, const orr_value *v, int (*each)(context *c, void *ud, const char *name), void *ud) {
  orr_iterator it;
  orr_value item;
  int rc = 0;
  switch (v->type) {
    case ORR_NIL: case ORR_NULL: return 0;
    case ORR_STRING: return json_is_text(v) ? each_in_json(c, v, each, ud) : each_in_text(c, v, each, ud);
    case ORR_BOOL: case ORR_INT: case ORR_FLOAT: return each_scalar(c, v, each, ud);
    case ORR_ARRAY:
      it = orr_iterate(v);
      while (!rc && orr_next(&it, NULL, &item)) {
        if (item.type == ORR_ARRAY || item.type == ORR_MAP)
          return context_error(c, ORR_E_EXPRESSION, "gives a list in a list where names are expected");
        rc = task_each_name(c, &item, each, ud);
      }
      return rc;
    default: return context_error(c, ORR_E_EXPRESSION, "gives a map where a text or a list of texts is expected");
  }
}

typedef struct linking {
  rec_task *task;
  const char *type;
  bool groups;
} linking;

static int link_one(context *c, void *ud, const char *name) {
  const linking *l = ud;
  return task_add_link(c, l->task, l->type, l->groups ? NULL : name, l->groups ? name : NULL);
}

/* By dialect, candidates must be texts: a number or a boolean is refused. */
static int refuse_scalars(context *c, const orr_value *v) {
  orr_value item;
  if (v->type == ORR_BOOL || v->type == ORR_INT || v->type == ORR_FLOAT)
    return context_error(c, ORR_E_EXPRESSION, "gives a %s where a text or a list of texts is expected",
                         v->type == ORR_BOOL ? "boolean" : "number");
  if (v->type != ORR_ARRAY) return 0;
  orr_iterator it = orr_iterate(v);
  int rc = 0;
  while (!rc && orr_next(&it, NULL, &item)) rc = item.type == ORR_ARRAY ? 0 : refuse_scalars(c, &item);
  return rc;
}

static int link_list(context *c, const rec_execution *e, const node *n, const expr *list, uint32_t count, linking *l) {
  const definition *d = count ? context_definition_of(c, e->id, &c->error) : NULL;
  if (count && !d) return c->error.code;
  for (uint32_t i = 0; i < count; i++) {
    orr_value v;
    int rc = expr_value(c, &list[i], e->id, n, &v);
    if (!rc && d->dialect->candidates_are_texts && list[i].kind != EXPR_LITERAL) rc = refuse_scalars(c, &v);
    if (!rc) rc = task_each_name(c, &v, link_one, l);
    if (rc) return attribute_failed(c, n, l->groups ? "candidateGroups" : "candidateUsers");
  }
  return 0;
}

static int link_all(context *c, const rec_execution *e, const node *n, const identity_links *who, const char *type,
                    rec_task *t) {
  linking users = {t, type, false}, groups = {t, type, true};
  int rc = link_list(c, e, n, who->users, who->n_users, &users);
  return rc ? rc : link_list(c, e, n, who->groups, who->n_groups, &groups);
}

static int set_links(context *c, const rec_execution *e, const node *n, rec_task *t) {
  const user_task *u = n->user;
  int rc = link_all(c, e, n, &u->candidates, "candidate", t);
  for (uint32_t i = 0; !rc && i < u->n_links; i++) rc = link_all(c, e, n, &u->links[i].who, u->links[i].type, t);
  return rc;
}

/* ---- The record ------------------------------------------------------------------------------ */

static rec_task *task_new(context *c, rec_execution *e, const node *n, rec_instance *i) {
  orr_id id = unit_next_id(c->u, i, &c->error);
  if (!id) return NULL;
  rec_task *t = unit_new_task(c->u, id);
  if (!t || unit_touch(c->u, e)) {
    context_memory(c);
    return NULL;
  }
  t->phase = PHASE_CREATING;
  t->key = unit_textz(c->u, n->id);
  t->created = context_stamp(c);
  t->instance_id = i->id;
  t->execution_id = e->id;
  t->definition_id = i->definition_id;
  t->definition_key = i->definition_key;
  t->suspended = i->suspended;
  t->tenant = i->tenant;
  t->node = n->index + 1;
  e->task_id = id;
  return t;
}

/* The job keeps the position of its listener, which is the only way to find it again. */
int task_start_timeout(context *c, rec_execution *e, const node *n, rec_instance *i, uint32_t at) {
  const listener *l = &n->user->listeners.items[at];
  if (l->event != LISTENER_TIMEOUT || !l->timer) return 0;
  definition *d = context_definition(c, i->definition_id, &c->error);
  rec_job *job = d ? timer_job_create(c, ORR_JOB_TIMER_TASK_LISTENER, i, e, d, n, l->timer) : NULL;
  if (!job) return c->error.code;
  job->flow = at + 1;
  return 0;
}

static int start_timers(context *c, rec_execution *e, const node *n, rec_instance *i) {
  int rc = 0;
  for (uint32_t at = 0; !rc && at < n->user->listeners.count; at++) rc = task_start_timeout(c, e, n, i, at);
  return rc;
}

int task_create(context *c, rec_execution *e, const node *n) {
  rec_instance *i = unit_instance(c->u, orr_id_instance(e->id), &c->error);
  if (!i) return c->error.code;
  rec_task *t = task_new(c, e, n, i);
  if (!t) return c->error.code;
  int rc = set_attributes(c, e, n, t);
  if (!rc) rc = set_links(c, e, n, t);
  if (!rc) rc = start_timers(c, e, n, i);
  if (!rc && expr_given(&n->user->id_variable)) {
    orr_value id = value_of_id(c->arena, t->id);
    rc = !id.as.bytes ? context_memory(c) : variable_set_named(c, &n->user->id_variable, e->id, n, &id);
  }
  if (!rc) rc = history_task(c, t, false, NULL);
  if (!rc) rc = history_activity_update(c, e, t->id, t->assignee.data, 0);
  if (!rc) meter_task_given(c->engine, c->u, t->assignee);
  return rc ? rc : task_created(c, t);
}
