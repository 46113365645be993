/* Jobs that carry out commands later. */
#include "../exec/instance.h"
#include "../job/handlers.h"
#include "operands.h"

/* Deletes the instance that the job belongs to. job->data: { reason = text }. */
int delete_job(context *c, rec_job *job) {
  orr_value reason = orr_map_get(&job->data, "reason");
  rec_instance *i = unit_instance(c->u, job->instance_id, &c->error);
  if (!i) return c->error.code;
  const char *text = reason.type == ORR_STRING ? arena_strndup(c->arena, reason.as.bytes, reason.size) : NULL;
  return instance_delete(c, i, text, 0);
}
