/* Checks a whole store: that every record can be read, that every index row belongs to exactly one record and every record has its rows,
 * and that what records refer to is there. */
#ifndef ORR_UOW_VERIFY_H
#define ORR_UOW_VERIFY_H

#include "source.h"

typedef struct verify_counts {
  uint64_t records, rows, problems;
} verify_counts;

/* Called for each problem found. */
typedef void (*verify_fn)(void *ud, const char *problem);

/* Reads one snapshot from end to end. 0 when the check could be done, whatever it found; else ORR_E_STORE or ORR_E_MEMORY. */
int store_verify(unit_source *source, verify_fn fn, void *ud, verify_counts *counts, orr_error *err);

#endif
