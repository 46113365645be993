/* Prefetching for the jobs of a worker's local queue, where the store is a network away. */
#include "executor/pool_internal.h"
#include "uow/prefetch.h"

/* What the store has of the entry, and of those behind it that are of the same engine: all of it with one question, where
 * the store is far. Others may begin some of them meanwhile, so only what was noted of them is looked at. */
static void fetch_ahead(job_prefetch *a) {
  orr_id jobs[LOCAL_QUEUE_MAX];
  uint32_t count = 0;
  a->of = a->taken[a->at].of;
  for (uint32_t i = a->at; i < a->count && a->taken[i].of == a->of; i++) jobs[count++] = a->taken[i].job;
  a->fetched = unit_prefetch_groups(a->of->engine->units, jobs, count);
}

void job_prefetch_drop(job_prefetch *a) {
  store_prefetched_release(a->fetched);
  a->fetched = NULL;
  a->of = NULL;
}

store_prefetched *job_prefetch_for(job_prefetch *a, const entry *e) {
  while (a->at + 1 < a->count && (a->taken[a->at].job != e->job || a->taken[a->at].of != e->of)) a->at++;
  if (e->of == a->of && (!a->fetched || store_prefetched_young(a->fetched))) return a->fetched;
  job_prefetch_drop(a);
  fetch_ahead(a);
  return a->fetched;
}
