/* One modification of many instances: all of a call, or none; with `async` each by a job of its own. */
#include "base/null.h"
#include "base/options.h"
#include "command/instance/instances.h"
#include "command/instance/modify_batch_commands.h"
#include "command/instance/modify_commands.h"
#include "command/lookup.h"
#include "command/operations.h"

typedef struct modify_call {
  const orr_value *instructions;
  const orr_modify_instances_options *options;
  int64_t *count;
} modify_call;

static int check_one(context *c, const modify_call *call, orr_id id) {
  if (!lookup_instance(c, id)) return c->error.code;
  definition *d = context_definition_of(c, id, &c->error);
  return d ? modify_check(c, d, call->instructions, false) : c->error.code;
}

static int modify_one(context *c, const modify_call *call, orr_id id) {
  const orr_modify_instances_options *o = call->options;
  instance_work work = {*call->instructions, o->skip_listeners, o->skip_io_mappings};
  if (!o->async) return modify_plan(c, id, call->instructions, modify_flags(o->skip_listeners, o->skip_io_mappings), NULL);
  rec_instance *i = lookup_instance(c, id);
  return i ? instance_job_create(c, ORR_JOB_MODIFY, i, &work) : c->error.code;
}

int modify_job(context *c, rec_job *job) {
  instance_work work;
  instance_job_work(job, &work);
  return modify_plan(c, job->instance_id, &work.what, modify_flags(work.skip_listeners, work.skip_io_mappings), NULL);
}

static int modify_many_body(context *c, void *ud) {
  const modify_call *call = ud;
  instances found;
  int rc = instances_read(c, "instances", call->options->instances, call->options->filter, &found);
  *call->count = found.count;
  for (uint32_t k = 0; !rc && k < found.count; k++) rc = check_one(c, call, found.ids[k]);
  for (uint32_t k = 0; !rc && k < found.count; k++) rc = modify_one(c, call, found.ids[k]);
  for (uint32_t k = 0; !rc && k < found.count; k++) {
    user_operation what = operation_on_instance(found.ids[k], "ModifyProcessInstance");
    rc = user_operation_log(c, &what, "instructions", NULL, call->instructions);
  }
  return rc;
}

int orr_engine_instances_modify(orr_engine *engine, const orr_value *instructions, const orr_modify_instances_options *given,
                                int64_t *out, orr_error *err) {
  REQUIRE(instructions);
  REQUIRE_AS(given, "options");
  OUT_PLAIN(int64_t, out);
  *out = 0;
  orr_modify_instances_options own;
  const orr_modify_instances_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  modify_call call = {instructions, options, out};
  int rc = command_run(engine, modify_many_body, &call, err);
  if (rc) *out = 0;
  return rc;
}
