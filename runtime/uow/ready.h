/* The ready indexes: the jobs that may be acquired now, one index for each order in which some
 * executor of the store acquires.
 *
 * A row's key is 'r', the order's number, what the order sorts by, and the job's key; so among
 * equals the older job comes first. An order's number is the sum of its READY_BY_* flags (0: by id
 * alone, always kept), or READY_AGING. The meta record "ready_orders" says which orders are in use.
 * Every unit that moves a job in or out of READY relies on that record, so processes cannot
 * disagree. */
#ifndef ORR_UOW_READY_H
#define ORR_UOW_READY_H

#include "uow/uow.h"

enum {
  READY_BY_PRIORITY = 1,  /* highest first */
  READY_TIMERS_FIRST = 2, /* then */
  READY_BY_DUE = 4,       /* then: jobs without a due date first */
  READY_AGING = 8,        /* created - priority * tau: a point of priority is worth tau of waiting */
  READY_ORDERS = 9,
};

typedef struct ready_order {
  uint8_t number;
  uint32_t tau_ms; /* of READY_AGING */
} ready_order;

/* What the store keeps. */
typedef struct ready_orders {
  uint16_t active; /* bit per number: rows are kept up */
  uint16_t built;  /* bit per number: rows of all jobs are there; may be scanned */
  uint32_t tau_ms;
  bool limited;    /* some limit is set: whoever locks jobs must look (job/limit.h) */
  rec_head *record; /* the meta record; NULL: not there yet */
} ready_orders;

#define READY_ROW_MAX 40

/* Writes a job's row in an order into `out`: its size, or 0 when the job is not ready. */
size_t ready_row(ready_order order, const rec_job *job, uint8_t out[READY_ROW_MAX]);

/* The key of the meta record; for relying on its absence. */
size_t ready_orders_key(uint8_t out[STORE_KEY_MAX]);
/* The orders as this unit sees them. 0 or an error. */
int ready_orders_read(unit *u, ready_orders *out, orr_error *err);
/* The commit loses if the orders, or the absence of their record, have changed by then. 0 or
 * ORR_E_MEMORY. */
int ready_orders_rely(unit *u, const ready_orders *orders);

/* Notes whether limits are set. The note is in this record because every unit that makes jobs ready
 * relies on it. */
int ready_limited_write(unit *u, bool limited, orr_error *err);

/* Starts an order: rows are written from then on, and those of existing jobs are built. Does
 * nothing when it is in use. ORR_E_STATE: aging is in use with another tau. Several processes may
 * call it at once, and again after a crash. */
int ready_activate(unit_source *source, ready_order order, orr_error *err);

/* Where a scan is: the last row that it gave. All zero: before the first. */
typedef struct ready_place {
  uint8_t row[READY_ROW_MAX];
  size_t size;
} ready_place;

/* The place behind every job of order 0 with an id up to this one. */
void ready_place_behind(orr_id id, ready_place *out);

/* Walks the committed ready jobs in an order; it does not see changes of this unit. `fn` answers 0
 * to continue, 1 to stop, or a failure. The walk begins behind `place` (may be NULL) and moves it.
 * ORR_E_STATE: the order is not active. */
typedef int (*ready_fn)(void *ud, orr_id job, orr_error *err);
int ready_scan(unit *u, uint8_t number, ready_place *place, ready_fn fn, void *ud, orr_error *err);
/* A subset of the jobs: `next` answers the first wanted id from `job` on, `job` itself included.
 * `run`: so many ids in a row are mostly wanted together. */
typedef orr_id (*ready_next_fn)(void *ud, orr_id job);
typedef struct ready_subset {
  ready_next_fn next;
  uint32_t run;
} ready_subset;
/* The same by id alone, for a subset: mostly without reading what is between. */
int ready_scan_some(unit *u, ready_place *place, ready_subset some, ready_fn fn, void *ud, orr_error *err);

/* Has this unit made or changed a job that is ready now? */
bool ready_any_own(const unit *u);

/* Does no committed ready job come before this one, which becomes ready in this unit? By an order
 * that is in use, and by what it sorts by alone: of equals, none comes before the other. */
int ready_leads(unit *u, ready_order order, const rec_job *job, bool *leads, orr_error *err);

#endif
