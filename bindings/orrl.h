/* The floor of the Lua module: what the generated glue, the hand-written module functions and the
 * script host stand on.
 *
 * Shape of every function that Lua calls:
 *   orrl_begin -> arguments (these may raise; nothing is held that Lua or the scratch does not own) -> the core
 *     -> orrl_raise, or results -> orrl_end.
 * Memory for conversions is a scratch: taken at orrl_begin, given back at orrl_end and by
 * everything here that raises. A jump that passes both (Lua out of memory) leaves it to the state,
 * which frees all its scratches when it closes. */
#ifndef ORRERY_ORRL_H
#define ORRERY_ORRL_H

#include <lauxlib.h>
#include <lua.h>

#include "orrery.h"

#define ORRL_NAME_BYTES 48

typedef struct orrl_state orrl_state; /* what Orrery keeps in one lua_State; bindings/host/state.h */
typedef struct orrl_scratch orrl_scratch;

typedef struct orrl_call {
  lua_State *L;
  orrl_state *state;
  const char *name; /* "engine:start", for messages; see refuse in orrl.c for its other forms */
  orrl_scratch *scratch;
  char written[ORRL_NAME_BYTES]; /* the name, when Lua has several for one function */
} orrl_call;

/* The glue functions have the state as their first upvalue. `arguments` counts those behind the receiver. */
void orrl_begin(orrl_call *c, lua_State *L, const char *name, int arguments);
/* Gives the scratch back: what the call's arguments and results pointed at is gone. */
void orrl_end(orrl_call *c);

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Raises { kind, message, details... } with orrery.Error's metatable, and clears `err`. */
int orrl_raise(orrl_call *c, orr_error *err);
/* Raises kind "argument": bad argument #index to 'name' (message). `index` is a stack index. */
int orrl_argument(orrl_call *c, int index, const char *format, ...);
/* The same with kind "not_found", for a text that no id looks like. `name`: the field's, or NULL. */
int orrl_no_id(orrl_call *c, int index, const char *name, const char *text);
/* Pushes the error object, or raises when there is no memory for it; clears `err`. */
void orrl_push_error(lua_State *L, orrl_state *state, orr_error *err);

/* Where the call came from: pushes "file:line" of the innermost Lua code that is not Orrery's own, or nil. */
void orrl_push_where(lua_State *L, orrl_state *state, int level);
/* The same of a coroutine, from its innermost call on, as a text. False: there is none. */
bool orrl_line(lua_State *L, const orrl_state *state, char *out, size_t size);
/* own_files(prefix): sources that begin so are Orrery's own. Module function. */
int orrl_own_files(lua_State *L);
/* called(name): what Lua's caller wrote, where several functions of Lua share one of the core: messages of the very next
 * call name it. In the forms that refuse_argument reads: "engine:scope:set_all". Module function. */
int orrl_called(lua_State *L);

/* ---- Boxes: userdata that hold a pointer to a core object ------------------------------------ */

typedef struct orrl_class {
  const char *name; /* "orrery.Engine" */
  void (*destroy)(void *object);
} orrl_class;

typedef struct orrl_box {
  void *object; /* NULL: closed */
  const orrl_class *class;
  bool borrowed; /* somebody else destroys it */
} orrl_box;

/* `methods` NULL: none. The metatable gets __tostring, and close, __gc and __close: the object goes at the first of them. */
void orrl_class_new(lua_State *L, const orrl_class *class, const luaL_Reg *methods, orrl_state *state);
/* Leaves the box on the stack. */
orrl_box *orrl_box_new(lua_State *L, const orrl_class *class, void *object, bool borrowed);
/* Raises "argument" on another type and "state" on a closed box. */
void *orrl_object(orrl_call *c, int index, const orrl_class *class);

/* ---- Results --------------------------------------------------------------------------------- */

/* An empty builder of the scratch. */
orr_builder *orrl_builder(orrl_call *c);
/* Pushes what the core built, nil when it built nothing. */
int orrl_push_built(orrl_call *c, orr_builder *builder);
/* Pushes an array of record tables, with the metatables that the engine's box (stack index 1) knows for their kind; frees
 * the records. */
int orrl_push_records(orrl_call *c, orr_records *records);
/* An id as Lua sees it, and a named field that may be one. */
void orrl_push_id(lua_State *L, orr_id id);
/* Pushes a field's value: an id where the field's name says so ("id", "scope", "…_id"), else the
 * plain value. */
void orrl_push_field(lua_State *L, orrl_state *state, const char *name, const orr_value *value);

#endif
