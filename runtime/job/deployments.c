/* The set of registered deployments: few, read at every acquisition of a deployment-aware executor. */
#include "deployments.h"

#include "../error.h"

/* Position of a deployment, or -1. The engine's mutex is held. */
static int64_t position(const orr_engine *engine, orr_id deployment) {
  for (size_t i = 0; i < engine->n_registered; i++)
    if (engine->registered[i] == deployment) return (int64_t)i;
  return -1;
}

bool deployment_registered(orr_engine *engine, orr_id deployment) {
  pthread_mutex_lock(&engine->mutex);
  bool found = deployment == 0 || position(engine, deployment) >= 0;
  pthread_mutex_unlock(&engine->mutex);
  return found;
}

int deployment_register(orr_engine *engine, orr_id deployment, orr_error *err) {
  int rc = 0;
  pthread_mutex_lock(&engine->mutex);
  if (position(engine, deployment) < 0) {
    size_t n = engine->n_registered;
    orr_id *grown = env_realloc(&engine->env.allocator, engine->registered, n * sizeof *grown, (n + 1) * sizeof *grown);
    if (grown) {
      engine->registered = grown;
      engine->registered[engine->n_registered++] = deployment;
    } else rc = error_memory(err);
  }
  pthread_mutex_unlock(&engine->mutex);
  return rc;
}

void deployment_unregister(orr_engine *engine, orr_id deployment) {
  pthread_mutex_lock(&engine->mutex);
  int64_t at = position(engine, deployment);
  if (at >= 0) engine->registered[at] = engine->registered[--engine->n_registered];
  pthread_mutex_unlock(&engine->mutex);
}
