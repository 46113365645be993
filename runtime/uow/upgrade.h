/* Upgrading a store of an older format: reads every record as it was written, and writes it in this
 * build's format, with its index rows. */
#ifndef ORR_UOW_UPGRADE_H
#define ORR_UOW_UPGRADE_H

#include "uow/source.h"

typedef struct upgrade_listener {
  void *ud;
  /* Entries of the old store that were read, of how many; NULL: it is not told. */
  void (*progress)(void *ud, uint64_t done, uint64_t total);
} upgrade_listener;

/* Copies the records of `from`, a store of an older `format`, into the empty store of `to`.
 * *records: how many there are then. ORR_E_STORE: something cannot be read, or is of a kind that no
 * version has written; ORR_E_MEMORY. */
int store_upgrade(store *from, int format, unit_source *to, const upgrade_listener *listener, uint64_t *records,
                  orr_error *err);

#endif
