/* Names of owners, and what they tell. */
#include "executor/owner/owner_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "executor/owner/presence.h"
#include "uow/openers.h"

/* What tells a process from all others. */
typedef struct process {
  char machine[OWNER_MACHINE_BYTES], boot[ENV_BOOT_ID_BYTES];
  uint64_t space, start;
  long pid;
} process;

static void process_here(const orr_engine *engine, process *out) {
  const orr_env *env = &engine->env;
  *out = (process){.pid = env->process_id(env->ud), .space = env->pid_namespace(env->ud)};
  env->host_name(env->ud, out->machine, sizeof out->machine);
  env->boot_id(env->ud, out->boot, sizeof out->boot);
  out->start = env->process_start(env->ud, out->pid);
}

int owner_name(const orr_engine *engine, char *out, size_t size) {
  process p;
  process_here(engine, &p);
  const char *name = engine->config.name ? engine->config.name : "default";
  int n = snprintf(out, size, "%s:%s:%" PRIu64 ":%ld:%" PRIu64 ":%s", p.machine, p.boot, p.space, p.pid, p.start, name);
  return n > 0 && (size_t)n < size ? 0 : ORR_E_LIMIT;
}

/* False for what is no such name. The name of a machine has no colon. */
static bool process_parse(const char *name, size_t size, process *out) {
  char copy[256], *end;
  if (size >= sizeof copy) return false;
  memcpy(copy, name, size);
  copy[size] = '\0';
  char *boot = strchr(copy, ':'), *space = boot ? strchr(boot + 1, ':') : NULL;
  if (!space || (size_t)(boot - copy) >= sizeof out->machine || (size_t)(space - boot) > sizeof out->boot) return false;
  *boot = *space = '\0';
  memcpy(out->machine, copy, (size_t)(boot - copy) + 1);
  memcpy(out->boot, boot + 1, (size_t)(space - boot));
  out->space = strtoull(space + 1, &end, 10);
  if (*end != ':') return false;
  out->pid = strtol(end + 1, &end, 10);
  if (*end != ':') return false;
  out->start = strtoull(end + 1, &end, 10);
  return *end == ':';
}

bool owner_process(const char *name, size_t size, long *pid, char machine[OWNER_MACHINE_BYTES]) {
  process p;
  if (!process_parse(name, size, &p)) return false;
  *pid = p.pid;
  memcpy(machine, p.machine, sizeof p.machine);
  return true;
}

void owner_sign(context *c, rec_owner *out) {
  process p;
  process_here(c->engine, &p);
  out->host = unit_textz(c->u, p.machine);
  out->boot = unit_textz(c->u, p.boot);
  out->pid_space = (int64_t)p.space;
  out->pid = p.pid;
  out->pid_start = (int64_t)p.start;
  out->build = unit_textz(c->u, ORR_VERSION);
}

/* What the name alone does not tell, the executor's file may. */
bool owner_alive(orr_engine *engine, const char *name, size_t size) {
  process here, p;
  if (!process_parse(name, size, &p)) return !running_gone(engine, name, size);
  process_here(engine, &here);
  bool known = strcmp(p.machine, here.machine) == 0 && p.boot[0] && here.boot[0];
  if (known && strcmp(p.boot, here.boot) != 0) return false;
  if (!known || !p.space || p.space != here.space || p.pid <= 0 || !p.start) return !running_gone(engine, name, size);
  uint64_t start = engine->env.process_start(engine->env.ud, p.pid);
  return start == p.start || start == ENV_PROCESS_HIDDEN;
}

static bool same_namespace(const process *a, const process *b) {
  return strcmp(a->machine, b->machine) == 0 && a->boot[0] && strcmp(a->boot, b->boot) == 0 && a->space &&
         a->space == b->space;
}

static bool is_here(const orr_engine *engine, const process *p) {
  process here;
  process_here(engine, &here);
  return !same_namespace(p, &here) || openers_have(engine->store, p->pid, here.pid);
}

static process process_of(const rec_owner *o) {
  process p = {.space = (uint64_t)o->pid_space, .start = (uint64_t)o->pid_start, .pid = (long)o->pid};
  if (o->host.size) snprintf(p.machine, sizeof p.machine, "%s", o->host.data);
  if (o->boot.size) snprintf(p.boot, sizeof p.boot, "%s", o->boot.data);
  return p;
}

bool owner_is_here(orr_engine *engine, const rec_owner *owner) {
  const process p = process_of(owner);
  return is_here(engine, &p);
}

bool owner_name_is_here(orr_engine *engine, const char *name, size_t size) {
  process p;
  return !process_parse(name, size, &p) || is_here(engine, &p);
}

bool owner_is_own(const orr_engine *engine, const rec_owner *owner) {
  process here, p = process_of(owner);
  process_here(engine, &here);
  return same_namespace(&p, &here) && p.pid == here.pid && p.start == here.start;
}

bool owner_lives(orr_engine *engine, const rec_owner *owner) { return owner_alive(engine, owner->name.data, owner->name.size); }

bool lock_holds(context *c, const rec_job *job) {
  const rec_owner *owner = job_owner(c, job);
  return owner && !owner->fenced && owner->expires > c->now && owner_lives(c->engine, owner);
}
