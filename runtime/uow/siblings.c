/* Siblings: numbers that are dealt out, and how counters of several units are added up. */
#include "uow/siblings.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/value.h"
#include "uow/uow_internal.h"

/* Instances that share no shelf do not wait for each other. */
#define SHELVES 64

/* A record as the last published batch leaves it. */
typedef struct image {
  struct image *next;
  uint32_t revision;
  bool deleted;
  size_t key_size, value_size; /* behind each other in bytes */
  uint8_t bytes[];
} image;

typedef struct shelf {
  pthread_mutex_t mutex;   /* everything of these siblings but what is dealt */
  pthread_mutex_t numbers; /* what is dealt */
  siblings *first;
} shelf;

struct siblings {
  siblings *next;
  siblings_shelves *of;
  shelf *shelf;
  uint64_t group;
  uint32_t joined;            /* places */
  atomic_uint in_flight;      /* published batches without an answer */
  atomic_uint events;         /* counts publications and answers */
  uint32_t era;               /* counts changes by others: units of different eras do not fit together */
  bool tainted;               /* a published batch was lost, and not all are answered yet */
  bool written;               /* `latest` is known */
  uint32_t latest;            /* revision of the instance's record as these units have left it */
  int64_t next_local, sequence;
  image *images;
  siblings_waiter *waiters;
};

struct siblings_shelves {
  orr_allocator allocator;
  shelf items[SHELVES];
};

/* ---- Shelves --------------------------------------------------------------------------------- */

siblings_shelves *siblings_shelves_new(const orr_allocator *allocator) {
  siblings_shelves *shelves = env_zalloc(allocator, sizeof *shelves);
  if (!shelves) return NULL;
  shelves->allocator = *allocator;
  for (int i = 0; i < SHELVES; i++) {
    pthread_mutex_init(&shelves->items[i].mutex, NULL);
    pthread_mutex_init(&shelves->items[i].numbers, NULL);
  }
  return shelves;
}

void siblings_shelves_free(siblings_shelves *shelves) {
  if (!shelves) return;
  for (int i = 0; i < SHELVES; i++) {
    pthread_mutex_destroy(&shelves->items[i].mutex);
    pthread_mutex_destroy(&shelves->items[i].numbers);
  }
  orr_allocator allocator = shelves->allocator;
  env_free(&allocator, shelves, sizeof *shelves);
}

static siblings *find_siblings(const shelf *on, uint64_t group) {
  siblings *s = on->first;
  while (s && s->group != group) s = s->next;
  return s;
}

static siblings *add_siblings(siblings_shelves *shelves, shelf *on, uint64_t group) {
  siblings *s = env_zalloc(&shelves->allocator, sizeof *s);
  if (!s) return NULL;
  s->of = shelves;
  s->shelf = on;
  s->group = group;
  s->next = on->first;
  on->first = s;
  return s;
}

static void forget_images(siblings *s) {
  while (s->images) {
    image *i = s->images;
    s->images = i->next;
    env_free(&s->of->allocator, i, sizeof *i + i->key_size + i->value_size);
  }
}

/* Under the shelf's mutex. */
static void remove_unused(siblings *s) {
  if (s->joined || atomic_load(&s->in_flight)) return;
  siblings **at = &s->shelf->first;
  while (*at != s) at = &(*at)->next;
  *at = s->next;
  forget_images(s);
  env_free(&s->of->allocator, s, sizeof *s);
}

siblings_place siblings_join(unit_source *source, uint64_t group) {
  siblings_shelves *shelves = source_siblings(source);
  shelf *on = &shelves->items[group % SHELVES];
  siblings_place place = {0};
  pthread_mutex_lock(&on->mutex);
  siblings *s = find_siblings(on, group);
  if (!s) s = add_siblings(shelves, on, group);
  if (s) {
    s->joined++;
    place = (siblings_place){s, s->era, atomic_load(&s->events)};
  }
  pthread_mutex_unlock(&on->mutex);
  return place;
}

void siblings_leave(siblings_place place) {
  siblings *s = place.with;
  if (!s) return;
  pthread_mutex_t *mutex = &s->shelf->mutex;
  pthread_mutex_lock(mutex);
  s->joined--;
  remove_unused(s);
  pthread_mutex_unlock(mutex);
}

void unit_meet_siblings(unit *u, siblings_place place) { u->siblings = place; }

bool unit_has_siblings(const unit *u) { return u->siblings.with && !u->alone; }

bool unit_has_place(const unit *u) { return u->siblings.with; }

void unit_without_siblings(unit *u) { u->alone = true; }

bool siblings_are_of(const siblings *s, uint64_t group) { return s->group == group; }

/* ---- Dealing --------------------------------------------------------------------------------- */

/* The first of `n` numbers from `floor` on that no sibling has. */
static int64_t take_numbers(const siblings *s, int64_t *next, int64_t floor, int64_t n) {
  pthread_mutex_lock(&s->shelf->numbers);
  int64_t first = *next > floor ? *next : floor;
  *next = first + n;
  pthread_mutex_unlock(&s->shelf->numbers);
  return first;
}

int64_t siblings_deal_local(siblings *s, int64_t floor) { return take_numbers(s, &s->next_local, floor, 1); }
int64_t siblings_deal_sequence(siblings *s, int64_t floor, int64_t n) { return take_numbers(s, &s->sequence, floor, n); }

/* ---- Counters -------------------------------------------------------------------------------- */

/* How units may change a field independently. Of a field of bits, only those that say what may
 * exist. */
typedef enum counter_kind { COUNTER_ADDS, COUNTER_GROWS, COUNTER_BITS } counter_kind;
typedef struct counter {
  const rec_type *type;
  const char *field;
  counter_kind kind;
} counter;

#define BITS_SHARED 63 /* ORR_SCOPE_VARIABLES to ORR_SCOPE_INCIDENTS */

static const counter counters[] = {
    {&rec_instance_type, "children", COUNTER_ADDS},          {&rec_instance_type, "flags", COUNTER_BITS},
    {&rec_instance_type, "next_local", COUNTER_GROWS},       {&rec_instance_type, "sequence", COUNTER_GROWS},
    {&rec_execution_type, "children", COUNTER_ADDS},         {&rec_execution_type, "flags", COUNTER_BITS},
    {&rec_execution_type, "loop_counter", COUNTER_ADDS},     {&rec_join_type, "distinct", COUNTER_ADDS},
    {&rec_variable_type, "value", COUNTER_ADDS},             {&rec_history_variable_type, "value", COUNTER_ADDS},
    {&rec_history_variable_type, "updates", COUNTER_ADDS},
};

static const counter *counter_of(const rec_type *type, const rec_field *field) {
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
    if (counters[i].type == type && strcmp(counters[i].field, field->name) == 0) return &counters[i];
  return NULL;
}

static bool ids_equal(const rec_ids *a, const rec_ids *b) {
  return a->count == b->count && (a->count == 0 || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
}

static bool fields_equal(const rec_field *field, const void *a, const void *b) {
  switch ((rec_field_type)field->type) {
    case REC_TEXT: return rec_text_equal(*(const rec_text *)a, *(const rec_text *)b);
    case REC_VALUE: return value_equal(a, b);
    case REC_BOOL: return *(const bool *)a == *(const bool *)b;
    case REC_U8: return *(const uint8_t *)a == *(const uint8_t *)b;
    case REC_NODE: return *(const uint32_t *)a == *(const uint32_t *)b;
    case REC_IDS: return ids_equal(a, b);
    case REC_TEXTS: return false; /* none of these records has any */
    default: return *(const uint64_t *)a == *(const uint64_t *)b;
  }
}

/* The new value of a field: ours was `was` and is `mine`; the others have left `theirs`. */
typedef struct change { void *mine; const void *was, *theirs; } change;

/* False: they do not fit together. If others have brought a count to its end, an assumption about
 * it must exist. */
static bool add_counts(const change *f, bool reviewed) {
  int64_t mine = *(int64_t *)f->mine, sum = *(const int64_t *)f->theirs + mine - *(const int64_t *)f->was;
  *(int64_t *)f->mine = sum;
  return sum >= 0 && (sum > 0 || mine == 0 || reviewed);
}

static bool add_values(const change *f) {
  orr_value *mine = f->mine;
  const orr_value *was = f->was, *theirs = f->theirs;
  if (mine->type != ORR_INT || was->type != ORR_INT || theirs->type != ORR_INT) return false;
  *mine = orr_int(theirs->as.integer + mine->as.integer - was->as.integer);
  return true;
}

static bool unite_bits(const change *f) {
  int64_t theirs = *(const int64_t *)f->theirs;
  if ((theirs ^ *(const int64_t *)f->was) & ~(int64_t)BITS_SHARED) return false;
  *(int64_t *)f->mine |= theirs;
  return true;
}

static bool combine_field(const counter *how, const rec_field *field, const change *f, bool reviewed) {
  switch (how->kind) {
    case COUNTER_ADDS: return field->type == REC_VALUE ? add_values(f) : add_counts(f, reviewed);
    case COUNTER_BITS: return unite_bits(f);
    case COUNTER_GROWS: break;
  }
  int64_t *mine = f->mine;
  if (*mine < *(const int64_t *)f->theirs) *mine = *(const int64_t *)f->theirs;
  return true;
}

static bool combine_fields(rec_head *mine, const rec_head *was, const rec_head *theirs) {
  const rec_type *type = mine->type;
  for (uint8_t i = type->n_key; i < type->n_fields; i++) {
    const rec_field *field = &type->fields[i];
    change f = {(char *)mine + field->offset, record_field(was, field), record_field(theirs, field)};
    const counter *how = counter_of(type, field);
    if (how ? !combine_field(how, field, &f, mine->reviewed) : !fields_equal(field, f.was, f.theirs)) return false;
  }
  return true;
}

/* False: `mine` is as it was. */
static bool combine(unit *u, rec_head *mine, const rec_head *theirs) {
  rec_head *kept = unit_blank(u, mine->type);
  const rec_head *was = mine->old ? mine->old : unit_blank(u, mine->type);
  if (!kept || !was) return false;
  memcpy(kept, mine, mine->type->size);
  bool fits = combine_fields(mine, was, theirs);
  if (!fits) memcpy(mine, kept, mine->type->size);
  return fits;
}

/* ---- Settling -------------------------------------------------------------------------------- */

static image **find_image(siblings *s, const uint8_t *key, size_t size) {
  image **at = &s->images;
  while (*at && ((*at)->key_size != size || memcmp((*at)->bytes, key, size) != 0)) at = &(*at)->next;
  return at;
}

/* The record in the store. NULL: there is none, or nobody can tell now. */
static rec_head *read_stored(unit *u, const rec_head *head) {
  store_bytes key = {head->key, head->key_size}, value;
  store_snapshot *snapshot = unit_snapshot(u, NULL);
  if (!snapshot || store_get(snapshot, key, &value, NULL)) return NULL;
  return unit_decode_apart(u, head, value, NULL);
}

static rec_head *read_published(unit *u, const rec_head *head, const image *published) {
  if (published->deleted) return NULL;
  store_bytes value = {published->bytes + published->key_size, published->value_size};
  return unit_decode_apart(u, head, value, NULL);
}

/* The record of the instance decides: its revisions show whether others than siblings, who do not
 * know what was dealt, have written it. Numbers that were dealt to units which had not seen such a
 * change from the beginning may be in use twice. */
static void check_era(unit *u, const rec_head *instance, const rec_head *latest, bool published) {
  siblings *s = u->siblings.with;
  if (!s->written) s->latest = instance->revision;
  s->written = true;
  if (!published && latest->revision != s->latest) {
    s->era++;
    s->latest = latest->revision;
  }
  if (instance->revision == latest->revision && !u->caught_up) u->siblings.era = s->era;
  else if (u->siblings.era != s->era) u->outdated = true;
}

/* False: the changes of this unit do not fit. */
static bool build_on(unit *u, rec_head *head, rec_head *latest) {
  if (latest->revision == head->revision) return true;
  if (!combine(u, head, latest)) return false;
  head->state = REC_DIRTY;
  head->revision = latest->revision;
  head->old = latest;
  return true;
}

static void settle_record(unit *u, rec_head *head) {
  const image *published = *find_image(u->siblings.with, head->key, head->key_size);
  rec_head *latest = published ? read_published(u, head, published) : read_stored(u, head);
  if (!latest) {
    u->outdated = head->state == REC_DIRTY; /* it is gone */
    return;
  }
  if (head->type == &rec_instance_type) check_era(u, head, latest, published);
  if (!u->outdated) u->outdated = !build_on(u, head, latest);
}

void unit_settle(unit *u) {
  siblings *s = u->siblings.with;
  unit_pause(u); /* before waiting, and to see everything that is committed */
  pthread_mutex_lock(&s->shelf->mutex);
  u->settled = true;
  u->outdated = s->tainted;
  for (rec_head *head = u->changed; head && !u->outdated; head = head->next_changed)
    if (head->counts_only && record_exists(head)) settle_record(u, head);
}

/* Updates a record that this unit has only read. Its child lists will be loaded anew. */
static void renew_clean(unit *u, rec_head *head) {
  const rec_head *latest = read_stored(u, head);
  if (!latest || latest->revision == head->revision) return;
  for (uint8_t i = 0; i < head->type->n_fields; i++) unit_copy_field(head, latest, &head->type->fields[i]);
  head->revision = latest->revision;
  unit_forget_relations(head);
}

static bool is_shared(const rec_head *head) {
  return head->type == &rec_instance_type || head->type == &rec_execution_type || head->type == &rec_join_type;
}

static void renew_counter(unit *u, rec_head *head) {
  rec_head *latest = read_stored(u, head);
  if (!latest || latest->revision == head->revision || !build_on(u, head, latest)) return;
  u->caught_up = true;
  unit_forget_relations(head);
}

void unit_catch_up(unit *u) {
  const siblings *s = u->siblings.with;
  if (!s || u->alone) return;
  bool under_way = atomic_load(&s->in_flight) > 0; /* before the events: an answer counts as one before it is the last */
  uint32_t events = atomic_load(&s->events);
  if (!under_way && events == u->siblings.seen) return;
  u->siblings.seen = events;
  unit_pause(u);
  for (uint32_t i = 0; i <= u->slot_mask; i++) {
    rec_head *head = u->slots[i];
    if (!head || !is_shared(head)) continue;
    if (head->state == REC_CLEAN) renew_clean(u, head);
    else if (head->counts_only && record_exists(head)) renew_counter(u, head);
  }
}

void unit_unsettle(unit *u) {
  if (!u->settled) return;
  u->settled = false;
  pthread_mutex_unlock(&u->siblings.with->shelf->mutex);
}

/* ---- Publishing ------------------------------------------------------------------------------ */

/* Without memory for it, later siblings cannot know of it, and lose. */
static void publish_op(siblings *s, const store_op *op) {
  image **at = find_image(s, op->key.data, op->key.size), *before = *at;
  image *i = env_alloc(&s->of->allocator, sizeof *i + op->key.size + op->value.size);
  s->tainted = s->tainted || !i;
  if (!i) return;
  *i = (image){.deleted = op->kind == STORE_DELETE, .key_size = op->key.size, .value_size = op->value.size};
  memcpy(i->bytes, op->key.data, op->key.size);
  if (op->value.size) memcpy(i->bytes + op->key.size, op->value.data, op->value.size);
  i->next = before ? before->next : NULL;
  *at = i;
  if (before) env_free(&s->of->allocator, before, sizeof *before + before->key_size + before->value_size);
}

static const store_op *op_of(const store_batch *batch, const rec_head *head) {
  for (size_t i = 0; i < batch->count; i++)
    if (batch->ops[i].key.data == head->key && batch->ops[i].kind != STORE_CHECK && batch->ops[i].kind != STORE_COUNT)
      return &batch->ops[i];
  return NULL;
}

/* Others may count on records with only counters changed, and on what was published before. */
bool siblings_will_see(const unit *u, const rec_head *head) {
  if (head->counts_only) return true;
  return u->settled && *find_image(u->siblings.with, head->key, head->key_size);
}

static void publish_records(unit *u, const store_batch *batch) {
  siblings *s = u->siblings.with;
  for (const rec_head *head = u->changed; head; head = head->next_changed) {
    if (!siblings_will_see(u, head)) continue;
    const store_op *op = op_of(batch, head);
    if (!op) continue;
    publish_op(s, op);
    if (head->type != &rec_instance_type || op->kind != STORE_PUT) continue;
    s->latest = store_revision(op->value);
    s->written = true;
  }
}

siblings *unit_publish(unit *u, const store_batch *batch) {
  siblings *s = u->siblings.with;
  if (!u->settled) return NULL;
  if (u->outdated || batch->count == 0) {
    unit_unsettle(u);
    return NULL;
  }
  publish_records(u, batch);
  atomic_fetch_add(&s->in_flight, 1);
  atomic_fetch_add(&s->events, 1);
  u->settled = false; /* whoever submits ends that */
  return s;
}

void siblings_submitted(siblings *s) { pthread_mutex_unlock(&s->shelf->mutex); }

/* All are answered: the store has the latest state. */
static siblings_waiter *become_quiet(siblings *s) {
  siblings_waiter *waiters = s->waiters;
  s->waiters = NULL;
  forget_images(s);
  if (s->tainted) {
    s->tainted = s->written = false;
    s->era++;
  }
  return waiters;
}

void siblings_answered(siblings *s, int status) {
  pthread_mutex_t *mutex = &s->shelf->mutex;
  pthread_mutex_lock(mutex);
  s->tainted = s->tainted || status;
  atomic_fetch_add(&s->events, 1);
  siblings_waiter *waiters = atomic_fetch_sub(&s->in_flight, 1) > 1 ? NULL : become_quiet(s);
  remove_unused(s);
  pthread_mutex_unlock(mutex);
  while (waiters) {
    siblings_waiter *waiter = waiters;
    waiters = waiter->next; /* it may end once it is called */
    waiter->quiet(waiter);
  }
}

bool unit_await_siblings(unit *u, siblings_waiter *waiter) {
  siblings *s = u->siblings.with;
  unit_pause(u);
  pthread_mutex_lock(&s->shelf->mutex);
  bool waits = atomic_load(&s->in_flight) > 0;
  if (waits) {
    waiter->next = s->waiters;
    s->waiters = waiter;
  }
  pthread_mutex_unlock(&s->shelf->mutex);
  return waits;
}
