/* What was counted, by intervals: looked up and deleted. */
#include <stdlib.h>
#include <string.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/value.h"
#include "command/operands.h"
#include "engine/meter.h"
#include "state/expression.h"
#include "uow/find.h"

/* Camunda's words for some of its counters, in what it calls product metrics. */
static const struct { const char *word, *name; } words[] = {
    {"flow-node-instances", "activity-instance-start"},
    {"process-instances", "root-process-instance-start"},
    {"decision-instances", "executed-decision-instances"},
    {"task-users", METER_WORKERS},
};

static const char *const names[] = {
#define METRIC_X(field, name, help) name,
    METRIC_MAP(METRIC_X)
#undef METRIC_X
    METER_WORKERS,
};
enum { NAMES = sizeof names / sizeof *names };

/* ---- Requests -------------------------------------------------------------------------------- */

typedef struct meter_request {
  int name; /* of `names`; -1: all */
  rec_text reporter; /* empty: any */
  orr_time from, to; /* to 0: no end */
  int64_t interval, limit, offset; /* interval 0: sums; limit -1: none */
  bool by_reporter;
} meter_request;

static bool meter_given(const orr_value *request, const char *key, orr_value *out) {
  *out = orr_map_get(request, key);
  return out->type != ORR_NIL && out->type != ORR_NULL;
}

static int meter_name(context *c, const orr_value *request, int *out) {
  orr_value v;
  *out = -1;
  if (!meter_given(request, "name", &v)) return 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (value_is_text(&v, words[i].word)) v = orr_string(words[i].name);
  for (int i = 0; i < NAMES; i++)
    if (value_is_text(&v, names[i])) *out = i;
  if (*out >= 0) return 0;
  if (v.type != ORR_STRING) return context_error(c, ORR_E_ARGUMENT, "name must be a counter's name");
  return context_error(c, ORR_E_ARGUMENT, "there is no counter \"%.*s\"; metrics() has the names", (int)v.size, v.as.bytes);
}

static int meter_text(context *c, const orr_value *request, const char *key, rec_text *out) {
  orr_value v;
  if (!meter_given(request, key, &v)) return 0;
  if (v.type != ORR_STRING) return context_error(c, ORR_E_ARGUMENT, "%s must be a text", key);
  *out = unit_text(c->u, v.as.bytes, v.size);
  return 0;
}

static int meter_time(context *c, const orr_value *request, const char *key, orr_time *out) {
  orr_value v = orr_map_get(request, key);
  return value_time(c, &v, out) ? error_wrap(&c->error, "%s", key) : 0;
}

static int meter_flag(context *c, const orr_value *request, const char *key, bool *out) {
  orr_value v;
  if (!meter_given(request, key, &v)) return 0;
  if (v.type != ORR_BOOL) return context_error(c, ORR_E_ARGUMENT, "%s must be true or false", key);
  *out = v.as.boolean;
  return 0;
}

static int meter_count(context *c, const orr_value *request, const char *key, int64_t *out) {
  orr_value v;
  if (!meter_given(request, key, &v)) return 0;
  if (v.type != ORR_INT || v.as.integer < 0) return context_error(c, ORR_E_ARGUMENT, "%s must be an integer from 0 on", key);
  *out = v.as.integer;
  return 0;
}

static int meter_interval(context *c, const orr_value *request, int64_t *out) {
  orr_value v;
  if (!meter_given(request, "interval", &v)) return 0;
  double seconds = v.type == ORR_INT ? (double)v.as.integer : v.type == ORR_FLOAT ? v.as.number : 0;
  *out = seconds > 0 && seconds < 1e10 ? (int64_t)(seconds * 1000) : 0;
  if (*out > 0 && *out % METER_INTERVAL_MS == 0) return 0;
  return context_error(c, ORR_E_ARGUMENT, "interval must be a whole number of quarters of an hour");
}

static int check_meter_keys(context *c, const orr_value *request, const char *const *known, size_t n) {
  orr_iterator i = orr_iterate(request);
  orr_value key, value;
  int rc = operand_map(c, request, "the request");
  while (!rc && request->type == ORR_MAP && orr_next(&i, &key, &value)) {
    size_t k = 0;
    while (k < n && !value_is_text(&key, known[k])) k++;
    if (k == n) rc = context_error(c, ORR_E_ARGUMENT, "metrics know no \"%.*s\"", (int)key.size, key.as.bytes);
  }
  return rc;
}

static int read_meter_request(context *c, const orr_value *request, meter_request *out) {
  static const char *const known[] = {"name", "reporter", "from", "to", "interval", "by_reporter", "limit", "offset"};
  *out = (meter_request){.name = -1, .limit = -1};
  int rc = check_meter_keys(c, request, known, sizeof known / sizeof *known);
  if (!rc) rc = meter_name(c, request, &out->name);
  if (!rc) rc = meter_text(c, request, "reporter", &out->reporter);
  if (!rc) rc = meter_time(c, request, "from", &out->from);
  if (!rc) rc = meter_time(c, request, "to", &out->to);
  if (!rc) rc = meter_interval(c, request, &out->interval);
  if (!rc) rc = meter_flag(c, request, "by_reporter", &out->by_reporter);
  if (!rc) rc = meter_count(c, request, "limit", &out->limit);
  return rc ? rc : meter_count(c, request, "offset", &out->offset);
}

/* ---- Adding up ------------------------------------------------------------------------------- */

typedef struct meter_sum {
  const char *name;
  orr_time time;
  rec_text reporter; /* of intervals by reporter, and of people their hash */
  int64_t value;
} meter_sum;

typedef struct reading {
  context *c;
  const meter_request *request;
  const char *name; /* whose rows are read now */
  meter_sum *items;
  size_t count, capacity, first; /* first: of this name */
} reading;

static bool in_time(const meter_request *q, orr_time time) { return time >= q->from && (!q->to || time < q->to); }

/* People are told apart by their hash, whatever the interval; counts by what is asked for. */
static meter_sum meter_place(const reading *r, orr_time time, rec_text reporter, bool people) {
  const meter_request *q = r->request;
  meter_sum of = {.name = r->name};
  if (q->interval && !people) of.time = time - time % q->interval;
  if (people || (q->interval && q->by_reporter)) of.reporter = reporter;
  return of;
}

/* Rows come by their times: what a row belongs to is among the last. People come in any order, and are few enough to be
 * sorted afterwards. */
static meter_sum *sum_of(reading *r, meter_sum of, bool people) {
  for (size_t i = r->count; !people && i > r->first && r->items[i - 1].time >= of.time; i--)
    if (r->items[i - 1].time == of.time && rec_text_equal(r->items[i - 1].reporter, of.reporter)) return &r->items[i - 1];
  if (!ARENA_ROOM(r->c->arena, r->items, r->count, r->capacity, 64)) return NULL;
  of.reporter = unit_text(r->c->u, of.reporter.data, of.reporter.size);
  r->items[r->count] = of;
  return &r->items[r->count++];
}

static int meter_add(reading *r, orr_time time, rec_text reporter, int64_t count) {
  bool people = r->name == names[NAMES - 1];
  if (!in_time(r->request, time)) return 0;
  meter_sum *sum = sum_of(r, meter_place(r, time, reporter, people), people);
  if (!sum) return context_memory(r->c);
  sum->value += count;
  return 0;
}

static int add_stored(void *ud, rec_head *record, bool *stop) {
  reading *r = ud;
  const rec_meter *row = (const rec_meter *)(const void *)record;
  (void)stop;
  if (r->request->reporter.size && !rec_text_equal(row->reporter, r->request->reporter)) return 0;
  return meter_add(r, row->time, row->reporter, row->count);
}

static rec_text text_here(const char *text) { return (rec_text){text, strlen(text)}; }

static int add_unwritten(reading *r, const meter_unwritten *own, int which) {
  char reporter[METER_REPORTER_BYTES];
  meter_reporter(r->c->engine, reporter);
  const rec_text *wanted = &r->request->reporter;
  if (wanted->size && !rec_text_is(*wanted, reporter)) return 0;
  if (which < METRICS)
    return own->counts[which] ? meter_add(r, own->from, text_here(reporter), (int64_t)own->counts[which]) : 0;
  int rc = 0;
  for (size_t i = 0; !rc && i < own->n_workers; i++) {
    char hash[METER_HASH_BYTES];
    meter_hash_text(own->workers[i], hash);
    rc = meter_add(r, own->from, text_here(hash), 1);
  }
  return rc;
}

static int by_reporter(const void *a, const void *b) {
  const meter_sum *x = a, *y = b;
  size_t common = x->reporter.size < y->reporter.size ? x->reporter.size : y->reporter.size;
  int order = common ? memcmp(x->reporter.data, y->reporter.data, common) : 0;
  return order ? order : (x->reporter.size > y->reporter.size) - (x->reporter.size < y->reporter.size);
}

/* One item in the place of all: how many different people there are. */
static void count_people(reading *r) {
  meter_sum *items = r->items + r->first;
  size_t n = r->count - r->first;
  int64_t people = n > 0;
  if (n > 1) qsort(items, n, sizeof *items, by_reporter);
  for (size_t i = 1; i < n; i++) people += !rec_text_equal(items[i].reporter, items[i - 1].reporter);
  if (n == 0) return;
  items[0].value = people;
  r->count = r->first + 1;
}

/* This process's: of the interval that is over, and of this one. */
typedef struct own_counts {
  meter_unwritten ended, current;
} own_counts;

static int read_counts_of(reading *r, const own_counts *own, int which) {
  r->name = names[which];
  r->first = r->count;
  const rec_key key = {.text = unit_textz(r->c->u, r->name)};
  int rc = unit_walk(r->c->u, &(access_path){.type = &rec_meter_type, .fields = &key, .n_fields = 1}, add_stored, r, NULL,
                     &r->c->error);
  if (!rc) rc = add_unwritten(r, &own->ended, which);
  if (!rc) rc = add_unwritten(r, &own->current, which);
  if (!rc && which == METRICS) count_people(r);
  return rc;
}

/* People are in no list by intervals: the same ones work in several. */
static int read_counts(reading *r, const own_counts *own) {
  const meter_request *q = r->request;
  int rc = 0;
  for (int i = 0; !rc && i < NAMES; i++) {
    bool wanted = q->name < 0 ? i < METRICS || !q->interval : q->name == i;
    if (wanted) rc = read_counts_of(r, own, i);
  }
  return rc;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static int64_t sum_named(const reading *r, const char *name) {
  for (size_t i = 0; i < r->count; i++)
    if (r->items[i].name == name) return r->items[i].value;
  return 0;
}

static void put_sums(const reading *r, orr_builder *out) {
  orr_builder_map(out);
  for (int i = 0; i < NAMES; i++)
    if (r->request->name < 0 || r->request->name == i) orr_builder_put(out, names[i], orr_int(sum_named(r, names[i])));
  orr_builder_end(out);
}

static int latest_first(const void *a, const void *b) {
  const meter_sum *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? 1 : -1;
  int order = strcmp(x->name, y->name);
  return order ? order : by_reporter(a, b);
}

static void put_intervals(reading *r, orr_builder *out) {
  const meter_request *q = r->request;
  if (r->count > 1) qsort(r->items, r->count, sizeof *r->items, latest_first);
  orr_builder_array(out);
  for (size_t i = (size_t)q->offset; i < r->count && (q->limit < 0 || (int64_t)i - q->offset < q->limit); i++) {
    const meter_sum *sum = &r->items[i];
    orr_builder_map(out);
    orr_builder_put(out, "name", orr_string(sum->name));
    orr_builder_put(out, "time", orr_float((double)sum->time / 1000));
    orr_builder_put(out, "value", orr_int(sum->value));
    if (sum->reporter.size) orr_builder_put(out, "reporter", orr_bytes(sum->reporter.data, sum->reporter.size));
    orr_builder_end(out);
  }
  orr_builder_end(out);
}

typedef struct meter_call {
  const orr_value *request;
  orr_builder *out;
  int64_t deleted;
} meter_call;

static int stored_metrics_body(context *c, void *ud) {
  const meter_call *call = ud;
  meter_request request;
  own_counts own;
  reading r = {.c = c, .request = &request};
  int rc = read_meter_request(c, call->request, &request);
  if (rc) return rc;
  if (request.interval && request.name == METRICS)
    return context_error(c, ORR_E_ARGUMENT, "people who were given tasks are counted for a time, not by intervals");
  unit_pause(c->u);
  if (meter_read_begin(c->engine, c->arena, &own.ended, &own.current)) return context_memory(c);
  rc = read_counts(&r, &own);
  meter_read_end(c->engine);
  if (rc) return rc;
  if (request.interval) put_intervals(&r, call->out);
  else put_sums(&r, call->out);
  return 0;
}

static const orr_value nothing = {0};

int orr_engine_metrics_stored(orr_engine *engine, const orr_value *request, orr_builder *out, orr_error *err) {
  return command_read(engine, stored_metrics_body, &(meter_call){.request = request ? request : &nothing, .out = out}, err);
}

/* ---- Deleting -------------------------------------------------------------------------------- */

/* Rows in one commit: what a step of clean-up may hold. */
enum { METER_DELETIONS = 5000 };

typedef struct meter_deletion {
  context *c;
  orr_time before; /* 0: all */
  rec_text reporter;
  bool only_workers, no_workers;
  unit_found gone;
  size_t capacity;
} meter_deletion;

static int take_meter_row(void *ud, rec_head *record, bool *stop) {
  meter_deletion *d = ud;
  const rec_meter *row = (const rec_meter *)(const void *)record;
  bool worker = rec_text_is(row->name, METER_WORKERS);
  if (d->before && row->time >= d->before) return 0;
  if (worker ? d->no_workers : d->only_workers) return 0;
  if (d->reporter.size && !rec_text_equal(row->reporter, d->reporter)) return 0;
  rec_head *kept = unit_keep(d->c->u, record, &d->c->error);
  if (!kept) return d->c->error.code;
  if (!ARENA_ROOM(d->c->arena, d->gone.items, d->gone.count, d->capacity, 64)) return context_memory(d->c);
  d->gone.items[d->gone.count++] = kept;
  *stop = d->gone.count >= METER_DELETIONS;
  return 0;
}

static int read_deletion(context *c, const orr_value *request, meter_deletion *out) {
  static const char *const known[] = {"before", "reporter", "task_workers"};
  orr_value workers;
  bool only = false;
  *out = (meter_deletion){.c = c};
  int rc = check_meter_keys(c, request, known, sizeof known / sizeof *known);
  if (!rc) rc = meter_time(c, request, "before", &out->before);
  if (!rc) rc = meter_text(c, request, "reporter", &out->reporter);
  if (!rc) rc = meter_flag(c, request, "task_workers", &only);
  out->only_workers = only;
  out->no_workers = !only && meter_given(request, "task_workers", &workers);
  return rc;
}

static int delete_some(context *c, void *ud) {
  meter_call *call = ud;
  meter_deletion d;
  call->deleted = 0;
  int rc = read_deletion(c, call->request, &d);
  if (!rc) rc = unit_walk(c->u, &(access_path){.type = &rec_meter_type}, take_meter_row, &d, NULL, &c->error);
  for (size_t i = 0; !rc && i < d.gone.count; i++, call->deleted++)
    if (unit_delete(c->u, d.gone.items[i])) rc = context_memory(c);
  return rc;
}

int orr_engine_metrics_delete(orr_engine *engine, const orr_value *request, int64_t *out, orr_error *err) {
  OUT_PLAIN(int64_t, out);
  meter_call call = {.request = request ? request : &nothing, .deleted = METER_DELETIONS};
  int rc = 0;
  *out = 0;
  while (!rc && call.deleted == METER_DELETIONS) {
    rc = command_run(engine, delete_some, &call, err);
    if (!rc) *out += call.deleted;
  }
  return rc;
}
