/* Giving back locks that nobody holds any more. */
#include "executor/reclaim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "exec/history.h"
#include "exec/incident.h"
#include "executor/presence.h"

#define RECLAIM_PAGE 500

/* What the names of owners are made of. */
typedef struct owner {
  char machine[OWNER_MACHINE_BYTES], boot[ENV_BOOT_ID_BYTES];
  unsigned long long space, start;
  long pid;
} owner;

static void owner_here(const orr_engine *engine, owner *out) {
  const orr_env *env = &engine->env;
  *out = (owner){.pid = env->process_id(env->ud), .space = env->pid_namespace(env->ud)};
  env->host_name(env->ud, out->machine, sizeof out->machine);
  env->boot_id(env->ud, out->boot, sizeof out->boot);
  out->start = env->process_start(env->ud, out->pid);
}

int owner_name(const orr_engine *engine, char *out, size_t size) {
  owner o;
  owner_here(engine, &o);
  const char *name = engine->config.name ? engine->config.name : "default";
  int n = snprintf(out, size, "%s:%s:%llu:%ld:%llu:%s", o.machine, o.boot, o.space, o.pid, o.start, name);
  return n > 0 && (size_t)n < size ? 0 : ORR_E_LIMIT;
}

/* False for what is no such name. The name of a machine has no colon. */
static bool owner_parse(const char *name, size_t size, owner *out) {
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
  owner o;
  if (!owner_parse(name, size, &o)) return false;
  *pid = o.pid;
  memcpy(machine, o.machine, sizeof o.machine);
  return true;
}

/* What the name alone does not tell, the executor's file may. */
bool owner_alive(orr_engine *engine, const char *name, size_t size) {
  owner here, o;
  if (!owner_parse(name, size, &o)) return !running_gone(engine, name, size);
  owner_here(engine, &here);
  bool known = strcmp(o.machine, here.machine) == 0 && o.boot[0] && here.boot[0];
  if (known && strcmp(o.boot, here.boot) != 0) return false;
  if (!known || !o.space || o.space != here.space || o.pid <= 0 || !o.start) return !running_gone(engine, name, size);
  unsigned long long start = engine->env.process_start(engine->env.ud, o.pid);
  return start == o.start || start == ENV_PROCESS_HIDDEN;
}

bool lock_holds(const context *c, const rec_job *job) {
  return job->lock_owner.size && job->lock_expires > c->now &&
         owner_alive(c->engine, job->lock_owner.data, job->lock_owner.size);
}

/* The holder vanished without a word. Most of its jobs had no part in that: only those that were on its threads are
 * suspects. */
static int reclaim_lock(context *c, rec_job *job, running_list *suspects) {
  bool suspect = running_list_has(suspects, c->engine, job->lock_owner, job->id);
  int rc = job_unlock(c, job);
  if (rc) return rc;
  if (suspect) {
    if (context_touch(c, job)) return c->error.code;
    job->crashes++;
  }
  if (job->crashes >= ORR_CRASHES_MAX) {
    static const char text[] = "the process that ran the job was lost each time; it is not tried again";
    rc = history_job(c, job, "failed", text);
    if (rc) return rc;
    job->retries = 0;
    job->crashes = 0;
    job->error = unit_text(c->u, text, sizeof text - 1);
    definition *d = job->definition_id ? context_definition(c, job->definition_id, &c->error) : NULL;
    if (c->error.code) return c->error.code;
    const char *activity = d && job->node ? d->nodes[job->node - 1]->id : NULL;
    rc = incident_create(c, "failed_job", job->instance_id, job->execution_id, job->id, text, activity, activity);
    if (rc) return rc;
  }
  return job_place(c, job);
}

typedef struct sweep {
  bool dead; /* owners that are gone, whatever the expiry; else expired locks */
  bool (*still_mine)(void *ud, orr_id job);
  void *ud;
  running_list suspects;
  uint32_t count;
  size_t page;
  bool more;
} sweep;

static bool is_lost(context *c, const sweep *s, const rec_job *job) {
  if (s->dead) return !owner_alive(c->engine, job->lock_owner.data, job->lock_owner.size);
  return job->lock_expires <= c->now && !(s->still_mine && s->still_mine(s->ud, job->id));
}

static int sweep_page(context *c, sweep *s) {
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_JOB_LOCKED, NULL, 0, s->dead ? 0 : s->page, &found, &c->error);
  if (rc) return rc;
  s->more = false;
  for (size_t i = 0; i < found.count; i++) {
    rec_job *job = (rec_job *)found.items[i];
    if (!s->dead && job->lock_expires > c->now) return 0;
    if (!is_lost(c, s, job)) continue;
    rc = reclaim_lock(c, job, &s->suspects);
    if (rc) return rc;
    s->count++;
  }
  s->more = !s->dead && found.count == s->page;
  return 0;
}

/* Mostly no lock has expired, and the first says so: more are read behind one that has. Each page begins anew and is
 * larger than the one before, since own running jobs stay in front of the index. */
static int sweep_all(orr_engine *engine, sweep *s, orr_error *err) {
  for (s->page = 1, s->more = true; s->more; s->page += RECLAIM_PAGE) {
    context *c = context_begin(engine, NULL, err);
    if (!c) return err->code;
    int rc = sweep_page(c, s);
    if (rc) error_move(err, &c->error);
    else if (unit_changed(c->u)) rc = unit_commit(c->u, err);
    context_end(c);
    if (rc == ORR_E_CONFLICT) { /* its holder finished, or another process sweeps */
      orr_error_clear(err);
      return 0;
    }
    if (rc) return rc;
  }
  return 0;
}

int reclaim_expired(orr_engine *engine, bool (*still_mine)(void *ud, orr_id job), void *ud, uint32_t *count, orr_error *err) {
  sweep s = {.still_mine = still_mine, .ud = ud, .suspects.dead = true};
  int rc = sweep_all(engine, &s, err);
  *count = s.count;
  return rc;
}

int reclaim_dead(orr_engine *engine, uint32_t *count, orr_error *err) {
  sweep s = {.dead = true, .suspects.dead = true};
  int rc = sweep_all(engine, &s, err);
  *count = s.count;
  return rc;
}
