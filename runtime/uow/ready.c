/* The ready indexes: rows, the record of the orders in use, starting an order, scanning. */
#include "uow/ready.h"

#include "uow/prefetch.h"
#include "uow/uow.h"
#include "uow/uow_internal.h"

#include <assert.h>
#include <inttypes.h>

#define BUILD_BATCH 500 /* jobs whose rows are built, or rows that are removed, in one commit */
#define BUILD_TRIES_MAX 1000

#define LIMITED_BIT (1u << 15) /* beside the bits of `active` */

static const rec_meta orders_key = {.name = {"ready_orders", 12}};

/* ---- Rows ------------------------------------------------------------------------------------ */

size_t ready_row(ready_order order, const rec_job *job, uint8_t out[READY_ROW_MAX]) {
  if (job->state != ORR_JOB_READY) return 0;
  const uint8_t *end = out + READY_ROW_MAX;
  uint8_t *at = key_put_byte(out, end, KEY_READY_TAG);
  at = key_put_byte(at, end, order.number);
  if (order.number == READY_AGING) {
    int64_t waited;
    if (__builtin_mul_overflow(job->priority, (int64_t)order.tau_ms, &waited) ||
        __builtin_sub_overflow(job->created, waited, &waited))
      waited = job->priority > 0 ? INT64_MIN : INT64_MAX;
    at = key_put_int(at, end, waited);
  } else {
    if (order.number & READY_BY_PRIORITY) at = key_put_int_desc(at, end, job->priority);
    if (order.number & READY_TIMERS_FIRST) at = key_put_byte(at, end, job_kind_is_timer(job->kind) ? 0 : 1);
    if (order.number & READY_BY_DUE) at = key_put_int(at, end, job->due == 0 ? INT64_MIN : job->due);
  }
  at = key_put_byte(at, end, (uint8_t)rec_job_type.tag);
  at = key_put_id(at, end, job->id);
  assert(at);
  return (size_t)(at - out);
}

/* ---- Which orders ---------------------------------------------------------------------------- */

/* One integer, so that it changes as a whole: tau_ms in the upper half, then the bits of `built`,
 * then those of `active`. */
static orr_value orders_pack(const ready_orders *orders) {
  uint32_t active = orders->active | (orders->limited ? LIMITED_BIT : 0);
  uint64_t bits = (uint64_t)orders->tau_ms << 32 | (uint64_t)orders->built << 16 | active;
  return (orr_value){.type = ORR_INT, .as.integer = (int64_t)bits};
}

size_t ready_orders_key(uint8_t out[STORE_KEY_MAX]) {
  return (size_t)(rec_meta_type.encode_key(&orders_key, out, out + STORE_KEY_MAX) - out);
}

int ready_orders_read(unit *u, ready_orders *out, orr_error *err) {
  orr_error failure = {0};
  rec_meta *meta = unit_meta_key(u, &orders_key, &failure);
  if (failure.code != 0) {
    int code = failure.code;
    error_move(err, &failure);
    return code;
  }
  uint64_t bits = meta && meta->value.type == ORR_INT ? (uint64_t)meta->value.as.integer : 0;
  *out = (ready_orders){.active = (uint16_t)((bits & ~(uint64_t)LIMITED_BIT) | 1), .built = (uint16_t)(bits >> 16 | 1),
                        .tau_ms = (uint32_t)(bits >> 32), .limited = (bits & LIMITED_BIT) != 0};
  out->record = !meta ? NULL : &meta->head;
  return 0;
}

int ready_orders_rely(unit *u, const ready_orders *orders) {
  if (orders->record) return unit_rely(u, orders->record);
  u->relies_on_orders = true;
  return 0;
}

static int orders_write(unit *u, const ready_orders *orders, orr_error *err) {
  rec_meta *meta = orders->record ? (rec_meta *)orders->record : unit_new_meta(u, &orders_key);
  if (!meta || unit_touch(u, meta)) return error_memory(err);
  meta->value = orders_pack(orders);
  return 0;
}

int ready_limited_write(unit *u, bool limited, orr_error *err) {
  ready_orders orders;
  int rc = ready_orders_read(u, &orders, err);
  if (rc || orders.limited == limited) return rc;
  orders.limited = limited;
  return orders_write(u, &orders, err);
}

static int ready_damaged(orr_error *err) { return error_set(err, ORR_E_STORE, "a row of the ready jobs is damaged"); }

/* ---- Starting an order ------------------------------------------------------------------------
 *
 * First the order is marked active: from that commit on, every unit keeps its rows, and units that
 * had read the orders before lose. Then the rows of the jobs that are there already are put in
 * small commits, each relying on the jobs it read. Then it is marked built. A crash in between
 * leaves an order that is active but not built; activating it again finishes the work. */

typedef struct change {
  ready_order order;
  orr_id next; /* where the next batch of jobs begins */
  unit *u;
  store_op *ops;
  size_t count;
  uint8_t (*keys)[STORE_KEY_MAX];
} change;

/* A step: commits by itself. *more is false after the last one. */
typedef int (*change_step)(change *c, bool *more, orr_error *err);

static int run_order(unit_source *source, change *c, change_step step, orr_error *err) {
  bool more = true;
  for (int conflicts = 0; more;) {
    orr_error failure = {0};
    orr_id next = c->next;
    c->u = unit_begin(source, &failure);
    int rc = !c->u ? failure.code : step(c, &more, &failure);
    unit_end(c->u);
    if (!rc) continue;
    if (rc != ORR_E_CONFLICT || ++conflicts > BUILD_TRIES_MAX) {
      error_move(err, &failure);
      return rc;
    }
    orr_error_clear(&failure);
    c->next = next;
    more = true;
  }
  return 0;
}

static int mark_active(change *c, bool *more, orr_error *err) {
  ready_orders orders;
  *more = false;
  int rc = ready_orders_read(c->u, &orders, err);
  if (rc) return rc;
  bool active = orders.active >> c->order.number & 1;
  if (active && c->order.number == READY_AGING && orders.tau_ms != c->order.tau_ms)
    return error_set(err, ORR_E_STATE, "aging is in use with %" PRIu32 " ms a point", orders.tau_ms);
  if (active) return 0;
  orders.active |= (uint16_t)(1u << c->order.number);
  if (c->order.number == READY_AGING) orders.tau_ms = c->order.tau_ms;
  rc = orders_write(c->u, &orders, err);
  return rc ? rc : unit_commit(c->u, err);
}

static int mark_built(change *c, bool *more, orr_error *err) {
  ready_orders orders;
  *more = false;
  int rc = ready_orders_read(c->u, &orders, err);
  if (rc || (orders.built >> c->order.number & 1)) return rc;
  orders.built |= (uint16_t)(1u << c->order.number);
  rc = orders_write(c->u, &orders, err);
  return rc ? rc : unit_commit(c->u, err);
}

/* Begins a batch, which relies on the orders as they are now. */
static int batch_begin(change *c, orr_error *err) {
  ready_orders orders;
  int rc = ready_orders_read(c->u, &orders, err);
  if (rc) return rc;
  c->ops = ARENA_ARRAY(unit_arena(c->u), store_op, 2 * BUILD_BATCH + 1);
  c->keys = arena_alloc(unit_arena(c->u), (BUILD_BATCH + 1) * sizeof *c->keys);
  if (!c->ops || !c->keys) return error_memory(err);
  size_t size = ready_orders_key(c->keys[BUILD_BATCH]);
  uint32_t revision = !orders.record ? STORE_ABSENT : orders.record->revision;
  c->ops[0] = (store_op){STORE_CHECK, revision, {c->keys[BUILD_BATCH], size}, {NULL, 0}};
  c->count = 1;
  return 0;
}

static int batch_commit(change *c, orr_error *err) {
  store_batch batch = {.ops = c->ops, .count = c->count};
  unit_pause(c->u);
  int rc = store_commit(unit_source_store(unit_source_of(c->u)), &batch, 1, err);
  return rc ? rc : unit_batch_status(&batch, err);
}

/* Order 0 lists the jobs; c->next is where the batches before have ended. */
static int build_rows(change *c, bool *more, orr_error *err) {
  int rc = batch_begin(c, err);
  if (rc) return rc;
  uint8_t from[2 + KEY_ID_SIZE] = {KEY_READY_TAG, 0};
  key_of_id(rec_job_type.tag, c->next, from + 2);
  store_range range = {.prefix = {from, 2}, .from = {from, sizeof from}};
  store_cursor *cursor = NULL;
  rc = unit_scan(c->u, &range, &cursor, err);
  size_t jobs = 0;
  while (!rc && jobs < BUILD_BATCH) {
    store_bytes row, value;
    rc = store_next(cursor, &row, &value, err);
    if (rc) break;
    if (row.size != sizeof from) {
      rc = ready_damaged(err);
      break;
    }
    orr_id id = key_read_id((const uint8_t *)row.data + 2 + 1);
    orr_error failure = {0};
    const rec_job *job = unit_job(c->u, id, &failure);
    if (!job) {
      error_move(err, &failure);
      rc = err && err->code != 0 ? err->code : error_set(err, ORR_E_STORE, "ready job %" PRIu64 " is not there", id);
      break;
    }
    size_t size = ready_row(c->order, job, c->keys[jobs]);
    c->ops[c->count++] = (store_op){STORE_CHECK, job->head.revision, {job->head.key, job->head.key_size}, {NULL, 0}};
    if (size > 0) c->ops[c->count++] = (store_op){STORE_PUT, STORE_ANY_REVISION, {c->keys[jobs], size}, {NULL, 0}};
    c->next = id + 1;
    jobs++;
  }
  store_cursor_close(cursor);
  if (rc && rc != ORR_E_NOT_FOUND) return rc;
  *more = !rc;
  return jobs == 0 ? 0 : batch_commit(c, err);
}

int ready_activate(unit_source *source, ready_order order, orr_error *err) {
  if (order.number >= READY_ORDERS) return error_set(err, ORR_E_ARGUMENT, "there is no order %d", order.number);
  if (order.number == 0) return 0;
  change c = {.order = order};
  int rc = run_order(source, &c, mark_active, err);
  if (!rc) rc = run_order(source, &c, build_rows, err);
  return rc ? rc : run_order(source, &c, mark_built, err);
}

/* ---- Scanning -------------------------------------------------------------------------------- */

typedef struct ready_window {
  ready_place rows[UNIT_PREFETCH_MAX];
  size_t count;
} ready_window;

static bool stands_at(const ready_place *place, store_bytes row) {
  return place->size == row.size && memcmp(place->row, row.data, row.size) == 0;
}

static orr_id job_of_row(const ready_place *row) { return key_read_id(row->row + row->size - sizeof(orr_id)); }

void ready_place_behind(orr_id id, ready_place *out) {
  *out = (ready_place){.row = {KEY_READY_TAG, 0}, .size = 2 + KEY_ID_SIZE};
  key_of_id(rec_job_type.tag, id, out->row + 2);
}

/* The next rows behind `place`, `max` at most; ORR_E_NOT_FOUND behind the last. */
static int next_rows(store_cursor *cursor, const ready_place *place, size_t max, ready_window *out, orr_error *err) {
  out->count = 0;
  while (out->count < max) {
    store_bytes row, value;
    int rc = store_next(cursor, &row, &value, err);
    if (rc) return rc;
    if (stands_at(place, row)) continue;
    if (row.size < 2 + KEY_ID_SIZE || row.size > READY_ROW_MAX) return ready_damaged(err);
    ready_place *next = &out->rows[out->count++];
    memcpy(next->row, row.data, row.size);
    next->size = row.size;
  }
  return 0;
}

static void prefetch_ready_rows(unit *u, const ready_window *window) {
  orr_id jobs[UNIT_PREFETCH_MAX];
  for (size_t i = 0; i < window->count; i++) jobs[i] = job_of_row(&window->rows[i]);
  if (window->count > 1) unit_prefetch_jobs(u, jobs, window->count);
}

typedef struct ready_walk {
  uint8_t number;
  ready_place *place;
  ready_subset some; /* `next` NULL: all are wanted */
  ready_fn fn;
  void *ud;
} ready_walk;

/* Keeps the wanted rows. *beyond: where the walk continues, if the last row is unwanted; 0: behind
 * it. */
static void keep_wanted(const ready_walk *w, ready_window *window, orr_id *beyond) {
  size_t kept = 0;
  *beyond = 0;
  for (size_t i = 0; w->some.next && i < window->count; i++) {
    orr_id job = job_of_row(&window->rows[i]), next = w->some.next(w->ud, job);
    *beyond = next == job ? 0 : next;
    if (next == job) window->rows[kept++] = window->rows[i];
  }
  if (w->some.next) window->count = kept;
}

/* A run, and the rows behind it that are read before the walk leaves it. */
static uint32_t rows_at_once(const ready_walk *w) { return w->some.next ? w->some.run + UNIT_PREFETCH_MAX + 1 : 0; }

/* Where the store is far, rows are fetched several at once, with their jobs; except for the first,
 * which is enough for many callers. *jumps: the walk is to continue behind the place, which is
 * further on. */
static int scan_rows(unit *u, const ready_walk *w, bool *jumps, orr_error *err) {
  const uint8_t prefix[] = {KEY_READY_TAG, w->number};
  store_range range = {.prefix = {prefix, sizeof prefix}, .from = {w->place->row, w->place->size},
                       .rows = rows_at_once(w)};
  store_cursor *cursor = NULL;
  int rc = unit_scan(u, &range, &cursor, err), end = 0;
  const size_t most = !rc && store_is_far(unit_snapshot(u, err)) ? UNIT_PREFETCH_MAX : 1;
  for (size_t at_once = *jumps ? most : 1; !rc && !end; at_once = most) {
    ready_window window;
    orr_id beyond;
    end = next_rows(cursor, w->place, at_once, &window, err);
    if (end && end != ORR_E_NOT_FOUND) rc = end;
    keep_wanted(w, &window, &beyond);
    if (!rc) prefetch_ready_rows(u, &window);
    for (size_t i = 0; i < window.count && !rc; i++) {
      *w->place = window.rows[i];
      rc = w->fn(w->ud, job_of_row(w->place), err);
    }
    if (rc || !beyond) continue;
    ready_place_behind(beyond - 1, w->place);
    *jumps = true;
    store_cursor_close(cursor);
    return 0;
  }
  *jumps = false;
  store_cursor_close(cursor);
  return rc == ORR_E_NOT_FOUND || rc == 1 ? 0 : rc;
}

static int walk_ready(unit *u, const ready_walk *w, orr_error *err) {
  bool jumps = false;
  int rc;
  do rc = scan_rows(u, w, &jumps, err);
  while (!rc && jumps);
  return rc;
}

static int check_built(unit *u, uint8_t number, orr_error *err) {
  if (number == 0) return 0;
  ready_orders orders;
  int rc = ready_orders_read(u, &orders, err);
  if (rc || (number < READY_ORDERS && (orders.built >> number & 1) != 0)) return rc;
  return error_set(err, ORR_E_STATE, "ready jobs are not kept in order %d", number);
}

int ready_scan(unit *u, uint8_t number, ready_place *place, ready_fn fn, void *ud, orr_error *err) {
  ready_place front = {0};
  const ready_walk w = {.number = number, .place = place ? place : &front, .fn = fn, .ud = ud};
  int rc = check_built(u, number, err);
  return rc ? rc : walk_ready(u, &w, err);
}

int ready_scan_some(unit *u, ready_place *place, ready_subset some, ready_fn fn, void *ud, orr_error *err) {
  ready_place front = {0};
  const ready_walk w = {.place = place ? place : &front, .some = some, .fn = fn, .ud = ud};
  return walk_ready(u, &w, err);
}

static int stop_at_first(void *ud, orr_id job, orr_error *err) {
  (void)ud, (void)job, (void)err;
  return 1;
}

int ready_leads(unit *u, ready_order order, const rec_job *job, bool *leads, orr_error *err) {
  *leads = false;
  ready_place first = {0};
  int rc = ready_scan(u, order.number, &first, stop_at_first, NULL, err);
  if (rc) return rc;
  uint8_t row[READY_ROW_MAX];
  size_t size = ready_row(order, job, row);
  assert(size > KEY_ID_SIZE); /* it is ready */
  *leads = first.size == 0 || memcmp(row, first.row, size - KEY_ID_SIZE) <= 0;
  return 0;
}

bool ready_any_own(const unit *u) {
  const rec_head *head = u->live[rec_job_type.number];
  while (head && ((const rec_job *)head)->state != ORR_JOB_READY) head = head->next_live;
  return head;
}
