/* Names: where one ends, and what it is.
 *
 * Of all names in scope that match the text here, the longest wins, and of equal ones the
 * innermost. Two words side by side mean nothing else in FEEL. So an undeclared name consists of
 * all words up to a keyword; and a declared one that is followed by further words is not meant. */
#include <string.h>

#include "decision/feel/parse_internal.h"
#include "decision/feel/type.h"

/* ---- Frames ---------------------------------------------------------------------------------- */

void frame_push(feel_parser *p, feel_frame *frame) {
  frame->outer = p->frames;
  p->frames = frame;
}

void frame_pop(feel_parser *p) { p->frames = p->frames->outer; }

bool frame_bind(feel_parser *p, const char *name, const feel_type *type, const char *lua,
                feel_node *context) {
  feel_binding *binding = ARENA_NEW(p->scan.arena, feel_binding);
  if (!binding) {
    feel_parse_out_of_memory(p);
    return false;
  }
  *binding = (feel_binding){p->frames->bindings, name, type, lua, context};
  p->frames->bindings = binding;
  return true;
}

/* Could an item have unknown members? Then each name in its filter may be one. */
static bool is_dynamic(const feel_type *type) {
  return type->kind == FEEL_ANY || (type->kind == FEEL_CONTEXT && type->open);
}

/* ---- Looking a name up ----------------------------------------------------------------------- */

typedef struct feel_found {
  size_t end; /* 0: nothing */
  const char *name;
  const feel_type *type;
  const char *lua;
  feel_frame *frame;  /* that declares it; NULL: the caller's scope, or nothing */
  feel_node *context; /* of an entry */
  bool is_member;     /* of the frame's item */
  bool is_builtin;
  bool camunda;       /* a function that Camunda's FEEL alone has */
  bool is_undeclared; /* its extent is known, but not what it is */
} feel_found;

/* Takes a candidate that ends further on than the best so far. */
static void consider_name(const feel_parser *p, size_t at, feel_found *best, feel_found candidate) {
  candidate.end = feel_scan_name_end(&p->scan, at, candidate.name);
  if (candidate.end > best->end) *best = candidate;
}

/* `possible`: members that an item may lack count, too. */
static void look_in_frame(const feel_parser *p, size_t at, feel_frame *frame, bool possible,
                          feel_found *best) {
  const feel_type *item =
      frame->item && (possible || !is_dynamic(frame->item_type)) ? frame->item_type : NULL;
  for (size_t i = 0; item && item->kind == FEEL_CONTEXT && i < item->n_members; i++) {
    const feel_member *m = &item->members[i];
    consider_name(p, at, best,
                  (feel_found){.name = m->name,
                               .type = m->type,
                               .lua = frame->item,
                               .frame = frame,
                               .is_member = true});
  }
  for (const feel_binding *b = frame->bindings; b; b = b->next)
    consider_name(p, at, best,
                  (feel_found){.name = b->name,
                               .type = b->type,
                               .lua = b->lua,
                               .frame = frame,
                               .context = b->context});
}

static void look_in_scope(const feel_parser *p, size_t at, const feel_scope *scope,
                          feel_found *best) {
  for (size_t i = 0; i < scope->n_names; i++) {
    const feel_name *n = &scope->names[i];
    if (n->name[0] == p->scan.text[at])
      consider_name(p, at, best, (feel_found){.name = n->name, .type = n->type, .lua = n->lua});
  }
}

static feel_found look_name_up_any(const feel_parser *p, size_t at, bool possible) {
  feel_found best = {0};
  for (feel_frame *frame = p->frames; frame; frame = frame->outer)
    look_in_frame(p, at, frame, possible, &best);
  for (const feel_scope *scope = p->request->scope; scope; scope = scope->outer)
    look_in_scope(p, at, scope, &best);
  feel_builtin builtin = feel_builtin_at(&p->scan, at);
  if (builtin.end > best.end)
    best = (feel_found){.end = builtin.end,
                        .name = builtin.name,
                        .type = builtin.gives,
                        .is_builtin = true,
                        .camunda = builtin.camunda};
  return best;
}

/* A member that the item may lack says how far the name goes; what it is then is looked up without
 * it. */
static feel_found look_name_up(feel_parser *p, size_t at) {
  feel_found found = look_name_up_any(p, at, true);
  if (!found.is_member || !is_dynamic(found.frame->item_type)) return found;
  feel_found outer = look_name_up_any(p, at, false);
  if (outer.end < found.end)
    return (feel_found){
        .end = found.end, .name = found.name, .type = found.type, .is_undeclared = true};
  outer.type = found.type;
  return outer;
}

static bool is_open(const feel_parser *p) {
  const feel_scope *scope = p->request->scope;
  while (scope && scope->outer) scope = scope->outer;
  return scope && scope->open;
}

/* ---- What a name is -------------------------------------------------------------------------- */

/* A Lua string that `name` is; names hold no line breaks, since blanks became single. */
static const char *quote_name(feel_parser *p, const char *name) {
  return source_quote(p->scan.arena, name, strlen(name));
}

/* The items that may have this member: of all filters from here out to the frame that declares the
 * name, whose own item may have a member "item". */
static bool add_probes(feel_parser *p, feel_node *node, const feel_found *found) {
  const feel_probe **end = &node->probes;
  for (feel_frame *frame = p->frames; frame; frame = frame->outer) {
    if (frame->item && is_dynamic(frame->item_type)) {
      feel_probe *probe = ARENA_NEW(p->scan.arena, feel_probe);
      if (!probe) return false;
      probe->lua = frame->item;
      *end = probe;
      end = (const feel_probe **)&probe->next;
    }
    if (frame == found->frame) return true;
  }
  return true;
}

static const char *scope_lua(feel_parser *p, const char *name) {
  const char *text = quote_name(p, name);
  return text ? arena_printf(p->scan.arena, "scope[%s]", text) : NULL;
}

/* A built-in function's name that is not called: a variable of that name comes first, where only
 * running tells whether there is one. */
static bool builtin_source(feel_parser *p, feel_node *node, const feel_found *found) {
  node->lua = arena_printf(p->scan.arena, "f.functions[\"%s\"]", found->name);
  if (!node->lua || !is_open(p)) return node->lua;
  node->asked = true;
  return names_add(p->scan.arena, &p->out->read, node->text);
}

/* The expression that gives what was found, probes aside; false: no memory. */
static bool name_source(feel_parser *p, feel_node *node, const feel_found *found) {
  if (found->is_member) {
    const char *text = quote_name(p, found->name);
    node->lua = text ? arena_printf(p->scan.arena, "f.get(%s, %s)", found->lua, text) : NULL;
    return node->lua;
  }
  if (found->is_builtin) return builtin_source(p, node, found);
  if (found->frame) {
    node->lua = found->lua;
    if (found->context) found->context->refers = true;
    return true;
  }
  bool declared = found->end > 0 && !found->is_undeclared;
  if (!declared && !is_open(p))
    return node->probes || names_add(p->scan.arena, &p->out->unknown, node->text);
  if (!names_add(p->scan.arena, &p->out->read, node->text)) return false;
  node->asked = !declared;
  if (declared) node->lua = found->lua ? found->lua : scope_lua(p, node->text);
  return node->asked || node->lua;
}

/* A call of what is no function's name here, or only in another dialect. */
static bool note_call(feel_parser *p, const feel_node *node, bool camunda) {
  feel_unknown_call *calls = p->out->calls;
  size_t n = p->out->n_calls, size = sizeof *calls;
  calls = arena_grow(p->scan.arena, calls, n * size, (n + 1) * size);
  if (!calls) return false;
  calls[n] = (feel_unknown_call){node->text, feel_scan_place(&p->scan, node->at), camunda};
  p->out->calls = calls;
  p->out->n_calls = n + 1;
  return true;
}

/* What is known of a name that is called, but not as a built-in function. */
static bool check_called(feel_parser *p, feel_node *node, const feel_found *found) {
  bool declared = found->end > 0 && !found->is_undeclared;
  if (declared) node->function = feel_builtin_at(&p->scan, node->at).name;
  return declared || node->probes || !is_open(p) || note_call(p, node, false);
}

static feel_node *name_node(feel_parser *p, size_t at, const char *name, const feel_found *found) {
  /* A function's name is one where it is called; else it may be a member of an item, such as
   * "number". */
  bool called = feel_scan_peek(&p->scan) == S_OPEN, function = called && found->is_builtin;
  feel_node *node = feel_parse_new(p, function ? N_BUILTIN : N_NAME, at);
  if (!node) return NULL;
  node->text = name;
  node->size = strlen(name);
  if (found->type && (function || !found->is_builtin)) node->type = found->type;
  bool done = function ? !found->camunda || p->request->camunda || note_call(p, node, true)
                       : add_probes(p, node, found) && name_source(p, node, found);
  if (done && called && !function) done = check_called(p, node, found);
  return done ? node : feel_parse_out_of_memory(p);
}

bool feel_parse_at_declared_name(const feel_parser *p) {
  return look_name_up_any(p, p->scan.at, true).end > feel_scan_word_end(&p->scan, p->scan.at);
}

/* `a name that needs them`: the whole text in backticks is the name. */
static feel_node *quoted_name(feel_parser *p, size_t at) {
  size_t end = feel_scan_quoted_end(&p->scan, at);
  if (end == 0) return feel_parse_fail(p, at, "a name without its closing '`'");
  const char *name = feel_scan_name(&p->scan, at + 1, end - 1);
  if (!name) return feel_parse_out_of_memory(p);
  feel_found found = look_name_up(p, at + 1);
  if (found.end != end - 1) found = (feel_found){0};
  feel_scan_move(&p->scan, end);
  return name_node(p, at, found.end ? found.name : name, &found);
}

feel_node *feel_parse_name(feel_parser *p) {
  size_t at = p->scan.at;
  if (p->scan.text[at] == '`') return quoted_name(p, at);
  feel_found found = look_name_up(p, at);
  size_t words = feel_scan_words_end(&p->scan, at);
  if (words > found.end) { /* as written, though it has no declaration */
    found = (feel_found){0};
    const char *name = feel_scan_name(&p->scan, at, words);
    if (!name) return feel_parse_out_of_memory(p);
    feel_scan_move(&p->scan, words);
    return name_node(p, at, name, &found);
  }
  feel_scan_move(&p->scan, found.end);
  return name_node(p, at, found.name, &found);
}

/* ---- Members --------------------------------------------------------------------------------- */

/* Paths go through lists to their items. */
static const feel_type *members_of(const feel_type *type) {
  while (type && type->kind == FEEL_LIST) type = type->item;
  return type && type->kind == FEEL_CONTEXT ? type : NULL;
}

const char *feel_parse_member_name(feel_parser *p, const feel_type *type) {
  size_t at = p->scan.at, end = 0;
  const feel_type *context = members_of(type);
  const char *name = NULL;
  if (!feel_scan_at_name(&p->scan)) {
    feel_parse_expected(p, "the name of a member");
    return NULL;
  }
  if (p->scan.text[at] == '`') return feel_parse_declared(p, 0);
  for (size_t i = 0; context && i < context->n_members; i++) {
    size_t stop = feel_scan_name_end(&p->scan, at, context->members[i].name);
    if (stop <= end) continue;
    end = stop;
    name = context->members[i].name;
  }
  size_t words = feel_scan_words_end(&p->scan, at);
  if (words > end) {
    end = words;
    name = feel_scan_name(&p->scan, at, end);
    if (!name) feel_parse_out_of_memory(p);
  }
  feel_scan_move(&p->scan, end);
  return name;
}

const feel_type *member_type(feel_parser *p, const feel_type *type, const char *name) {
  const feel_type *context = members_of(type);
  for (size_t i = 0; context && i < context->n_members; i++) {
    const feel_member *m = &context->members[i];
    if (strcmp(m->name, name) != 0 || !m->type) continue;
    if (type->kind != FEEL_LIST) return m->type;
    const feel_type *list = feel_type_list(p->scan.arena, m->type);
    return list ? list : &feel_any;
  }
  return &feel_any;
}

const char *feel_parse_declared(feel_parser *p, size_t end) {
  size_t at = p->scan.at, start = at, stop = end;
  if (p->scan.text[at] == '`') {
    end = feel_scan_quoted_end(&p->scan, at);
    if (end == 0) {
      feel_parse_fail(p, at, "a name without its closing '`'");
      return NULL;
    }
    start = at + 1;
    stop = end - 1;
  }
  const char *name = feel_scan_name(&p->scan, start, stop);
  if (!name) feel_parse_out_of_memory(p);
  feel_scan_move(&p->scan, end);
  return name;
}
