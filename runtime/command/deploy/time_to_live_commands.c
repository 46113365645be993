/* How long the history of a definition's instances is kept. */
#include "command/deploy/time_to_live_commands.h"

#include <inttypes.h>
#include <string.h>

#include "base/value.h"
#include "command/lookup.h"
#include "command/operations.h"
#include "time/iso8601.h"

orr_value time_to_live_value(context *c, const char *text) {
  if (!text) return (orr_value){0};
  const char *digits = *text == 'P' ? text + 1 : text;
  size_t n = strspn(digits, "0123456789");
  bool days = n > 0 && n < 10 && (*text == 'P' ? strcmp(digits + n, "D") == 0 : digits[n] == '\0');
  if (!days) return orr_string(arena_strdup(c->arena, text));
  int64_t number = 0;
  for (size_t i = 0; i < n; i++) number = number * 10 + (digits[i] - '0');
  return orr_int(number);
}

typedef struct time_to_live_call {
  orr_id definition;
  const char *text;
} time_to_live_call;

static int check_time_to_live(context *c, const char *text, orr_value *out) {
  *out = time_to_live_value(c, text);
  if (out->type != ORR_STRING || iso_is_duration(out->as.bytes, out->size)) return 0;
  return context_error(c, ORR_E_ARGUMENT, "a time to live is a number of days or an ISO 8601 duration, not \"%s\"", text);
}

static int time_to_live_body(context *c, void *ud) {
  const time_to_live_call *call = ud;
  orr_value kept;
  if (check_time_to_live(c, call->text, &kept)) return c->error.code;
  rec_definition *d = lookup_definition(c, call->definition);
  if (!d || context_touch(c, d)) return c->error.code;
  orr_value before = d->history_time_to_live;
  d->history_time_to_live = kept;
  user_operation what = operation_on_definition(d, "UpdateHistoryTimeToLive");
  return user_operation_log(c, &what, "historyTimeToLive", &before, &kept);
}

static int decision_time_to_live_body(context *c, void *ud) {
  const time_to_live_call *call = ud;
  orr_value kept;
  if (check_time_to_live(c, call->text, &kept)) return c->error.code;
  rec_decision *d = unit_decision(c->u, call->definition, &c->error);
  if (!d && !c->error.code) context_error(c, ORR_E_NOT_FOUND, "there is no decision %" PRIu64, call->definition);
  if (!d || context_touch(c, d)) return c->error.code;
  orr_value before = time_to_live_value(c, d->history_time_to_live.data);
  d->history_time_to_live = unit_textz(c->u, call->text);
  user_operation what = operation_on_decision(d->deployment_id, "UpdateHistoryTimeToLive");
  return user_operation_log(c, &what, "historyTimeToLive", &before, &kept);
}

int orr_engine_decision_set_time_to_live(orr_engine *engine, orr_id decision, const char *time_to_live, orr_error *err) {
  time_to_live_call call = {decision, time_to_live};
  return command_run(engine, decision_time_to_live_body, &call, err);
}

int orr_engine_definition_set_time_to_live(orr_engine *engine, orr_id definition_id, const char *time_to_live,
                                        orr_error *err) {
  time_to_live_call call = {definition_id, time_to_live};
  return command_run(engine, time_to_live_body, &call, err);
}
