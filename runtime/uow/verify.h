/* Checks a whole store: that every record can be read, that every index row belongs to exactly one record and every record
 * has its rows, and that what records refer to is there. */
#ifndef ORR_UOW_VERIFY_H
#define ORR_UOW_VERIFY_H

#include "uow/source.h"

typedef struct verify_counts {
  uint64_t records, rows, problems;
} verify_counts;

typedef struct verify_listener {
  void *ud;
  void (*problem)(void *ud, const char *problem); /* for each that is found */
  /* For each process instance: what only those can check who know what instances are made of. They read through `reader`'s
   * view, so that both see the same. NULL: nobody does. */
  int (*instance)(void *ud, unit *reader, orr_id instance, orr_error *err);
  store_progress progress; /* in pages and entries */
} verify_listener;

/* Reads one snapshot from end to end. 0 when the check could be done, whatever it found; else ORR_E_STORE or ORR_E_MEMORY. */
int store_verify(unit_source *source, const verify_listener *listener, verify_counts *counts, orr_error *err);

#endif
