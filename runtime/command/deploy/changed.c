/* Finding what changed since earlier deployments of the same name.
 *
 * Files are compared, but processes are deployed. The files beside a model belong to it, and a
 * changed module is a change of every process, because nothing tells for certain which of them use
 * it. */
#include "command/deploy/changed.h"

#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "command/deploy/deployed.h"
#include "command/deploy/models.h"
#include "decision/dmn/dmn.h"

typedef enum kind { KIND_PLAIN, KIND_MODULE, KIND_PROCESS, KIND_DECISION, KINDS } kind;

typedef struct item {
  orr_value name, bytes;
  kind kind;
  bool same;
} item;

typedef struct change {
  const unit_found *earlier;
  item *items;
  size_t count;
  bool changed[KINDS];
  bool bound;    /* a process is bound to what is deployed with it */
  bool imported; /* a decision model may import another */
} change;

static kind resource_kind(const orr_value *name) {
  if (resource_is_model(name->as.bytes, name->size)) return KIND_PROCESS;
  if (dmn_is_model(name->as.bytes, name->size)) return KIND_DECISION;
  return resource_is_module(name->as.bytes, name->size) ? KIND_MODULE : KIND_PLAIN;
}

/* May find a word in a comment: then more is deployed than necessary. */
static bool bytes_say(const orr_value *text, const char *word) {
  return !!memmem(text->as.bytes, text->size, word, strlen(word));
}

/* Is it the same as in the latest earlier deployment that has it? */
static int compare_earlier(context *c, const unit_found *earlier, item *i) {
  rec_text name = {i->name.as.bytes, i->name.size}, bytes = {i->bytes.as.bytes, i->bytes.size};
  for (size_t n = earlier->count; n-- > 0;) {
    const rec_resource *r =
        deployment_resource(c, ((const rec_deployment *)earlier->items[n])->id, name);
    if (c->error.code != 0) return c->error.code;
    if (!r) continue;
    i->same = rec_text_equal(r->bytes, bytes);
    return 0;
  }
  return 0;
}

static int look_at_all(context *c, change *all, const orr_value *resources) {
  orr_iterator at = orr_iterate(resources);
  all->items = ARENA_ARRAY(c->arena, item, orr_count(resources) + 1);
  if (!all->items) return context_memory(c);
  for (item i = {0}; orr_next(&at, &i.name, &i.bytes); i = (item){0}) {
    int rc = compare_earlier(c, all->earlier, &i);
    if (rc) return rc;
    i.kind = resource_kind(&i.name);
    if (!i.same) all->changed[i.kind] = true;
    if (i.kind == KIND_PROCESS &&
        (bytes_say(&i.bytes, "Binding") || bytes_say(&i.bytes, "sameDeployment")))
      all->bound = true;
    if (i.kind == KIND_DECISION && bytes_say(&i.bytes, "import")) all->imported = true;
    all->items[all->count++] = i;
  }
  return 0;
}

static bool kept(const change *all, const item *i) {
  bool process = all->changed[KIND_PROCESS] || all->changed[KIND_MODULE];
  bool any = process || all->changed[KIND_DECISION];
  if (!i->same || (any && all->bound)) return true;
  switch (i->kind) {
    case KIND_PROCESS: return all->changed[KIND_MODULE];
    case KIND_DECISION: return all->changed[KIND_DECISION] && all->imported;
    default: return any;
  }
}

int changed_resources(context *c, const unit_found *earlier, const orr_value *resources,
                      const orr_value **out) {
  change all = {.earlier = earlier};
  int rc = look_at_all(c, &all, resources);
  if (rc) return rc;
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_value built;
  orr_builder_map(b);
  for (size_t i = 0; i < all.count; i++) {
    if (!kept(&all, &all.items[i])) continue;
    orr_builder_key(b, all.items[i].name.as.bytes, all.items[i].name.size);
    orr_builder_add(b, &all.items[i].bytes);
  }
  orr_builder_end(b);
  rc = orr_builder_value(b, &built, &c->error);
  orr_value *copy = ARENA_NEW(c->arena, orr_value);
  if (!rc && (!copy || value_copy(c->arena, &built, copy))) rc = context_memory(c);
  orr_builder_free(b);
  *out = copy;
  return rc;
}
