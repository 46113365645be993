/* The order that a list is asked for in. */
#include "server/mapping/order.h"

#include <string.h>

typedef struct order {
  const char *by, *direction;
  const json_t *parameters; /* of an order by a variable: its name */
} order;

/* The field of a sort key; one that ends with a dot wants the name of a variable. NULL: the request
 * has failed. */
static const char *order_by_field(request *q, const sort_key *key, const order *o) {
  size_t size = strlen(key->field);
  if (key->field[size - 1] != '.') return key->field;
  const char *variable = json_string_value(json_object_get(o->parameters, "variable"));
  if (variable && *variable) return request_printf(q, "%s%s", key->field, variable);
  request_refuse(q, "Sorting by %s wants parameters with the name of a variable", key->name);
  return NULL;
}

static bool order_add(request *q, const listing *is, const order *o, orr_builder *b) {
  size_t i = 0;
  while (o->by && i < is->n_sorts && strcmp(is->sorts[i].name, o->by) != 0) i++;
  if (!o->by || !o->direction) {
    request_refuse(
        q, "Only a single sorting parameter specified. sortBy and sortOrder required");
  } else if (i == is->n_sorts) {
    request_refuse(q, "Cannot set query sortBy parameter to value %s", o->by);
  } else if (!is->sorts[i].field) {
    request_refuse(q, "Sorting by %s is not built", o->by);
  } else if (strcmp(o->direction, "asc") != 0 && strcmp(o->direction, "desc") != 0) {
    request_refuse(q, "Cannot set query sortOrder parameter to value %s", o->direction);
  } else {
    const char *name = order_by_field(q, &is->sorts[i], o);
    if (!name) return false;
    orr_value field = orr_string(name), direction = orr_string(o->direction);
    orr_builder_array(b);
    orr_builder_add(b, &field);
    orr_builder_add(b, &direction);
    orr_builder_end(b);
  }
  return !q->status;
}

bool order_read(request *q, const listing *is, const json_t *body, orr_builder *b) {
  order o = {request_argument(q, "sortBy"), request_argument(q, "sortOrder"), NULL};
  const json_t *sorting = json_object_get(body, "sorting");
  bool asked = o.by || o.direction;
  if (!asked && json_array_size(sorting) == 0) return true;
  orr_builder_key(b, "order_by", strlen("order_by"));
  orr_builder_array(b);
  if (asked && !order_add(q, is, &o, b)) return false;
  for (size_t i = 0; i < json_array_size(sorting); i++) {
    const json_t *item = json_array_get(sorting, i);
    o = (order){json_string_value(json_object_get(item, "sortBy")),
                json_string_value(json_object_get(item, "sortOrder")),
                json_object_get(item, "parameters")};
    if (!order_add(q, is, &o, b)) return false;
  }
  orr_builder_end(b);
  return true;
}

bool order_sound(request *q, const json_t *body) {
  const json_t *sorting = json_object_get(body, "sorting");
  bool sound = !sorting || json_is_null(sorting) || json_is_array(sorting);
  for (size_t i = 0; sound && i < json_array_size(sorting); i++)
    sound = json_is_object(json_array_get(sorting, i));
  if (!sound) request_refuse(q, "\"sorting\" must be an array of objects");
  return sound;
}
