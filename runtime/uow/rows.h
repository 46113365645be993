/* Rows that a list looks at one after the other, where the store is a network away. When the first
 * row asks for a record of its group (its instance, variables, links), the same is fetched for the
 * rows that follow, in one query. Where the store is near, nothing happens. */
#ifndef ORR_UOW_ROWS_H
#define ORR_UOW_ROWS_H

#include "uow/find.h"
#include "uow/uow.h"

#define UNIT_ROWS_PREFETCHED 32 /* rows in one query */
#define UNIT_ROWS_KINDS 8 /* types of records, and indexes of them, at most */

typedef struct unit_rows {
  unit *u;
  const store_bytes *keys; /* of the rows' records; must last as long as this */
  size_t count, at;
  struct { /* what stands before the id in keys that were asked for; in the order of their first time */
    uint8_t bytes[2], size;
  } asked[UNIT_ROWS_KINDS];
  uint8_t n_asked, n_prefetched; /* n_prefetched: fetched for all rows before `until` */
  size_t until;
  struct unit_rows *outer;
} unit_rows;

/* Begins to look at rows. Those of an outer list continue when this one ends. Does nothing where
 * prefetching gains nothing, or memory is out; then the other functions do nothing either. */
void unit_rows_begin(unit_rows *rows, unit *u, const store_bytes *keys, size_t count);
/* The same for records that were found. */
void unit_rows_of(unit_rows *rows, unit *u, const unit_found *found);
/* The caller is at row `i`; rows come in ascending order. */
void unit_rows_at(unit_rows *rows, size_t i);
/* Ends each unit_rows_begin. */
void unit_rows_end(unit_rows *rows);

#endif
