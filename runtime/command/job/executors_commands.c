/* Who works on a store, of all processes on all machines, as they say themselves: executors, and nodes with what they hold. */
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "command/frame.h"
#include "executor/owner/cluster.h"

typedef struct telling {
  context *c;
  orr_builder *out;
} telling;

static orr_value time_value(orr_time time) { return time ? orr_float((double)time / 1000) : (orr_value){0}; }
static orr_value text_value(rec_text text) { return text.size ? orr_string(text.data) : (orr_value){0}; }

/* The record says it of owners with a name of their own, too. */
static void tell_process(orr_builder *out, const running_view *view) {
  const char *owner = view->rules.owner;
  char machine[OWNER_MACHINE_BYTES];
  long pid;
  if (view->record) {
    builder_put_given(out, "host", text_value(view->record->host));
    orr_builder_put(out, "pid", orr_int(view->record->pid));
  } else if (owner_process(owner, strlen(owner), &pid, machine)) {
    orr_builder_put(out, "host", orr_string(machine));
    orr_builder_put(out, "pid", orr_int(pid));
  }
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

static void tell_work(telling *t, const running_view *view) {
  if (view->room != UINT32_MAX) orr_builder_put(t->out, "room", orr_int(view->room));
  if (view->waiting != UINT32_MAX) orr_builder_put(t->out, "waiting", orr_int(view->waiting));
  orr_builder_put(t->out, "stopping", orr_bool(view->stopping));
  tell_rules(t->out, &view->rules);
  tell_jobs(t, view);
}

static void tell_executor(void *ud, const running_view *view) {
  telling *t = ud;
  orr_builder_map(t->out);
  orr_builder_put(t->out, "owner", orr_string(view->rules.owner));
  tell_process(t->out, view);
  tell_work(t, view);
  orr_builder_end(t->out);
}

static int executors_body(context *c, void *ud) {
  telling t = {c, ud};
  orr_builder_array(t.out);
  int rc = cluster_each_executor(c, 0, tell_executor, &t);
  orr_builder_end(t.out);
  return rc;
}

int orr_engine_executors(orr_engine *engine, orr_builder *out, orr_error *err) {
  return command_read(engine, executors_body, out, err);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static void tell_life(telling *t, const cluster_node *n) {
  const rec_owner *o = n->owner;
  orr_time now = t->c->now;
  builder_put_given(t->out, "name", text_value(o->name));
  builder_put_given(t->out, "host", text_value(o->host));
  orr_builder_put(t->out, "pid", orr_int(o->pid));
  builder_put_given(t->out, "build", text_value(o->build));
  orr_builder_put(t->out, "state", orr_string(cluster_state_name(n->state)));
  orr_builder_put(t->out, "alive", orr_bool(cluster_is_alive(n)));
  builder_put_given(t->out, "started", time_value(o->started));
  builder_put_given(t->out, "expires", time_value(o->expires));
  builder_put_given(t->out, "seen", time_value(o->told));
  if (o->told) orr_builder_put(t->out, "lag", orr_float(now > o->told ? (double)(now - o->told) / 1000 : 0));
  orr_builder_put(t->out, "held", orr_int(n->held));
}

static void tell_node(telling *t, const cluster_node *n) {
  running_view view = cluster_view(n, 0);
  orr_builder_map(t->out);
  tell_life(t, n);
  orr_builder_put(t->out, "executor", orr_bool(cluster_is_executor(n)));
  if (cluster_is_executor(n)) {
    orr_builder_put(t->out, "threads", orr_int(n->owner->threads));
    tell_work(t, &view);
  }
  orr_builder_end(t->out);
}

static int nodes_body(context *c, void *ud) {
  telling t = {c, ud};
  cluster_nodes list;
  int rc = cluster_find(c, &list);
  if (!rc) rc = cluster_hear_files(c, &list);
  if (!rc) rc = cluster_count_held(c, &list);
  orr_builder_array(t.out);
  for (size_t i = 0; !rc && i < list.count; i++) tell_node(&t, &list.items[i]);
  orr_builder_end(t.out);
  return rc;
}

int orr_engine_nodes(orr_engine *engine, orr_builder *out, orr_error *err) {
  return command_read(engine, nodes_body, out, err);
}
