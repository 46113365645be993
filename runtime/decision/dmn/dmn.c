/* The entry of this room: takes a resource, gives a chunk and what it declares. */
#include "decision/dmn/dmn.h"

#include <string.h>

#include "decision/dmn/dmn_internal.h"

bool dmn_is_model(const char *name, size_t size) {
  static const char *const SUFFIXES[] = {".dmn", ".dmn11.xml"};
  for (size_t i = 0; i < sizeof SUFFIXES / sizeof *SUFFIXES; i++) {
    size_t n = strlen(SUFFIXES[i]);
    if (size >= n && memcmp(name + size - n, SUFFIXES[i], n) == 0) return true;
  }
  return false;
}

/* Copies what outlives the build. */
static const char *keep(dmn_build *b, const char *text) {
  char *copy = text ? arena_strdup(b->problems->arena, text) : NULL;
  if (text && !copy) dmn_memory(b);
  return copy;
}

static void declare(dmn_build *b, const dmn_model *m, dmn_compiled *out) {
  dmn_declared *all = ARENA_ARRAY(b->problems->arena, dmn_declared, m->n_nodes + 1);
  if (!all) dmn_memory(b);
  out->declared = all;
  for (uint32_t i = 0; i < m->n_nodes; i++) {
    const dmn_node *n = m->nodes[i];
    if (n->kind != DMN_DECISION && n->kind != DMN_SERVICE) continue;
    const char *name = dmn_attribute(b, n->element, "name");
    all[out->n_declared++] = (dmn_declared){
      .key = keep(b, n->id),
      .name = keep(b, name ? name : n->name),
      .version_tag = keep(b, dmn_vendor_attribute(b, n->element, "versionTag")),
      .history_time_to_live = keep(b, dmn_vendor_attribute(b, n->element, "historyTimeToLive")),
      .service = n->kind == DMN_SERVICE,
      .line = n->element->line,
    };
  }
}

/* Lua has bounds that we cannot predict, such as the depth of its compiler. A chunk that exceeds
 * one is a problem of the model. */
static void check_chunk(dmn_build *b, const dmn_model *m, const dmn_out *chunk) {
  orr_error err = {0};
  int line = 0;
  if (!b->options->check_script || b->problems->errors || chunk->size > ORR_SCRIPT_BYTES_MAX) return;
  int rc = b->options->check_script(b->options->ud, chunk->text, chunk->size, &line, &err);
  if (rc) dmn_error(b, m->root, "the model cannot be compiled: %s", dmn_take_error(b, rc, &err));
}

static void compile(dmn_build *b, const char *resource, dmn_compiled *out) {
  dmn_out text = {0};
  dmn_model *m = dmn_read(b, resource, NULL, "");
  if (!m) return;
  dmn_write_chunk(b, m, &text);
  check_chunk(b, m, &text);
  out->id = keep(b, dmn_attribute(b, m->root, "id"));
  out->name = keep(b, dmn_attribute(b, m->root, "name"));
  declare(b, m, out);
  out->code = keep(b, text.text);
  out->size = text.size;
}

/* If memory runs out anywhere below, control returns here. */
static int run(dmn_build *b, const char *resource, dmn_compiled *out) {
  if (setjmp(b->out_of_memory)) return ORR_E_MEMORY;
  b->unit = feel_unit_new(b->arena);
  if (!b->unit) return ORR_E_MEMORY;
  compile(b, resource, out);
  return 0;
}

int dmn_compile(const orr_value *resources, const char *resource, const dmn_options *options, problems *list, dmn_compiled *out,
                orr_error *err) {
  *out = (dmn_compiled){0};
  orr_arena *arena = arena_new(options->allocator);
  if (!arena) return error_memory(err);
  uint32_t errors = list->errors, first = list->count;
  dmn_build b = {.arena = arena, .resources = resources, .options = options, .problems = list, .refused = {.arena = arena}};
  int rc = run(&b, resource, out);
  if (rc) error_memory(err);
  if (!rc) problems_sort(list, first);
  uint32_t found = list->errors - errors;
  if (!rc && found > 0)
    rc = error_set(err, ORR_E_DEPLOYMENT, "%s has %u error%s", resource, found,
                   found == 1 ? "" : "s");
  if (!rc && !out->code) rc = error_set(err, ORR_E_DEPLOYMENT, "%s is no decision model", resource);
  if (rc) *out = (dmn_compiled){0};
  arena_free(arena);
  return rc;
}
