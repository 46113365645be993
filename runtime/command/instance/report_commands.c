/* What history tells beyond its lists: reports, annotations, and the deletion of one instance's. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/builder.h"
#include "base/null.h"
#include "command/instance/purge.h"
#include "command/operations.h"
#include "command/operands.h"
#include "query/query.h"
#include "time/iso8601.h"
#include "uow/find.h"

/* ---- One instance ---------------------------------------------------------------------------- */

static int delete_history_body(context *c, void *ud) {
  orr_id id = *(const orr_id *)ud;
  const rec_history_instance *row = orr_id_local(id) == 1 ? unit_history_instance(c->u, id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  if (!row) return context_error(c, ORR_E_NOT_FOUND, "there is no history of an instance %" PRIu64, id);
  if (unit_instance(c->u, id, &c->error))
    return context_error(c, ORR_E_STATE, "instance %" PRIu64 " is running: its history goes on", id);
  user_operation what = operation_on_instance(0, "DeleteHistory");
  what.definition = row->definition_id;
  int rc = c->error.code ? c->error.code : purge_instance(c, id);
  return rc ? rc : user_operation_texts(c, &what, "processInstanceId", arena_printf(c->arena, "%" PRIu64, id), NULL);
}

int orr_engine_history_delete(orr_engine *engine, orr_id instance, orr_error *err) {
  return command_run(engine, delete_history_body, &instance, err);
}

/* ---- Variables ------------------------------------------------------------------------------- */

typedef struct variables_deletion {
  orr_id of;        /* an instance, a scope, or a task without a process */
  const char *name; /* NULL: all */
  int64_t deleted;
} variables_deletion;

/* Rows are kept by their instance and scope; those of a task without a process by 0 and the task.
 * Without a name all of an instance are found: a scope's may have moved to rows of their own. */
static int rows_of_variables(context *c, const variables_deletion *d, unit_found *found) {
  orr_id instance = orr_id_instance(d->of);
  const rec_history_instance *past = unit_history_instance(c->u, instance, &c->error);
  if (c->error.code) return c->error.code;
  rec_key keys[2] = {{.id = past ? instance : 0}, {.id = d->of}};
  bool whole = past && !d->name;
  return unit_find_keys(c->u, &rec_history_variable_type, keys, whole ? 1 : 2, found, &c->error);
}

static int history_variables_known(context *c, const variables_deletion *d, size_t found) {
  bool there = found > 0 && !d->name;
  if (!there && !d->name)
    there = unit_history_instance(c->u, d->of, &c->error) || (!c->error.code && unit_history_task(c->u, d->of, &c->error));
  if (there || c->error.code) return c->error.code;
  if (d->name) return context_error(c, ORR_E_NOT_FOUND, "there is no history of a variable \"%s\" in %" PRIu64, d->name, d->of);
  return context_error(c, ORR_E_NOT_FOUND, "there is no history of an instance or a task %" PRIu64, d->of);
}

static bool is_meant(const variables_deletion *d, const rec_history_variable *row) {
  if (d->name) return rec_text_is(row->name, d->name);
  return d->of == orr_id_instance(d->of) || row->scope == d->of || row->execution_id == d->of;
}

static int delete_variables_body(context *c, void *ud) {
  variables_deletion *d = ud;
  unit_found found;
  d->deleted = 0;
  int rc = rows_of_variables(c, d, &found);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_history_variable *row = (rec_history_variable *)found.items[i];
    if (!is_meant(d, row)) continue;
    rc = purge_variable(c, row);
    d->deleted++;
  }
  if (!rc && (d->deleted == 0 || !d->name)) rc = history_variables_known(c, d, (size_t)d->deleted);
  user_operation what = operation_on_instance(orr_id_instance(d->of), "DeleteHistory");
  what.entity = "Variable";
  return rc || d->deleted == 0 ? rc : user_operation_texts(c, &what, d->name ? "name" : NULL, NULL, d->name);
}

int orr_engine_history_delete_variables(orr_engine *engine, orr_id of, const char *name, int64_t *out, orr_error *err) {
  OUT_PLAIN(int64_t, out);
  variables_deletion d = {.of = of, .name = name};
  int rc = command_run(engine, delete_variables_body, &d, err);
  *out = rc ? 0 : d.deleted;
  return rc;
}

/* ---- Annotations ----------------------------------------------------------------------------- */

typedef struct annotation {
  orr_id id;
  const char *text;
} annotation;

static int annotate_operation_body(context *c, void *ud) {
  const annotation *a = ud;
  rec_key by = {.id = a->id};
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_HISTORY_OPERATION_GROUP, &by, 1, 0, &found, &c->error);
  if (!rc && found.count == 0) rc = context_error(c, ORR_E_NOT_FOUND, "there is no user's operation %" PRIu64, a->id);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_history_operation *row = (rec_history_operation *)found.items[i];
    rc = context_touch(c, row);
    row->annotation = unit_textz(c->u, a->text);
  }
  user_operation what = {.type = a->text ? "SetAnnotation" : "ClearAnnotation", .entity = "OperationLog",
                         .category = OPERATION_BY_OPERATOR};
  return rc ? rc : user_operation_texts(c, &what, "operationId", NULL, arena_printf(c->arena, "%" PRIu64, a->id));
}

int orr_engine_operation_annotate(orr_engine *engine, orr_id operation_id, const char *text, orr_error *err) {
  annotation a = {operation_id, text};
  return command_run(engine, annotate_operation_body, &a, err);
}

/* ---- Durations ------------------------------------------------------------------------------- */

typedef struct duration {
  int year, period;
  double seconds;
} duration;

typedef struct report {
  const char *verb, *period;
  const orr_value *filter;
  orr_builder *out;
  int months; /* of a period */
} report;

static double seconds_of(const orr_value *v) { return v->type == ORR_INT ? (double)v->as.integer : v->as.number; }

/* False: it has not ended. */
static bool duration_of(const report *r, const orr_records *records, size_t at, duration *out) {
  bool tasks = strcmp(r->verb, "history_tasks") == 0;
  orr_value from = orr_records_get(records, at, tasks ? "created" : "started_at");
  orr_value to = orr_records_get(records, at, "ended_at");
  char text[ISO_TIME_TEXT];
  if (from.type == ORR_NIL || to.type == ORR_NIL) return false;
  iso_format_time((orr_time)(seconds_of(&from) * 1000), text); /* 2026-03-… */
  *out = (duration){.year = atoi(text), .seconds = seconds_of(&to) - seconds_of(&from)};
  const char *month = strchr(text + 1, '-');
  out->period = month ? (atoi(month + 1) - 1) / r->months + 1 : 1;
  return true;
}

static int by_period(const void *left, const void *right) {
  const duration *a = left, *b = right;
  return a->year != b->year ? a->year - b->year : a->period - b->period;
}

/* The rows from `first` on that fall into one period; how many. */
static size_t report_period(orr_builder *b, const duration *first, size_t left) {
  double least = first->seconds, most = first->seconds, sum = 0;
  size_t count = 0;
  for (; count < left && by_period(first, first + count) == 0; count++) {
    double seconds = first[count].seconds;
    least = seconds < least ? seconds : least;
    most = seconds > most ? seconds : most;
    sum += seconds;
  }
  orr_builder_map(b);
  orr_builder_put(b, "year", orr_int(first->year));
  orr_builder_put(b, "period", orr_int(first->period));
  orr_builder_put(b, "count", orr_int((int64_t)count));
  orr_builder_put(b, "minimum", orr_float(least));
  orr_builder_put(b, "maximum", orr_float(most));
  orr_builder_put(b, "average", orr_float(sum / (double)count));
  orr_builder_end(b);
  return count;
}

static int report_records(context *c, const report *r, const orr_records *records) {
  size_t count = orr_records_count(records), kept = 0;
  duration *all = ARENA_ARRAY(c->arena, duration, count + 1);
  if (!all) return context_memory(c);
  for (size_t i = 0; i < count; i++) kept += duration_of(r, records, i, &all[kept]);
  qsort(all, kept, sizeof *all, by_period);
  orr_builder_array(r->out);
  for (size_t at = 0; at < kept;) at += report_period(r->out, all + at, kept - at);
  orr_builder_end(r->out);
  return 0;
}

static int durations_body(context *c, void *ud) {
  report *r = ud;
  orr_records *records = NULL;
  if (strcmp(r->verb, "history_instances") != 0 && strcmp(r->verb, "history_tasks") != 0)
    return context_error(c, ORR_E_ARGUMENT, "durations are of history_instances or history_tasks, not of \"%s\"", r->verb);
  r->months = strcmp(r->period, "month") == 0 ? 1 : 3;
  if (r->months == 3 && strcmp(r->period, "quarter") != 0)
    return context_error(c, ORR_E_ARGUMENT, "the period is \"%s\"; it must be \"month\" or \"quarter\"", r->period);
  int rc = query_run(c, r->verb, r->filter, &records, NULL, &c->error);
  if (!rc) rc = report_records(c, r, records);
  orr_records_free(records);
  return rc;
}

int orr_engine_history_durations(orr_engine *engine, const char *verb, const orr_value *filter,
    const char *period, orr_builder *out,
                         orr_error *err) {
  REQUIRE(verb);
  REQUIRE(period);
  report r = {.verb = verb, .period = period, .filter = filter, .out = out};
  return command_read(engine, durations_body, &r, err);
}
