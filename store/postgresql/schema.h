/* What a database must hold to be a store: tables, the function that commits, and the row that says
 * of which version they are. */
#ifndef ORR_STORE_POSTGRESQL_SCHEMA_H
#define ORR_STORE_POSTGRESQL_SCHEMA_H

#include "store/store.h"

typedef struct postgres_connection postgres_connection; /* connection.h */

/* Of the tables and the function; that of the records in them is STORE_FORMAT. */
#define POSTGRES_SCHEMA 4
#define POSTGRES_SCHEMA_OLDEST 1 /* that can be brought to it */

/* Keeps other commits out, up to the end of the transaction. */
#define POSTGRES_COMMIT_LOCK "pg_advisory_xact_lock((1330795077::bigint << 32) | 'orrery_entry'::regclass::oid::bigint)"

/* Who has committed within so many seconds is taken to be at work: an executor prolongs its lease oftener. */
#define POSTGRES_LEVEL_REST 60

/* The level of records (STORE_LEVEL) that a database has. */
typedef struct postgres_level {
  int number;
  bool told; /* its tables have columns for it */
} postgres_level;

/* Whether the session's database is a store that a build of the level `known` may open: a primary, with the schema, the
 * formats and the rights, and no pooler that gives each transaction another session. 0 or ORR_E_STORE, with what to do in
 * the message; POSTGRES_LOST. */
int postgres_schema_check(postgres_connection *c, const char *name, int known, orr_error *err);
/* The same of the formats alone, of a database that was checked before. */
int postgres_schema_formats(postgres_connection *c, const char *name, int known, postgres_level *out, orr_error *err);
/* Makes the schema where it is missing, brings an older one up to date, and gives the role `grant`
 * (NULL: none) the rights that an engine needs; all or nothing. ORR_E_STORE: it is newer, or of an
 * older format of records, or the role may not. */
int postgres_schema_make(const store_options *options, const char *grant, orr_error *err);

#endif
