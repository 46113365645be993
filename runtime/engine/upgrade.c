/* orr_store_upgrade: a store that an older version wrote gets a new file, in this version's format.
 *
 *   old file, read -> records as they are now, in a new file beside it -> checked -> brought to the disk -> renamed
 *
 * Until the rename nothing of the old store has changed, and the rename is one step: so a store is never half upgraded, and
 * whoever is killed may begin again. No engine is involved, because none opens an older store. */
#include <stdio.h>

#include "base/error.h"
#include "base/null.h"
#include "base/options.h"
#include "engine/engine.h"
#include "store/lmdb/lmdb_open.h"
#include "store/lmdb/lmdb_readers.h"
#include "store/replace.h"
#include "uow/upgrade.h"
#include "uow/verify.h"

typedef struct upgrade {
  orr_env env;
  const orr_upgrade_options *options;
  const char *path;
  store *old, *fresh;
  unit_source *units; /* of the new one */
  replacement place;
  int from;           /* the old one's format */
  uint64_t commits;   /* of the old one, when it was read */
  uint64_t entries;   /* of the old one: each is read, and then what became of it is checked */
  uint64_t records, problems;
  char problem[256];  /* the first that the check has found */
} upgrade;

/* The first half is reading. */
static void tell_read(void *ud, uint64_t done, uint64_t total) {
  upgrade *k = ud;
  k->entries = total;
  if (k->options->progress) k->options->progress(k->options->progress_ud, (int64_t)done, (int64_t)(2 * total));
}

/* The second is checking, whose own total is another. */
static void tell_checked(void *ud, uint64_t done, uint64_t total) {
  const upgrade *k = ud;
  uint64_t part = total ? (uint64_t)((double)done / (double)total * (double)k->entries) : k->entries;
  if (k->options->progress)
    k->options->progress(k->options->progress_ud, (int64_t)(k->entries + part), (int64_t)(2 * k->entries));
}

static void keep_problem(void *ud, const char *sentence) {
  upgrade *k = ud;
  if (k->problems++ == 0) snprintf(k->problem, sizeof k->problem, "%s", sentence);
}

/* ---- The old one ----------------------------------------------------------------------------- */

/* Who else has it open would go on with a file that is no store's any more. */
static int refuse_company(const upgrade *k, orr_error *err) {
  long other = store_lmdb_other(k->old);
  if (!other) return 0;
  return error_set(err, ORR_E_STATE, "%s is open in process %ld; stop what uses it first", k->path, other);
}

static int open_old(upgrade *k, orr_error *err) {
  if (!replace_there(k->path)) return error_set(err, ORR_E_NOT_FOUND, "there is no store on disk in %s", k->path);
  store_options options = {.env = &k->env, .path = k->path, .older = &k->from};
  int rc = store_open_lmdb(&options, &k->old, err);
  return rc || k->from == STORE_FORMAT ? rc : refuse_company(k, err);
}

/* ---- The new one ----------------------------------------------------------------------------- */

static int open_fresh(upgrade *k, orr_error *err) {
  store_options options = {.env = &k->env, .path = k->place.folder, .no_sync = true};
  int rc = store_open_lmdb(&options, &k->fresh, err);
  if (rc) return rc;
  k->units = unit_source_new(&k->env, k->fresh, NULL, err);
  return k->units ? 0 : ORR_E_MEMORY;
}

static void close_fresh(upgrade *k) {
  unit_source_free(k->units);
  store_close(k->fresh);
  k->units = NULL;
  k->fresh = NULL;
}

static int check_fresh(upgrade *k, orr_error *err) {
  verify_counts counts;
  verify_listener told = {.ud = k, .problem = keep_problem, .progress = {tell_checked, k}};
  int rc = store_verify(k->units, &told, &counts, err);
  if (rc || !k->problems || k->options->force) return rc;
  return error_set(err, ORR_E_STORE,
                   "%s: %s%s; it is left as it was, because that was wrong before: mend it with the version that wrote it, "
                   "or take it as it is (force)", k->path, k->problem, k->problems > 1 ? ", and more" : "");
}

/* A commit since the reading began would be lost. */
static int refuse_changed(const upgrade *k, orr_error *err) {
  store_stats now;
  int rc = store_get_stats(k->old, &now, err);
  if (!rc) rc = refuse_company(k, err);
  if (rc || now.commits == k->commits) return rc;
  return error_set(err, ORR_E_STATE, "%s was written to meanwhile; stop what uses it first", k->path);
}

static int make_fresh(upgrade *k, orr_error *err) {
  upgrade_listener told = {k, tell_read};
  store_stats stats;
  int rc = store_get_stats(k->old, &stats, err);
  if (rc) return rc;
  k->commits = stats.commits;
  rc = replace_begin(&k->place, k->path, stats.bytes_used, err);
  if (!rc) rc = open_fresh(k, err);
  if (!rc) rc = store_upgrade(k->old, k->from, k->units, &told, &k->records, err);
  if (!rc) rc = check_fresh(k, err);
  close_fresh(k);
  if (!rc) rc = refuse_changed(k, err);
  return rc ? rc : replace_finish(&k->place, k->options->keep, err);
}

/* ---- The command ----------------------------------------------------------------------------- */

static void answer_upgrade(const upgrade *k, orr_builder *out) {
  orr_builder_map(out);
  orr_builder_put(out, "from", orr_int(k->from));
  orr_builder_put(out, "to", orr_int(STORE_FORMAT));
  orr_builder_put(out, "records", orr_int((int64_t)k->records));
  orr_builder_put(out, "problems", orr_int((int64_t)k->problems));
  orr_builder_end(out);
}

int orr_store_upgrade(const char *path, const orr_upgrade_options *given, orr_builder *out, orr_error *err) {
  REQUIRE(path);
  orr_upgrade_options own;
  upgrade k = {.options = options_take(&own, sizeof own, given, err), .path = path};
  if (!k.options) return ORR_E_ARGUMENT;
  if (!*path) return error_set(err, ORR_E_ARGUMENT, "upgrading needs the path of a store");
  env_system(&k.env);
  int rc = open_old(&k, err);
  if (!rc && k.from != STORE_FORMAT) rc = make_fresh(&k, err);
  close_fresh(&k);
  store_close(k.old);
  replace_end(&k.place);
  if (!rc) answer_upgrade(&k, out);
  return rc;
}
