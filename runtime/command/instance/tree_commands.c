/* Where the tokens of an instance stand: as a list, and as the tree of activity instances. */
#include <stdlib.h>

#include "base/builder.h"
#include "base/value.h"
#include "command/operands.h"
#include "state/activity_instance.h"
#include "uow/find.h"

/* All executions of an instance, read at once and strung into a tree by position: `first` child of each, `next` sibling.
 * Position `count` is the root. Event scopes are left out with what lies below them: nothing runs there. */
typedef struct forest {
  context *c;
  const rec_instance *instance;
  const definition *definition;
  rec_head **items; /* executions by ascending id, which is the order of their making */
  uint32_t count;
  uint32_t *first, *last, *next;
} forest;

#define NONE UINT32_MAX

static const rec_execution *execution_at(const forest *f, uint32_t at) { return (const rec_execution *)f->items[at]; }
static const node *node_at(const forest *f, uint32_t at) { return f->definition->nodes[execution_at(f, at)->node - 1]; }

/* The position of a parent; NONE when it is not there, which only a damaged store can bring about. */
static uint32_t tree_position(const forest *f, orr_id id) {
  uint32_t low = 0, high = f->count;
  if (id == f->instance->id) return f->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    orr_id found = execution_at(f, middle)->id;
    if (found == id) return middle;
    if (found < id) low = middle + 1;
    else high = middle;
  }
  return NONE;
}

static void string_together(forest *f) {
  for (uint32_t i = 0; i <= f->count; i++) f->first[i] = f->last[i] = f->next[i] = NONE;
  for (uint32_t i = 0; i < f->count; i++) {
    const rec_execution *e = execution_at(f, i);
    uint32_t parent = e->kind == EXECUTION_EVENT_SCOPE || e->node == 0 ? NONE : tree_position(f, e->parent);
    if (parent == NONE) continue;
    if (f->last[parent] == NONE) f->first[parent] = i;
    else f->next[f->last[parent]] = i;
    f->last[parent] = i;
  }
}

static int forest_load(context *c, orr_id id, forest *out) {
  *out = (forest){.c = c, .instance = lookup_instance(c, id)};
  if (!out->instance) return c->error.code;
  out->definition = context_definition(c, out->instance->definition_id, &c->error);
  if (!out->definition) return c->error.code;
  unit_found found;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(id), &found, &c->error);
  if (rc) return rc;
  out->items = found.items;
  out->count = (uint32_t)found.count;
  out->first = ARENA_ARRAY(c->arena, uint32_t, found.count + 1);
  out->last = ARENA_ARRAY(c->arena, uint32_t, found.count + 1);
  out->next = ARENA_ARRAY(c->arena, uint32_t, found.count + 1);
  if (!out->first || !out->last || !out->next) return context_memory(c);
  string_together(out);
  return 0;
}

typedef struct tree_call {
  orr_id instance;
  orr_builder *out;
} tree_call;

/* ---- As a list ------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static uint32_t collect_leaves(const forest *f, uint32_t parent, const char **out, uint32_t count) {
  for (uint32_t i = f->first[parent]; i != NONE; i = f->next[i]) {
    if (f->first[i] == NONE) out[count++] = node_at(f, i)->id;
    else count = collect_leaves(f, i, out, count);
  }
  return count;
}

static int active_body(context *c, void *ud) {
  const tree_call *call = ud;
  forest f;
  int rc = forest_load(c, call->instance, &f);
  if (rc) return rc;
  const char **names = ARENA_ARRAY(c->arena, const char *, f.count + 1);
  if (!names) return context_memory(c);
  uint32_t count = collect_leaves(&f, f.count, names, 0);
  qsort(names, count, sizeof *names, by_text);
  orr_builder_array(call->out);
  for (uint32_t i = 0; i < count; i++) {
    orr_value name = orr_string(names[i]);
    orr_builder_add(call->out, &name);
  }
  orr_builder_end(call->out);
  return 0;
}

int orr_engine_instance_active(orr_engine *engine, orr_id instance, orr_builder *out,
    orr_error *err) {
  tree_call call = {instance, out};
  return command_read(engine, active_body, &call, err);
}

/* ---- As a tree ------------------------------------------------------------------------------- */

static int add_children(const forest *f, uint32_t parent, orr_builder *b);

/* A multi-instance as a whole: while it runs, and while it is compensated, its instances then lying in what stands for it. */
static bool is_body(const forest *f, const rec_execution *e, const node *n) {
  bool whole = n->multi && f->definition->dialect->multi_compensates_as_whole;
  if (e->kind != EXECUTION_COMPENSATION || !whole) return e->kind == EXECUTION_MULTI_BODY;
  uint32_t parent = tree_position(f, e->parent);
  return parent == f->count || (parent != NONE && node_at(f, parent) != n);
}

/* Is a job to begin the activity, or to leave it? One that is to trigger it leaves it as it is. */
static bool waits_for_job(const rec_execution *e) {
  return e->job_id && (e->state == EXECUTION_ARRIVING || e->state == EXECUTION_LEAVING);
}

static int add_node(const forest *f, uint32_t at, orr_builder *b) {
  const rec_execution *e = execution_at(f, at);
  const node *n = node_at(f, at);
  bool body = is_body(f, e, n);
  const char *id = body ? arena_printf(f->c->arena, "%s#multiInstanceBody", n->id) : n->id;
  if (!id) return context_memory(f->c);
  orr_builder_map(b);
  builder_put_given(b, "id", orr_int((int64_t)e->id));
  builder_put_given(b, "activity_id", orr_string(id));
  builder_put_given(b, "name", orr_string(n->name));
  builder_put_given(b, "type", orr_string(body ? "multiInstanceBody" : n->element));
  builder_put_given(b, "execution_id", orr_int((int64_t)e->id));
  builder_put_given(b, "activity_instance_id", activity_instance_text(f->c, e->id, e->activity_instance));
  if (waits_for_job(e)) orr_builder_put(b, "transition", orr_bool(true));
  int rc = add_children(f, at, b);
  orr_builder_end(b);
  return rc;
}

/* Recursion is as deep as the model's scopes, which the parser bounds. */
static int add_children(const forest *f, uint32_t parent, orr_builder *b) {
  int rc = 0;
  orr_builder_key(b, "children", strlen("children"));
  orr_builder_array(b);
  for (uint32_t i = f->first[parent]; !rc && i != NONE; i = f->next[i]) rc = add_node(f, i, b);
  orr_builder_end(b);
  return rc;
}

static int tree_body(context *c, void *ud) {
  const tree_call *call = ud;
  forest f;
  int rc = forest_load(c, call->instance, &f);
  if (rc) return rc;
  orr_value id = orr_int((int64_t)f.instance->id);
  orr_builder_map(call->out);
  builder_put_given(call->out, "id", id);
  builder_put_given(call->out, "activity_id", orr_string(f.definition->key));
  builder_put_given(call->out, "name", orr_string(f.definition->name));
  builder_put_given(call->out, "type", orr_string("process"));
  builder_put_given(call->out, "execution_id", id);
  builder_put_given(call->out, "activity_instance_id", activity_instance_text(c, f.instance->id, 0));
  rc = add_children(&f, f.count, call->out);
  orr_builder_end(call->out);
  return rc;
}

int orr_engine_instance_tree(orr_engine *engine, orr_id instance, orr_builder *out,
    orr_error *err) {
  tree_call call = {instance, out};
  return command_read(engine, tree_body, &call, err);
}
