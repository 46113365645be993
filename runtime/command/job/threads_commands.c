/* What each thread of each executor at the store is doing. Threads of this process are asked at
 * once, the others through the store. */
#include <string.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/value.h"
#include "command/frame.h"
#include "executor/executor.h"
#include "executor/owner/thread_reporter.h"
#include "executor/owner/cluster.h"
#include "executor/worker/thread_table.h"

/* How long the threads of this process may take at most: those in C do not answer. */
#define OWN_WAIT_SECONDS 0.5
#define WAIT_MS_MAX 60000

/* An executor on the store, and what it answered. */
typedef struct asked_node {
  const char *name;
  orr_value answer; /* NIL: none */
} asked_node;

typedef struct threads_call {
  orr_arena *arena;  /* of what outlives a view */
  asked_node *nodes; /* but those that are known to have ended */
  size_t count, unanswered;
  orr_builder *out;
  int rc;
} threads_call;

/* ---- Who there is ---------------------------------------------------------------------------- */

static bool may_answer(const cluster_node *n) { return cluster_is_executor(n) && n->state != CLUSTER_GONE; }

static int find_nodes(context *c, void *ud) {
  threads_call *call = ud;
  cluster_nodes list;
  int rc = cluster_find(c, &list);
  if (rc) return rc;
  call->nodes = ARENA_ARRAY(call->arena, asked_node, list.count + 1);
  for (size_t i = 0; call->nodes && i < list.count; i++) {
    const rec_owner *o = list.items[i].owner;
    if (!may_answer(&list.items[i])) continue;
    const char *name = arena_strndup(call->arena, o->name.data, o->name.size);
    if (!name) return context_memory(c);
    call->nodes[call->count++] = (asked_node){.name = name};
  }
  call->unanswered = call->count;
  return call->nodes ? 0 : context_memory(c);
}

static asked_node *node_named(const threads_call *call, const orr_value *name) {
  for (size_t i = 0; i < call->count; i++)
    if (value_is_text(name, call->nodes[i].name)) return &call->nodes[i];
  return NULL;
}

/* ---- What they say --------------------------------------------------------------------------- */

/* Kept as bytes of the call's own. The first answer of a name counts. */
static void keep_table(threads_call *call, const void *bytes, size_t size) {
  orr_value answer;
  void *own = arena_alloc(call->arena, size);
  if (!own) {
    call->rc = ORR_E_MEMORY;
    return;
  }
  memcpy(own, bytes, size);
  if (thread_reporter_read(own, size, &answer)) return;
  orr_value name = orr_map_get(&answer, "name");
  asked_node *found = node_named(call, &name);
  if (!found || found->answer.type != ORR_NIL) return;
  found->answer = answer;
  call->unanswered--;
}

static bool take_answer(void *ud, const void *bytes, size_t size) {
  threads_call *call = ud;
  keep_table(call, bytes, size);
  return call->rc || call->unanswered == 0;
}

static int ask_own(orr_engine *engine, threads_call *call, orr_error *err) {
  orr_value own;
  orr_builder *b = builder_new(&engine->env.allocator);
  if (!b) return error_memory(err);
  int rc = thread_table_tell(engine, OWN_WAIT_SECONDS, b, err);
  if (!rc) rc = builder_copy(b, call->arena, &own, err);
  orr_builder_free(b);
  if (rc) return rc;
  orr_value name = orr_map_get(&own, "name");
  asked_node *found = node_named(call, &name);
  if (!found) return 0;
  found->answer = own;
  call->unanswered--;
  return 0;
}

static int ask_all_nodes(orr_engine *engine, threads_call *call, int64_t wait_ms, orr_error *err) {
  if (call->unanswered == 0) return 0;
  int rc = ask_own(engine, call, err);
  if (!rc && call->unanswered && wait_ms > 0) rc = store_ask(engine->store, wait_ms, take_answer, call, err);
  return rc || !call->rc ? rc : error_memory(err);
}

/* ---- What is told ---------------------------------------------------------------------------- */

static orr_value text_of_record(rec_text text) { return text.size ? orr_string(text.data) : (orr_value){0}; }

/* Of one that does not answer: which jobs its threads were at, as far as that is known without it. */
static void tell_jobs_known(context *c, orr_builder *out, const cluster_node *n) {
  orr_builder_key(out, "jobs", strlen("jobs"));
  orr_builder_array(out);
  for (size_t i = 0; i < n->jobs.count; i++) {
    orr_value id = value_of_id(c->arena, n->jobs.items[i]);
    orr_builder_add(out, &id);
  }
  orr_builder_end(out);
}

static void tell_node_threads(context *c, orr_builder *out, const cluster_node *n, const asked_node *asked) {
  orr_value threads = asked ? orr_map_get(&asked->answer, "threads") : (orr_value){0};
  bool answered = threads.type == ORR_ARRAY;
  orr_builder_map(out);
  builder_put_given(out, "name", text_of_record(n->owner->name));
  builder_put_given(out, "host", text_of_record(n->owner->host));
  orr_builder_put(out, "pid", orr_int(n->owner->pid));
  orr_builder_put(out, "answered", orr_bool(answered));
  if (answered) orr_builder_put(out, "threads", threads);
  else tell_jobs_known(c, out, n);
  orr_builder_end(out);
}

/* Leaves out nodes that have begun, or ended, since they were asked. */
static int describe_nodes(context *c, void *ud) {
  const threads_call *call = ud;
  cluster_nodes list;
  int rc = cluster_find(c, &list);
  if (!rc) rc = cluster_hear_files(c, &list);
  orr_builder_array(call->out);
  for (size_t i = 0; !rc && i < list.count; i++) {
    const cluster_node *n = &list.items[i];
    const orr_value name = orr_string(n->owner->name.data);
    const asked_node *asked = node_named(call, &name);
    if (may_answer(n) && asked) tell_node_threads(c, call->out, n, asked);
  }
  orr_builder_end(call->out);
  return rc;
}

int orr_engine_threads(orr_engine *engine, double wait_ms, orr_builder *out, orr_error *err) {
  REQUIRE(engine);
  int64_t ms = wait_ms > 0 ? wait_ms < WAIT_MS_MAX ? (int64_t)wait_ms : WAIT_MS_MAX : 0;
  threads_call call = {.arena = arena_new(&engine->env.allocator), .out = out};
  if (!call.arena) return error_memory(err);
  int rc = command_read(engine, find_nodes, &call, err);
  if (!rc) rc = ask_all_nodes(engine, &call, ms, err);
  if (!rc) rc = command_read(engine, describe_nodes, &call, err);
  arena_free(call.arena);
  return rc;
}
