/* Starting instances: by key, definition or message, now or by a job, at a start event or as instructions say. */
#include "command/instance/start_commands.h"

#include <inttypes.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/options.h"
#include "base/value.h"
#include "command/lookup.h"
#include "command/instance/modify_commands.h"
#include "command/deploy/start_events.h"
#include "command/operands.h"
#include "command/operations.h"
#include "job/timer.h"
#include "query/results.h"
#include "uow/find.h"
#include "uow/relation.h"

/* ---- Where ----------------------------------------------------------------------------------- */

static int named_start(context *c, const definition *d, const char *id, const node **out) {
  *out = definition_node(d, id);
  if (*out && (*out)->type == NODE_START_EVENT && (*out)->scope == d->process) return 0;
  return context_error(c, ORR_E_ARGUMENT, "\"%s\" is no start event of process \"%s\"", id, d->key);
}

/* ---- The way in ------------------------------------------------------------------------------ */

/* Instructions, where there are any, stand for the start event. */
static int begin_instance(context *c, orr_id instance, const node *start, const orr_value *instructions, uint32_t flags) {
  bool instructed = instructions && instructions->type == ORR_ARRAY;
  int rc = instance_begin(c, instance, instructed ? NULL : start, flags);
  return !rc && instructed ? modify_plan(c, instance, instructions, flags, NULL) : rc;
}

/* ---- By a job -------------------------------------------------------------------------------- */

static const char job_instructions[] = "instructions", job_flags[] = "flags";

static int keep_start_in_job(context *c, rec_job *job, const orr_value *instructions, uint32_t flags) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_builder_put(b, job_flags, orr_int(flags));
  if (instructions) orr_builder_put(b, job_instructions, *instructions);
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, &job->data, &c->error);
  orr_builder_free(b);
  return rc;
}

/* Until the job runs, a token stands at the start event, so that the instance has something that waits. */
static int begin_later(context *c, rec_instance *i, const start_request *request, const orr_value *instructions,
                       uint32_t flags) {
  const node *start = request->start;
  rec_execution *token = NULL;
  if (start && !instructions) {
    scope root;
    int rc = scope_get(c, i->id, &root);
    if (rc) return rc;
    token = execution_create(c, &root, start, EXECUTION_TOKEN);
    if (!token) return c->error.code;
  }
  rec_job *job = job_create(c, ORR_JOB_START_ASYNC, i, token, request->definition, start, 0);
  if (!job) return c->error.code;
  if (token) token->job_id = job->id;
  int rc = keep_start_in_job(c, job, instructions, flags);
  return rc ? rc : job_place(c, job);
}

static int remove_waiting_token(context *c, rec_job *job) {
  rec_execution *token = job->execution_id != 0 ? execution_get(c, job->execution_id) : NULL;
  if (!token) return c->error.code;
  if (context_touch(c, job) || unit_touch(c->u, token)) return c->error.code;
  unit_detach(c->u, job); /* or it would go with its token */
  job->execution_id = 0;
  token->job_id = 0;
  return execution_remove(c, token);
}

int start_async_job(context *c, rec_job *job) {
  definition *d = context_definition(c, job->definition_id, &c->error);
  if (!d) return c->error.code;
  int rc = remove_waiting_token(c, job);
  if (rc) return rc;
  orr_value instructions = orr_map_get(&job->data, job_instructions), flags = orr_map_get(&job->data, job_flags);
  const node *start = job->node != 0 ? d->nodes[job->node - 1] : NULL;
  return begin_instance(c, job->instance_id, start, &instructions, (uint32_t)flags.as.integer);
}

/* A start timer is due: as with every timer, a cycle's next job comes first. */
int timer_start_job(context *c, rec_job *job) {
  definition *d = context_definition(c, job->definition_id, &c->error);
  if (!d) return c->error.code;
  const node *start = d->nodes[job->node - 1];
  int rc = timer_repeat(c, job, start);
  if (rc) return rc;
  rec_instance *instance;
  start_request request = {.definition = d, .start = start};
  return instance_start(c, &request, &instance);
}

int start_in_mode(context *c, start_request *request, const start_mode *mode, rec_instance **out) {
  request->elsewhere = mode->instructions;
  int rc = instance_create(c, request, out);
  if (rc) return rc;
  return mode->async ? begin_later(c, *out, request, mode->instructions, mode->flags)
                       : begin_instance(c, (*out)->id, request->start, mode->instructions, mode->flags);
}

/* ---- The command ----------------------------------------------------------------------------- */

typedef struct start_command {
  const orr_start_options *options;
  orr_records **out;
} start_command;

/* The one start event that waits for the message. */
static int by_message(context *c, const orr_start_options *options, start_request *request) {
  unit_found found;
  const rec_subscription *only = NULL;
  int rc = start_candidates(c, "message", options->message, options->definition, &found);
  if (rc) return rc;
  for (size_t i = 0; i < found.count; i++) {
    const rec_subscription *s = (const rec_subscription *)found.items[i];
    if (options->tenant && !rec_text_is(s->tenant, options->tenant)) continue;
    if (only)
      return context_error(c, ORR_E_CORRELATION, "message \"%s\" starts several processes: say of which tenant",
                           options->message);
    only = s;
  }
  if (!only && options->definition != 0 && !lookup_definition(c, options->definition)) return c->error.code;
  if (!only) return context_error(c, ORR_E_CORRELATION, "message \"%s\" starts no process", options->message);
  request->definition = context_definition(c, only->definition_id, &c->error);
  if (!request->definition) return c->error.code;
  request->start = request->definition->nodes[only->node - 1];
  return 0;
}

static int by_definition(context *c, const orr_start_options *options, start_request *request) {
  const rec_definition *r = options->definition != 0 ? lookup_definition(c, options->definition)
                                                     : lookup_latest(c, options->key, options->tenant, options->version);
  if (!r) return c->error.code;
  request->definition = context_definition(c, r->id, &c->error);
  if (!request->definition) return c->error.code;
  return options->start_event ? named_start(c, request->definition, options->start_event, &request->start) : 0;
}

static int check_start_options(context *c, const orr_start_options *options) {
  int named = (options->key ? 1 : 0) + (options->definition != 0 || options->message ? 1 : 0);
  if (named != 1)
    return context_error(c, ORR_E_ARGUMENT,
                         "start needs a key, or a definition or a message (or the message of a definition), but not %s",
                         named > 1 ? "both" : "nothing");
  if (options->instructions && options->start_event)
    return context_error(c, ORR_E_ARGUMENT, "instructions say where to start; a start_event beside them makes no sense");
  if (options->definition && (options->version || (options->tenant && !options->message)))
    return context_error(c, ORR_E_ARGUMENT, "a definition is of one version and one tenant; %s beside it makes no sense",
                         options->version ? "a version" : "a tenant");
  if (options->message && options->version)
    return context_error(c, ORR_E_ARGUMENT,
                         "a message starts the latest version; to start another, give that definition beside it");
  if (options->message && options->start_event)
    return context_error(c, ORR_E_ARGUMENT, "the message says at which event to start; a start_event beside it makes no sense");
  return options->async ? operand_stored(c, options->variables, options->transient, "a start by a job") : 0;
}

int start_by_options(context *c, const orr_start_options *options, orr_records **out) {
  uint32_t mark = c->agenda.count;
  start_request request = {
      .variables = options->variables,
      .transient = options->transient,
      .business_key = options->business_key,
      .initiator = options->initiator,
  };
  start_mode mode = {
      .instructions = options->instructions,
      .flags = modify_flags(options->skip_listeners, options->skip_io_mappings),
      .async = options->async,
  };
  rec_instance *i = NULL;
  int rc = check_start_options(c, options);
  if (!rc) rc = options->message ? by_message(c, options, &request) : by_definition(c, options, &request);
  if (!rc) rc = modify_check(c, request.definition, options->instructions, true);
  if (!rc) rc = start_in_mode(c, &request, &mode, &i);
  if (!rc) {
    user_operation what = operation_on_instance(i->id, "Create");
    rc = user_operation_log(c, &what, NULL, NULL, NULL);
  }
  if (!rc) rc = command_run_planned(c, mark);
  if (rc) return rc;
  rec_head *items[] = {&i->head};
  return records_from(c, &rec_instance_type, items, 1, out, &c->error);
}

static int start_body(context *c, void *ud) {
  const start_command *command = ud;
  return start_by_options(c, command->options, command->out);
}

int orr_engine_instance_start(orr_engine *engine, const orr_start_options *given, orr_records **out, orr_error *err) {
  REQUIRE_AS(given, "options");
  OUT_RECORDS(out);
  *out = NULL;
  orr_start_options own;
  const orr_start_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  start_command command = {options, out};
  int rc = command_run(engine, start_body, &command, err);
  if (rc) {
    orr_records_free(*out);
    *out = NULL;
  }
  return rc;
}
