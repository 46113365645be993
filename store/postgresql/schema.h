/* What a database must hold to be a store: tables, the function that commits, and the row that says
 * of which version they are. */
#ifndef ORR_STORE_POSTGRESQL_SCHEMA_H
#define ORR_STORE_POSTGRESQL_SCHEMA_H

#include "store/postgresql/connection.h"
#include "store/store.h"

/* Of the tables and the function; that of the records in them is STORE_FORMAT. */
#define POSTGRES_SCHEMA 1

/* Whether the session's database is a store that this version may open: a primary, with the schema,
 * the formats and the rights, and no pooler that gives each transaction another session. 0 or
 * ORR_E_STORE, with what to do in the message; POSTGRES_LOST. */
int postgres_schema_check(postgres_connection *c, const char *name, orr_error *err);

#endif
