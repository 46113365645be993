/* The collection of a multi-instance: finding it, and its elements. */
#include "exec/node/multi_collection.h"

#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/json.h"
#include "base/value.h"
#include "engine/engine.h"
#include "exec/node/multi_instance.h"
#include "state/expression.h"
#include "state/variable.h"

/* Where a sequential multi-instance is in the collection of a variable, so that n elements cost n
 * steps. */
struct multi_cursor {
  struct multi_cursor *next;
  orr_id body;
  orr_value items; /* the variable's, for as long as it holds this value */
  orr_iterator at;
  int64_t index; /* of the element that `at` gives next */
};

/* ---- Resolving ------------------------------------------------------------------------------- */

static int no_collection(context *c, const node *n, const char *what) {
  if (!c->failed_at) c->failed_at = n;
  return context_error(c, ORR_E_EXPRESSION, "%s \"%s\": its multi-instance collection \"%s\" %s", n->element, n->id,
                       n->multi->collection.text ? n->multi->collection.text : "", what);
}

int multi_invoke(context *c, const node *n, const implementation *run, const char *what, const char *method,
                 const orr_value *arguments, orr_arena *arena, orr_value *out) {
  const char *name = run->value.name ? run->value.name : run->value.text;
  if (!c->host) return context_error(c, ORR_E_UNSUPPORTED, "%s \"%s\": a %s needs a script host", n->element, n->id, what);
  orr_id about = execution_step_out(c);
  int rc = c->host->methods->invoke(c->host, name, method, arguments, arena, out, &c->error);
  rc = execution_step_in(c, about, rc);
  return rc ? error_wrap(&c->error, "%s \"%s\", %s \"%s\"", n->element, n->id, what, name) : 0;
}

/* A registered table's collect(text, execution's variables come through expressions): Flowable's collection handler. */
static int from_handler(context *c, const rec_execution *body, const node *n,
                        const orr_value *given, orr_arena *arena, orr_value *out) {
  const implementation *h = &n->multi->handler;
  if (h->kind == IMPLEMENTATION_EXPRESSION)
    return expr_value_into(c, &h->value, body->id, n, arena, out);
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_value arguments;
  orr_builder_array(b);
  orr_builder_add(b, given);
  orr_builder_end(b);
  int rc = orr_builder_value(b, &arguments, &c->error);
  if (!rc) rc = multi_invoke(c, n, h, "collection handler", "collect", &arguments, arena, out);
  orr_builder_free(b);
  return rc;
}

/* A variable that was declared as Json holds its text. */
static int open_json_collection(context *c, const node *n, orr_arena *arena, orr_value *v) {
  orr_value text = *v;
  int rc = json_value(arena, &c->engine->env.allocator, text.as.bytes, text.size, v, &c->error);
  return rc ? error_wrap(&c->error, "%s \"%s\", multi-instance collection", n->element, n->id) : 0;
}

/* A literal names a variable; an expression gives the collection, or the name of a variable. A new
 * value is in `arena`. */
static int find_collection(context *c, const rec_execution *body, const node *n, orr_arena *arena,
                           orr_value *out) {
  const multi_instance *m = n->multi;
  orr_value v = {0};
  if (m->collection_string) v = orr_string(m->collection_string);
  else {
    int rc = expr_value_into(c, &m->collection, body->id, n, arena, &v);
    if (rc) return rc;
  }
  if (json_is_text(&v) && open_json_collection(c, n, arena, &v)) return c->error.code;
  bool handled = m->handler.kind != IMPLEMENTATION_NONE;
  if (v.type == ORR_STRING && !m->collection_string) {
    const char *name = arena_strndup(c->arena, v.as.bytes, v.size);
    orr_value found;
    int rc = name ? variable_get(c, body->id, name, &found) : context_memory(c);
    if (rc) return rc;
    if (json_is_text(&found) && open_json_collection(c, n, arena, &found)) return c->error.code;
    if (found.type != ORR_NIL) v = found;
    else if (!handled) return no_collection(c, n, "names no variable");
  }
  if (handled) return from_handler(c, body, n, &v, arena, out);
  *out = v;
  return 0;
}

static bool goes_through_collection(const multi_instance *m) {
  return expr_given(&m->collection) || m->collection_string || m->handler.kind != IMPLEMENTATION_NONE;
}

static int check_count(context *c, const node *n, int64_t count) {
  if (count < 0)
    return context_error(c, ORR_E_EXPRESSION, "%s \"%s\": loopCardinality gives %" PRId64 "; it must not be negative",
                         n->element, n->id, count);
  if (count <= ORR_MULTI_INSTANCE_MAX) return 0;
  return context_error(c, ORR_E_LIMIT, "%s \"%s\" would have %" PRId64 " instances; at most %d are allowed", n->element, n->id,
                       count, ORR_MULTI_INSTANCE_MAX);
}

/* Its cardinality decides; a collection beside it gives each instance an element. */
static int resolve_count(context *c, const rec_execution *body, const node *n, multi_source *out) {
  int64_t elements = out->count;
  int rc = expr_integer(c, &n->multi->cardinality, body->id, n, &out->count);
  if (!rc) rc = check_count(c, n, out->count);
  if (rc || !goes_through_collection(n->multi) || out->count <= elements) return rc;
  return context_error(c, ORR_E_EXPRESSION, "%s \"%s\": loopCardinality gives %" PRId64 ", but its collection has %" PRId64
                       " elements", n->element, n->id, out->count, elements);
}

/* An empty table of a script may arrive as a map. */
static int check_list(context *c, const node *n, const orr_value *items) {
  if (items->type == ORR_NIL || items->type == ORR_NULL) return no_collection(c, n, "is null");
  if (items->type == ORR_ARRAY || (items->type == ORR_MAP && orr_count(items) == 0)) return 0;
  return no_collection(c, n, "is no array");
}

static int resolve_collection(context *c, const rec_execution *body, const node *n, multi_source *out) {
  int rc = find_collection(c, body, n, c->arena, &out->items);
  if (!rc) rc = check_list(c, n, &out->items);
  if (rc) return rc;
  out->count = (int64_t)orr_count(&out->items);
  return check_count(c, n, out->count);
}

int multi_resolve(context *c, const rec_execution *body, const node *n, multi_source *out) {
  *out = (multi_source){0};
  int rc = goes_through_collection(n->multi) ? resolve_collection(c, body, n, out) : 0;
  return rc || !expr_given(&n->multi->cardinality) ? rc : resolve_count(c, body, n, out);
}

/* ---- Elements one by one --------------------------------------------------------------------- */

static bool same_list(const orr_value *a, const orr_value *b) {
  return a->type == b->type && a->as.bytes == b->as.bytes && a->size == b->size;
}

/* The body's cursor. It begins anew if `items` is not what it has walked. */
static struct multi_cursor *cursor_of(context *c, orr_id body, const orr_value *items,
                                      int64_t index) {
  struct multi_cursor *at = c->lists.cursors;
  while (at && at->body != body) at = at->next;
  if (at && same_list(&at->items, items) && at->index <= index) return at;
  if (!at) {
    at = ARENA_NEW(c->arena, struct multi_cursor);
    if (!at) {
      context_memory(c);
      return NULL;
    }
    at->next = c->lists.cursors;
    c->lists.cursors = at;
  }
  at->body = body;
  at->items = *items;
  at->at = orr_iterate(items);
  at->index = 0;
  return at;
}

static int too_short(context *c, const node *n, int64_t count, int64_t index) {
  const char *what = arena_printf(
      c->arena, "has %" PRId64 " elements now, and number %" PRId64 " is next", count, index + 1);
  return what ? no_collection(c, n, what) : context_memory(c);
}

static int walk_to(context *c, const node *n, struct multi_cursor *at, int64_t index,
                   orr_value *out) {
  for (; at->index <= index; at->index++)
    if (!orr_next(&at->at, NULL, out)) return too_short(c, n, at->index, index);
  return 0;
}

/* A collection that was evaluated for this element is dropped, and the element is kept. */
static int element_of_made(context *c, const node *n, const orr_value *items, int64_t index,
                           orr_value *out) {
  struct multi_cursor at = {.at = orr_iterate(items)};
  orr_value element = {0};
  int rc = walk_to(c, n, &at, index, &element);
  if (rc) return rc;
  return value_copy(c->arena, &element, out) ? context_memory(c) : 0;
}

static int element_now(context *c, const rec_execution *body, const node *n, int64_t index,
                       orr_arena *arena, orr_value *out) {
  orr_value items = {0};
  int rc = find_collection(c, body, n, arena, &items);
  if (!rc) rc = check_list(c, n, &items);
  if (rc) return rc;
  if (arena_used(arena) > 0) return element_of_made(c, n, &items, index, out);
  struct multi_cursor *at = cursor_of(c, body->id, &items, index);
  return at ? walk_to(c, n, at, index, out) : c->error.code;
}

int multi_element(context *c, const rec_execution *body, const node *n, int64_t index, orr_value *out) {
  *out = (orr_value){0};
  if (!goes_through_collection(n->multi) || !n->multi->element_variable) return 0;
  orr_arena *arena = arena_new_small(&c->engine->env.allocator);
  if (!arena) return context_memory(c);
  int rc = element_now(c, body, n, index, arena, out);
  arena_free(arena);
  return rc;
}

void multi_forget(context *c, orr_id body) {
  for (struct multi_cursor **at = &c->lists.cursors; *at; at = &(*at)->next) {
    if ((*at)->body != body) continue;
    *at = (*at)->next;
    return;
  }
}
