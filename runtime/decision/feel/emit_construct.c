/* What becomes a Lua function: conditions, iterations, functions, filters; contexts and calls. */
#include <string.h>

#include "decision/feel/emit_internal.h"

/* Parameters, iterators and arguments of one construct; each takes a register. */
#define PARTS_MAX 100

static size_t count_between(const feel_node *first, const feel_node *stop) {
  size_t n = 0;
  for (; first != stop; first = first->next) n++;
  return n;
}

static size_t count_nodes(const feel_node *first) { return count_between(first, NULL); }

/* ---- If, and, or ----------------------------------------------------------------------------- */

/* `if a then b else if c then d else e` is one row of branches, however long. */
void emit_if(feel_emitter *e, const feel_node *node) {
  feel_level before = emit_enter_function(e, node, 2);
  emit_put(e, "(function() if ");
  for (;;) {
    const feel_node *value = node->first->next, *other = value->next;
    emit_truth(e, node->first);
    emit_put(e, " then return ");
    emit_value(e, value);
    emit_put(e, " ");
    if (e->rc || other->kind != N_IF) {
      emit_put(e, "end return ");
      emit_value(e, other);
      break;
    }
    emit_put(e, "elseif ");
    node = other;
  }
  emit_put(e, " end)()");
  emit_leave(e, before);
}

/* Three-valued: a deciding operand ends it. Else it is null if an operand was null, or no
 * boolean. */
void emit_connective(feel_emitter *e, const feel_node *node) {
  const char *deciding = node->kind == N_AND ? "false" : "true",
             *neutral = node->kind == N_AND ? "true" : "false";
  feel_level before = emit_enter_function(e, node, 4);
  source_putf(&e->source, "(function() local r, u = nil, %s; ", neutral);
  for (const feel_node *n = node->first; n && !e->rc; n = n->next) {
    emit_put(e, "r = ");
    emit_value(e, n);
    source_putf(&e->source, "; if r == %s then return %s elseif r ~= %s then u = nil end ",
                deciding, deciding, neutral);
  }
  emit_put(e, "return u end)()");
  emit_leave(e, before);
}

/* ---- Functions and iterations ---------------------------------------------------------------- */

/* The locals of the nodes before `stop`, with ", " between and behind them where `more` follow. */
static void emit_locals(feel_emitter *e, const feel_node *first, const feel_node *stop,
                        const char *more) {
  for (const feel_node *n = first; n != stop; n = n->next) {
    emit_put(e, n->lua);
    if (n->next != stop || more) emit_put(e, ", ");
  }
  if (more) emit_put(e, more);
}

/* `function(v1, v2) return <value> end` */
static void emit_closure(feel_emitter *e, const feel_node *first, const feel_node *stop,
                         const char *more, const feel_node *body) {
  feel_level before = emit_enter_function(e, body, (int)count_between(first, stop) + 3);
  emit_put(e, "function(");
  emit_locals(e, first, stop, more);
  emit_put(e, ") return ");
  emit_value(e, body);
  emit_put(e, " end");
  emit_leave(e, before);
}

static const feel_node *last_of(const feel_node *first) {
  while (first->next) first = first->next;
  return first;
}

static void emit_domain(feel_emitter *e, const feel_node *iterator) {
  const feel_node *low = iterator->first, *high = low->next;
  if (high) emit_put(e, "f.span(");
  feel_level before = emit_enter(e, low, 2, 3);
  emit_value(e, low);
  emit_leave(e, before);
  if (!high) return;
  emit_arguments(e, high, 3);
  emit_put(e, ")");
}

/* `f.loop(function(v1, v2, partial) … end, domain1, function(v1) return domain2 end, …)` */
void emit_iteration(feel_emitter *e, const feel_node *node) {
  const char *loop = node->refers ? "f.partial_loop" : "f.loop";
  const char *function = node->kind == N_FOR ? loop : node->kind == N_SOME ? "f.some" : "f.every";
  const feel_node *first = node->first, *body = last_of(first);
  if (!emit_at_most(e, node, count_nodes(first), PARTS_MAX, "more iterators than 100")) return;
  source_putf(&e->source, "%s(", function);
  emit_closure(e, first, body, node->lua, body);
  for (const feel_node *n = first; n != body && !e->rc; n = n->next) {
    feel_level before = emit_enter_function(e, n, (int)count_between(first, n) + 3);
    emit_put(e, ", ");
    if (n != first) {
      emit_put(e, "function(");
      emit_locals(e, first, n, NULL);
      emit_put(e, ") return ");
    }
    emit_domain(e, n);
    if (n != first) emit_put(e, " end");
    emit_leave(e, before);
  }
  emit_put(e, ")");
}

static void emit_parameter_types(feel_emitter *e, const feel_node *first, const feel_node *stop) {
  int i = 0;
  bool any = false;
  for (const feel_node *n = first; n != stop; n = n->next) {
    i++;
    if (n->type == &feel_any) continue;
    source_putf(&e->source, "%s[%d] = ", any ? ", " : "{", i);
    emit_type(e, n->type);
    any = true;
  }
  emit_put(e, any ? "}, " : "nil, ");
}

void emit_function(feel_emitter *e, const feel_node *node) {
  const feel_node *first = node->first, *body = last_of(first);
  if (!emit_at_most(e, node, count_nodes(first), PARTS_MAX, "more parameters than 100")) return;
  emit_put(e, node->external ? "f.external({" : "f.lambda({");
  for (const feel_node *n = first; n != body; n = n->next) {
    emit_quoted(e, n->text, n->size);
    if (n->next != body) emit_put(e, ", ");
  }
  emit_put(e, "}, ");
  emit_parameter_types(e, first, body);
  emit_closure(e, first, body, NULL, body);
  if (body->type->kind != FEEL_ANY && body->type->kind != FEEL_NULL && !node->external) {
    emit_put(e, ", nil, ");
    emit_type(e, body->type);
  }
  emit_put(e, ")");
}

/* ---- Filters --------------------------------------------------------------------------------- */

void emit_filter(feel_emitter *e, const feel_node *node) {
  const feel_node *list = node->first, *condition = list->next;
  bool index = condition->kind == N_NUMBER, plain = emit_is_condition(condition);
  emit_put(e, index ? "f.index(" : plain ? "f.filter(" : "f.select(");
  feel_level before = emit_enter(e, node, 1, 2);
  emit_value(e, list);
  emit_leave(e, before);
  emit_put(e, ", ");
  if (index) {
    emit_value(e, condition);
  } else {
    before = emit_enter_function(e, node, 2);
    source_putf(&e->source, "function(%s) return ", node->lua);
    if (plain) emit_truth(e, condition);
    else emit_value(e, condition);
    emit_put(e, " end");
    emit_leave(e, before);
  }
  emit_put(e, ")");
}

/* ---- Contexts -------------------------------------------------------------------------------- */

/* A key that comes twice, or NULL. */
static const feel_node *repeated_key(const feel_node *context) {
  for (const feel_node *a = context->first; a; a = a->next)
    for (const feel_node *b = a->next; b; b = b->next)
      if (strcmp(a->text, b->text) == 0) return a;
  return NULL;
}

static void emit_keys(feel_emitter *e, const feel_node *context) {
  for (const feel_node *entry = context->first; entry; entry = entry->next) {
    emit_quoted(e, entry->text, entry->size);
    if (entry->next) emit_put(e, ", ");
  }
}

static void emit_entry(feel_emitter *e, const feel_node *entry) {
  emit_put(e, "[");
  emit_quoted(e, entry->text, entry->size);
  emit_put(e, "] = ");
  emit_value(e, entry->first);
}

/* Entries that read others are stored one by one, through the local that the others read. */
static void emit_dependent_context(feel_emitter *e, const feel_node *node) {
  feel_level before = emit_enter_function(e, node, 4);
  source_putf(&e->source, "(function() local %s = f.ctx{", node->lua);
  emit_keys(e, node);
  emit_put(e, "}; ");
  for (const feel_node *entry = node->first; entry && !e->rc; entry = entry->next) {
    emit_put(e, node->lua);
    emit_entry(e, entry);
    emit_put(e, "; ");
  }
  source_putf(&e->source, "return %s end)()", node->lua);
  emit_leave(e, before);
}

void emit_context(feel_emitter *e, const feel_node *node) {
  const feel_node *repeated = repeated_key(node);
  if (repeated) {
    emit_put(e, "f.nothing('a context has the key \"%s\" twice', ");
    emit_quoted(e, repeated->text, repeated->size);
    emit_put(e, ")");
  } else if (node->refers) {
    emit_dependent_context(e, node);
  } else {
    feel_level before = emit_enter(e, node, 2, 3);
    emit_put(e, "f.ctx{"); /* the keys come last, since a constructor keeps them in registers */
    for (const feel_node *entry = node->first; entry && !e->rc; entry = entry->next) {
      emit_entry(e, entry);
      emit_put(e, ", ");
    }
    emit_keys(e, node);
    emit_put(e, "}");
    emit_leave(e, before);
  }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* date("2026-01-31") and its like do not change. */
static bool is_constant_call(const feel_node *node) {
  static const char *const folded[] = {"date", "time", "date and time", "duration"};
  const feel_node *argument = node->first->next;
  if (node->first->kind != N_BUILTIN || node->named || !argument || argument->next ||
      argument->kind != N_STRING)
    return false;
  for (size_t i = 0; i < sizeof folded / sizeof folded[0]; i++)
    if (strcmp(node->first->text, folded[i]) == 0) return true;
  return false;
}

static void emit_constant_call(feel_emitter *e, const feel_node *node) {
  const feel_node *argument = node->first->next;
  const char *quoted = source_quote(e->unit->arena, argument->text, argument->size);
  const char *lua =
      quoted ? arena_printf(e->unit->arena, "f.fn[\"%s\"](1, %s)", node->first->text, quoted)
             : NULL;
  emit_put(e, "(");
  emit_constant(e, lua);
  if (lua) source_putf(&e->source, " or %s)", lua);
}

/* In Camunda's dialect, functions and variables have separate names: a declared name that a
 * built-in function has, too, may be the function. */
static void emit_callee(feel_emitter *e, const feel_node *callee) {
  if (callee->function) emit_put(e, "f.callee(");
  emit_value(e, callee);
  if (callee->function) source_putf(&e->source, ", \"%s\")", callee->function);
}

/* `f.named(function, {"a", "b"}, value, value)` */
static void emit_named_call(feel_emitter *e, const feel_node *node) {
  int held = 2;
  feel_level before = emit_enter(e, node, 1, 2);
  emit_put(e, "f.named(");
  emit_callee(e, node->first);
  emit_leave(e, before);
  emit_put(e, ", {");
  for (const feel_node *n = node->first->next; n; n = n->next) {
    emit_quoted(e, n->text, n->size);
    if (n->next) emit_put(e, ", ");
  }
  emit_put(e, "}");
  for (const feel_node *n = node->first->next; n && !e->rc; n = n->next) {
    before = emit_enter(e, n, 1, ++held);
    emit_put(e, ", ");
    emit_value(e, n->first);
    emit_leave(e, before);
  }
  emit_put(e, ")");
}

void emit_call(feel_emitter *e, const feel_node *node) {
  const feel_node *function = node->first, *arguments = function->next;
  if (!emit_at_most(e, node, count_nodes(arguments), PARTS_MAX, "more arguments than 100")) return;
  if (is_constant_call(node)) {
    emit_constant_call(e, node);
    return;
  }
  if (node->named) {
    emit_named_call(e, node);
    return;
  }
  if (function->kind == N_BUILTIN) {
    source_putf(&e->source, "f.fn[\"%s\"](%zu", function->text, count_nodes(arguments));
  } else {
    emit_put(e, "f.apply(");
    feel_level before = emit_enter(e, node, 2, 3);
    emit_callee(e, function);
    emit_leave(e, before);
    source_putf(&e->source, ", %zu", count_nodes(arguments));
  }
  emit_arguments(e, arguments, 3);
  emit_put(e, ")");
}
