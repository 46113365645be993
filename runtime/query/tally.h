/* Counts by name, for statistics: each name once, in the order of the names. */
#ifndef ORR_QUERY_TALLY_H
#define ORR_QUERY_TALLY_H

#include "state/context.h"

#define TALLY_COUNTS 8

typedef struct tally_row {
  rec_text name; /* in the context's arena */
  orr_id id;
  int64_t counts[TALLY_COUNTS];
  struct tally *parts; /* a count of its own for each of some names, or NULL */
} tally_row;

typedef struct tally {
  tally_row *rows;
  uint32_t *slots; /* of a hash table: row + 1 */
  uint32_t n_rows, rows_capacity, slot_mask;
} tally;

/* The row of a name, made if there is none. NULL: out of memory, in c->error. Valid until the next
 * call. */
tally_row *tally_at(context *c, tally *t, rec_text name);
/* The same for an id. */
tally_row *tally_of_id(context *c, tally *t, orr_id id);
/* Counts one more for a part of a row. */
int tally_part(context *c, tally_row *row, rec_text name);
/* A map of the parts and their counts (counts[0]). */
int tally_parts_value(context *c, const tally_row *row, orr_value *out);
/* Sorts by counts, the largest first. Nothing can be counted after that. */
void tally_sort(tally *t);

#endif
