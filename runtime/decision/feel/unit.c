/* Units, and the one entry: a text becomes a tree becomes Lua. */
#include "decision/feel/unit_internal.h"

#include <string.h>

feel_unit *feel_unit_new(orr_arena *arena) {
  feel_unit *unit = ARENA_NEW(arena, feel_unit);
  if (unit) unit->arena = arena;
  return unit;
}

const char *feel_unit_local(feel_unit *unit) {
  return arena_printf(unit->arena, "v%zu", ++unit->locals);
}

size_t feel_unit_constant_count(const feel_unit *unit) { return unit->n_constants; }

const char *feel_unit_constant(feel_unit *unit, const char *lua) {
  if (unit->n_constants == unit->constants_room) {
    size_t room = unit->constants_room ? unit->constants_room * 2 : 16;
    size_t size = sizeof *unit->constants;
    const char **grown =
        arena_grow(unit->arena, unit->constants, unit->constants_room * size, room * size);
    if (!grown) return NULL;
    unit->constants = grown;
    unit->constants_room = room;
  }
  unit->constants[unit->n_constants++] = lua;
  return arena_printf(unit->arena, "K[%zu]", unit->n_constants);
}

const char *feel_unit_constants(feel_unit *unit) {
  size_t size = 3;
  for (size_t i = 0; i < unit->n_constants; i++) size += strlen(unit->constants[i]) + 2;
  char *text = arena_alloc(unit->arena, size), *at = text;
  if (!text) return NULL;
  *at++ = '{';
  for (size_t i = 0; i < unit->n_constants; i++) {
    size_t n = strlen(unit->constants[i]);
    memcpy(at, unit->constants[i], n);
    at += n;
    *at++ = ',';
  }
  *at++ = '}';
  *at = '\0';
  return text;
}

bool names_add(orr_arena *arena, feel_names *list, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->names[i], name) == 0) return true;
  if (list->count == list->room) {
    size_t room = list->room ? list->room * 2 : 8, size = sizeof *list->names;
    const char **grown = arena_grow(arena, list->names, list->room * size, room * size);
    if (!grown) return false;
    list->names = grown;
    list->room = room;
  }
  list->names[list->count++] = name;
  return true;
}

int feel_compile(feel_unit *unit, const feel_request *request, feel_code *out, feel_place *where,
                 orr_error *err) {
  feel_parsed parsed = {0};
  *out = (feel_code){.type = &feel_any};
  if (where) *where = (feel_place){1, 1};
  int rc = feel_parse(unit, request, &parsed, where, err);
  if (!rc) rc = feel_emit(unit, request, parsed.root, out, where, err);
  if (rc) return rc;
  out->names = parsed.read.names;
  out->n_names = parsed.read.count;
  out->unknown = parsed.unknown.names;
  out->n_unknown = parsed.unknown.count;
  out->calls = parsed.calls;
  out->n_calls = parsed.n_calls;
  return 0;
}
