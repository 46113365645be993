/* Throwing a signal from outside. */
#include <inttypes.h>

#include "base/null.h"
#include "base/options.h"
#include "command/operands.h"
#include "command/operations.h"
#include "exec/event/signal.h"
#include "exec/event/subscription.h"
#include "uow/find.h"

typedef struct signal_call {
  const char *name;
  const orr_signal_options *options;
  signal_payload sent;
} signal_call;

/* To one execution, which must wait for this signal. */
static int send_to_execution(context *c, const signal_call *call) {
  orr_id id = call->options->execution;
  unit_found found;
  rec_key by = {.id = id};
  int rc = unit_find_index(c->u, REC_INDEX_SUBSCRIPTION_EXECUTION, &by, 1, 0, &found, &c->error);
  if (rc) return rc;
  for (size_t i = 0; i < found.count; i++) {
    const rec_subscription *s = (const rec_subscription *)found.items[i];
    if (!rec_text_is(s->type, "signal") || !rec_text_is(s->name, call->name)) continue;
    rc = refuse_suspended(c, s->instance_id);
    return rc ? rc : signal_send(c, s, call->options->async, &call->sent);
  }
  if (orr_id_local(id) == 1 ? !lookup_instance(c, id) : !lookup_execution(c, id)) return c->error.code;
  return context_error(c, ORR_E_NOT_FOUND, "execution %" PRIu64 " does not wait for signal \"%s\"", id, call->name);
}

static int signal_body(context *c, void *ud) {
  const signal_call *call = ud;
  const orr_signal_options *options = call->options;
  if (!call->name || *call->name == '\0') return context_error(c, ORR_E_ARGUMENT, "a signal needs a name");
  int rc = operand_map(c, options->variables, "variables");
  if (!rc) rc = operand_map(c, options->transient, "transient");
  if (!rc && options->async) rc = operand_stored(c, options->variables, options->transient, "a signal that jobs deliver");
  if (rc) return rc;
  if (options->execution != 0 && options->tenant)
    return context_error(c, ORR_E_ARGUMENT,
                         "a signal to one execution takes no tenant: the execution is some tenant's already");
  signal_reach reach = {.tenant = options->tenant};
  rc = options->execution != 0 ? send_to_execution(c, call)
                               : signal_throw(c, call->name, &reach, options->async, &call->sent);
  user_operation what = {.type = "Signal", .entity = "ProcessInstance", .category = OPERATION_BY_OPERATOR,
                         .instance = options->execution ? orr_id_instance(options->execution) : 0,
                         .execution = options->execution};
  return rc ? rc : user_operation_texts(c, &what, "signalName", NULL, call->name);
}

int orr_engine_signal(orr_engine *engine, const char *name, const orr_signal_options *given, orr_error *err) {
  REQUIRE(name);
  orr_signal_options own;
  const orr_signal_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  signal_call call = {name, options, {.variables = options->variables, .transient = options->transient}};
  return command_run(engine, signal_body, &call, err);
}
