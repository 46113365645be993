/* Only a store on disk knows its processes, and only by the ids that the system gives them. */
#include "uow/openers.h"

#include <unistd.h>

#include "store/lmdb/lmdb_readers.h"

bool openers_have(store *s, long process, long self) {
  return self != (long)getpid() || store_lmdb_opened_by(s, process);
}
