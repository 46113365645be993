/* Which version of a key is meant, by the index of definitions, and what an engine remembers of it.
 *
 * A process starts by its key, so the latest version is looked up all the time, and changes only
 * with a deployment. Each new job looks up its job definition. An answer is kept with the stamp of
 * its view (unit_catalog), and is valid for every view with the same stamp. */
#include "state/definition_versions.h"

#include <string.h>

#include "base/error.h"
#include "model/definition.h"
#include "record/key.h"
#include "state/context.h"
#include "uow/prefetch.h"
#include "uow/find.h"

enum { SLOTS = 256 }; /* a power of two; keys that share a slot replace each other */

/* The key of a look-up, and the record of a definition or job definition that answered it. */
typedef struct version_slot {
  catalog_stamp stamp;
  uint32_t hash;
  bool any_tenant; /* no tenant was named */
  uint32_t name_size, key_size, value_size; /* "key\0tenant"; the record's */
  uint8_t *bytes;  /* these three; NULL: nothing is here */
} version_slot;

struct latest_versions {
  orr_allocator allocator;
  pthread_mutex_t mutex;
  version_slot slots[SLOTS];
};

latest_versions *latest_versions_new(const orr_allocator *allocator) {
  latest_versions *all = env_zalloc(allocator, sizeof *all);
  if (!all) return NULL;
  all->allocator = *allocator;
  pthread_mutex_init(&all->mutex, NULL);
  return all;
}

static size_t slot_size(const version_slot *s) { return (size_t)s->name_size + s->key_size + s->value_size; }

static void forget_slot(latest_versions *all, version_slot *s) {
  if (s->bytes) env_free(&all->allocator, s->bytes, slot_size(s));
  *s = (version_slot){0};
}

void latest_versions_free(latest_versions *all) {
  if (!all) return;
  for (size_t i = 0; i < SLOTS; i++) forget_slot(all, &all->slots[i]);
  pthread_mutex_destroy(&all->mutex);
  orr_allocator allocator = all->allocator;
  env_free(&allocator, all, sizeof *all);
}

/* ---- Remembering ----------------------------------------------------------------------------- */

/* A look-up: a key and a tenant, with the stamp of the view. */
typedef struct question {
  catalog_stamp stamp;
  uint8_t name[256]; /* "key\0tenant" */
  uint32_t size, hash;
  bool any_tenant;
} question;

/* False: too long to be remembered. */
static bool make_question(question *q, const char *key, const char *tenant) {
  size_t key_size = strlen(key) + 1, tenant_size = tenant ? strlen(tenant) : 0;
  if (key_size + tenant_size > sizeof q->name) return false;
  memcpy(q->name, key, key_size);
  if (tenant_size) memcpy(q->name + key_size, tenant, tenant_size);
  q->size = (uint32_t)(key_size + tenant_size);
  q->any_tenant = !tenant;
  q->hash = key_hash(q->name, q->size);
  return true;
}

static bool answers(const version_slot *s, const question *q) {
  return s->bytes && s->hash == q->hash && s->stamp.own == q->stamp.own && s->stamp.foreign == q->stamp.foreign &&
         s->any_tenant == q->any_tenant && s->name_size == q->size && memcmp(s->bytes, q->name, q->size) == 0;
}

/* Adopts the record while the lock is held, because another thread may replace its bytes. */
static void *recall_answer(context *c, const question *q, const rec_type *type) {
  latest_versions *all = c->engine->latest;
  const version_slot *s = &all->slots[q->hash & (SLOTS - 1)];
  void *found = NULL;
  pthread_mutex_lock(&all->mutex);
  if (answers(s, q)) {
    const uint8_t *key = s->bytes + s->name_size;
    found = unit_recall(c->u, type, (store_bytes){key, s->key_size},
                        (store_bytes){key + s->key_size, s->value_size}, &c->error);
  }
  pthread_mutex_unlock(&all->mutex);
  return found;
}

/* Remembers the record as the view shows it; the unit may have read it in an older view. Without
 * memory it will be looked up again. */
static int remember_answer(context *c, const question *q, const rec_head *head) {
  latest_versions *all = c->engine->latest;
  store_bytes value;
  int rc = unit_stored(c->u, head, &value, &c->error);
  if (rc) return rc == ORR_E_NOT_FOUND ? 0 : rc;
  version_slot made = {.stamp = q->stamp, .hash = q->hash, .any_tenant = q->any_tenant, .name_size = q->size,
                       .key_size = head->key_size, .value_size = (uint32_t)value.size};
  made.bytes = env_alloc(&all->allocator, slot_size(&made));
  if (!made.bytes) return 0;
  memcpy(made.bytes, q->name, q->size);
  memcpy(made.bytes + q->size, head->key, made.key_size);
  memcpy(made.bytes + q->size + made.key_size, value.data, value.size);
  pthread_mutex_lock(&all->mutex);
  version_slot *s = &all->slots[q->hash & (SLOTS - 1)];
  forget_slot(all, s);
  *s = made;
  pthread_mutex_unlock(&all->mutex);
  return 0;
}

/* ---- Looking up ------------------------------------------------------------------------------ */

int definition_versions(context *c, const char *key, rec_text tenant, unit_found *out) {
  rec_key by = {.text = {key, strlen(key)}};
  int rc = unit_find_index(c->u, REC_INDEX_DEFINITION_KEY, &by, 1, 0, out, &c->error);
  if (rc) return rc;
  size_t kept = 0;
  for (size_t i = 0; i < out->count; i++) {
    const rec_definition *r = (const rec_definition *)out->items[i];
    bool same = r->tenant.size == tenant.size && (tenant.size == 0 || memcmp(r->tenant.data, tenant.data, tenant.size) == 0);
    if (same) out->items[kept++] = out->items[i];
  }
  out->count = kept;
  return 0;
}

/* Without a tenant, does a key reach definitions of tenants? The dialect of each of them must allow
 * it. */
static int reaches_tenants(context *c, const rec_definition *r, bool *out) {
  const definition *d = context_definition(c, r->id, &c->error);
  if (!d) return c->error.code;
  *out = d->dialect->key_reaches_tenants;
  return 0;
}

/* A definition of no tenant comes before those of tenants, wherever it is in the list, which has
 * the newest versions first. */
static int choose_version(context *c, const unit_found *found, const char *key, const char *tenant, int64_t version,
                          rec_definition **out) {
  rec_definition *tenants = NULL;
  bool several = false;
  for (size_t i = 0; i < found->count; i++) {
    rec_definition *r = (rec_definition *)found->items[i];
    if (version != 0 && r->version != version) continue;
    if (tenant ? rec_text_is(r->tenant, tenant) || (*tenant == '\0' && r->tenant.size == 0) : r->tenant.size == 0) {
      *out = r;
      return 0;
    }
    bool reached = false;
    if (!tenant && reaches_tenants(c, r, &reached)) return c->error.code;
    if (!reached) continue;
    several = several || (tenants && !rec_text_equal(tenants->tenant, r->tenant));
    if (!tenants) tenants = r;
  }
  if (several) return context_error(c, ORR_E_ARGUMENT, "several tenants have a definition \"%s\": say which one is meant", key);
  *out = tenants;
  return 0;
}

static int look_version_up(context *c, const char *key, const char *tenant, int64_t version, rec_definition **out) {
  /* The index is ordered by version, newest first: without tenants, the first row is the answer. */
  static const size_t limits[] = {1, 0};
  rec_key by = {.text = {key, strlen(key)}};
  *out = NULL;
  int rc = 0;
  for (size_t i = 0; i < 2 && !rc; i++) {
    unit_found found;
    rc = unit_find_index(c->u, REC_INDEX_DEFINITION_KEY, &by, 1, limits[i], &found, &c->error);
    if (rc) break;
    *out = NULL;
    rc = choose_version(c, &found, key, tenant, version, out);
    if (!rc && *out && (tenant || (*out)->tenant.size == 0)) break;
    if (found.count < limits[i]) break;
  }
  return rc;
}

static int find_latest(context *c, const char *key, const char *tenant, rec_definition **out) {
  question q;
  bool stamped = make_question(&q, key, tenant) && unit_catalog(c->u, &q.stamp);
  *out = stamped ? recall_answer(c, &q, &rec_definition_type) : NULL;
  if (*out || c->error.code) return c->error.code;
  int rc = look_version_up(c, key, tenant, 0, out);
  return !rc && *out && stamped ? remember_answer(c, &q, &(*out)->head) : rc;
}

/* Keys hold no NUL, so no key is taken for an id. */
static void make_question_of_id(question *q, orr_id id) {
  q->name[0] = '\0';
  memcpy(q->name + 1, &id, sizeof id);
  q->size = 1 + sizeof id;
  q->any_tenant = false;
  q->hash = key_hash(q->name, q->size);
}

/* Where the store is across a network, the stamp of a view costs a round trip, and so does the
 * record, unless it was prefetched. */
static void *remembered_record(context *c, const rec_type *type, orr_id id) {
  question q;
  make_question_of_id(&q, id);
  bool stamped = !unit_is_far(c->u) && unit_catalog(c->u, &q.stamp);
  void *r = stamped ? recall_answer(c, &q, type) : NULL;
  if (r || c->error.code) return r;
  r = unit_get(c->u, type, id, &c->error);
  return r && stamped && remember_answer(c, &q, r) ? NULL : r;
}

rec_definition *definition_record(context *c, orr_id id) { return remembered_record(c, &rec_definition_type, id); }

rec_job_definition *job_definition_record(context *c, orr_id id) {
  return remembered_record(c, &rec_job_definition_type, id);
}

int definition_find(context *c, const char *key, const char *tenant, int64_t version, rec_definition **out, orr_error *err) {
  int rc = version == 0 ? find_latest(c, key, tenant, out) : look_version_up(c, key, tenant, version, out);
  if (rc && err != &c->error) error_move(err, &c->error);
  return rc;
}
