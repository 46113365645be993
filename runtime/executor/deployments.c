/* The set of registered deployments: few, read at every acquisition of a deployment-aware executor. */
#include "executor/deployments.h"

#include "base/error.h"
#include "executor/executor.h"
#include "executor/pool.h"

/* Position of a deployment, or -1. The engine's mutex is held. */
static int64_t deployment_position(const orr_engine *engine, orr_id deployment) {
  for (size_t i = 0; i < engine->n_registered; i++)
    if (engine->registered[i] == deployment) return (int64_t)i;
  return -1;
}

bool deployment_registered(orr_engine *engine, orr_id deployment) {
  pthread_mutex_lock(&engine->mutex);
  bool found = deployment == 0 || deployment_position(engine, deployment) >= 0;
  pthread_mutex_unlock(&engine->mutex);
  return found;
}

/* Room for one more. The engine's mutex is held. */
static int make_room(orr_engine *engine) {
  if (engine->n_registered < engine->registered_capacity) return 0;
  size_t old = engine->registered_capacity, capacity = old ? old * 2 : 8;
  orr_id *grown = env_realloc(&engine->env.allocator, engine->registered, old * sizeof *grown, capacity * sizeof *grown);
  if (!grown) return ORR_E_MEMORY;
  engine->registered = grown;
  engine->registered_capacity = capacity;
  return 0;
}

int deployment_register(orr_engine *engine, orr_id deployment, orr_error *err) {
  int rc = 0;
  bool added = false;
  pthread_mutex_lock(&engine->mutex);
  if (deployment_position(engine, deployment) < 0) {
    rc = make_room(engine);
    if (!rc) engine->registered[engine->n_registered++] = deployment;
    added = !rc;
  }
  pthread_mutex_unlock(&engine->mutex);
  executor *x = added ? engine->executor : NULL;
  if (x) executor_wake(x); /* its jobs may have waited */
  return rc ? error_memory(err) : 0;
}

void deployment_unregister(orr_engine *engine, orr_id deployment) {
  pthread_mutex_lock(&engine->mutex);
  int64_t at = deployment_position(engine, deployment);
  if (at >= 0) engine->registered[at] = engine->registered[--engine->n_registered];
  pthread_mutex_unlock(&engine->mutex);
}
