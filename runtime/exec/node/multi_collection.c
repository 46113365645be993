/* The collection that a multi-instance goes through: where it comes from, and its elements in turn. */
#include "exec/node/multi_collection.h"

#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/json.h"
#include "base/value.h"
#include "engine/engine.h"
#include "exec/data/expression.h"
#include "exec/data/variable.h"
#include "exec/node/multi_instance.h"

/* Where a sequential multi-instance is in its collection: so that n elements cost n steps and one evaluation. */
struct multi_cursor {
  struct multi_cursor *next;
  orr_id body;
  orr_value items;
  orr_iterator at;
  int64_t index; /* of the element that `at` gives next */
};

/* ---- Resolving ------------------------------------------------------------------------------- */

static int no_collection(context *c, const node *n, const char *what) {
  return context_error(c, ORR_E_EXPRESSION, "%s \"%s\": its multi-instance collection \"%s\" %s", n->element, n->id,
                       n->multi->collection.text ? n->multi->collection.text : "", what);
}

int multi_invoke(context *c, const node *n, const implementation *run, const char *what, const char *method,
                 const orr_value *arguments, orr_value *out) {
  const char *name = run->value.name ? run->value.name : run->value.text;
  if (!c->host) return context_error(c, ORR_E_UNSUPPORTED, "%s \"%s\": a %s needs a script host", n->element, n->id, what);
  orr_id about = execution_step_out(c);
  int rc = c->host->methods->invoke(c->host, name, method, arguments, c->arena, out, &c->error);
  rc = execution_step_in(c, about, rc);
  return rc ? error_wrap(&c->error, "%s \"%s\", %s \"%s\"", n->element, n->id, what, name) : 0;
}

/* A registered table's collect(text, execution's variables come through expressions): Flowable's collection handler. */
static int from_handler(context *c, const rec_execution *body, const node *n, const orr_value *given, orr_value *out) {
  const implementation *h = &n->multi->handler;
  if (h->kind == IMPLEMENTATION_EXPRESSION) return expr_value(c, &h->value, body->id, n, out);
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_value arguments;
  orr_builder_array(b);
  orr_builder_add(b, given);
  orr_builder_end(b);
  int rc = orr_builder_value(b, &arguments, &c->error);
  if (!rc) rc = multi_invoke(c, n, h, "collection handler", "collect", &arguments, out);
  orr_builder_free(b);
  return rc;
}

/* A variable that was declared as Json holds its text. */
static int open_json_collection(context *c, const node *n, orr_value *v) {
  orr_value text = *v;
  int rc = json_value(c->arena, &c->engine->env.allocator, text.as.bytes, text.size, v, &c->error);
  return rc ? error_wrap(&c->error, "%s \"%s\", multi-instance collection", n->element, n->id) : 0;
}

/* A literal names a variable; an expression gives the collection, or the name of a variable. */
static int find_collection(context *c, const rec_execution *body, const node *n, orr_value *out) {
  const multi_instance *m = n->multi;
  orr_value v = {0};
  if (m->collection_string) v = orr_string(m->collection_string);
  else {
    int rc = expr_value(c, &m->collection, body->id, n, &v);
    if (rc) return rc;
  }
  if (json_is_text(&v) && open_json_collection(c, n, &v)) return c->error.code;
  bool handled = m->handler.kind != IMPLEMENTATION_NONE;
  if (v.type == ORR_STRING && !m->collection_string) {
    const char *name = arena_strndup(c->arena, v.as.bytes, v.size);
    orr_value found;
    int rc = name ? variable_get(c, body->id, name, &found) : context_memory(c);
    if (rc) return rc;
    if (json_is_text(&found) && open_json_collection(c, n, &found)) return c->error.code;
    if (found.type != ORR_NIL) v = found;
    else if (!handled) return no_collection(c, n, "names no variable");
  }
  if (handled) return from_handler(c, body, n, &v, out);
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

/* By its cardinality; a collection that stands beside it gives each instance an element. */
static int resolve_count(context *c, const rec_execution *body, const node *n, multi_source *out) {
  int64_t elements = out->count;
  int rc = expr_integer(c, &n->multi->cardinality, body->id, n, &out->count);
  if (!rc) rc = check_count(c, n, out->count);
  if (rc || !goes_through_collection(n->multi) || out->count <= elements) return rc;
  return context_error(c, ORR_E_EXPRESSION, "%s \"%s\": loopCardinality gives %" PRId64 ", but its collection has %" PRId64
                       " elements", n->element, n->id, out->count, elements);
}

static int resolve_collection(context *c, const rec_execution *body, const node *n, multi_source *out) {
  int rc = find_collection(c, body, n, &out->items);
  if (rc) return rc;
  orr_value *items = &out->items;
  if (items->type == ORR_NIL || items->type == ORR_NULL) return no_collection(c, n, "is null");
  if (items->type != ORR_ARRAY && !(items->type == ORR_MAP && orr_count(items) == 0)) return no_collection(c, n, "is no array");
  out->count = (int64_t)orr_count(items);
  return check_count(c, n, out->count);
}

int multi_resolve(context *c, const rec_execution *body, const node *n, multi_source *out) {
  *out = (multi_source){0};
  int rc = goes_through_collection(n->multi) ? resolve_collection(c, body, n, out) : 0;
  return rc || !expr_given(&n->multi->cardinality) ? rc : resolve_count(c, body, n, out);
}

/* ---- Elements in turn ------------------------------------------------------------------------ */

static struct multi_cursor *cursor_of(context *c, const rec_execution *body, const node *n) {
  for (struct multi_cursor *at = c->lists.cursors; at; at = at->next) {
    if (at->body == body->id) return at;
  }
  multi_source source;
  if (multi_resolve(c, body, n, &source)) return NULL;
  struct multi_cursor *made = ARENA_NEW(c->arena, struct multi_cursor);
  if (!made) {
    context_memory(c);
    return NULL;
  }
  *made = (struct multi_cursor){.next = c->lists.cursors, .body = body->id, .items = source.items,
                                .at = orr_iterate(&source.items)};
  return c->lists.cursors = made;
}

int multi_element(context *c, const rec_execution *body, const node *n, int64_t index, orr_value *out) {
  *out = (orr_value){0};
  if (!expr_given(&n->multi->collection) && !n->multi->collection_string) return 0;
  struct multi_cursor *cursor = cursor_of(c, body, n);
  if (!cursor) return c->error.code;
  if (cursor->index > index) {
    cursor->at = orr_iterate(&cursor->items);
    cursor->index = 0;
  }
  while (cursor->index <= index) {
    if (!orr_next(&cursor->at, NULL, out)) return 0; /* the collection has shrunk since the first instance */
    cursor->index++;
  }
  return 0;
}

void multi_forget(context *c, orr_id body) {
  for (struct multi_cursor **at = &c->lists.cursors; *at; at = &(*at)->next) {
    if ((*at)->body != body) continue;
    *at = (*at)->next;
    return;
  }
}
