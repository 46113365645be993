/* Finding the called definition: by version, version tag or deployment, in the tenant that the model names. */
#include "exec/node/call_target.h"

#include <inttypes.h>
#include <string.h>

#include "engine/definition_versions.h"
#include "exec/data/expression.h"
#include "exec/data/variable.h"

/* What is looked for. */
typedef struct target {
  const char *key, *tenant, *tag;
  int64_t version;
  orr_id deployment;
} target;

/* NULL wants none. */
static bool tag_is(rec_text text, const char *wanted) {
  return wanted ? rec_text_is(text, wanted) : text.size == 0;
}

/* Newest first; *out stays NULL when none fits. */
static int find_by_tag_or_deployment(context *c, const target *t, rec_definition **out) {
  rec_key key = {.text = {t->key, strlen(t->key)}};
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_DEFINITION_KEY, &key, 1, 0, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_definition *d = (rec_definition *)found.items[i];
    if (!tag_is(d->key, t->key) || !tag_is(d->tenant, t->tenant)) continue;
    if (t->tag ? !tag_is(d->version_tag, t->tag) : d->deployment_id != t->deployment) continue;
    if (*out && t->tag) {
      return context_error(c, ORR_E_STATE, "several versions of process \"%s\" have the version tag \"%s\"", t->key, t->tag);
    }
    if (!*out) *out = d;
  }
  return rc;
}

static int find_called(context *c, const target *t, rec_definition **out) {
  *out = NULL;
  if (t->tag || t->deployment) return find_by_tag_or_deployment(c, t, out);
  return definition_find(c, t->key, t->tenant, t->version, out, &c->error);
}

static int none(context *c, const node *n, const target *t) {
  if (c->error.code) return c->error.code;
  const char *tenant = t->tenant ? t->tenant : "";
  if (t->tag)
    return context_error(c, ORR_E_NOT_FOUND, "call activity \"%s\": no version of process \"%s\" has the version tag \"%s\"",
                         n->id, t->key, t->tag);
  if (t->deployment)
    return context_error(c, ORR_E_NOT_FOUND, "call activity \"%s\": its deployment has no process \"%s\"", n->id, t->key);
  if (t->version)
    return context_error(c, ORR_E_NOT_FOUND, "call activity \"%s\": process \"%s\" has no version %" PRId64, n->id, t->key,
                         t->version);
  return context_error(c, ORR_E_NOT_FOUND, "call activity \"%s\": there is no process \"%s\"%s%s", n->id, t->key,
                       *tenant ? " of tenant " : "",
                       tenant);
}

static int binding(context *c, const rec_execution *e, const node *n, const definition *caller, target *t) {
  const call_activity *a = n->call;
  switch (a->binding) {
    case CALL_LATEST: return 0;
    case CALL_DEPLOYMENT: t->deployment = caller->deployment_id; return 0;
    case CALL_VERSION: return expr_integer(c, &a->version, e->id, n, &t->version);
    case CALL_VERSION_TAG: break;
  }
  int rc = expr_text(c, &a->version_tag, e->id, n, &t->tag);
  return rc || t->tag ? rc : context_error(c, ORR_E_EXPRESSION, "call activity \"%s\": its version tag is null", n->id);
}

static int tenant_of(context *c, const rec_execution *e, const node *n, target *t) {
  if (expr_given(&n->call->tenant)) return expr_text(c, &n->call->tenant, e->id, n, &t->tenant);
  const rec_instance *i = context_instance(c, e->id, &c->error);
  t->tenant = i && i->tenant.size ? i->tenant.data : NULL;
  return i ? 0 : c->error.code;
}

/* The caller's deployment first, where the model says so; then the tenant's; then, where it says so, those of no tenant. */
static int find_with_fallbacks(context *c, const node *n, const definition *caller, const target *t, rec_definition **out) {
  int rc;
  if (n->call->same_deployment && !t->deployment && !t->tag && !t->version) {
    target own = *t;
    own.deployment = caller->deployment_id;
    rc = find_called(c, &own, out);
    if (rc || *out) return rc;
  }
  rc = find_called(c, t, out);
  if (!*out && t->tenant && n->call->fallback_default_tenant && (!rc || rc == ORR_E_NOT_FOUND)) {
    orr_error_clear(&c->error);
    target unowned = *t;
    unowned.tenant = NULL;
    rc = find_called(c, &unowned, out);
  }
  return rc;
}

static definition *called_by_id(context *c, const rec_execution *e, const node *n) {
  int64_t id;
  if (expr_integer(c, &n->call->called, e->id, n, &id) != 0) return NULL;
  definition *d = context_definition(c, (orr_id)id, &c->error);
  if (!d && !c->error.code)
    context_error(c, ORR_E_NOT_FOUND, "call activity \"%s\": there is no definition %" PRId64, n->id, id);
  return d;
}

definition *call_target(context *c, const rec_execution *e, const node *n) {
  const definition *caller = context_definition_of(c, e->id, &c->error);
  if (!caller) return NULL;
  if (n->call->not_bpmn) {
    context_error(c, ORR_E_UNSUPPORTED, "call activity \"%s\" calls a case: only processes can be called", n->id);
    return NULL;
  }
  if (n->call->by_id) return called_by_id(c, e, n);
  target t = {0};
  rec_definition *found = NULL;
  int rc = expr_text(c, &n->call->called, e->id, n, &t.key);
  if (!rc && !t.key) rc = context_error(c, ORR_E_EXPRESSION, "call activity \"%s\": the called process's key is null", n->id);
  if (!rc) rc = tenant_of(c, e, n, &t);
  if (!rc) rc = binding(c, e, n, caller, &t);
  if (!rc) rc = find_with_fallbacks(c, n, caller, &t, &found);
  if (rc) return NULL;
  if (!found) {
    none(c, n, &t);
    return NULL;
  }
  return context_definition(c, found->id, &c->error);
}
