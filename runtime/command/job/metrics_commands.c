/* Metrics: as a table of counters, and with the gauges of the store as Prometheus reads them (text format 0.0.4). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/value.h"
#include "command/frame.h"
#include "engine/engine.h"
#include "engine/metrics.h"
#include "executor/owner/cluster.h"
#include "executor/executor.h"
#include "executor/gauges.h"
#include "executor/pool.h"

/* Some 40 lines of at most 200 bytes; and for each node three, with its name twice as long as it is, since it is escaped. */
#define TEXT_BYTES_MAX 16384
#define NODE_BYTES_MAX (3 * (2 * (OWNER_BYTES_MAX + OWNER_MACHINE_BYTES) + 200))

typedef struct page {
  char *text;
  size_t size, capacity;
  const char *engine; /* label value, escaped */
} page;

static void put_line(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_line(page *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(p->text + p->size, p->capacity - p->size, format, args);
  va_end(args);
  if (n > 0 && p->size + (size_t)n < p->capacity) p->size += (size_t)n;
  else p->text[p->size] = '\0';
}

/* Camunda's name in Prometheus' alphabet. */
static const char *underscored(const char *name, char out[64]) {
  size_t i = 0;
  for (; name[i] && i < 63; i++) out[i] = name[i] == '-' ? '_' : name[i];
  out[i] = '\0';
  return out;
}

static void counter(page *p, const char *name, const char *help, uint64_t value) {
  char plain[64];
  underscored(name, plain);
  put_line(p, "# HELP orrery_%s_total %s\n# TYPE orrery_%s_total counter\n", plain, help, plain);
  put_line(p, "orrery_%s_total{engine=\"%s\"} %" PRIu64 "\n", plain, p->engine, value);
}

static void gauge(page *p, const char *name, const char *help, int64_t value) {
  put_line(p, "# HELP orrery_%s %s\n# TYPE orrery_%s gauge\norrery_%s{engine=\"%s\"} %" PRId64 "\n", name, help, name, name,
           p->engine, value);
}

static void put_waits(page *p, const job_gauges *g) {
  static const char name[] = "orrery_job_oldest_wait_seconds";
  put_line(p, "# HELP %s how long the oldest ready job of a band of priorities has waited\n# TYPE %s gauge\n", name, name);
  for (int i = 0; i < GAUGE_BANDS_COUNT; i++)
    if (g->oldest_ms[i] >= 0)
      put_line(p, "%s{engine=\"%s\",priority=\"%s\"} %.3f\n", name, p->engine, gauges_band(i), (double)g->oldest_ms[i] / 1000);
}

static void put_held_views(page *p, orr_engine *engine) {
  held_views held = engine->executor ? executor_held_views(engine->executor, engine) : (held_views){0};
  gauge(p, "views_held", "views of the store, or transactions in its database, that are open for ten seconds and more",
        held.count);
  gauge(p, "view_longest_seconds", "how long the one has been open that is behind newer commits for longest",
        held.longest_ms / 1000);
}

static void fill(page *p, orr_engine *engine, const job_gauges *g) {
#define METRIC_X(field, name, help) counter(p, name, help, metrics_get(engine, METRIC_##field));
  METRIC_MAP(METRIC_X)
#undef METRIC_X
  gauge(p, "jobs_ready", "jobs that may be acquired now", g->ready);
  gauge(p, "jobs_throttled", "ready jobs whose limit is full", g->throttled);
  gauge(p, "jobs_due", "timers whose time has come and that acquisition has not seen yet", g->due);
  gauge(p, "jobs_waiting", "timers and retries whose time lies ahead", g->waiting);
  gauge(p, "jobs_locked", "jobs that some executor holds", g->locked);
  gauge(p, "jobs_exhausted", "failed jobs without retries", g->exhausted);
  gauge(p, "jobs_in_flight", "jobs that the executor of this process holds",
        engine->executor ? executor_in_flight(engine->executor, engine) : 0);
  put_held_views(p, engine);
  put_waits(p, g);
}

static const char *escaped(context *c, const char *text) {
  size_t n = strlen(text), size = 0;
  char *out = arena_alloc(c->arena, 2 * n + 1);
  if (!out) return NULL;
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') out[size++] = '\\';
    out[size++] = *text == '\n' ? ' ' : *text;
  }
  out[size] = '\0';
  return out;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* An executor with a label set of its own: one that was started again under the name that a host gave it is the later one. */
static bool is_labeled(const cluster_nodes *list, size_t at) {
  const rec_owner *o = list->items[at].owner;
  if (o->fenced || !cluster_is_executor(&list->items[at])) return false;
  for (size_t i = at + 1; i < list->count; i++) {
    const rec_owner *later = list->items[i].owner;
    if (!later->fenced && later->threads > 0 && rec_text_equal(o->name, later->name)) return false;
  }
  return true;
}

typedef struct node_gauge {
  const char *name, *help;
  double (*value)(context *c, const cluster_node *n);
} node_gauge;

static double node_alive(context *c, const cluster_node *n) {
  (void)c;
  return cluster_is_alive(n) ? 1 : 0;
}

static double node_held(context *c, const cluster_node *n) {
  (void)c;
  return (double)n->held;
}

static double node_silence(context *c, const cluster_node *n) {
  return c->now > n->owner->told ? (double)(c->now - n->owner->told) / 1000 : 0;
}

static const node_gauge node_gauges[] = {
    {"node_alive", "1 while the lease of an executor holds and its process is not known to have ended", node_alive},
    {"node_jobs_locked", "jobs that an executor holds", node_held},
    {"node_silent_seconds", "how long ago an executor prolonged its lease", node_silence},
};

static int put_node(context *c, page *p, const node_gauge *g, const cluster_node *n) {
  const char *name = escaped(c, n->owner->name.size ? n->owner->name.data : "");
  const char *machine = escaped(c, n->owner->host.size ? n->owner->host.data : "");
  if (!name || !machine) return context_memory(c);
  put_line(p, "orrery_%s{engine=\"%s\",host=\"%s\",pid=\"%" PRId64 "\",node=\"%s\"} %.3f\n", g->name, p->engine, machine,
           n->owner->pid, name, g->value(c, n));
  return 0;
}

static int put_nodes(context *c, page *p, const cluster_nodes *list) {
  int rc = 0;
  for (size_t g = 0; g < sizeof node_gauges / sizeof *node_gauges; g++) {
    const node_gauge *of = &node_gauges[g];
    put_line(p, "# HELP orrery_%s %s\n# TYPE orrery_%s gauge\n", of->name, of->help, of->name);
    for (size_t i = 0; !rc && i < list->count; i++)
      if (is_labeled(list, i)) rc = put_node(c, p, of, &list->items[i]);
  }
  return rc;
}

/* ---- The text -------------------------------------------------------------------------------- */

static int text_body(context *c, void *ud) {
  orr_builder *out = ud;
  job_gauges g;
  cluster_nodes nodes;
  int rc = gauges_read(c, &g);
  if (!rc) rc = cluster_find(c, &nodes);
  if (!rc) rc = cluster_count_held(c, &nodes);
  if (rc) return rc;
  const char *engine_name = c->engine->config.name ? c->engine->config.name : "default";
  size_t capacity = TEXT_BYTES_MAX + nodes.count * (NODE_BYTES_MAX + 6 * strlen(engine_name));
  page p = {.text = arena_alloc(c->arena, capacity), .capacity = capacity, .engine = escaped(c, engine_name)};
  if (!p.text || !p.engine) return context_memory(c);
  p.text[0] = '\0';
  fill(&p, c->engine, &g);
  rc = put_nodes(c, &p, &nodes);
  if (rc) return rc;
  orr_value text = orr_bytes(p.text, p.size);
  orr_builder_add(out, &text);
  return 0;
}

int orr_engine_metrics_text(orr_engine *engine, orr_builder *out, orr_error *err) {
  REQUIRE(engine);
  return command_read(engine, text_body, out, err);
}

int orr_engine_metrics(orr_engine *engine, orr_builder *out, orr_error *err) {
  REQUIRE(engine);
  (void)err;
  orr_builder_map(out);
#define METRIC_X(field, name, help) orr_builder_put(out, name, orr_int((int64_t)metrics_get(engine, METRIC_##field)));
  METRIC_MAP(METRIC_X)
#undef METRIC_X
  orr_builder_put(out, "jobs-in-flight", orr_int(engine->executor ? (int64_t)executor_in_flight(engine->executor, engine) : 0));
  orr_builder_end(out);
  return 0;
}
