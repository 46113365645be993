/* Which version of a key is meant, and what the engine remembers of it. */
#ifndef ORR_DEFINITION_VERSIONS_H
#define ORR_DEFINITION_VERSIONS_H

#include "engine/engine.h"
#include "uow/find.h"

/* What an engine remembers of the latest versions. NULL when memory is out. */
latest_versions *latest_versions_new(const orr_allocator *allocator);
/* Frees it; NULL is fine. */
void latest_versions_free(latest_versions *all);

/* The latest (version 0) or the given version of a key; NULL when there is none. `tenant` "" means
 * no tenant. NULL: the definition of no tenant or, where the dialect lets a key reach it, that of
 * the only tenant that has one. ORR_E_ARGUMENT: several tenants have the key. */
int definition_find(context *c, const char *key, const char *tenant, int64_t version, rec_definition **out, orr_error *err);
/* The record of a definition, remembered as the latest versions are. NULL: it was deleted, or a
 * failure (c->error). */
rec_definition *definition_record(context *c, orr_id id);
/* The same for a job definition. */
rec_job_definition *job_definition_record(context *c, orr_id id);
/* Every version of a key, newest first, of one tenant (empty: of none). */
int definition_versions(context *c, const char *key, rec_text tenant, unit_found *out);

#endif
