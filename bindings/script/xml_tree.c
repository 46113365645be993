/* The runtime's own reader of XML (no DOCTYPE, no entities, no network, bounded) for web services:
 *   { name =, ns =, text =, line =, attributes = { name = value }, prefixes = { prefix = namespace }, parent =, child,
 *     child, … } */
#include "bindings/script/xml_tree.h"

#include "model/xml/xml.h"

typedef struct reading {
  orr_arena *arena;
  xml_element *root;
} reading;

static void set_xml_string(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

static void push_pairs(lua_State *L, const xml_attribute *items, uint32_t count) {
  lua_createtable(L, 0, (int)count);
  for (uint32_t i = 0; i < count; i++) set_xml_string(L, items[i].name, items[i].value);
}

/* Pushes an element; `parent`: the stack index of the table around it, or 0. The reader bounds the depth. */
static void push_xml_element(lua_State *L, const xml_element *e, int parent) {
  lua_Integer n = 0;
  luaL_checkstack(L, 8, "the XML nests too deep");
  lua_createtable(L, 0, 7);
  int own = lua_gettop(L);
  set_xml_string(L, "name", e->name);
  set_xml_string(L, "ns", e->ns);
  lua_pushlstring(L, e->text, e->text_size);
  lua_setfield(L, own, "text");
  lua_pushinteger(L, e->line);
  lua_setfield(L, own, "line");
  push_pairs(L, e->attributes, e->n_attributes);
  lua_setfield(L, own, "attributes");
  if (e->n_prefixes) {
    push_pairs(L, e->prefixes, e->n_prefixes);
    lua_setfield(L, own, "prefixes");
  }
  if (parent) {
    lua_pushvalue(L, parent);
    lua_setfield(L, own, "parent");
  }
  for (const xml_element *child = e->first; child; child = child->next) {
    push_xml_element(L, child, own);
    lua_rawseti(L, own, ++n);
  }
}

/* Protected, since Lua's memory may be out and the tree lies in an arena. */
static int push_xml_root(lua_State *L) {
  const reading *r = lua_touserdata(L, 1);
  push_xml_element(L, r->root, 0);
  return 1;
}

/* xml_parse(text) -> root element, or nil and what is wrong */
static int function_xml_parse(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  xml_fault fault = {0};
  reading r = {arena_new(NULL), NULL};
  if (!r.arena) return luaL_error(L, "out of memory");
  int rc = xml_parse(r.arena, text, size, &r.root, &fault), status = LUA_OK;
  if (rc) {
    lua_pushnil(L);
    lua_pushfstring(L, "line %d, column %d: %s", fault.line, fault.column, fault.message ? fault.message : "out of memory");
  } else {
    lua_pushcfunction(L, push_xml_root);
    lua_pushlightuserdata(L, &r);
    status = lua_pcall(L, 1, 1, 0);
  }
  arena_free(r.arena);
  return status != LUA_OK ? lua_error(L) : rc ? 2 : 1;
}

const luaL_Reg xml_functions[] = {{"xml_parse", function_xml_parse}, {NULL, NULL}};
