/* Which version of a key is meant. */
#ifndef ORR_DEFINITION_VERSIONS_H
#define ORR_DEFINITION_VERSIONS_H

#include "engine/engine.h"
#include "uow/find.h"

/* What an engine remembers of latest versions. NULL when memory is out. */
latest_versions *latest_versions_new(const orr_allocator *allocator);
/* Frees it; NULL is fine. */
void latest_versions_free(latest_versions *all);

/* The latest (version 0) or given version of a key; NULL when there is none. Without a tenant: the one that belongs to no
 * tenant, else the only tenant's, where the dialect lets a key reach them; ORR_E_ARGUMENT when several tenants have the
 * key. "": of no tenant. */
int definition_find(context *c, const char *key, const char *tenant, int64_t version, rec_definition **out, orr_error *err);
/* The record of a definition, remembered as the latest versions are. NULL: there is none any more, or a failure (c->error). */
rec_definition *definition_record(context *c, orr_id id);
/* The same of a job definition. */
rec_job_definition *job_definition_record(context *c, orr_id id);
/* Every version of a key, newest first, of one tenant (empty: of none). */
int definition_versions(context *c, const char *key, rec_text tenant, unit_found *out);

#endif
