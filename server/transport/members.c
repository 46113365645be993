/* Members of a body, and the kinds that they have. */
#include "server/transport/members.h"

#include "server/transport/scalars.h"

/* What messages call a kind, and which scalar it is. */
static const struct member_kind_row {
  const char *told;
  bool scalar;
  scalar_kind as;
} member_kinds[] = {
    [MEMBER_TEXT] = {"a text", true, SCALAR_TEXT},
    [MEMBER_ID] = {"an id (a text)", true, SCALAR_TEXT},
    [MEMBER_TIME] = {"a date (a text)", true, SCALAR_TIME},
    [MEMBER_BOOL] = {"true or false", true, SCALAR_BOOL},
    [MEMBER_INT] = {"an integer", true, SCALAR_INT},
    [MEMBER_TEXTS] = {.told = "an array of texts"},
    [MEMBER_IDS] = {.told = "an array of ids (texts)"},
    [MEMBER_ARRAY] = {.told = "an array of objects"},
    [MEMBER_MAP] = {.told = "an object"},
    [MEMBER_VARIABLES] = {.told = "an object of variables"},
    [MEMBER_QUERY] = {.told = "an object"},
    [MEMBER_ANY] = {.told = "a value"},
    [MEMBER_UNBUILT] = {.told = "nothing"},
};

/* Each a text; an array holds no nulls. */
static bool texts_read(json_t *list) {
  if (!json_is_array(list)) return false;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    json_t *text = json_is_null(item) ? NULL : scalar_as(item, SCALAR_TEXT);
    if (!text || json_array_set_new(list, i, text)) return false;
  }
  return true;
}

static bool is_of_objects(const json_t *list) {
  bool sound = json_is_array(list);
  for (size_t i = 0; sound && i < json_array_size(list); i++)
    sound = json_is_object(json_array_get(list, i));
  return sound;
}

/* What says that it is not wanted changes nothing. */
static bool member_is_off(const json_t *given) {
  json_t *is = json_is_array(given) ? NULL : scalar_as(given, SCALAR_BOOL);
  bool off = json_is_false(is) || (json_is_array(given) && json_array_size(given) == 0);
  json_decref(is);
  return off;
}

static bool is_time(const json_t *text) {
  orr_time time;
  return json_is_null(text) || !orr_time_parse(json_string_value(text), &time, NULL);
}

static bool member_read(json_t *object, const body_field *m, json_t *given) {
  if (member_kinds[m->kind].scalar) {
    json_t *is = scalar_as(given, member_kinds[m->kind].as);
    if (!is || (m->kind == MEMBER_TIME && !is_time(is))) {
      json_decref(is);
      return false;
    }
    return !json_object_set_new(object, m->name, is);
  }
  switch (m->kind) {
    case MEMBER_TEXTS:
    case MEMBER_IDS: return texts_read(given);
    case MEMBER_ARRAY: return is_of_objects(given);
    case MEMBER_MAP:
    case MEMBER_VARIABLES:
    case MEMBER_QUERY: return json_is_object(given);
    case MEMBER_UNBUILT: return member_is_off(given);
    default: return true;
  }
}

bool members_read_of(request *q, json_t *object, const char *of, const body_field *fields,
                     size_t n) {
  if (!json_is_object(object)) {
    request_refuse(q, "%s must be an object", of);
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    const body_field *m = &fields[i];
    json_t *given = json_object_get(object, m->name);
    if (!given || json_is_null(given) || member_read(object, m, given)) continue;
    if (m->kind == MEMBER_UNBUILT)
      request_refuse(q, "\"%s\" is not built: %s", m->name, m->unbuilt);
    else request_refuse(q, "\"%s\" must be %s", m->name, member_kinds[m->kind].told);
    return false;
  }
  return true;
}

bool members_read(request *q) {
  return members_read_of(q, q->json, "the body", q->operation->members, q->operation->n_members);
}
