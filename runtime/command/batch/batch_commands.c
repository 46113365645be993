/* Batches (features J19): one thing done to many records by jobs. What a batch does is in action.c, how its jobs do it in
 * batch_run.c; here are the commands that make, suspend, cancel and delete one. */
#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/options.h"
#include "base/value.h"
#include "command/batch/action.h"
#include "command/batch/batch_run.h"
#include "command/operands.h"
#include "command/operations.h"
#include "query/query.h"
#include "query/results.h"
#include "query/row_batch.h"
#include "state/expression.h"

enum { SIZE_DEFAULT = 100, SIZE_MAX_ALLOWED = 10000, JOBS_PER_SEED_DEFAULT = 100 };

typedef struct batch_call {
  const orr_batch_options *options;
  orr_records **out;
  orr_id batch;
  bool flag; /* suspend it; delete it though it runs */
} batch_call;

/* ---- Making ---------------------------------------------------------------------------------- */

/* A number of the options, 0 of which stands for `otherwise`. */
static int positive_option(context *c, const char *name, int64_t given, int64_t otherwise, int64_t most, int64_t *out) {
  *out = given ? given : otherwise;
  if (*out >= 1 && *out <= most) return 0;
  return context_error(c, ORR_E_ARGUMENT, "%s must be 1 to %" PRId64, name, most);
}

static int read_batch_options(context *c, const orr_batch_options *o, rec_batch *batch) {
  const char *name = o->action ? o->action : "", *list = o->list ? o->list : "";
  orr_value of = orr_string(list);
  batch->action = unit_textz(c->u, name);
  const batch_action *action = batch_action_named(batch->action);
  if (!action) return context_error(c, ORR_E_ARGUMENT, "action must be %s", batch_action_names(c));
  if (!context_text(c, &of, "list")) return c->error.code;
  batch->list = unit_textz(c->u, *list ? list : action->on[0].list);
  const char *type = batch_action_type(action, batch->list);
  if (!type) return context_error(c, ORR_E_ARGUMENT, "%s cannot be done to the list \"%s\"", action->name, list);
  batch->type = unit_textz(c->u, type);
  batch->priority = o->priority;
  int rc = positive_option(c, "size", o->job_size, SIZE_DEFAULT, SIZE_MAX_ALLOWED, &batch->size);
  if (!rc)
    rc = positive_option(c, "jobs_per_seed", o->jobs_per_seed, JOBS_PER_SEED_DEFAULT, ORR_BATCH_PART_MAX,
                         &batch->jobs_per_seed);
  return rc ? rc : batch_action_read(c, action, o, batch);
}

/* The numbers that name a thing of the batch. */
static void put_thing(const rec_batch *batch, const orr_records *found, size_t i, orr_id *out) {
  if (batch_width(batch) == 1) {
    out[i] = orr_records_id(found, i);
    return;
  }
  orr_value instance = orr_records_get(found, i, "instance_id");
  orr_value number = orr_records_get(found, i, "number");
  out[2 * i] = instance.type == ORR_INT ? (orr_id)instance.as.integer : 0;
  out[2 * i + 1] = (orr_id)number.as.integer;
}

/* The ids of what the list finds; *count things. */
static int find_ids(context *c, const rec_batch *batch, const orr_value *filter, orr_id **ids, size_t *count) {
  orr_records *found = NULL;
  int rc = query_run(c, batch->list.data, filter, &found, NULL, &c->error);
  if (rc) return rc;
  *count = orr_records_count(found);
  *ids = ARENA_ARRAY(c->arena, orr_id, *count * batch_width(batch) + 1);
  for (size_t i = 0; *ids && i < *count; i++) put_thing(batch, found, i, *ids);
  orr_records_free(found);
  return *ids ? 0 : context_memory(c);
}

/* Adds the whole hierarchies of what was found: the history of roots, or everything decided for one
 * decision. */
static int widen_to_roots(context *c, const rec_batch *batch, const orr_value *filter, orr_id **ids, size_t *count) {
  bool decided = batch_width(batch) == 2;
  const char *root = decided ? "root_number" : "root_id";
  const char *among = decided ? "root_number_in" : "root_id_in";
  orr_records *found = NULL;
  orr_value roots, wide;
  orr_builder *b = builder_new(&c->engine->env.allocator);
  int rc = b ? query_run(c, batch->list.data, filter, &found, NULL, &c->error) : context_memory(c);
  if (!rc) {
    orr_builder_map(b);
    orr_builder_key(b, among, strlen(among));
    orr_builder_array(b);
    for (size_t i = 0; i < orr_records_count(found); i++) {
      roots = orr_records_get(found, i, root);
      orr_builder_add(b, &roots);
    }
    orr_builder_end(b);
    orr_builder_end(b);
    rc = builder_copy(b, c->arena, &wide, &c->error);
  }
  orr_records_free(found);
  orr_builder_free(b);
  return rc ? rc : find_ids(c, batch, &wide, ids, count);
}

static int log_batch(context *c, const rec_batch *batch) {
  user_operation what = operation_on_batch(batch->id, "Create");
  orr_value total = orr_int(batch->total), later = orr_bool(true);
  int rc = user_operation_texts(c, &what, "action", NULL, batch->action.data);
  if (!rc) rc = user_operation_log(c, &what, "nrOfInstances", NULL, &total);
  return rc ? rc : user_operation_log(c, &what, "async", NULL, &later);
}

static int batch_body(context *c, void *ud) {
  const batch_call *call = ud;
  orr_id *ids = NULL;
  size_t count = 0;
  orr_id first = unit_new_group(c->u, &c->error);
  rec_batch *batch = first ? unit_new_batch(c->u, batch_relative(first, BATCH_LOCAL)) : NULL;
  if (!batch) return first ? context_memory(c) : c->error.code;
  batch->created = context_stamp(c);
  batch->state = unit_textz(c->u, "running");
  batch->user = unit_textz(c->u, c->user);
  int rc = read_batch_options(c, call->options, batch);
  orr_value wide = orr_map_get(&batch->data, "hierarchical");
  bool past = rec_text_is(batch->list, "history_instances") || batch_width(batch) == 2;
  const orr_value *by = call->options->filter;
  if (!rc && by && by->type != ORR_NIL) rc = operand_map(c, by, "filter");
  if (by && by->type != ORR_MAP) by = NULL;
  if (!rc && past && wide.type == ORR_BOOL && wide.as.boolean) rc = widen_to_roots(c, batch, by, &ids, &count);
  else if (!rc) rc = find_ids(c, batch, by, &ids, &count);
  if (!rc) rc = batch_make(c, batch, ids, count);
  if (!rc) rc = log_batch(c, batch);
  rec_head *made = &batch->head;
  return rc ? rc : records_from(c, &rec_batch_type, &made, 1, call->out, &c->error);
}

int orr_engine_batch_create(orr_engine *engine, const orr_batch_options *options, orr_records **out, orr_error *err) {
  REQUIRE(options);
  OUT_RECORDS(out);
  *out = NULL;
  orr_batch_options own;
  batch_call call = {.options = options_take(&own, sizeof own, options, err), .out = out};
  int rc = call.options ? command_run(engine, batch_body, &call, err) : ORR_E_ARGUMENT;
  if (!rc) return 0;
  orr_records_free(*out);
  *out = NULL;
  return rc;
}

/* ---- One batch ------------------------------------------------------------------------------- */

/* The batch's jobs run beside these commands and write the same records. */

/* NULL with c->error. */
static rec_batch *lookup_batch(context *c, orr_id id) {
  rec_batch *batch = unit_batch(c->u, id, &c->error);
  if (!batch && !c->error.code) context_error(c, ORR_E_NOT_FOUND, "there is no batch %" PRIu64, id);
  return batch;
}

static rec_batch *running_batch(context *c, orr_id id) {
  rec_batch *batch = lookup_batch(c, id);
  if (!batch || !batch->ended_at) return batch;
  context_error(c, ORR_E_STATE, "batch %" PRIu64 " has ended", id);
  return NULL;
}

static int switch_body(context *c, void *ud) {
  const batch_call *call = ud;
  rec_batch *batch = running_batch(c, call->batch);
  int rc = batch ? batch_switch(c, batch, call->flag) : c->error.code;
  user_operation what = operation_on_batch(call->batch, call->flag ? "SuspendBatch" : "ActivateBatch");
  return rc ? rc : user_operation_suspension(c, &what, call->flag);
}

int orr_engine_batch_suspend(orr_engine *engine, orr_id batch, orr_error *err) {
  return command_upkeep(engine, switch_body, &(batch_call){.batch = batch, .flag = true}, err);
}

int orr_engine_batch_activate(orr_engine *engine, orr_id batch, orr_error *err) {
  return command_upkeep(engine, switch_body, &(batch_call){.batch = batch, .flag = false}, err);
}

/* A job that is running loses its commit. */
static int cancel_body(context *c, void *ud) {
  const batch_call *call = ud;
  rec_batch *batch = running_batch(c, call->batch);
  int rc = batch ? batch_end(c, batch, "canceled") : c->error.code;
  user_operation what = operation_on_batch(call->batch, "Delete");
  return rc ? rc : user_operation_log(c, &what, NULL, NULL, NULL);
}

int orr_engine_batch_cancel(orr_engine *engine, orr_id batch, orr_error *err) {
  return command_upkeep(engine, cancel_body, &(batch_call){.batch = batch}, err);
}

static int delete_batch_body(context *c, void *ud) {
  const batch_call *call = ud;
  rec_batch *batch = lookup_batch(c, call->batch);
  if (!batch) return c->error.code;
  bool runs = !batch->ended_at;
  if (runs && !call->flag) return context_error(c, ORR_E_STATE, "batch %" PRIu64 " is running: cancel it", batch->id);
  int rc = runs ? batch_end(c, batch, "canceled") : 0;
  if (!rc && unit_delete(c->u, batch)) rc = context_memory(c);
  user_operation what = operation_on_batch(call->batch, "DeleteHistory");
  return rc ? rc : user_operation_log(c, &what, NULL, NULL, NULL);
}

int orr_engine_batch_delete(orr_engine *engine, orr_id batch, orr_cascade cascade, orr_error *err) {
  return command_upkeep(engine, delete_batch_body, &(batch_call){.batch = batch, .flag = cascade == ORR_CASCADE}, err);
}
