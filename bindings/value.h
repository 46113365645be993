/* Values of the runtime and of Lua, converted. */
#ifndef ORRERY_BINDINGS_VALUE_H
#define ORRERY_BINDINGS_VALUE_H

#include "bindings/host/state.h"

/* What a refused value was, and where: "order.items[3].cb: a function cannot be stored". */
#define ORRL_REFUSAL 256

/* Adds the value at `index` to the builder. False when it cannot be a value; `refusal` then says why. Runs no Lua code,
 * and raises only when Lua's memory is out. `lenient` leaves out what cannot be stored instead. */
bool orrl_build(lua_State *L, orrl_state *state, int index, orr_builder *builder, const char *name, bool lenient,
                char refusal[ORRL_REFUSAL]);
/* The same without a builder for scalars and texts, which stay borrowed from Lua; false for everything else, refused or not. */
bool orrl_scalar(lua_State *L, orrl_state *state, int index, orr_value *out);
/* The milliseconds of what dateTime() and now() give in expressions; false for everything else. */
bool orrl_moment(lua_State *L, const orrl_state *state, int index, int64_t *ms);
/* Puts what a script's view shows in the view's place, at `index` (absolute); false for what is no view. Needs three slots. */
bool orrl_real(lua_State *L, const orrl_state *state, int index);
/* A null is nil at the top, orrery.null inside. */
void orrl_push_value(lua_State *L, orrl_state *state, const orr_value *value);
/* The same, but a Date is a declared value, as orrery.typed makes them, and so is one that a map holds. */
void orrl_push_dated(lua_State *L, orrl_state *state, const orr_value *value);
/* A null is orrery.null everywhere. */
void orrl_push_stored(lua_State *L, orrl_state *state, const orr_value *value);

#endif
