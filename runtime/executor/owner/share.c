/* Shares of the work by rendezvous hashing. */
#include "executor/owner/share.h"

#include "engine/engine.h"
#include "executor/owner/cluster.h"

/* Runs that are passed over in a row for each node there is. Hashing hardly ever makes so many; what comes next is wanted
 * then. */
#define UNWANTED_RUNS_MAX 64

/* ---- Who is there ---------------------------------------------------------------------------- */

static int list_nodes(share *s, context *c, uint64_t own) {
  cluster_nodes list;
  bool there = false;
  int rc = cluster_find(c, &list);
  if (rc) return rc;
  uint32_t count = 1;
  s->nodes[0] = own;
  for (size_t i = 0; i < list.count && count < SHARE_NODES_MAX; i++) {
    const cluster_node *n = &list.items[i];
    if (!cluster_is_executor(n) || n->state != CLUSTER_AT_WORK || n->stopping) continue;
    if (n->owner->number == own) there = true;
    else s->nodes[count++] = n->owner->number;
  }
  s->count = there && count < SHARE_NODES_MAX ? count : 0;
  return 0;
}

int share_look(share *s, orr_engine *engine, uint64_t own, orr_error *err) {
  *s = (share){.count = 0};
  context *c = context_begin(engine, NULL, err);
  if (!c) return err->code;
  int rc = list_nodes(s, c, own);
  if (rc) error_move(err, &c->error);
  context_end(c);
  return rc;
}

bool share_divides(const share *s) { return s->count > 1; }

/* ---- Whose is it ----------------------------------------------------------------------------- */

static uint64_t run_of(orr_id id) { return orr_id_group(id) >> SHARE_RUN_BITS; }
static orr_id first_of_run(uint64_t run) { return orr_id_make(run << SHARE_RUN_BITS, 0); }

/* The last step of SplitMix64: every bit of the number has its part in every bit of the answer. */
static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static bool wants_run(const share *s, uint64_t run) {
  uint64_t mixed = mix(run + 1), own = mix(s->nodes[0] ^ mixed);
  uint32_t before = 0;
  for (uint32_t i = 1; i < s->count && before < 2; i++) before += mix(s->nodes[i] ^ mixed) > own;
  return s->scope == SHARE_ALL || before == (s->scope == SHARE_SECOND ? 1 : 0);
}

/* All of them together take a page each of what lies behind the front. */
void share_begin(share *s, share_scope which, uint32_t page) {
  uint64_t runs = ((uint64_t)page >> SHARE_RUN_BITS) + 1;
  s->scope = which;
  s->from = which == SHARE_SECOND ? first_of_run(run_of(s->front) + runs * s->count) : 0;
  s->front = 0;
  s->run = UINT64_MAX;
}

orr_id share_next(share *s, orr_id id) {
  if (s->front == 0) s->front = id;
  orr_id at = id < s->from ? s->from : id;
  uint64_t run = run_of(at), next = run, tries = (uint64_t)s->count * UNWANTED_RUNS_MAX;
  if (run != s->run) {
    s->run = run;
    s->wanted = wants_run(s, run);
  }
  if (s->wanted) return at;
  do next++;
  while (!wants_run(s, next) && --tries > 0);
  return first_of_run(next);
}
