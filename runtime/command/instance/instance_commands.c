/* Deleting an instance. */
#include "command/lookup.h"
#include "exec/instance.h"

typedef struct deletion {
  orr_id instance;
  const char *reason;
} deletion;

static int instance_delete_body(context *c, void *ud) {
  const deletion *d = ud;
  rec_instance *i = lookup_instance(c, d->instance);
  return i ? instance_delete(c, i, d->reason, 0) : c->error.code;
}

int orr_engine_delete_instance(orr_engine *engine, orr_id instance, const char *reason, orr_error *err) {
  deletion d = {instance, reason};
  return command_run(engine, instance_delete_body, &d, err);
}
