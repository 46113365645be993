/* Commits: a group of batches, merged, as one call; and what becomes of one whose answer did not
 * come. */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/postgresql/postgresql_internal.h"
#include "store/postgresql/schema.h"

#define ASK_AGAIN_MS 50 /* when the session that asks for an outcome is lost as well */
#define TRIES_MAX 100   /* of a commit that had no effect through no fault of its own */
#define PAGE_REVISION_LANE 36 /* bits of a page's revision below those of the lane; as in orrery_commit */
#define CARE_MAX 63     /* commits that are sent with care, after comparisons were lost again and again */

/* ---- Lanes ----------------------------------------------------------------------------------- */

/* A lane that has made no commit for a day is taken for gone. If it is not, its next commit is
 * refused, and its store, which knows what became of those before, takes another lane. */
static const char forget_lanes[] =
    "WITH gone AS (DELETE FROM orrery_lane WHERE id <> 0 AND (id = $1 OR seen < now() - interval '1 day') RETURNING sequence)"
    " UPDATE orrery_lane SET sequence = sequence + (SELECT coalesce(sum(sequence), 0) FROM gone)"
    " WHERE id = 0 AND EXISTS (SELECT FROM gone)";
static const char take_lane[] =
    "INSERT INTO orrery_lane (generation, sequence, seen) VALUES (0, 0, now()) RETURNING id, generation, sequence";
static const char take_lane_at_level[] =
    "INSERT INTO orrery_lane (generation, sequence, seen, level) SELECT 0, 0, now(), $1 FROM orrery_format WHERE level <= $1"
    " RETURNING id, generation, sequence";
static const char shut_out[] =
    "UPDATE orrery_lane SET generation = generation + 1 WHERE id = $1 RETURNING id, generation, sequence";

/* For statements that are sent as text. */
typedef struct number_text {
  char text[24];
} number_text;

static number_text text_of(int64_t number) {
  number_text t;
  snprintf(t.text, sizeof t.text, "%" PRId64, number);
  return t;
}

static int64_t lane_number(const PGresult *result, int column) {
  return strtoll(pq.getvalue(result, 0, column), NULL, 10);
}

static int forget_old_lanes(postgres_store *s, postgres_connection *c, int64_t mine,
                            orr_error *err) {
  number_text id = text_of(mine);
  const char *values[] = {id.text};
  PGresult *none = NULL;
  int rc = postgres_ask_text(c, forget_lanes, 1, values, s->name, &none, err);
  pq.clear(none);
  return rc;
}

/* The row, with the level of this build where lanes have one. *found NULL: the database has moved on to another level. */
static int insert_lane(postgres_store *s, postgres_connection *c, bool told, PGresult **found, orr_error *err) {
  number_text level = text_of(s->known);
  const char *values[] = {level.text};
  int rc = postgres_ask_text(c, told ? take_lane_at_level : take_lane, told, values, s->name, found, err);
  if (rc || pq.ntuples(*found) == 1) return rc;
  pq.clear(*found);
  *found = NULL;
  return 0;
}

int postgres_lane_open(postgres_store *s, postgres_connection *c, orr_error *err) {
  PGresult *found = NULL;
  postgres_level level;
  int rc = forget_old_lanes(s, c, 0, err);
  while (!rc && !found) {
    rc = postgres_schema_formats(c, s->name, s->known, &level, err);
    if (!rc) rc = insert_lane(s, c, level.told, &found, err);
  }
  if (rc) return rc;
  atomic_store(&s->level, level.number);
  atomic_fetch_add(&s->own_before, atomic_exchange(&s->sequence, 0));
  s->lane = lane_number(found, 0);
  s->generation = lane_number(found, 1);
  pq.clear(found);
  return 0;
}

void postgres_lane_close(postgres_store *s) {
  if (s->writer && postgres_is_alive(s->writer))
    (void)forget_old_lanes(s, s->writer, s->lane, NULL);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static int finish_transaction(postgres_store *s, const char *how, orr_error *err) {
  PGresult *none = NULL;
  int rc = postgres_ask_text(s->writer, how, 0, NULL, s->name, &none, err);
  pq.clear(none);
  s->writer->in_transaction = false;
  return rc;
}

/* The server's answer: an array of eight-byte numbers, in binary. *any: some comparison failed. */
static int read_lost(postgres_store *s, const PGresult *found, store_batch *batches, bool *any,
                     orr_error *err) {
  enum { HEAD = 20, ELEMENT = 12 };
  size_t size = (size_t)pq.getlength(found, 0, 0);
  const char *at = pq.getvalue(found, 0, 0);
  *any = size > HEAD;
  for (size_t place = HEAD; place + ELEMENT <= size; place += ELEMENT) {
    uint64_t which;
    memcpy(&which, at + place + 4, sizeof which);
    if (!merge_lose(s->merge, (int64_t)be64toh(which), batches, s->lost))
      return error_set(err, ORR_E_STORE, "%s: orrery_commit answered what it was not asked",
                       s->name);
  }
  return 0;
}

/* What the pages of the commit in hand get: no other commit, of whatever store, has the same. */
static int64_t page_revision(const postgres_store *s) {
  return (int64_t)((uint64_t)s->lane << PAGE_REVISION_LANE ^ (uint64_t)(atomic_load(&s->sequence) + 1));
}

static int call_commit(postgres_store *s, store_batch *batches, bool *any_lost, orr_error *err) {
  uint64_t head[] = {htobe64((uint64_t)s->lane), htobe64((uint64_t)s->generation),
                     htobe64((uint64_t)(atomic_load(&s->sequence) + 1))};
  postgres_parameters p = {0};
  for (; p.count < 3; p.count++) {
    p.values[p.count] = (const char *)&head[p.count];
    p.sizes[p.count] = sizeof *head;
  }
  merge_parameters(s->merge, &p);
  PGresult *found = NULL;
  int rc = postgres_ask(s->writer, POSTGRES_COMMIT, &p, s->name, &found, err);
  if (!rc) rc = read_lost(s, found, batches, any_lost, err);
  if (!rc && !*any_lost) page_images_advance(s->images, page_revision(s));
  pq.clear(found);
  return rc;
}

/* Until no batch of it loses, or none is left. *wrote: something was written. */
static int send_fold(postgres_store *s, store_group *group, size_t *first, bool *wrote,
                     orr_error *err) {
  size_t end;
  bool any_lost;
  do {
    any_lost = false;
    merge_how how = {.lost = s->lost, .careful = s->careful > 0};
    int rc = merge_batches(s->merge, group->batches, &how, *first, group->count, &end, err);
    if (rc) return rc;
    if (end < group->count && !s->writer->in_transaction && postgres_begin(s->writer, true))
      return POSTGRES_LOST;
    if (merge_asks(s->merge)) rc = call_commit(s, group->batches, &any_lost, err);
    if (rc) return rc;
  } while (any_lost);
  *wrote = *wrote || merge_writes(s->merge);
  *first = end;
  return 0;
}

/* What is there when others are kept out, is there when it is compared. */
static int begin_alone(postgres_store *s, orr_error *err) {
  if (postgres_begin(s->writer, true)) return POSTGRES_LOST;
  PGresult *none = NULL;
  int rc = postgres_ask_text(s->writer, "SELECT " POSTGRES_COMMIT_LOCK, 0, NULL, s->name, &none, err);
  pq.clear(none);
  return rc;
}

static int set_image(postgres_store *s, const PGresult *found, int row, orr_error *err) {
  uint64_t numbers[2];
  for (int i = 0; i < 2; i++) memcpy(&numbers[i], pq.getvalue(found, row, i), sizeof *numbers);
  store_bytes bytes = {pq.getvalue(found, row, 2), (size_t)pq.getlength(found, row, 2)};
  if (!packed_intact(bytes)) return error_set(err, ORR_E_STORE, "%s: a page of records is damaged", s->name);
  page_image *image = page_images_touch(s->images, (int64_t)be64toh(numbers[0]));
  bool done = image && page_images_set(s->images, image, (int64_t)be64toh(numbers[1]), bytes);
  return done ? 0 : error_memory(err);
}

/* Asks for those pages of the group that are not known. */
static int ready_pages(postgres_store *s, const store_group *group, orr_error *err) {
  if (!merge_touch_pages(s->merge, group->batches, group->count, !s->alone) ||
      !page_images_missing(s->images, &s->missing))
    return error_memory(err);
  if (s->missing.count == 0) return 0;
  postgres_parameters p = {0};
  PGresult *found = NULL;
  array_end(&s->missing);
  array_parameter(&s->missing, &p);
  int rc = postgres_ask(s->writer, POSTGRES_PAGES, &p, s->name, &found, err);
  for (int row = 0; !rc && row < pq.ntuples(found); row++) rc = set_image(s, found, row, err);
  pq.clear(found);
  return rc;
}

/* All merges of a group: one call that commits by itself, or several in a transaction. */
static int send_group(postgres_store *s, store_group *group, bool *wrote, orr_error *err) {
  size_t first = 0;
  int rc = 0;
  *wrote = false;
  if (s->alone) rc = begin_alone(s, err);
  if (!rc) rc = ready_pages(s, group, err);
  while (first < group->count && !rc) rc = send_fold(s, group, &first, wrote, err);
  if (!rc && s->writer->in_transaction) rc = finish_transaction(s, "COMMIT", err);
  if (rc && rc != POSTGRES_LOST && s->writer->in_transaction &&
      finish_transaction(s, "ROLLBACK", NULL))
    rc = POSTGRES_LOST;
  page_images_end(s->images, !rc);
  return rc;
}

/* ---- What became of it ----------------------------------------------------------------------- */

static int shut_out_old_session(postgres_store *s, bool *there, orr_error *err) {
  number_text id = text_of(s->lane);
  const char *values[] = {id.text};
  PGresult *found = NULL;
  int rc = postgres_ask_text(s->writer, shut_out, 1, values, s->name, &found, err);
  if (!rc && pq.ntuples(found) != 1)
    rc = error_set(err, ORR_E_STORE, "%s: the row of this store's commits is gone from orrery_lane",
                   s->name);
  if (!rc) {
    s->generation = lane_number(found, 1);
    *there = lane_number(found, 2) > atomic_load(&s->sequence);
  }
  pq.clear(found);
  return rc;
}

/* Asks in a new session. The update of the lane's row waits for a commit that is still at work, and
 * one that comes later finds another generation: so what this answers is so, and stays so. */
static int learn_outcome(postgres_store *s, bool *there, orr_error *err) {
  int rc = POSTGRES_LOST;
  for (int64_t waited = 0;
       waited < POSTGRES_PATIENCE_MS && (rc == POSTGRES_LOST || rc == POSTGRES_AGAIN);
       waited += ASK_AGAIN_MS) {
    if (waited > 0) postgres_wait_ms(ASK_AGAIN_MS); /* so does one that has become a standby */
    if (err) orr_error_clear(err);
    rc = postgres_take_fresh(s, &s->writer, err);
    if (!rc) rc = shut_out_old_session(s, there, err);
  }
  if (!rc) return 0;
  s->doubtful = true;
  if (err)
    error_set(err, ORR_E_STORE, "whether the commit was made cannot be learned: %s",
              err->message ? err->message : orr_strerror(ORR_E_STORE));
  (void)error_mark(err, STORE_IN_DOUBT); /* and not STORE_AWAY, which says that nothing was done */
  return ORR_E_STORE;
}

/* What the doubtful commit became is its callers' business: what matters here is that it does not come later. Without the row
 * of its lane it is refused; it is waited for if it is at work. Whether it was made or not, it counts as another's then. */
static int leave_doubt(postgres_store *s, orr_error *err) {
  if (!s->doubtful) return 0;
  pthread_mutex_lock(&s->looking); /* who counts others' commits in between would count own ones */
  int rc = forget_old_lanes(s, s->writer, s->lane, err);
  if (!rc) rc = postgres_lane_open(s, s->writer, err);
  pthread_mutex_unlock(&s->looking);
  if (!rc) s->doubtful = false;
  return rc;
}

/* Who loses a comparison now, does so often: others write the same, and the next commits are sent with care at once. */
static void begin_care(postgres_store *s, size_t count) {
  s->care = s->care < CARE_MAX ? s->care * 2 + 1 : CARE_MAX;
  s->careful = s->care;
  memset(s->lost, 0, count * sizeof *s->lost); /* by what has been undone */
}

static void end_care(postgres_store *s) {
  if (s->careful > 0)
    s->careful--;
  else
    s->care /= 2;
}

/* 0: it is made. */
static int commit_until_known(postgres_store *s, store_group *group, orr_error *err) {
  s->alone = false;
  page_images_begin(s->images, s->recent_writes);
  for (int tries = 0; tries < TRIES_MAX; tries++) {
    bool wrote = false, there = false;
    if (err) orr_error_clear(err);
    int rc = send_group(s, group, &wrote, err);
    if (rc == POSTGRES_LOST) {
      rc = learn_outcome(s, &there, err);
      if (!rc && !there) continue;
    }
    if (rc == POSTGRES_AGAIN) continue;
    if (rc == POSTGRES_STALE) {
      begin_care(s, group->count);
      s->alone = true;
      continue;
    }
    if (rc == POSTGRES_FENCED) {
      rc = postgres_lane_open(s, s->writer, err);
      if (rc >= 0) continue;
    }
    if (!rc && (wrote || there)) atomic_fetch_add(&s->sequence, 1);
    if (!rc) end_care(s);
    return rc;
  }
  return error_set(err, ORR_E_STORE, "%s refused a commit %d times", s->name, TRIES_MAX);
}

/* ---- The contract ---------------------------------------------------------------------------- */

/* A session of which it is known before anything is sent that it is gone costs no doubt. */
static int ready_writer(postgres_store *s, orr_error *err) {
  if (s->writer && postgres_is_alive(s->writer)) return 0;
  if (s->writer) return postgres_take_fresh(s, &s->writer, err);
  return postgres_take(s, &s->writer, err);
}

static int ready_lost(postgres_store *s, size_t count, orr_error *err) {
  if (count > s->lost_capacity) {
    bool *lost = env_realloc(&s->env.allocator, s->lost, s->lost_capacity * sizeof *lost,
                             count * sizeof *lost);
    if (!lost) return error_memory(err);
    s->lost = lost;
    s->lost_capacity = count;
  }
  if (count > 0) memset(s->lost, 0, count * sizeof *s->lost);
  return 0;
}

int postgres_commit(store *base, store_group *group, orr_error *err) {
  postgres_store *s = (postgres_store *)base;
  int rc = postgres_check_usable(s, err);
  if (rc) return rc;
  orr_error failure = {0};
  pthread_mutex_lock(&s->writing);
  rc = ready_writer(s, &failure);
  if (!rc) rc = leave_doubt(s, &failure);
  if (!rc) rc = store_group_gather(group, &failure);
  if (!rc) rc = ready_lost(s, group->count, &failure);
  int64_t before = atomic_load(&s->sequence);
  if (!rc) rc = commit_until_known(s, group, &failure);
  if (!rc || s->doubtful) recent_writes_mark(s->recent_writes, group->batches, group->count);
  bool wrote = atomic_load(&s->sequence) != before;
  pthread_mutex_unlock(&s->writing);
  if (wrote) postgres_notice_tell(s->notice);
  if (rc > 0) rc = ORR_E_STORE;
  if (rc) error_move(err, &failure);
  orr_error_clear(&failure);
  return rc;
}
