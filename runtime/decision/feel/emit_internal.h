/* The emitter's inside: writes a tree as one Lua expression.
 *
 * Each node is written in one of two ways: as its value (emit_value), or, where only `true` matters
 * as in conditions and tests, as something that Lua takes for true exactly then (emit_truth); the
 * second needs less support code.
 *
 * Lua's parser nests at most 200 levels deep and a Lua function has 255 registers: emit_enter
 * counts both along the path from the root, and emit_leave takes them back. */
#ifndef ORR_FEEL_EMIT_INTERNAL_H
#define ORR_FEEL_EMIT_INTERNAL_H

#include "decision/feel/source.h"
#include "decision/feel/unit_internal.h"

typedef struct feel_emitter {
  feel_unit *unit;
  const feel_request *request;
  feel_source source;
  feel_place *where;
  orr_error *err;
  int rc;
  int levels, registers;
} feel_emitter;

typedef struct feel_level {
  int levels, registers;
} feel_level;

/* Levels of nesting that a construct adds, and the registers it holds meanwhile. */
feel_level emit_enter(feel_emitter *e, const feel_node *node, int levels, int registers);
/* The same for the body of a Lua function, which has registers of its own; `parameters` of them are
 * taken. */
feel_level emit_enter_function(feel_emitter *e, const feel_node *node, int parameters);
/* Back to the levels of before. */
void emit_leave(feel_emitter *e, feel_level before);
/* More than `most` parts is an error; false then. */
bool emit_at_most(feel_emitter *e, const feel_node *node, size_t n, size_t most, const char *what);

/* emit.c */
/* Writes the Lua expression of a node; a failure is in e->rc. */
void emit_value(feel_emitter *e, const feel_node *node);
/* Lua code that is true when the node's value is true, and false or nil otherwise, null included. */
void emit_truth(feel_emitter *e, const feel_node *node);
/* `, value` for each of a list of nodes, as further arguments of a call whose first `held` are
 * written. */
void emit_arguments(feel_emitter *e, const feel_node *first, int held);
/* Text as it stands. */
void emit_put(feel_emitter *e, const char *text);
/* A Lua string literal. */
void emit_quoted(feel_emitter *e, const char *text, size_t size);
/* A constant that the Lua expression gives when the chunk is loaded. */
void emit_constant(feel_emitter *e, const char *lua);
/* The same for a type. */
void emit_type(feel_emitter *e, const feel_type *type);
/* A number, a string, a boolean or null, as it stands in the text? */
bool emit_is_literal(const feel_node *node);
/* Asks something, so that its value is true, false or nil whatever it meets? Of a filter: no index. */
bool emit_is_condition(const feel_node *node);

/* emit_construct.c: each writes the Lua expression of its kind of node; a failure is in e->rc: */
void emit_if(feel_emitter *e, const feel_node *node);
void emit_iteration(feel_emitter *e, const feel_node *node);
void emit_function(feel_emitter *e, const feel_node *node);
void emit_context(feel_emitter *e, const feel_node *node);
void emit_filter(feel_emitter *e, const feel_node *node);
void emit_call(feel_emitter *e, const feel_node *node);
void emit_connective(feel_emitter *e, const feel_node *node);

/* emit_test.c */
/* An N_TESTS, an N_ANY or their negation, of the request's input: an expression that is true when
 * it holds. */
void emit_tests(feel_emitter *e, const feel_node *node);
/* `value in (tests)`: an expression that is true, false or nil. */
void emit_in(feel_emitter *e, const feel_node *node);

#endif
