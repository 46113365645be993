/* The ready indexes: the jobs that may be acquired now, once for each order in which some executor of the store acquires.
 *
 * A row's key is 'r', the order's number, what the order sorts by, and the job's key; so among equals the older job comes
 * first. An order's number is the sum of its READY_BY_* flags (0: by id alone, always kept), or READY_AGING. Which orders
 * are in use stands in the meta record "ready_orders"; every unit that moves a job in or out of READY relies on it, so
 * that processes cannot disagree. */
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

/* The row of a job in an order into `out`: its size, or 0 when the job is not ready. */
size_t ready_row(ready_order order, const rec_job *job, uint8_t out[READY_ROW_MAX]);

/* The key of the meta record; for relying on its absence. */
size_t ready_orders_key(uint8_t out[STORE_KEY_MAX]);
/* The orders as this unit sees them. 0 or an error. */
int ready_orders_read(unit *u, ready_orders *out, orr_error *err);
/* The commit must find the orders as they were read, be it that there is no record of them. 0 or ORR_E_MEMORY. */
int ready_orders_rely(unit *u, const ready_orders *orders);

/* Says whether limits are set. It stands here because every unit that makes jobs ready relies on this record. */
int ready_limited_write(unit *u, bool limited, orr_error *err);

/* Starts an order: from then on rows are kept; those of the jobs there are get built. Does nothing when it is in use.
 * ORR_E_STATE: aging is in use with another tau. May be called by several processes at once, and again after a crash. */
int ready_activate(unit_source *source, ready_order order, orr_error *err);

/* Where a scan stands: the last row that it gave. All zero: before the first. */
typedef struct ready_place {
  uint8_t row[READY_ROW_MAX];
  size_t size;
} ready_place;

/* Behind any job of order 0 with an id up to this one. */
void ready_place_behind(orr_id id, ready_place *out);

/* Walks the committed ready jobs in an order; changes of this unit are not seen. `fn` answers 0 to go on, 1 to stop, or a
 * failure. With a `place` (or NULL) the walk begins behind it and moves it on. ORR_E_STATE: the order is not active. */
typedef int (*ready_fn)(void *ud, orr_id job, orr_error *err);
int ready_scan(unit *u, uint8_t number, ready_place *place, ready_fn fn, void *ud, orr_error *err);
/* Which jobs are wanted: `next` answers the first id from `job` on that is, `job` itself when it is. `run`: of those that
 * follow each other, so many are mostly wanted together. */
typedef orr_id (*ready_next_fn)(void *ud, orr_id job);
typedef struct ready_subset {
  ready_next_fn next;
  uint32_t run;
} ready_subset;
/* The same by id alone, of some jobs only: what lies between is mostly not read. */
int ready_scan_some(unit *u, ready_place *place, ready_subset some, ready_fn fn, void *ud, orr_error *err);

/* Does this unit leave a job ready that it has made or changed? */
bool ready_any_own(const unit *u);

/* Whether no committed ready job stands before this one, which becomes ready in this unit, in an order that is in use. By
 * the order alone: of equals none stands before the other, however old. */
int ready_leads(unit *u, ready_order order, const rec_job *job, bool *leads, orr_error *err);

#endif
