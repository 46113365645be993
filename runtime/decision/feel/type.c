/* Types: the builtin ones, and how a type is written for run time. */
#include "decision/feel/type.h"

#include <string.h>

#include "decision/feel/source.h"
#include "decision/feel/unit_internal.h"

const feel_type feel_any = {.kind = FEEL_ANY, .open = true};
const feel_type feel_null = {.kind = FEEL_NULL};
const feel_type feel_number = {.kind = FEEL_NUMBER};
const feel_type feel_string = {.kind = FEEL_STRING};
const feel_type feel_boolean = {.kind = FEEL_BOOLEAN};

static const feel_type date = {.kind = FEEL_DATE}, time = {.kind = FEEL_TIME},
                       date_time = {.kind = FEEL_DATE_TIME};
static const feel_type days = {.kind = FEEL_DAYS_DURATION}, months = {.kind = FEEL_MONTHS_DURATION};
static const feel_type list = {.kind = FEEL_LIST}, range = {.kind = FEEL_RANGE};
static const feel_type context = {.kind = FEEL_CONTEXT, .open = true},
                       function = {.kind = FEEL_FUNCTION, .open = true};

/* The first name of a kind is the one that messages and f.types use; the others are those of DMN's
 * XML. */
static const struct {
  const char *name;
  const feel_type *type;
} builtins[] = {
    {"Any", &feel_any},
    {"Null", &feel_null},
    {"number", &feel_number},
    {"string", &feel_string},
    {"boolean", &feel_boolean},
    {"date", &date},
    {"time", &time},
    {"date and time", &date_time},
    {"days and time duration", &days},
    {"years and months duration", &months},
    {"list", &list},
    {"range", &range},
    {"context", &context},
    {"function", &function},
    {"dateTime", &date_time},
    {"dayTimeDuration", &days},
    {"yearMonthDuration", &months},
};

const feel_type *feel_type_builtin(const char *name, size_t size) {
  for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
    if (strlen(builtins[i].name) == size && memcmp(builtins[i].name, name, size) == 0)
      return builtins[i].type;
  return NULL;
}

const char *feel_type_name(const feel_type *type) {
  for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
    if (builtins[i].type->kind == type->kind) return builtins[i].name;
  return "Any";
}

const feel_type *feel_type_list(orr_arena *arena, const feel_type *item) {
  feel_type *type = ARENA_NEW(arena, feel_type);
  if (type) *type = (feel_type){.kind = FEEL_LIST, .item = item};
  return type;
}

/* `f.types.context{{"a", f.types.number}, …}`, or the types of parameters, which go without names.
 */
static const char *members_lua(orr_arena *arena, const feel_type *type, bool named) {
  const char *text = "";
  for (size_t i = 0; i < type->n_members && text; i++) {
    const feel_member *m = &type->members[i];
    const char *of = feel_type_lua(arena, m->type ? m->type : &feel_any);
    if (!of) return NULL;
    const char *name = source_quote(arena, m->name, strlen(m->name));
    if (!name) return NULL;
    text = named ? arena_printf(arena, "%s{%s, %s}, ", text, name, of)
                 : arena_printf(arena, "%s%s, ", text, of);
  }
  return text;
}

static const char *wrap_item(orr_arena *arena, const char *function_name, const feel_type *item) {
  const char *of = feel_type_lua(arena, item);
  return of ? arena_printf(arena, "f.types.%s(%s)", function_name, of) : NULL;
}

const char *feel_type_lua(orr_arena *arena, const feel_type *type) {
  const char *members;
  if (type->lua) return type->lua;
  if (type->kind == FEEL_LIST && type->item) return wrap_item(arena, "list_of", type->item);
  if (type->kind == FEEL_RANGE && type->item) return wrap_item(arena, "range_of", type->item);
  if (type->kind == FEEL_CONTEXT && type->n_members > 0) {
    members = members_lua(arena, type, true);
    return members ? arena_printf(arena, "f.types.context{%s}", members) : NULL;
  }
  if (type->kind == FEEL_FUNCTION && !type->open) {
    const char *result = feel_type_lua(arena, type->item ? type->item : &feel_any);
    members = members_lua(arena, type, false);
    return result && members ? arena_printf(arena, "f.types.func({%s}, %s)", members, result)
                             : NULL;
  }
  return arena_printf(arena, "f.types[\"%s\"]", feel_type_name(type));
}
