/* Rows that a list looks at one after the other, where the store is far: what is asked about the first, of records in its group
 * (its instance, variables, links), is read ahead for those that follow it, with one question. Where the store is near nothing
 * happens. */
#ifndef ORR_UOW_ROWS_H
#define ORR_UOW_ROWS_H

#include "uow/find.h"
#include "uow/uow.h"

#define UNIT_ROWS_AHEAD 32 /* for so many it is read ahead at once */
#define UNIT_ROWS_KINDS 8  /* so many types of records, and indexes of them, at the most */

typedef struct unit_rows {
  unit *u;
  const store_bytes *keys; /* of the rows' records; must last as long as this */
  size_t count, at;
  struct { /* how keys begin that were asked for: what stands before an id, in the order of the first time */
    uint8_t bytes[2], size;
  } asked[UNIT_ROWS_KINDS];
  uint8_t n_asked, n_ahead; /* those that are read ahead for rows before `until` */
  size_t until;
  struct unit_rows *outer;
} unit_rows;

/* Begins to look at rows; those of an outer list go on when it ends. Does nothing, as the others then, where nothing is
 * gained, or memory is out. */
void unit_rows_begin(unit_rows *rows, unit *u, const store_bytes *keys, size_t count);
/* The same of records that were found. */
void unit_rows_of(unit_rows *rows, unit *u, const unit_found *found);
/* Row `i` is next; not before the one before it. */
void unit_rows_at(unit_rows *rows, size_t i);
/* Must follow each unit_rows_begin. */
void unit_rows_end(unit_rows *rows);

#endif
