/* model_parse: one resource from bytes to definitions; and the helpers that all files of this folder share. See parse.h. */
#include "model/parse/parse_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "model/parse/vendors.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

void parse_memory(parser *p) { longjmp(p->out_of_memory, 1); }

void *parse_alloc(parser *p, size_t size) {
  void *memory = arena_zalloc(p->arena, size ? size : 1);
  if (!memory) parse_memory(p);
  return memory;
}

const char *parse_keep(parser *p, const char *text) {
  if (!text) return NULL;
  char *copy = arena_strdup(p->arena, text);
  if (!copy) parse_memory(p);
  return copy;
}

static bool parse_is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

const char *parse_trimmed(parser *p, const char *text) {
  if (!text) return NULL;
  while (parse_is_space(*text)) text++;
  size_t n = strlen(text);
  while (n > 0 && parse_is_space(text[n - 1])) n--;
  if (n == 0) return NULL;
  char *copy = arena_strndup(p->arena, text, n);
  if (!copy) parse_memory(p);
  return copy;
}

const char *parse_printf(parser *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = arena_vprintf(p->scratch, format, args);
  va_end(args);
  if (!text) parse_memory(p);
  return text;
}

void vector_add(parser *p, vector *v, const void *item) {
  if (!ARENA_ROOM(p->scratch, v->items, v->count, v->capacity, 16)) parse_memory(p);
  v->items[v->count++] = (void *)(uintptr_t)item;
}

/* ---- Problems -------------------------------------------------------------------------------- */

/* What a deployer knows a place by: the id of the nearest thing that is drawn or referred to, else the element's own name. */
static const char *known_as(const xml_element *e) {
  for (const xml_element *at = e; at; at = at->parent) {
    const grammar_row *row = grammar_find(at);
    bool unknown = !row && at->ns && strcmp(at->ns, BPMN_NS) == 0;
    bool thing = unknown || (row && (row->use == USE_NODE || grammar_list_has(row->parents, "@scope") ||
                                     grammar_list_has(row->parents, "definitions")));
    const char *id = thing ? xml_value(at, "id") : NULL;
    if (id && *id) return id;
    if (thing) break; /* what stands around it would mislead */
  }
  return e->name;
}

static void report_problem(parser *p, bool warning, const xml_element *e, int line, int column, const char *format,
                           va_list args) {
  problem_place at = {.resource = p->resource, .line = line, .column = column};
  if (problems_want(p->problems, warning, format)) at.element = known_as(e);
  problems_add_list(p->problems, warning, &at, format, args);
  if (p->problems->out_of_memory) parse_memory(p);
}

void parse_error(parser *p, const xml_element *e, const xml_attribute *a, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report_problem(p, p->lenient, e, a ? a->line : e->line, a ? a->column : e->column, format, args);
  va_end(args);
}

void parse_error_always(parser *p, const xml_element *e, const xml_attribute *a, const char *format, va_list args) {
  report_problem(p, false, e, a ? a->line : e->line, a ? a->column : e->column, format, args);
}

void parse_warning(parser *p, const xml_element *e, const xml_attribute *a, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report_problem(p, true, e, a ? a->line : e->line, a ? a->column : e->column, format, args);
  va_end(args);
}

void parse_report(parser *p, bool warning, const xml_element *e, int line, int column, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report_problem(p, warning || p->lenient, e, line, column, format, args);
  va_end(args);
}

/* ---- Reading --------------------------------------------------------------------------------- */

bool is_bpmn(const xml_element *e, const char *name) {
  return e->ns && strcmp(e->ns, BPMN_NS) == 0 && strcmp(e->name, name) == 0;
}

const xml_element *bpmn_child(const xml_element *e, const char *name) {
  for (const xml_element *child = e->first; child; child = child->next)
    if (is_bpmn(child, name)) return child;
  return NULL;
}

static bool is_extension(const xml_element *e, const char *name) { return vendor_of(e->ns) && strcmp(e->name, name) == 0; }

const xml_element *extension_next(const xml_element *host, const xml_element *after, const char *name) {
  const xml_element *box = after ? after->parent : bpmn_child(host, "extensionElements");
  const xml_element *at = after ? after->next : box ? box->first : NULL;
  while (box) {
    for (; at; at = at->next)
      if (is_extension(at, name)) return at;
    do box = box->next;
    while (box && !is_bpmn(box, "extensionElements"));
    at = box ? box->first : NULL;
  }
  return NULL;
}

const xml_element *child_next(const xml_element *e, const xml_element *after, const char *name) {
  const xml_element *at = after ? after->next : e->first;
  while (at && strcmp(at->name, name) != 0) at = at->next;
  return at;
}

/* Element templates leave an empty attribute where a field is cleared. One of Orrery's own says nothing then;
 * of what the other vendors make of theirs, each parser knows. */
static bool is_cleared(const xml_attribute *a) {
  return vendor_of(a->ns) == VENDOR_ORRERY && a->value[0] == '\0';
}

const xml_attribute *vendor_attribute(const xml_element *e, const char *name) {
  for (uint32_t i = 0; i < e->n_attributes; i++) {
    const xml_attribute *a = &e->attributes[i];
    if (vendor_of(a->ns) && strcmp(a->name, name) == 0 && !is_cleared(a)) return a;
  }
  return NULL;
}

const xml_attribute *any_attribute(const xml_element *e, const char *name) {
  const xml_attribute *a = xml_attribute_of(e, name);
  return a ? a : vendor_attribute(e, name);
}

const char *vendor_text(parser *p, const xml_element *e, const char *name) {
  return parse_trimmed(p, value_of(vendor_attribute(e, name)));
}

const char *any_text(parser *p, const xml_element *e, const char *name) {
  return parse_trimmed(p, value_of(any_attribute(e, name)));
}

bool parse_bool(parser *p, const xml_element *e, const xml_attribute *a, bool otherwise) {
  const char *text = a ? parse_trimmed(p, a->value) : NULL;
  if (!text) return otherwise;
  if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0) return true;
  if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0) return false;
  parse_error(p, e, a, "\"%s\" of <%s> must be true or false, not \"%s\"", a->name, e->name, text);
  return otherwise;
}

bool vendor_bool(parser *p, const xml_element *e, const char *name, bool otherwise) {
  return parse_bool(p, e, vendor_attribute(e, name), otherwise);
}

bool parse_integer(const char *text, int64_t *out) {
  const char *digits = *text == '-' || *text == '+' ? text + 1 : text;
  size_t n = strspn(digits, "0123456789");
  if (n == 0 || digits[n]) return false;
  errno = 0;
  int64_t value = strtoll(text, NULL, 10);
  if (errno == ERANGE) return false;
  *out = value;
  return true;
}

/* ---- The file -------------------------------------------------------------------------------- */

static bool is_name_byte(unsigned char c) {
  return c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.';
}

bool parse_is_name(const char *text, size_t size) {
  bool legal = size && !(text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
  for (size_t i = 0; i < size; i++) legal = legal && is_name_byte((unsigned char)text[i]);
  return legal;
}

static void check_id(parser *p, const xml_element *e, const xml_attribute *a, const char *id) {
  size_t n = strlen(id);
  if (n > ORR_ID_BYTES_MAX && p->dialect->lengths_checked != LENGTHS_UNCHECKED)
    parse_error(p, e, a, "the id of <%s> has %zu bytes; the limit is %d", e->name, n, ORR_ID_BYTES_MAX);
  if (!parse_is_name(id, n))
    parse_error(p, e, a,
                "\"%.80s\" is not a legal id: letters, digits, '_', '-' and '.', not beginning with a digit, '-' or '.'", id);
}

static const char id_twice[] = "id \"%s\" is used twice: by <%s> in line %d and here by <%s>";

/* Ids are unique in a file, whatever kind of element they belong to. */
static void collect_ids(parser *p, const xml_element *e) {
  const xml_attribute *a = xml_attribute_of(e, "id");
  if (a) {
    const char *id = parse_trimmed(p, a->value);
    const xml_element *other = id ? names_get(&p->ids, id) : NULL;
    if (!id) {
      parse_error(p, e, a, "the id of <%s> is empty", e->name);
    } else if (other) {
      parse_error(p, e, a, id_twice, id, other->name, other->line, e->name);
    } else {
      check_id(p, e, a, id);
      if (!names_put(&p->ids, id, (void *)(uintptr_t)e)) parse_memory(p);
    }
  }
  for (const xml_element *child = e->first; child; child = child->next)
    if (grammar_find(child) && !is_bpmn(child, "extensionElements")) collect_ids(p, child);
}

static void collect_all_ids(parser *p, const xml_element *root) {
  for (const xml_element *child = root->first; child; child = child->next) {
    if (!grammar_find(child)) continue;
    p->lenient = is_bpmn(child, "process") && parse_lenient(p, child);
    collect_ids(p, child);
    p->lenient = false;
  }
}

static void add_message_reference(parser *p, names *map, const xml_element *e, const char *what) {
  const char *id = parse_trimmed(p, xml_value(e, "id"));
  if (!id) {
    parse_error(p, e, NULL, "the %s \"%s\" must have an id", what, xml_value(e, "name") ? xml_value(e, "name") : "");
  } else if (!names_get(map, id) && !names_put(map, id, (void *)(uintptr_t)e)) {
    parse_memory(p);
  }
}

static void check_signal(parser *p, const xml_element *e, names *by_name) {
  const char *name = parse_trimmed(p, xml_value(e, "name")), *scope = vendor_text(p, e, "scope");
  if (!name) {
    parse_error(p, e, NULL, "the signal \"%s\" has no name", xml_value(e, "id") ? xml_value(e, "id") : "");
  } else if (names_get(by_name, name)) {
    const xml_element *other = names_get(by_name, name);
    parse_error(p, e, xml_attribute_of(e, "name"), "duplicate signal name \"%s\": line %d has it too", name, other->line);
  } else if (!names_put(by_name, name, (void *)(uintptr_t)e)) {
    parse_memory(p);
  }
  if (scope && strcmp(scope, "global") != 0 && strcmp(scope, "processInstance") != 0)
    parse_error(p, e, vendor_attribute(e, "scope"),
                "the scope of signal \"%s\" must be 'global' or 'processInstance', not \"%s\"", name ? name : "", scope);
}

static void collect_root_elements(parser *p, const xml_element *root) {
  names signal_names = {.arena = p->scratch};
  for (const xml_element *e = root->first; e; e = e->next) {
    if (is_bpmn(e, "message")) {
      add_message_reference(p, &p->messages, e, "message");
    } else if (is_bpmn(e, "error")) {
      add_message_reference(p, &p->errors, e, "error");
    } else if (is_bpmn(e, "escalation")) {
      add_message_reference(p, &p->escalations, e, "escalation");
    } else if (is_bpmn(e, "resource")) {
      add_message_reference(p, &p->resources, e, "resource");
    } else if (is_bpmn(e, "signal")) {
      add_message_reference(p, &p->signals, e, "signal");
      check_signal(p, e, &signal_names);
    }
  }
}

static void check_target_namespace(parser *p, const xml_element *root) {
  const xml_attribute *a = xml_attribute_of(root, "targetNamespace");
  if (a && p->dialect->lengths_checked == LENGTHS_OF_TEXTS && strlen(a->value) > ORR_NAME_BYTES_MAX)
    parse_error(p, root, a, "the target namespace has %zu bytes; the limit is %d", strlen(a->value), ORR_NAME_BYTES_MAX);
}

/* A file in which nothing can be executed is answered as the dialect says; where that is an error, a process beside
 * executable ones that is none itself has a warning. */
static void check_executables(parser *p, const xml_element *root, uint32_t executables) {
  if (executables) {
    for (const xml_element *e = root->first; e && p->dialect->none_executable == NONE_EXECUTABLE_REFUSED; e = e->next)
      if (is_bpmn(e, "process") && !parse_executable(p, e))
        parse_report(p, true, e, e->line, e->column,
                     "process \"%.200s\" is not executable (isExecutable=\"true\"): it has no definition",
                     xml_value(e, "id") ? xml_value(e, "id") : "");
    return;
  }
  const char *ids = "";
  for (const xml_element *e = root->first; e && strlen(ids) < 200; e = e->next)
    if (is_bpmn(e, "process"))
      ids = parse_printf(p, "%s%s\"%s\"", ids, *ids ? ", " : "", xml_value(e, "id") ? xml_value(e, "id") : "");
  bool none = !*ids;
  none_executable_rule answer = p->dialect->none_executable;
  if (answer == NONE_EXECUTABLE_IGNORED) return;
  if (none) parse_report(p, false, root, root->line, root->column, "the file has no <process>");
  else
    parse_report(p, answer == NONE_EXECUTABLE_WARNS, root, root->line, root->column,
                 "no process is executable (isExecutable=\"true\"): %.200s", ids);
}

static orr_arena *new_arena(parser *p) {
  orr_arena *arena = arena_new(p->options->allocator);
  if (!arena) parse_memory(p);
  return arena;
}

/* The definitions made so far, for release when one of the later ones fails. */
static void parse_processes(parser *p, const xml_element *root, model *out) {
  uint32_t count = 0;
  for (const xml_element *e = root->first; e; e = e->next) count += is_bpmn(e, "process");
  definition **items = ARENA_ARRAY(p->problems->arena, definition *, count ? count : 1);
  if (!items) parse_memory(p);
  out->items = items;
  for (const xml_element *e = root->first; e; e = e->next) {
    if (!is_bpmn(e, "process")) continue;
    p->arena = new_arena(p);
    p->lenient = parse_lenient(p, e);
    definition *d = arena_zalloc(p->arena, sizeof *d);
    if (!d) {
      arena_free(p->arena);
      parse_memory(p);
    }
    *d = (definition){.arena = p->arena, .references = 1, .dialect = p->dialect};
    p->d = items[out->count++] = d; /* owned by the model from here on, whatever happens */
    parse_process(p, e);
    link_definition(p);
    check_definition(p);
    p->lenient = false;
    p->arena = p->scratch;
    if (d->executable) continue;
    definition_release(d);
    out->count--;
  }
}

static void parse_definitions(parser *p, const xml_element *root, model *out) {
  p->dialect = dialect_choose(p->options->dialect, root, p->scratch).dialect;
  grammar_check(p, root);
  check_target_namespace(p, root);
  collect_all_ids(p, root);
  problems_are_causes(p->problems, id_twice); /* flows and references find the one or the other */
  collect_root_elements(p, root);
  parse_processes(p, root, out);
  check_executables(p, root, out->count);
}

static bool is_definitions(parser *p, const xml_element *root) {
  if (is_bpmn(root, "definitions")) return true;
  const char *found = root->ns ? parse_printf(p, "<%s> in namespace %s", root->name, root->ns)
                               : parse_printf(p, "<%s> in no namespace", root->name);
  const problem_place at = {p->resource, root->line, root->column, root->name};
  problems_add(p->problems, false, &at,
               "this is not BPMN 2.0: the root element must be <definitions> in namespace %s, but it is %.300s", BPMN_NS,
               found);
  return false;
}

static void release_model(model *m) {
  for (uint32_t i = 0; i < m->count; i++) definition_release(m->items[i]);
  *m = (model){0};
}

/* Runs the passes; memory running out anywhere below comes back here. */
static int run_passes(parser *p, const xml_element *root, model *out) {
  if (setjmp(p->out_of_memory)) return ORR_E_MEMORY;
  if (is_definitions(p, root)) parse_definitions(p, root, out);
  return 0;
}

int model_parse(const char *resource, const void *bytes, size_t size, const model_options *options, problems *list, model *out,
                orr_error *err) {
  *out = (model){0};
  orr_arena *scratch = arena_new(options->allocator);
  if (!scratch) return error_memory(err);
  uint32_t errors = list->errors, first = list->count;
  parser p = {.arena = scratch, .scratch = scratch, .options = options, .resource = resource, .problems = list};
  p.ids.arena = p.messages.arena = p.signals.arena = p.errors.arena = p.escalations.arena = p.resources.arena =
      p.left_out.arena = p.other_vendors.arena = scratch;
  xml_element *root = NULL;
  xml_fault fault = {0};
  int rc = xml_parse(scratch, bytes, size, &root, &fault);
  const problem_place at = {resource, fault.line, fault.column, fault.element};
  if (rc == ORR_E_DEPLOYMENT) problems_add(list, false, &at, "%s", fault.message);
  if (!rc) rc = run_passes(&p, root, out);
  if (rc == ORR_E_MEMORY) {
    error_memory(err);
  } else {
    problems_sort(list, first);
    uint32_t found = list->errors - errors;
    if (found > 0)
      rc = error_set(err, ORR_E_DEPLOYMENT, "%s has %u error%s", resource, found,
                     found == 1 ? "" : "s");
  }
  if (rc) release_model(out);
  arena_free(scratch);
  return rc;
}
