/* Transactions that keep old rows alive: of whatever program has one open in the store's database. */
#include <stdlib.h>

#include "store/postgresql/postgresql_internal.h"

/* Who may not see what others do sees this of them all the same. A transaction that has written is known by its own number,
 * another by the oldest one that it may not see. Those without a user are the server's own, and hold nothing back. */
static const char open_transactions[] =
    "SELECT pid, coalesce(backend_xid, backend_xmin)::text,"
    " greatest(coalesce(age(backend_xid), 0), coalesce(age(backend_xmin), 0))"
    " FROM pg_catalog.pg_stat_activity WHERE pid <> pg_backend_pid() AND usesysid IS NOT NULL"
    " AND datid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())"
    " AND coalesce(backend_xid, backend_xmin) IS NOT NULL ORDER BY 3 DESC LIMIT 64";

static uint64_t reader_number(const PGresult *found, int row, int column) {
  return strtoull(pq.getvalue(found, row, column), NULL, 10);
}

void postgres_readers(store *base, void (*visit)(void *ud, const store_reader *reader), void *ud) {
  postgres_store *s = (postgres_store *)base;
  postgres_connection *c = NULL;
  PGresult *found = NULL;
  if (postgres_check_usable(s, NULL) || postgres_take_at_once(s, &c)) return;
  int rc = postgres_ask_text(c, open_transactions, 0, NULL, s->name, &found, NULL);
  postgres_give(s, c);
  for (int row = 0; !rc && row < pq.ntuples(found); row++) {
    const store_reader reader = {.process = (long)reader_number(found, row, 0),
                                 .commit = reader_number(found, row, 1),
                                 .behind = reader_number(found, row, 2)};
    visit(ud, &reader);
  }
  pq.clear(found);
}
