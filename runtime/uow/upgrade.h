/* Bringing what an older version wrote to this one's format: every record is read as it was written and written as it is
 * now, with the index rows that it has now. */
#ifndef ORR_UOW_UPGRADE_H
#define ORR_UOW_UPGRADE_H

#include "uow/source.h"

typedef struct upgrade_listener {
  void *ud;
  /* Entries of the old store that were read, of how many; NULL: it is not told. */
  void (*progress)(void *ud, uint64_t done, uint64_t total);
} upgrade_listener;

/* Puts the records of `from`, a store of an older `format`, into the empty store of `to`. *records: how many there are now.
 * ORR_E_STORE: something cannot be read, or is of a kind that no version has written; ORR_E_MEMORY. */
int store_upgrade(store *from, int format, unit_source *to, const upgrade_listener *listener, uint64_t *records,
                  orr_error *err);

#endif
