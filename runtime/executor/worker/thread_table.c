/* The table: one question to the threads, and what the store knows of the jobs in their answers. */
#include "executor/worker/thread_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/builder.h"
#include "base/error.h"
#include "base/value.h"
#include "executor/executor.h"
#include "executor/pool_internal.h"
#include "state/context.h"

/* ---- A row ----------------------------------------------------------------------------------- */

static orr_value text_or_none(const char *text) { return text && text[0] ? orr_string(text) : (orr_value){0}; }
static orr_value time_or_none(orr_time time) { return time ? orr_float((double)time / 1000) : (orr_value){0}; }

/* A definition that is gone meanwhile tells nothing. */
static const definition *definition_of(context *c, orr_id id) {
  const definition *d = id ? context_definition(c, id, &c->error) : NULL;
  if (!d) orr_error_clear(&c->error);
  return d;
}

static void tell_element(orr_builder *out, const definition *d, uint32_t index, bool listens) {
  if (!d) return;
  builder_put_given(out, "definition_key", text_or_none(d->key));
  if (index >= d->n_nodes) return;
  builder_put_given(out, "activity_id", text_or_none(d->nodes[index]->id));
  if (listens) orr_builder_put(out, "listener", orr_bool(true));
  else builder_put_given(out, "delegate", text_or_none(call_place_delegate(d->nodes[index])));
}

/* Between two calls the element is the one that its job is of. */
static int tell_job(context *c, orr_builder *out, const inspected *item) {
  const rec_job *job = unit_job(c->u, item->job, &c->error);
  if (c->error.code) return c->error.code;
  orr_builder_put(out, "job", value_of_id(c->arena, item->job));
  if (job && job->instance_id) orr_builder_put(out, "instance_id", value_of_id(c->arena, job->instance_id));
  const definition *d = definition_of(c, item->at.definition);
  if (d) tell_element(out, d, item->at.node, item->at.listens);
  else if (job && job->node) tell_element(out, definition_of(c, job->definition_id), job->node - 1, false);
  return 0;
}

/* By the engine's clock. */
static orr_time limit_at(const context *c, const place_mark *at) {
  return at->deadline ? c->now + at->deadline - call_clock(c->engine) : 0;
}

static int tell_row(context *c, orr_builder *out, const inspected *item) {
  orr_builder_map(out);
  orr_builder_put(out, "thread", orr_int((int64_t)item->thread + 1));
  orr_builder_put(out, "state", orr_string(item->state));
  builder_put_given(out, "since", time_or_none(item->since));
  builder_put_given(out, "line", text_or_none(item->line));
  builder_put_given(out, "in_c_since", time_or_none(item->in_c));
  if (item->job) builder_put_given(out, "limit_at", time_or_none(limit_at(c, &item->at)));
  int rc = item->job ? tell_job(c, out, item) : 0;
  orr_builder_end(out);
  return rc;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool holds_thread(const inspected *item) { return strcmp(item->state, "awaiting") != 0; }

/* By thread: what it is at first, then what awaits, the longest first. */
static int compare_rows(const void *a, const void *b) {
  const inspected *x = a, *y = b;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  if (holds_thread(x) != holds_thread(y)) return holds_thread(x) ? -1 : 1;
  return x->since < y->since ? -1 : x->since > y->since;
}

/* A thread that is at nothing of this engine. */
static int tell_free_thread(context *c, orr_builder *out, const worker *w) {
  const orr_engine *at = atomic_load(&w->current_job) ? atomic_load(&w->current_engine) : NULL;
  const char *state = at && at != c->engine ? "elsewhere" : "idle";
  return tell_row(c, out, &(inspected){.thread = w->index, .state = state});
}

static int tell_threads(context *c, orr_builder *out, const inspection *q) {
  const orr_executor *x = c->engine->executor;
  uint32_t next = 0;
  int rc = 0;
  for (uint32_t i = 0; !rc && i < x->n_workers; i++) {
    bool busy = next < q->count && q->items[next].thread == i && holds_thread(&q->items[next]);
    if (!busy && !atomic_load(&x->workers[i].retired)) rc = tell_free_thread(c, out, &x->workers[i]);
    for (; !rc && next < q->count && q->items[next].thread == i; next++) rc = tell_row(c, out, &q->items[next]);
  }
  return rc;
}

static int tell_table(orr_engine *engine, orr_builder *out, const inspection *q, orr_error *err) {
  context *c = context_begin(engine, NULL, err);
  if (!c) return err->code;
  orr_builder_map(out);
  builder_put_given(out, "name", text_or_none(executor_owner(engine->executor, engine)));
  orr_builder_key(out, "threads", strlen("threads"));
  orr_builder_array(out);
  int rc = tell_threads(c, out, q);
  orr_builder_end(out);
  orr_builder_end(out);
  if (rc) error_move(err, &c->error);
  context_end(c);
  return rc;
}

static int tell_nobody(orr_builder *out) {
  orr_builder_map(out);
  orr_builder_key(out, "threads", strlen("threads"));
  orr_builder_array(out);
  orr_builder_end(out);
  orr_builder_end(out);
  return 0;
}

int thread_table_tell(orr_engine *engine, double wait, orr_builder *out, orr_error *err) {
  if (!executor_runs(engine)) return tell_nobody(out);
  const orr_allocator *allocator = &engine->env.allocator;
  inspection q = {.engine = engine, .brief = true, .items = env_alloc(allocator, INSPECTED_MAX * sizeof *q.items)};
  if (!q.items) return error_memory(err);
  inspect_ask(engine->executor, &q, wait);
  if (q.count) qsort(q.items, q.count, sizeof *q.items, compare_rows);
  int rc = tell_table(engine, out, &q, err);
  env_free(allocator, q.items, INSPECTED_MAX * sizeof *q.items);
  return rc;
}
