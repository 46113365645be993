/* Timer jobs: made, repeated, recalculated. */
#include "job/timer.h"

#include "engine/definition_cache.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "engine/time_zone.h"
#include "state/expression.h"
#include "state/variable.h"
#include "time/cycle.h"

/* A timer definition, evaluated at one moment. */
typedef struct timer_plan {
  orr_time due;
  bool repeats, over; /* over: the due date is after the end, so there is no next firing */
  const char *cycle;  /* evaluated text */
  orr_time end;       /* ORR_TIME_NONE: none */
  cycle_state state;
} timer_plan;

/* Evaluates in the scope of a waiting token or, for start events, over what is known of the
 * definition. */
static int evaluate(context *c, const definition *d, const expr *e, orr_id scope_id, const node *n, orr_value *out) {
  if (scope_id) return expr_value(c, e, scope_id, n, out);
  orr_value known;
  int rc = definition_variables(c, d, &known);
  return rc ? rc : expr_value_over(c, e, &known, out);
}

static int no_time(context *c, const node *n, const char *what, const orr_value *value) {
  if (value->type == ORR_NULL || value->type == ORR_NIL)
    return context_error(c, ORR_E_EXPRESSION, "the timer of \"%s\" has no %s: its expression gave null", n->id, what);
  return context_error(c, ORR_E_EXPRESSION,
                       "the timer of \"%s\": its %s gave a %s; a text or a number of seconds would be right", n->id, what,
                       value->type == ORR_BOOL ? "boolean" : "table");
}

static bool is_in_years(double seconds, orr_time base) {
  double ms = seconds * 1000 + (double)base; /* NaN compares false */
  return ms >= (double)ISO_TIME_MIN && ms <= (double)ISO_TIME_MAX;
}

/* `base` plus a number of seconds. */
static int add_seconds(context *c, const node *n, const orr_value *value, orr_time base, orr_time *out) {
  double seconds = value->type == ORR_INT ? (double)value->as.integer : value->as.number;
  if (!is_in_years(seconds, base))
    return context_error(c, ORR_E_EXPRESSION,
                         "the timer of \"%s\": %g seconds%s are no time; one of the years 0 to 9999 would be right", n->id,
                         seconds, base ? " from now" : "");
  *out = base + (value->type == ORR_INT ? value->as.integer * 1000 : (orr_time)llround(seconds * 1000));
  return 0;
}

static bool timer_is_number(const orr_value *value) { return value->type == ORR_INT || value->type == ORR_FLOAT; }

/* A date: a text in ISO 8601 (a duration counts from `base`), or seconds since the epoch. */
static int read_date(context *c, const node *n, const orr_value *value, orr_time base, orr_time *out) {
  if (timer_is_number(value)) return add_seconds(c, n, value, 0, out);
  if (value->type != ORR_STRING) return no_time(c, n, "date", value);
  const orr_zone *zone = time_zone(c);
  if (!zone) return c->error.code;
  if (!iso_is_duration(value->as.bytes, value->size))
    return iso_parse_time(value->as.bytes, value->size, zone, out, &c->error);
  orr_period period;
  int rc = iso_parse_duration(value->as.bytes, value->size, &period, &c->error);
  return rc ? rc : iso_add(base, zone, &period, 1, out, &c->error);
}

/* 0 means no date, so the epoch itself becomes its next millisecond. */
static int date_value(context *c, const node *n, const orr_value *value, orr_time base, orr_time *out) {
  int rc = read_date(c, n, value, base, out);
  if (!rc && *out == 0) *out = 1;
  return rc;
}

/* A cycle as read, and its zone: its own ("… DSTZONE:name"), else the store's. */
typedef struct timer_cycle {
  cycle_rules rules;
  orr_cycle *cycle;
  const orr_zone *zone;
  orr_zone *own; /* the caller frees it, even after an error */
} timer_cycle;

/* `end`: a date beside the text. */
static int cycle_open(context *c, const definition *d, const char *text, size_t size, orr_time end,
                      timer_cycle *out) {
  char name[CYCLE_ZONE_BYTES];
  *out = (timer_cycle){.rules = dialect_cycle_rules(d->dialect), .zone = time_zone(c)};
  if (!out->zone) return c->error.code;
  out->cycle = ARENA_NEW(c->arena, orr_cycle);
  if (!out->cycle) return context_memory(c);
  int rc = cycle_zone_name(text, size, name, &c->error);
  if (!rc && name[0]) rc = zone_load(&c->engine->env.allocator, name, &out->own, &c->error);
  if (rc) return rc;
  if (out->own) out->zone = out->own;
  rc = cycle_parse(text, size, &out->rules, out->zone, out->cycle, &c->error);
  cycle_end_at(out->cycle, end);
  return rc;
}

/* "start/duration", "duration/end", and a cycle, whose first firing counts. */
static int interval_value(context *c, const definition *d, const node *n, const orr_value *value, orr_time base,
                          orr_time *out) {
  timer_cycle t;
  cycle_state state;
  int rc = cycle_open(c, d, value->as.bytes, value->size, ORR_TIME_NONE, &t);
  if (!rc && !cycle_first(t.cycle, &t.rules, t.zone, base, &state))
    rc = context_error(c, ORR_E_EXPRESSION, "the timer of \"%s\" never fires", n->id);
  if (!rc) *out = state.due;
  zone_free(t.own);
  return rc;
}

static bool is_interval(const orr_value *value) {
  return value->size > 0 && (value->as.bytes[0] == 'R' || memchr(value->as.bytes, '/', value->size));
}

/* A duration: a text in ISO 8601 (a date is taken as it is), or a number of seconds. */
static int duration_value(context *c, const definition *d, const node *n, const orr_value *value, orr_time base,
                          orr_time *out) {
  if (timer_is_number(value)) return add_seconds(c, n, value, base, out);
  if (value->type != ORR_STRING) return no_time(c, n, "duration", value);
  if (is_interval(value)) return interval_value(c, d, n, value, base, out);
  return date_value(c, n, value, base, out);
}

/* A registered calendar decides: resolve(definition, now). */
static int calendar_date(context *c, const node *n, const timer *t, orr_id scope_id, const orr_value *text, orr_time base,
                         bool *used, orr_time *out) {
  const char *name = NULL;
  *used = false;
  if (!expr_given(&t->calendar)) return 0;
  int rc = t->calendar.kind == EXPR_LITERAL ? (name = t->calendar.text, 0)
           : scope_id                       ? expr_text(c, &t->calendar, scope_id, n, &name)
                                            : 0;
  if (rc || !name || calendar_is_built_in(name)) return rc;
  if (!c->host || !c->host->methods->known_name(c->host, name))
    return context_error(c, ORR_E_EXPRESSION,
                         "%s \"%s\": there is no business calendar \"%s\"; register a table with a method "
                         "resolve, called as calendar:resolve(definition, now), by that name",
                         n->element, n->id, name);
  orr_builder *b = orr_builder_new();
  if (!b) return context_memory(c);
  orr_value now = orr_float((double)base / 1000.0), arguments, answer;
  orr_builder_array(b);
  orr_builder_add(b, text);
  orr_builder_add(b, &now);
  orr_builder_end(b);
  rc = orr_builder_value(b, &arguments, &c->error);
  orr_id about = execution_step_out(c);
  if (!rc) rc = c->host->methods->invoke(c->host, name, "resolve", &arguments, c->arena, &answer, &c->error);
  rc = execution_step_in(c, about, rc);
  orr_builder_free(b);
  if (rc) return rc;
  *used = true;
  return date_value(c, n, &answer, base, out);
}

static int end_date(context *c, const definition *d, const node *n, const timer *t, orr_id scope_id, orr_time *out) {
  *out = ORR_TIME_NONE;
  if (!expr_given(&t->end_date)) return 0;
  orr_value value;
  int rc = evaluate(c, d, &t->end_date, scope_id, n, &value);
  if (rc || value.type == ORR_NULL || value.type == ORR_NIL) return rc;
  return date_value(c, n, &value, c->now, out);
}

static int plan_cycle(context *c, const definition *d, const node *n, const char *text, orr_time base, timer_plan *plan) {
  timer_cycle t;
  int rc = cycle_open(c, d, text, strlen(text), plan->end, &t);
  bool fires = !rc && cycle_first(t.cycle, &t.rules, t.zone, base, &plan->state);
  zone_free(t.own);
  if (rc) return rc;
  if (!fires)
    return context_error(c, ORR_E_EXPRESSION, "the timer of \"%s\" never fires: no time to come fits \"%s\"", n->id, text);
  plan->repeats = true;
  plan->cycle = text;
  plan->due = plan->state.due;
  plan->over = !cycle_within(t.cycle, plan->due);
  return 0;
}

/* The plan of the value that a timer's expression gave, as of `base`. */
static int plan_value(context *c, const definition *d, const node *n, const timer *t, orr_id scope_id, orr_time base,
                      const orr_value *value, timer_plan *plan) {
  *plan = (timer_plan){.end = ORR_TIME_NONE};
  bool used;
  int rc = end_date(c, d, n, t, scope_id, &plan->end);
  if (!rc) rc = calendar_date(c, n, t, scope_id, value, base, &used, &plan->due);
  if (rc || used) return rc;
  if (expr_given(&t->date)) return date_value(c, n, value, base, &plan->due);
  if (expr_given(&t->duration)) return duration_value(c, d, n, value, base, &plan->due);
  if (timer_is_number(value)) return date_value(c, n, value, base, &plan->due);
  if (value->type != ORR_STRING) return no_time(c, n, "cycle", value);
  const char *text = arena_strndup(c->arena, value->as.bytes, value->size);
  return text ? plan_cycle(c, d, n, text, base, plan) : context_memory(c);
}

/* The value is no time: a mistake of the model, or of what its expression calls. */
static int bad_value(context *c, const node *n, const orr_value *value) {
  c->error.code = ORR_E_EXPRESSION;
  if (value->type == ORR_STRING)
    return error_wrap(&c->error, "the timer of \"%s\": \"%.*s\"", n->id, value->size < 200 ? (int)value->size : 200,
                      value->as.bytes);
  return error_wrap(&c->error, "the timer of \"%s\"", n->id);
}

static int timer_value(context *c, const definition *d, const node *n, const timer *t, orr_id scope_id, orr_value *out) {
  return evaluate(c, d,
                  expr_given(&t->date)       ? &t->date
                  : expr_given(&t->duration) ? &t->duration
                                             : &t->cycle,
                  scope_id, n, out);
}

/* Evaluates a timer as of `base`. One that never fires is an error, because its token would wait
 * for ever. */
static int plan_timer(context *c, const definition *d, const node *n, const timer *t, orr_id scope_id, orr_time base,
                      timer_plan *plan) {
  orr_value value;
  int rc = timer_value(c, d, n, t, scope_id, &value);
  if (!rc) rc = plan_value(c, d, n, t, scope_id, base, &value, plan);
  if (rc && !c->failed_at) c->failed_at = n;
  return rc == ORR_E_ARGUMENT ? bad_value(c, n, &value) : rc;
}

/* Stores in the job what the next firing needs. A missed firing happens at once, but counts at its
 * planned time. */
static int store_plan(context *c, rec_job *job, const timer_plan *plan) {
  orr_time due = plan->repeats && plan->due < c->now ? c->now : plan->due;
  job->due = due > 0 ? due : 1; /* 0 would be 'no due date' */
  if (!plan->repeats) return 0;
  job->repeat_left = plan->state.left;
  job->repeat_from = plan->state.anchor;
  orr_builder *b = orr_builder_new();
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_builder_put(b, "cycle", orr_string(plan->cycle));
  if (plan->end != ORR_TIME_NONE) orr_builder_put(b, "end", orr_int(plan->end));
  if (job->due > plan->due) {
    orr_builder_put(b, "planned", orr_int(plan->due));
    orr_builder_put(b, "due", orr_int(job->due));
  }
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, &job->data, &c->error);
  orr_builder_free(b);
  return rc;
}

int timer_due(context *c, const definition *d, const node *n, const timer *t, orr_id scope_id, orr_time *out) {
  orr_value value;
  timer_plan plan;
  *out = 0;
  int rc = timer_value(c, d, n, t, scope_id, &value);
  if (rc || value.type == ORR_NULL || value.type == ORR_NIL) return rc;
  rc = plan_value(c, d, n, t, scope_id, c->now, &value, &plan);
  if (!rc) *out = plan.due;
  return rc == ORR_E_ARGUMENT ? bad_value(c, n, &value) : rc;
}

rec_job *timer_job_create(context *c, int kind, rec_instance *instance, rec_execution *e, const definition *d, const node *n,
                          const timer *t) {
  timer_plan plan;
  orr_id scope_id = e ? e->id : instance ? instance->id : 0;
  if (plan_timer(c, d, n, t, scope_id, c->now, &plan)) {
    if (c->error.code != ORR_E_EXPRESSION) error_wrap(&c->error, "timer of \"%s\"", n->id);
    return NULL;
  }
  rec_job *job = job_create(c, kind, instance, e, d, n, plan.due);
  if (!job || store_plan(c, job, &plan) || job_place(c, job)) return NULL;
  return job;
}

/* The planned time of a firing. A missed one is due later than planned, unless its due date was
 * changed since. */
static orr_time planned_due(const rec_job *fired) {
  orr_value planned = orr_map_get(&fired->data, "planned"), due = orr_map_get(&fired->data, "due");
  bool missed = planned.type == ORR_INT && due.type == ORR_INT && due.as.integer == fired->due;
  return missed ? planned.as.integer : fired->due;
}

/* The next firing of a cycle, by what the job stores. */
static int next_firing(context *c, const rec_job *fired, const definition *d, timer_plan *plan, bool *more) {
  orr_value text = orr_map_get(&fired->data, "cycle"), end = orr_map_get(&fired->data, "end");
  *more = false;
  if (text.type != ORR_STRING) return 0; /* a single firing */
  *plan = (timer_plan){.repeats = true, .end = end.type == ORR_INT ? end.as.integer : ORR_TIME_NONE};
  plan->cycle = arena_strndup(c->arena, text.as.bytes, text.size);
  if (!plan->cycle) return context_memory(c);
  timer_cycle t;
  int rc = cycle_open(c, d, text.as.bytes, text.size, plan->end, &t);
  plan->state = (cycle_state){.anchor = fired->repeat_from, .due = planned_due(fired), .left = fired->repeat_left};
  if (!rc) *more = cycle_next(t.cycle, &t.rules, t.zone, c->now, &plan->state);
  zone_free(t.own);
  plan->due = plan->state.due;
  return rc;
}

/* The timer that a job was made for; NULL: none. A task's timeouts have their own, and the job
 * stores the position of its listener. */
static const timer *timer_of(const rec_job *job, const node *n) {
  if (!n || !job_kind_is_timer(job->kind)) return NULL;
  if (job->kind != ORR_JOB_TIMER_TASK_LISTENER) return n->event.type == EVENT_TIMER ? &n->event.timer : NULL;
  uint32_t at = job->flow - 1;
  return n->user && at < n->user->listeners.count ? n->user->listeners.items[at].timer : NULL;
}

static orr_id scope_of_job(const rec_job *job) { return job->execution_id ? job->execution_id : job->instance_id; }

/* If the expression gives another cycle than when the timer was made, that one begins now, even
 * after the last firing of the old one. A cycle that cannot be read is ignored. */
static int reevaluate(context *c, const rec_job *fired, const definition *d, const node *n, timer_plan *plan, bool *more) {
  const timer *t = timer_of(fired, n);
  orr_value old = orr_map_get(&fired->data, "cycle"), value;
  if (!t || !expr_given(&t->cycle) || t->cycle.kind == EXPR_LITERAL || old.type != ORR_STRING) return 0;
  timer_plan fresh;
  int rc = evaluate(c, d, &t->cycle, scope_of_job(fired), n, &value);
  if (!rc && value.type == ORR_STRING && value.size == old.size && memcmp(value.as.bytes, old.as.bytes, old.size) == 0)
    return 0;
  if (!rc) rc = plan_timer(c, d, n, t, scope_of_job(fired), c->now, &fresh);
  if (rc == ORR_E_MEMORY || rc == ORR_E_STORE || rc == RUN_CANCELED) return rc;
  if (rc) {
    engine_log(c->engine, ORR_LOG_WARNING, NULL, "the timer of \"%s\" in \"%s\" keeps its cycle: %s", n->id, d->key,
               c->error.message ? c->error.message : "");
    orr_error_clear(&c->error);
    return 0;
  }
  *plan = fresh;
  *more = !fresh.over;
  return 0;
}

int timer_repeat(context *c, const rec_job *fired, const node *n) {
  definition *d = context_definition(c, fired->definition_id, &c->error);
  if (!d) return c->error.code;
  timer_plan plan;
  bool more;
  int rc = next_firing(c, fired, d, &plan, &more);
  if (!rc && c->engine->config.reevaluate_time_cycle_when_due == ORR_ON) rc = reevaluate(c, fired, d, n, &plan, &more);
  if (rc || !more) return rc;
  rec_instance *instance = fired->instance_id ? unit_instance(c->u, fired->instance_id, &c->error) : NULL;
  rec_execution *e = fired->execution_id && !c->error.code ? execution_get(c, fired->execution_id) : NULL;
  if (c->error.code) return c->error.code;
  rec_job *job = job_create(c, fired->kind, instance, e, d, n, plan.due);
  if (!job) return c->error.code;
  job->flow = fired->flow; /* which listener of a task it is */
  rc = store_plan(c, job, &plan);
  return rc ? rc : job_place(c, job);
}

int timer_recalculate(context *c, rec_job *job, bool from_creation) {
  definition *d = context_definition(c, job->definition_id, &c->error);
  if (!d) return c->error.code;
  const node *n = job->node ? d->nodes[job->node - 1] : NULL;
  const timer *t = timer_of(job, n);
  if (!t) return context_error(c, ORR_E_STATE, "job %" PRIu64 " is no timer", job->id);
  timer_plan plan;
  int rc = plan_timer(c, d, n, t, scope_of_job(job), from_creation ? job->created : c->now, &plan);
  if (rc) return rc;
  if (context_touch(c, job)) return c->error.code;
  job->due = plan.due > 0 ? plan.due : 1;
  return job_place(c, job);
}
