/* Checks a whole store: every record can be read, every index row belongs to exactly one record,
 * every record has its rows, and what records refer to exists. */
#ifndef ORR_UOW_VERIFY_H
#define ORR_UOW_VERIFY_H

#include "uow/source.h"

typedef struct verify_counts {
  uint64_t records, rows, problems;
} verify_counts;

typedef struct verify_listener {
  void *ud;
  void (*problem)(void *ud, const char *problem); /* for each that is found */
  /* Checks one process instance, for rooms that know what instances consist of. It reads through the
   * view of `reader`, so both see the same. NULL: not checked. */
  int (*instance)(void *ud, unit *reader, orr_id instance, orr_error *err);
  store_progress progress; /* in pages and entries */
} verify_listener;

/* Reads one snapshot from end to end. 0 when the check could be done, whatever it found; else ORR_E_STORE or ORR_E_MEMORY. */
int store_verify(unit_source *source, const verify_listener *listener, verify_counts *counts, orr_error *err);

#endif
