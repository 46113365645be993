/* What the pieces of one chunk share, and the steps of compiling one: parse, then emit. */
#ifndef ORR_FEEL_UNIT_INTERNAL_H
#define ORR_FEEL_UNIT_INTERNAL_H

#include "decision/feel/tree.h"

struct feel_unit {
  orr_arena *arena;
  size_t locals;
  const char **constants; /* Lua expressions; K[1] is the first */
  size_t n_constants, constants_room;
};

/* Names that a piece reads, or that have no declaration; each once. */
typedef struct feel_names {
  const char **names;
  size_t count, room;
} feel_names;

/* False when memory is out. */
bool names_add(orr_arena *arena, feel_names *list, const char *name);

typedef struct feel_parsed {
  feel_node *root;
  feel_names read, unknown;
  feel_unknown_call *calls;
  size_t n_calls;
} feel_parsed;

/* parse.c: the tree of a request's text. FEEL_TYPE leaves a node whose `of` is the type. */
int feel_parse(feel_unit *unit, const feel_request *request, feel_parsed *out, feel_place *where,
               orr_error *err);
/* emit.c: its Lua, NUL-terminated. `truth`: only whether it is true counts. */
int feel_emit(feel_unit *unit, const feel_request *request, const feel_node *root, feel_code *out,
              feel_place *where, orr_error *err);

/* type.c */
extern const feel_type feel_any, feel_null, feel_number, feel_string, feel_boolean;
/* The name that messages give it: of its kind alone. */
const char *feel_type_name(const feel_type *type);

#endif
