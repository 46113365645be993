/* Helpers of all passes: memory, growing texts, walking elements, reporting problems. */
#include <stdio.h>
#include <string.h>

#include "decision/dmn/dmn_internal.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

void dmn_memory(dmn_build *b) { longjmp(b->out_of_memory, 1); }

const char *dmn_take_error(dmn_build *b, int rc, orr_error *err) {
  const char *kept = arena_strdup(b->arena, err->message ? err->message : orr_strerror(rc));
  orr_error_clear(err);
  if (rc == ORR_E_MEMORY || !kept) dmn_memory(b);
  return kept;
}

void *dmn_alloc(dmn_build *b, size_t size) {
  void *memory = arena_zalloc(b->arena, size);
  if (!memory) dmn_memory(b);
  return memory;
}

const char *dmn_printf(dmn_build *b, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = arena_vprintf(b->arena, format, args);
  va_end(args);
  if (!text) dmn_memory(b);
  return text;
}

void dmn_push(dmn_build *b, void *array, uint32_t *count, const void *item) {
  const void ***items = array;
  uint32_t n = *count;
  if ((n & (n - 1)) == 0) { /* full: 0, 1, 2, 4, … */
    const void **grown = DMN_ARRAY(b, const void *, n ? n * 2 : 1);
    if (n) memcpy(grown, *items, n * sizeof *grown);
    *items = grown;
  }
  (*items)[(*count)++] = item;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void add_bytes(dmn_build *b, dmn_out *out, const char *bytes, size_t size) {
  if (out->size + size + 1 > out->capacity) {
    size_t capacity = out->capacity ? out->capacity : 256;
    while (capacity < out->size + size + 1) capacity *= 2;
    char *grown = arena_grow(b->arena, out->text, out->capacity, capacity);
    if (!grown) dmn_memory(b);
    out->text = grown;
    out->capacity = capacity;
  }
  memcpy(out->text + out->size, bytes, size);
  out->size += size;
  out->text[out->size] = '\0';
}

void dmn_add(dmn_build *b, dmn_out *out, const char *text) { add_bytes(b, out, text, strlen(text)); }

void dmn_addf(dmn_build *b, dmn_out *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = arena_vprintf(b->arena, format, args);
  va_end(args);
  if (!text) dmn_memory(b);
  dmn_add(b, out, text);
}

void dmn_add_quoted(dmn_build *b, dmn_out *out, const char *text) {
  dmn_add(b, out, "\"");
  for (const char *p = text; *p; p++) {
    char escaped[8];
    if (*p != '"' && *p != '\\' && (unsigned char)*p >= ' ') add_bytes(b, out, p, 1);
    else add_bytes(b, out, escaped, (size_t)snprintf(escaped, sizeof escaped, "\\%03u", (unsigned)(unsigned char)*p));
  }
  dmn_add(b, out, "\"");
}

const char *dmn_quoted(dmn_build *b, const char *text) {
  dmn_out out = {0};
  dmn_add_quoted(b, &out, text);
  return out.text;
}

const char *dmn_text_of(const dmn_out *out) { return out->text ? out->text : ""; }

const char *dmn_local(dmn_build *b) {
  const char *name = feel_unit_local(b->unit);
  if (!name) dmn_memory(b);
  return name;
}

/* ---- Elements -------------------------------------------------------------------------------- */

static const struct { const char *ns, *version; } VERSIONS[] = {
  {"http://www.omg.org/spec/DMN/20151101/dmn.xsd", "1.1"},
  {"http://www.omg.org/spec/DMN/20151101/dmn11.xsd", "1.1"},
  {"http://www.omg.org/spec/DMN/20151101", "1.1"},
  {"http://www.omg.org/spec/DMN/20151130", "1.1"},
  {"http://www.omg.org/spec/DMN/20180521/MODEL/", "1.2"},
  {"https://www.omg.org/spec/DMN/20191111/MODEL/", "1.3"},
  {"http://www.omg.org/spec/DMN/20191111/MODEL/", "1.3"},
  {"https://www.omg.org/spec/DMN/20211108/MODEL/", "1.4"},
  {"https://www.omg.org/spec/DMN/20230324/MODEL/", "1.5"},
  {"https://www.omg.org/spec/DMN/20240513/MODEL/", "1.6"},
};

const char *dmn_version(const char *ns) {
  for (size_t i = 0; ns && i < sizeof VERSIONS / sizeof *VERSIONS; i++)
    if (strcmp(VERSIONS[i].ns, ns) == 0) return VERSIONS[i].version;
  return NULL;
}

bool dmn_is(const xml_element *e, const char *name) { return strcmp(e->name, name) == 0 && dmn_version(e->ns); }

const xml_element *dmn_next(const xml_element *e, const xml_element *after, const char *name) {
  if (!e) return NULL;
  for (const xml_element *child = after ? after->next : e->first; child; child = child->next)
    if (dmn_is(child, name)) return child;
  return NULL;
}

const xml_element *dmn_child(const xml_element *e, const char *name) { return dmn_next(e, NULL, name); }

uint32_t dmn_count(const xml_element *e, const char *name) {
  uint32_t count = 0;
  for (const xml_element *child = NULL; (child = dmn_next(e, child, name));) count++;
  return count;
}

const char *dmn_trimmed(dmn_build *b, const char *text) {
  if (!text) return NULL;
  text += strspn(text, " \t\r\n");
  size_t size = strlen(text);
  while (size && strchr(" \t\r\n", text[size - 1])) size--;
  if (!size) return NULL;
  char *copy = arena_strndup(b->arena, text, size);
  if (!copy) dmn_memory(b);
  return copy;
}

const char *dmn_attribute(dmn_build *b, const xml_element *e, const char *name) {
  return e ? dmn_trimmed(b, xml_value(e, name)) : NULL;
}

static bool is_vendor(const char *ns) {
  return ns && (strstr(ns, "camunda.org") || strstr(ns, "flowable.org") || strstr(ns, "urn:orrery"));
}

const char *dmn_vendor_attribute(dmn_build *b, const xml_element *e, const char *name) {
  for (uint32_t i = 0; i < e->n_attributes; i++) {
    const xml_attribute *a = &e->attributes[i];
    if (is_vendor(a->ns) && strcmp(a->name, name) == 0) return dmn_trimmed(b, a->value);
  }
  return NULL;
}

/* ---- Problems -------------------------------------------------------------------------------- */

/* A place is named after the nearest node of the graph, or item definition, around it. */
static const char *dmn_known_as(const xml_element *e) {
  const xml_element *top = e;
  while (top->parent && top->parent->parent) top = top->parent;
  const char *id = xml_value(top, "id"), *name = xml_value(top, "name");
  return id && *id ? id : name && *name ? name : e->name;
}

static void report(dmn_build *b, bool warning, const xml_element *e, int line, int column, const char *format, va_list args) {
  if (b->model && !b->model->first) return;
  problem_place at = {.resource = b->model ? b->model->resource : "", .line = line, .column = column};
  if (problems_want(b->problems, warning, format)) at.element = dmn_known_as(e);
  problems_add_list(b->problems, warning, &at, format, args);
  if (b->problems->out_of_memory) dmn_memory(b);
}

void dmn_problem(dmn_build *b, bool warning, const xml_element *e, int line, int column, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(b, warning, e, line, column, format, args);
  va_end(args);
}

void dmn_error(dmn_build *b, const xml_element *e, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(b, false, e, e->line, e->column, format, args);
  va_end(args);
}

void dmn_warning(dmn_build *b, const xml_element *e, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(b, true, e, e->line, e->column, format, args);
  va_end(args);
}
