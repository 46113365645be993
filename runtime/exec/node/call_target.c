/* Finding the called definition: by version, version tag or deployment, in the tenant that the model names. */
#include "exec/node/call_target.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "state/definition_versions.h"
#include "state/expression.h"
#include "state/variable.h"
#include "uow/find.h"

/* What to look for. */
typedef struct target {
  const char *key, *tenant, *tag;
  int64_t version;
  orr_id deployment;
} target;

/* `wanted` NULL: the record must have none. */
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

/* Looks in the deployment of the caller, where the model says so; then in the tenant; then, where
 * it says so, among those of no tenant. */
static int find_with_fallbacks(context *c, const node *n, orr_id deployment, const target *t, rec_definition **out) {
  int rc;
  if (n->call->same_deployment && !t->deployment && !t->tag && !t->version) {
    target own = *t;
    own.deployment = deployment;
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
  if (expr_integer(c, &n->call->called, e->id, n, &id)) return NULL;
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
  if (!rc) rc = find_with_fallbacks(c, n, caller->deployment_id, &t, &found);
  if (rc) return NULL;
  if (!found) {
    none(c, n, &t);
    return NULL;
  }
  return context_definition(c, found->id, &c->error);
}

/* ---- Without an execution -------------------------------------------------------------------- */

/* A literal's text, or what is not given; false: an expression, or memory is out. */
static bool read_literal(context *c, const expr *e, const char **out) {
  *out = e->kind == EXPR_LITERAL ? arena_strndup(c->arena, e->text, e->size) : NULL;
  return !expr_given(e) || *out;
}

static bool target_read(context *c, const rec_definition *calling, const call_activity *a, target *t) {
  const char *version, *tag, *tenant;
  bool known = read_literal(c, &a->called, &t->key) && t->key && read_literal(c, &a->version, &version) &&
               read_literal(c, &a->version_tag, &tag) && read_literal(c, &a->tenant, &tenant);
  if (!known) return false;
  t->tenant = expr_given(&a->tenant) ? tenant : calling->tenant.size ? calling->tenant.data : NULL;
  if (a->binding == CALL_DEPLOYMENT) t->deployment = calling->deployment_id;
  if (a->binding == CALL_VERSION) t->version = version ? strtoll(version, NULL, 10) : 0;
  if (a->binding == CALL_VERSION_TAG) t->tag = tag;
  return (a->binding != CALL_VERSION || t->version > 0) && (a->binding != CALL_VERSION_TAG || tag);
}

int call_target_static(context *c, const rec_definition *calling, const node *n, rec_definition **out) {
  target t = {0};
  *out = NULL;
  if (n->call->not_bpmn || !target_read(c, calling, n->call, &t)) return 0;
  int rc = 0;
  if (n->call->by_id) *out = unit_definition(c->u, strtoull(t.key, NULL, 10), &c->error);
  else rc = find_with_fallbacks(c, n, calling->deployment_id, &t, out);
  if (!rc) rc = c->error.code;
  bool undecided = rc == ORR_E_STATE || rc == ORR_E_ARGUMENT || rc == ORR_E_NOT_FOUND; /* the call would fail */
  if (!undecided) return rc;
  orr_error_clear(&c->error);
  *out = NULL;
  return 0;
}
