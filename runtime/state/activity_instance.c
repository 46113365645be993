/* Ids of activity instances, written and read. */
#include "state/activity_instance.h"

#include <inttypes.h>
#include <string.h>

#include "base/value.h"

orr_value activity_instance_text(context *c, orr_id execution, int64_t number) {
  if (!execution) return (orr_value){0};
  const char *text = number ? arena_printf(c->arena, "%" PRIu64 ":%" PRId64, execution, number)
                            : arena_printf(c->arena, "%" PRIu64, execution);
  if (!text) context_memory(c);
  return orr_string(text);
}

int activity_instance_of(context *c, orr_id execution, orr_value *out) {
  *out = (orr_value){0};
  if (!execution) return 0;
  if (orr_id_local(execution) == 1) {
    *out = activity_instance_text(c, execution, 0);
    return c->error.code;
  }
  const rec_execution *e = execution_get(c, execution);
  if (e) *out = activity_instance_text(c, e->id, e->activity_instance);
  return c->error.code;
}

int activity_instance_around(context *c, const rec_execution *e, orr_id *execution, int64_t *number) {
  *execution = e->parent;
  *number = 0;
  while (orr_id_local(*execution) != 1) {
    const rec_execution *around = execution_get(c, *execution);
    if (!around) return c->error.code;
    *number = around->activity_instance;
    if (*number) return 0;
    *execution = around->parent;
  }
  return 0;
}

orr_id activity_instance_token(context *c, const orr_value *id) {
  const char *colon = id->type == ORR_STRING ? memchr(id->as.bytes, ':', id->size) : NULL;
  if (!colon) return value_id(id);
  uint32_t size = (uint32_t)(colon - id->as.bytes);
  orr_value token = orr_bytes(id->as.bytes, size), number = orr_bytes(colon + 1, id->size - size - 1);
  orr_id named = value_id(&token);
  const rec_execution *e = named ? execution_get(c, named) : NULL;
  if (c->error.code) return 0;
  return e && (orr_id)e->activity_instance == value_id(&number) ? named : 0;
}
