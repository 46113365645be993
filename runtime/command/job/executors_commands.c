/* Which executors run on a store, of all processes, as they say themselves. */
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "command/frame.h"
#include "executor/owner/presence.h"
#include "executor/owner/owner_name.h"

typedef struct telling {
  context *c;
  orr_builder *out;
} telling;

static void tell_process(orr_builder *out, const char *owner) {
  char machine[OWNER_MACHINE_BYTES];
  long pid;
  if (!owner_process(owner, strlen(owner), &pid, machine)) return;
  orr_builder_put(out, "host", orr_string(machine));
  orr_builder_put(out, "pid", orr_int(pid));
}

static void tell_rules(orr_builder *out, const acquire_rules *rules) {
  if (rules->has_min) orr_builder_put(out, "priority_min", orr_int(rules->priority_min));
  if (rules->has_max) orr_builder_put(out, "priority_max", orr_int(rules->priority_max));
  orr_builder_put(out, "deployment_aware", orr_bool(rules->deployment_aware));
}

static void tell_jobs(telling *t, const running_view *view) {
  orr_builder_key(t->out, "jobs", strlen("jobs"));
  orr_builder_array(t->out);
  for (uint32_t i = 0; i < RUNNING_THREADS_MAX; i++) {
    orr_id job = running_view_job(view, i);
    orr_value id = value_of_id(t->c->arena, job);
    if (job) orr_builder_add(t->out, &id);
  }
  orr_builder_end(t->out);
}

static void tell_executor(void *ud, const running_view *view) {
  telling *t = ud;
  orr_builder_map(t->out);
  orr_builder_put(t->out, "owner", orr_string(view->rules.owner));
  tell_process(t->out, view->rules.owner);
  if (view->room != UINT32_MAX) orr_builder_put(t->out, "room", orr_int(view->room));
  orr_builder_put(t->out, "waiting", orr_int(view->waiting));
  orr_builder_put(t->out, "stopping", orr_bool(view->stopping));
  tell_rules(t->out, &view->rules);
  tell_jobs(t, view);
  orr_builder_end(t->out);
}

static int executors_body(context *c, void *ud) {
  telling t = {c, ud};
  orr_builder_array(t.out);
  running_each(c->engine, 0, tell_executor, &t);
  orr_builder_end(t.out);
  return 0;
}

int orr_engine_executors(orr_engine *engine, orr_builder *out, orr_error *err) {
  return command_read(engine, executors_body, out, err);
}
