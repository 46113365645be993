/* What runs now: the jobs of the executor's threads, and where they are in their scripts. */
#include <stdlib.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/value.h"
#include "command/frame.h"
#include "executor/executor.h"
#include "executor/worker/inspect.h"

static orr_value text_or_nil(const char *text) { return text ? orr_string(text) : (orr_value){0}; }

/* What the job's record says, if it is still there. */
static int add_job(context *c, orr_builder *out, orr_id id) {
  const rec_job *job = unit_job(c->u, id, &c->error);
  if (!job) return c->error.code;
  definition *d = job->definition_id && job->node ? context_definition(c, job->definition_id, &c->error) : NULL;
  if (c->error.code && c->error.code != ORR_E_NOT_FOUND) return c->error.code;
  orr_error_clear(&c->error);
  if (d) builder_put_given(out, "activity_id", orr_string(d->nodes[job->node - 1]->id));
  if (job->instance_id) builder_put_given(out, "instance_id", value_of_id(c->arena, job->instance_id));
  return 0;
}

typedef struct running_call {
  inspection *question;
  orr_builder *out;
} running_call;

static int describe_run(context *c, void *ud) {
  const running_call *call = ud;
  int rc = 0;
  orr_builder_array(call->out);
  for (uint32_t i = 0; !rc && i < call->question->count; i++) {
    const inspected *item = &call->question->items[i];
    orr_builder_map(call->out);
    builder_put_given(call->out, "job", value_of_id(c->arena, item->job));
    builder_put_given(call->out, "thread", orr_int((int64_t)item->thread + 1));
    builder_put_given(call->out, "since", orr_float((double)item->since / 1000));
    builder_put_given(call->out, "state", orr_string(item->state));
    builder_put_given(call->out, "traceback", text_or_nil(item->traceback));
    rc = add_job(c, call->out, item->job);
    orr_builder_end(call->out);
  }
  orr_builder_end(call->out);
  return rc;
}

int orr_engine_running(orr_engine *engine, double wait_ms, orr_builder *out, orr_error *err) {
  REQUIRE(engine);
  const orr_allocator *allocator = &engine->env.allocator;
  inspection q = {.engine = engine, .items = env_alloc(allocator, INSPECTED_MAX * sizeof *q.items)};
  if (!q.items) return error_memory(err);
  if (engine->executor && orr_engine_executor_active(engine)) inspect_ask(engine->executor, &q, wait_ms / 1000);
  int rc = command_read(engine, describe_run, &(running_call){&q, out}, err);
  for (uint32_t i = 0; i < q.count; i++) free(q.items[i].traceback);
  env_free(allocator, q.items, INSPECTED_MAX * sizeof *q.items);
  return rc;
}
