/* What is fetched for several views: one question in a session that begins no transaction, as a statement alone sees one
 * moment. */
#include <string.h>

#include "store/postgresql/prefetched_rows.h"
#include "store/postgresql/postgresql_internal.h"

#define SESSIONS_TRIED 3

typedef struct prefetched {
  store_prefetched base;
  postgres_store *owner;
  atomic_uint users;
  int64_t since_ns;     /* when the answer was there */
  uint32_t moment;      /* of the store's own commits, before it was asked */
  prefetched_rows *rows;
} prefetched;

/* Who does without it waits for a server that is away, so that nobody waits twice. A session that rested may be lost
 * unnoticed; those that rested beside it go, too, one by one. */
static int ask(postgres_store *s, prefetched_rows *rows) {
  postgres_parameters p = prefetched_rows_question(rows);
  PGresult *answer = NULL;
  int rc = POSTGRES_LOST;
  for (int tries = 0; rc == POSTGRES_LOST && tries < SESSIONS_TRIED; tries++) {
    postgres_connection *c = NULL;
    if (postgres_take_at_once(s, &c)) break;
    rc = postgres_ask(c, POSTGRES_AHEAD, &p, s->name, &answer, NULL);
    postgres_give(s, c);
  }
  if (!rc) prefetched_rows_keep(rows, answer);
  return rc;
}

/* Beside what was asked for, what steps mostly ask for besides. */
static prefetched_rows *question_with_asked(postgres_store *s, const store_span *spans, size_t count) {
  hot_key_spans more;
  hot_keys_take(s->hot_keys, &more);
  store_span *all = env_alloc(&s->env.allocator, (count + more.count) * sizeof *all);
  if (!all) return NULL;
  memcpy(all, spans, count * sizeof *spans);
  memcpy(all + count, more.spans, more.count * sizeof *all);
  prefetched_rows *rows = prefetched_rows_new(&s->env.allocator, all, count + more.count);
  env_free(&s->env.allocator, all, (count + more.count) * sizeof *all);
  return rows;
}

store_prefetched *postgres_prefetch(store *base, const store_span *spans, size_t count) {
  postgres_store *s = (postgres_store *)base;
  if (postgres_check_usable(s, NULL)) return NULL;
  prefetched *p = env_zalloc(&s->env.allocator, sizeof *p);
  if (!p) return NULL;
  p->base.methods = base->methods;
  p->owner = s;
  p->moment = recent_writes_now(s->recent_writes);
  atomic_init(&p->users, 1);
  p->rows = question_with_asked(s, spans, count);
  if (!p->rows || ask(s, p->rows)) {
    postgres_prefetched_release(&p->base);
    return NULL;
  }
  prefetched_rows_offer(p->rows, s->images, p->moment);
  p->since_ns = s->env.mono_ns(s->env.ud);
  return &p->base;
}

void postgres_prefetched_keep(store_prefetched *base) { atomic_fetch_add(&((prefetched *)base)->users, 1); }

void postgres_prefetched_release(store_prefetched *base) {
  prefetched *p = (prefetched *)base;
  if (atomic_fetch_sub(&p->users, 1) > 1) return;
  orr_allocator allocator = p->owner->env.allocator;
  prefetched_rows_free(p->rows);
  env_free(&allocator, p, sizeof *p);
}

bool postgres_prefetched_young(const store_prefetched *base) {
  const prefetched *p = (const prefetched *)base;
  const orr_env *env = &p->owner->env;
  return env->mono_ns(env->ud) - p->since_ns < STORE_PREFETCH_MS * INT64_C(1000000);
}

/* `key` stands for all that share its mark. */
static bool holds_still(const prefetched *p, store_bytes key) {
  return postgres_prefetched_young(&p->base) && !recent_writes_since(p->owner->recent_writes, key, p->moment);
}

bool postgres_prefetched_get(const store_prefetched *base, store_bytes key, bool *found, store_bytes *value) {
  const prefetched *p = (const prefetched *)base;
  return holds_still(p, key) && prefetched_rows_get(p->rows, key, found, value);
}

bool postgres_prefetched_range(const store_prefetched *base, store_bytes low, store_bytes high, row_span *out) {
  const prefetched *p = (const prefetched *)base;
  return recent_writes_together(low, high) && holds_still(p, low) && prefetched_rows_range(p->rows, low, high, out);
}
