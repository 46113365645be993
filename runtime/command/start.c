/* Starting instances: by key, definition or message, by a start event that fired, or from a call activity. */
#include <inttypes.h>

#include "exec/history.h"
#include "exec/io.h"
#include "exec/variables.h"
#include "job/handlers.h"
#include "lookup.h"
#include "modify.h"
#include "start_events.h"
#include "value.h"

/* ---- Where ---------------------------------------------------------------------------------------------------------------------- */

/* Without a none start event, the only start event there is; of several the first, where the dialect takes it. */
static int default_start(context *c, const definition *d, const node **out) {
  const node *only = NULL;
  uint32_t n = 0;
  *out = d->process->start;
  if (*out != NULL) return 0;
  for (uint32_t i = 0; i < d->process->n_children; i++) {
    const node *child = d->process->children[i];
    if (child->type != NODE_START_EVENT) continue;
    if (n++ == 0) only = child;
  }
  *out = only;
  if (n == 1 || (n > 1 && d->dialect->start_first_of_many)) return 0;
  if (n == 0) return context_error(c, ORR_E_STATE, "process \"%s\" has no start event", d->key);
  return context_error(c, ORR_E_STATE, "process \"%s\" has %u start events and none of them is a none start event: name one", d->key, n);
}

static int named_start(context *c, const definition *d, const char *id, const node **out) {
  *out = definition_node(d, id);
  if (*out != NULL && (*out)->type == NODE_START_EVENT && (*out)->scope == d->process) return 0;
  return context_error(c, ORR_E_ARGUMENT, "\"%s\" is no start event of process \"%s\"", id, d->key);
}

/* ---- The instance --------------------------------------------------------------------------------------------------------------- */

static int check_request(context *c, const start_request *request) {
  const definition *d = request->definition;
  const rec_definition *r = lookup_definition(c, d->id);
  if (r == NULL) return c->error.code;
  if (r->suspended)
    return context_error(c, ORR_E_SUSPENDED, "definition %" PRIu64 " (\"%s\") is suspended: activate it first", d->id, d->key);
  if (request->call_depth > ORR_CALL_DEPTH_MAX)
    return context_error(c, ORR_E_LIMIT, "\"%s\" would be the %" PRId64 "th process that calls the next: does one call itself without end?",
                         d->key, request->call_depth);
  return 0;
}

static rec_instance *create_record(context *c, const start_request *request, const node *start) {
  const definition *d = request->definition;
  orr_id id = unit_new_group(c->u, &c->error);
  if (id == 0) return NULL;
  rec_instance *i = unit_new_instance(c->u, id);
  if (i == NULL) {
    context_memory(c);
    return NULL;
  }
  i->definition_id = d->id;
  i->definition_key = unit_textz(c->u, d->key);
  i->business_key = unit_textz(c->u, request->business_key);
  i->tenant = unit_textz(c->u, request->tenant != NULL ? request->tenant : d->tenant);
  i->root_id = request->root_instance != 0 ? request->root_instance : id;
  i->super_execution = request->super_execution;
  i->parent_id = request->parent_instance;
  i->started_at = context_stamp(c);
  i->initiator = unit_textz(c->u, request->initiator != NULL ? request->initiator : c->user);
  i->next_local = 2;
  i->call_depth = request->call_depth;
  i->start_node = start != NULL ? start->index + 1 : 0;
  return i;
}

/* The initiator's variable exists also when nobody is known to have started the instance: it then holds null. */
static int set_initiator(context *c, const rec_instance *i, const node *start) {
  if (start == NULL || start->initiator == NULL) return 0;
  orr_value who = i->initiator.size > 0 ? orr_bytes(i->initiator.data, i->initiator.size) : orr_null();
  return variable_set_local(c, i->id, start->initiator, &who);
}

static int open_root(context *c, rec_instance *i, const start_request *request, const node *start) {
  scope root;
  int rc = scope_get(c, i->id, &root);
  if (rc == 0) rc = io_open_scope(c, &root, request->definition->process);
  if (rc == 0) rc = variable_set_all(c, i->id, request->variables, true);
  if (rc == 0) rc = variable_set_all(c, i->id, request->triggered, true);
  if (rc == 0) rc = set_initiator(c, i, start);
  if (rc == 0) rc = history_instance_variables(c, i);
  return rc != 0 ? rc : variable_set_all_transient(c, i->id, request->transient, true);
}

static uint32_t flags_of(const start_request *request) {
  return (request->skip_listeners ? OP_SKIP_LISTENERS : 0u) | (request->skip_io_mappings ? OP_SKIP_IO : 0u);
}

static int plan_start(context *c, orr_id instance, const node *start, const orr_value *instructions, uint32_t flags) {
  bool instructed = instructions != NULL && instructions->type == ORR_ARRAY;
  operation *op = agenda_plan(c, op_start_instance, instance);
  if (op == NULL) return c->error.code;
  op->node = instructed ? NULL : start;
  op->flags = flags;
  return instructed ? modify_plan(c, instance, instructions, flags, NULL) : 0;
}

/* ---- By a job ------------------------------------------------------------------------------------------------------------------- */

static const char job_instructions[] = "instructions", job_flags[] = "flags";

static int keep_in_job(context *c, rec_job *job, const start_request *request) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (b == NULL) return context_memory(c);
  orr_builder_map(b);
  builder_put(b, job_flags, orr_int(flags_of(request)));
  if (request->instructions != NULL) builder_put(b, job_instructions, *request->instructions);
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, &job->data, &c->error);
  orr_builder_free(b);
  return rc;
}

/* Until the job runs, a token stands at the start event, so that the instance has something that waits. */
static int plan_async(context *c, rec_instance *i, const start_request *request, const node *start) {
  rec_execution *token = NULL;
  if (start != NULL && request->instructions == NULL) {
    scope root;
    int rc = scope_get(c, i->id, &root);
    if (rc != 0) return rc;
    token = execution_create(c, &root, start, EXECUTION_TOKEN);
    if (token == NULL) return c->error.code;
  }
  rec_job *job = job_create(c, ORR_JOB_START_ASYNC, i, token, request->definition, start, 0);
  if (job == NULL) return c->error.code;
  if (token != NULL) token->job_id = job->id;
  int rc = keep_in_job(c, job, request);
  return rc != 0 ? rc : job_place(c, job);
}

static int remove_waiting_token(context *c, rec_job *job) {
  rec_execution *token = job->execution_id != 0 ? execution_get(c, job->execution_id) : NULL;
  if (token == NULL) return c->error.code;
  if (unit_touch(c->u, job) != 0 || unit_touch(c->u, token) != 0) return context_memory(c);
  unit_detach(c->u, job); /* or it would go with its token */
  job->execution_id = 0;
  token->job_id = 0;
  return execution_remove(c, token);
}

int start_async_job(context *c, rec_job *job) {
  definition *d = context_definition(c, job->definition_id, &c->error);
  if (d == NULL) return c->error.code;
  int rc = remove_waiting_token(c, job);
  if (rc != 0) return rc;
  orr_value instructions = orr_map_get(&job->data, job_instructions), flags = orr_map_get(&job->data, job_flags);
  const node *start = job->node != 0 ? d->nodes[job->node - 1] : NULL;
  return plan_start(c, job->instance_id, start, &instructions, (uint32_t)flags.as.integer);
}

/* A start timer is due. */
int start_job(context *c, rec_job *job) {
  definition *d = context_definition(c, job->definition_id, &c->error);
  if (d == NULL) return c->error.code;
  rec_instance *instance;
  start_request request = {.definition = d, .start = d->nodes[job->node - 1]};
  return start_instance(c, &request, &instance);
}

int start_instance(context *c, const start_request *request, rec_instance **out) {
  const node *start = request->start;
  *out = NULL;
  int rc = check_request(c, request);
  if (rc == 0 && start == NULL && request->instructions == NULL) rc = default_start(c, request->definition, &start);
  if (rc != 0) return rc;
  rec_instance *i = create_record(c, request, start);
  if (i == NULL) return c->error.code;
  *out = i;
  rc = history_instance_started(c, i, start);
  if (rc == 0) rc = open_root(c, i, request, start);
  if (rc != 0) return rc;
  return request->async ? plan_async(c, i, request, start) : plan_start(c, i->id, start, request->instructions, flags_of(request));
}

/* ---- The command ---------------------------------------------------------------------------------------------------------------- */

typedef struct start_command {
  const orr_start_options *options;
  orr_records **out;
} start_command;

/* The one start event that waits for the message. */
static int by_message(context *c, const orr_start_options *options, start_request *request) {
  unit_found found;
  const rec_subscription *only = NULL;
  int rc = start_subscriptions(c, "message", options->message, &found);
  if (rc != 0) return rc;
  for (size_t i = 0; i < found.count; i++) {
    const rec_subscription *s = (const rec_subscription *)found.items[i];
    if (options->tenant != NULL && !rec_text_is(s->tenant, options->tenant)) continue;
    if (only != NULL)
      return context_error(c, ORR_E_CORRELATION, "message \"%s\" starts several processes: say of which tenant", options->message);
    only = s;
  }
  if (only == NULL) return context_error(c, ORR_E_CORRELATION, "message \"%s\" starts no process", options->message);
  request->definition = context_definition(c, only->definition_id, &c->error);
  if (request->definition == NULL) return c->error.code;
  request->start = request->definition->nodes[only->node - 1];
  return 0;
}

static int by_definition(context *c, const orr_start_options *options, start_request *request) {
  const rec_definition *r = options->definition != 0 ? lookup_definition(c, options->definition)
                                                     : lookup_latest(c, options->key, options->tenant, options->version);
  if (r == NULL) return c->error.code;
  request->definition = context_definition(c, r->id, &c->error);
  if (request->definition == NULL) return c->error.code;
  return options->start_event != NULL ? named_start(c, request->definition, options->start_event, &request->start) : 0;
}

static int check_options(context *c, const orr_start_options *options) {
  int named = (options->key != NULL) + (options->definition != 0) + (options->message != NULL);
  if (named != 1) return context_error(c, ORR_E_ARGUMENT, "start needs exactly one of key, definition and message; %d are given", named);
  if (options->instructions != NULL && options->start_event != NULL)
    return context_error(c, ORR_E_ARGUMENT, "instructions say where to start; a start_event beside them makes no sense");
  if (options->message != NULL && options->start_event != NULL)
    return context_error(c, ORR_E_ARGUMENT, "the message says at which event to start; a start_event beside it makes no sense");
  return 0;
}

static int start_body(context *c, void *ud, orr_error *err) {
  start_command *command = ud;
  const orr_start_options *options = command->options;
  uint32_t mark = c->agenda.count;
  start_request request = {
      .variables = options->variables,
      .transient = options->transient,
      .instructions = options->instructions,
      .business_key = options->business_key,
      .initiator = options->initiator,
      .tenant = NULL,
      .skip_listeners = options->skip_listeners,
      .skip_io_mappings = options->skip_io_mappings,
      .async = options->async,
  };
  rec_instance *i = NULL;
  (void)err;
  int rc = check_options(c, options);
  if (rc == 0) rc = options->message != NULL ? by_message(c, options, &request) : by_definition(c, options, &request);
  if (rc == 0) rc = modify_check(c, request.definition, options->instructions, true);
  if (rc == 0) rc = start_instance(c, &request, &i);
  if (rc == 0) rc = command_settle(c, mark);
  if (rc != 0) return rc;
  rec_head *items[] = {&i->head};
  return records_from(c, &rec_instance_type, items, 1, command->out, &c->error);
}

int orr_engine_start(orr_engine *engine, const orr_start_options *options, orr_records **out, orr_error *err) {
  start_command command = {options, out};
  *out = NULL;
  int rc = command_run(engine, start_body, &command, err);
  if (rc != 0) {
    orr_records_free(*out);
    *out = NULL;
  }
  return rc;
}
