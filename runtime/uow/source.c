/* The pools and counters that units share. Critical sections for the pools and the block of groups
 * are short. A lock of its own is held while a block is reserved, so many threads at once reserve
 * one block, not one each. */
#include "uow/source.h"

#include "uow/uow_internal.h"

#include <pthread.h>
#include <stdatomic.h>

#define IDLE_UNITS_MAX 4096 /* a large group commit gives them back together */
#define IDLE_SNAPSHOTS_MAX 64 /* as many as threads may run at once; LMDB has 126 reader places by default */
#define RESERVE_TRIES_MAX 1000

static const char GROUPS_NAME[] = "groups"; /* meta record: the first group that no block holds */

struct unit_source {
  orr_env env;
  store *store;
  uint32_t idle_units_max;

  pthread_mutex_t pools;
  unit *idle_units;
  uint32_t idle_unit_count;
  store_snapshot *idle_snapshots[IDLE_SNAPSHOTS_MAX];
  uint32_t idle_snapshot_count;

  pthread_mutex_t reserving; /* held while a block is taken from the store; nobody waits for it with a view open */
  pthread_mutex_t groups;
  uint64_t group_next, group_end; /* the block that is being used up */

  siblings_shelves *siblings;
  atomic_uint revision;
  atomic_uint_fast64_t catalog; /* low half: batches on their way that change definitions; high half: those that were */
};

unit_source *unit_source_new(const orr_env *env, store *s, const unit_source_options *options, orr_error *err) {
  unit_source *source = env_zalloc(&env->allocator, sizeof *source);
  if (!source) {
    error_memory(err);
    return NULL;
  }
  source->env = *env;
  source->store = s;
  source->idle_units_max = options && options->idle_units_max > 0 ? options->idle_units_max : IDLE_UNITS_MAX;
  if (pthread_mutex_init(&source->pools, NULL) != 0) goto no_pools;
  if (pthread_mutex_init(&source->groups, NULL) != 0) goto no_groups;
  if (pthread_mutex_init(&source->reserving, NULL) != 0) goto no_reserving;
  source->siblings = siblings_shelves_new(&env->allocator);
  if (!source->siblings) goto no_siblings;
  /* Processes must not begin at the same number. */
  atomic_init(&source->revision, (uint32_t)env->random(env->ud));
  atomic_init(&source->catalog, 0);
  return source;

no_siblings:
  pthread_mutex_destroy(&source->reserving);
no_reserving:
  pthread_mutex_destroy(&source->groups);
no_groups:
  pthread_mutex_destroy(&source->pools);
no_pools:
  env_free(&env->allocator, source, sizeof *source);
  error_set(err, ORR_E_MEMORY, "no mutex");
  return NULL;
}

void unit_source_free(unit_source *source) {
  if (!source) return;
  while (source->idle_units) {
    unit *u = source->idle_units;
    source->idle_units = u->next_idle;
    unit_unmake(u, &source->env.allocator);
  }
  while (source->idle_snapshot_count > 0) store_snapshot_close(source->idle_snapshots[--source->idle_snapshot_count]);
  siblings_shelves_free(source->siblings);
  pthread_mutex_destroy(&source->reserving);
  pthread_mutex_destroy(&source->groups);
  pthread_mutex_destroy(&source->pools);
  orr_allocator allocator = source->env.allocator;
  env_free(&allocator, source, sizeof *source);
}

store *unit_source_store(const unit_source *source) { return source->store; }

siblings_shelves *source_siblings(unit_source *source) { return source->siblings; }

uint64_t unit_source_changes(const unit_source *source) { return store_changed(source->store); }
const orr_env *unit_source_env(const unit_source *source) { return &source->env; }

/* Odd, so that no number comes twice, and 2^32 by the golden ratio, so that numbers soon after each other lie far apart: of
 * 65,536 in a row no two are nearer than 50,000. Other writers count a revision on by one. */
#define REVISION_STRIDE 2654435769u

uint32_t source_first_revision(unit_source *source) {
  uint32_t revision;
  do revision = REVISION_STRIDE * atomic_fetch_add_explicit(&source->revision, 1, memory_order_relaxed);
  while (revision == STORE_ABSENT || revision == STORE_ANY_REVISION);
  return revision;
}

/* ---- The catalog ----------------------------------------------------------------------------- */

uint64_t source_catalog(const unit_source *source) { return atomic_load(&source->catalog); }
void source_catalog_begin(unit_source *source) { atomic_fetch_add(&source->catalog, 1); }
void source_catalog_end(unit_source *source) { atomic_fetch_add(&source->catalog, (UINT64_C(1) << 32) - 1); }

/* ---- Pools ----------------------------------------------------------------------------------- */

unit *source_take_unit(unit_source *source, orr_error *err) {
  pthread_mutex_lock(&source->pools);
  unit *u = source->idle_units;
  if (u) {
    source->idle_units = u->next_idle;
    source->idle_unit_count--;
  }
  pthread_mutex_unlock(&source->pools);
  if (!u) u = unit_make(source, &source->env.allocator);
  if (!u) error_memory(err);
  return u;
}

void source_put_unit(unit_source *source, unit *u) {
  pthread_mutex_lock(&source->pools);
  bool kept = source->idle_unit_count < source->idle_units_max;
  if (kept) {
    u->next_idle = source->idle_units;
    source->idle_units = u;
    source->idle_unit_count++;
  }
  pthread_mutex_unlock(&source->pools);
  if (!kept) unit_unmake(u, &source->env.allocator);
}

/* A unit that has read nothing yet may have a view that begins late. */
static store_snapshot *open_snapshot(unit_source *source, orr_error *err) {
  store_snapshot *snapshot = NULL;
  if (store_snapshot_open(source->store, &snapshot, err)) return NULL;
  store_snapshot_late(snapshot);
  return snapshot;
}

store_snapshot *source_take_snapshot(unit_source *source, orr_error *err) {
  store_snapshot *snapshot = NULL;
  pthread_mutex_lock(&source->pools);
  if (source->idle_snapshot_count > 0) snapshot = source->idle_snapshots[--source->idle_snapshot_count];
  pthread_mutex_unlock(&source->pools);
  if (!snapshot) return open_snapshot(source, err);
  if (!store_snapshot_renew(snapshot, err)) return snapshot;
  store_snapshot_close(snapshot);
  return NULL;
}

void source_put_snapshot(unit_source *source, store_snapshot *snapshot) {
  if (!snapshot) return;
  store_snapshot_use(snapshot, NULL);
  store_snapshot_release(snapshot);
  pthread_mutex_lock(&source->pools);
  bool kept = source->idle_snapshot_count < IDLE_SNAPSHOTS_MAX;
  if (kept) source->idle_snapshots[source->idle_snapshot_count++] = snapshot;
  pthread_mutex_unlock(&source->pools);
  if (!kept) store_snapshot_close(snapshot);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Moves the counter in the store on by a block and returns its first group. */
static int reserve_once(unit_source *source, uint64_t *first, orr_error *err) {
  unit *u = unit_begin(source, err);
  if (!u) return err && err->code != 0 ? err->code : ORR_E_STORE;
  int rc = 0;
  const rec_meta key = {.name = {GROUPS_NAME, sizeof GROUPS_NAME - 1}};
  orr_error failure = {0};
  rec_meta *meta = unit_meta_key(u, &key, &failure);
  if (!meta && failure.code != 0) {
    rc = failure.code;
    error_move(err, &failure);
    goto out;
  }
  if (!meta) meta = unit_new_meta(u, &key);
  if (!meta || unit_touch(u, meta)) {
    rc = error_memory(err);
    goto out;
  }
  *first = meta->value.type == ORR_INT ? (uint64_t)meta->value.as.integer : 1;
  if (*first == 0 || *first > ORR_GROUP_MAX - ORR_GROUP_BLOCK) {
    rc = error_set(err, ORR_E_LIMIT, "the store has no ids left");
    goto out;
  }
  meta->value = (orr_value){.type = ORR_INT, .as.integer = (int64_t)(*first + ORR_GROUP_BLOCK)};
  rc = unit_commit(u, err);

out:
  unit_end(u);
  return rc;
}

static int reserve_block(unit_source *source, orr_error *err) {
  for (int tries = 0;; tries++) {
    orr_error failure = {0};
    uint64_t first = 0;
    int rc = reserve_once(source, &first, &failure);
    if (!rc) {
      pthread_mutex_lock(&source->groups);
      source->group_next = first;
      source->group_end = first + ORR_GROUP_BLOCK;
      pthread_mutex_unlock(&source->groups);
      return 0;
    }
    if (rc != ORR_E_CONFLICT || tries == RESERVE_TRIES_MAX) {
      error_move(err, &failure);
      return rc;
    }
    orr_error_clear(&failure); /* another process was faster: take the next block */
  }
}

static uint64_t take_group(unit_source *source) {
  pthread_mutex_lock(&source->groups);
  uint64_t group = source->group_next < source->group_end ? source->group_next++ : 0;
  pthread_mutex_unlock(&source->groups);
  return group;
}

/* Reserving a block commits, and then the store may have to wait until nobody reads. So a thread
 * that reserves, or waits for one that does, closes its view first. */
uint64_t unit_source_group(unit_source *source, unit *asking, orr_error *err) {
  uint64_t group = take_group(source);
  if (group != 0) return group;
  if (asking) unit_pause(asking);
  pthread_mutex_lock(&source->reserving);
  group = take_group(source); /* another thread may have been faster */
  if (group == 0 && !reserve_block(source, err)) group = take_group(source);
  pthread_mutex_unlock(&source->reserving);
  return group;
}
