/* Deleting an instance. */
#include "base/options.h"
#include "command/lookup.h"
#include "command/operations.h"
#include "command/instance/modify_commands.h"
#include "exec/instance.h"

typedef struct deletion {
  orr_id instance;
  const char *reason;
  uint32_t flags;
  bool keep_called;
} deletion;

static int instance_delete_body(context *c, void *ud) {
  const deletion *d = ud;
  rec_instance *i = lookup_instance(c, d->instance);
  if (!i) return c->error.code;
  user_operation what = operation_on_instance(i->id, "Delete");
  int rc = d->keep_called ? instance_release_called(c, i) : 0;
  if (!rc) rc = instance_delete(c, i, d->reason, d->flags);
  return rc ? rc : user_operation_texts(c, &what, "deleteReason", NULL, d->reason);
}

int orr_engine_instance_delete(orr_engine *engine, orr_id instance, const char *reason,
                               const orr_delete_options *given, orr_error *err) {
  orr_delete_options own;
  const orr_delete_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  uint32_t flags = modify_flags(options->skip_listeners, options->skip_io_mappings);
  deletion d = {instance, reason, flags, options->keep_called};
  return command_run(engine, instance_delete_body, &d, err);
}
