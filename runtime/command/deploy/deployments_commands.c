/* Which deployments' jobs this engine's deployment-aware executors may take. */
#include <stdlib.h>

#include "base/null.h"
#include "command/operands.h"
#include "executor/deployments.h"

static int exists_body(context *c, void *ud) {
  return lookup_deployment(c, *(const orr_id *)ud) ? 0 : c->error.code;
}

int orr_engine_deployment_register(orr_engine *engine, orr_id deployment, orr_error *err) {
  int rc = command_read(engine, exists_body, &deployment, err);
  return rc ? rc : deployment_register(engine, deployment, err);
}

/* The deployment need not exist any more: it may have been deleted elsewhere. */
int orr_engine_deployment_unregister(orr_engine *engine, orr_id deployment, orr_error *err) {
  REQUIRE(engine);
  (void)err;
  deployment_unregister(engine, deployment);
  return 0;
}

static int compare_deployment_ids(const void *a, const void *b) {
  orr_id left = *(const orr_id *)a, right = *(const orr_id *)b;
  return (left > right) - (left < right);
}

int orr_engine_deployments_registered(orr_engine *engine, orr_builder *out, orr_error *err) {
  REQUIRE(engine);
  pthread_mutex_lock(&engine->mutex);
  size_t n = engine->n_registered;
  orr_id *ids = env_alloc(&engine->env.allocator, (n + 1) * sizeof *ids);
  if (ids && n) memcpy(ids, engine->registered, n * sizeof *ids);
  pthread_mutex_unlock(&engine->mutex);
  if (!ids) return error_memory(err);
  qsort(ids, n, sizeof *ids, compare_deployment_ids);
  orr_builder_array(out);
  for (size_t i = 0; i < n; i++) {
    orr_value id = orr_int((int64_t)ids[i]);
    orr_builder_add(out, &id);
  }
  orr_builder_end(out);
  env_free(&engine->env.allocator, ids, (n + 1) * sizeof *ids);
  return 0;
}
