/* Deleting an instance. */
#include "command/lookup.h"
#include "command/operations.h"
#include "exec/instance.h"

typedef struct deletion {
  orr_id instance;
  const char *reason;
} deletion;

static int instance_delete_body(context *c, void *ud) {
  const deletion *d = ud;
  rec_instance *i = lookup_instance(c, d->instance);
  if (!i) return c->error.code;
  user_operation what = operation_on_instance(i->id, "Delete");
  int rc = instance_delete(c, i, d->reason, 0);
  return rc ? rc : user_operation_texts(c, &what, "deleteReason", NULL, d->reason);
}

int orr_engine_delete_instance(orr_engine *engine, orr_id instance, const char *reason, orr_error *err) {
  deletion d = {instance, reason};
  return command_run(engine, instance_delete_body, &d, err);
}
