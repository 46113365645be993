/* Decisions in the store. A decision's record names the resource that holds it; its code is made of that when a Lua state
 * needs it. */
#include "command/decisions.h"

#include "command/guard_row.h"
#include "uow/find.h"

static int next_version(context *c, const char *key, rec_text tenant, int64_t *out) {
  rec_key by = {.text = unit_textz(c->u, key)};
  unit_found found;
  *out = 1;
  int rc = unit_find_index(c->u, REC_INDEX_DECISION_KEY, &by, 1, 0, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) { /* the newest comes first */
    const rec_decision *r = (const rec_decision *)found.items[i];
    if (!rec_text_equal(r->tenant, tenant)) continue;
    *out = r->version + 1;
    break;
  }
  return rc;
}

static int create(context *c, const rec_deployment *deployment, const parsed_decisions *d, const dmn_declared *declared) {
  int64_t version = 0;
  int rc = guard_row_write(c, "decision", deployment->tenant, declared->key);
  if (!rc) rc = next_version(c, declared->key, deployment->tenant, &version);
  if (rc) return rc;
  orr_id id = unit_new_group(c->u, &c->error);
  if (!id) return c->error.code;
  rec_decision *r = unit_new_decision(c->u, id);
  if (!r) return context_memory(c);
  r->key = unit_textz(c->u, declared->key);
  r->version = version;
  r->version_tag = unit_textz(c->u, declared->version_tag);
  r->name = unit_textz(c->u, declared->name);
  r->kind = unit_textz(c->u, declared->service ? "service" : "decision");
  r->deployment_id = deployment->id;
  r->resource = unit_textz(c->u, d->resource);
  r->tenant = deployment->tenant;
  r->model_id = unit_textz(c->u, d->compiled.id);
  r->model_name = unit_textz(c->u, d->compiled.name);
  r->history_time_to_live = unit_textz(c->u, declared->history_time_to_live);
  return 0;
}

int decisions_create(context *c, const rec_deployment *deployment, const parsed_decisions *d) {
  int rc = 0;
  for (uint32_t i = 0; !rc && i < d->compiled.n_declared; i++) rc = create(c, deployment, d, &d->compiled.declared[i]);
  return rc;
}

/* What it decided within instances is deleted with those. */
static int purge_decided(context *c, const rec_decision *decision) {
  rec_key by = {.text = decision->key};
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_HISTORY_DECISION_KEY, &by, 1, 0, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_history_decision *row = (const rec_history_decision *)found.items[i];
    if (row->decision_id == decision->id && !row->instance_id && unit_delete(c->u, found.items[i])) rc = context_memory(c);
  }
  return rc;
}

int decision_delete(context *c, rec_decision *decision, bool cascade) {
  int rc = guard_row_write(c, "decision", decision->tenant, decision->key.data);
  if (!rc && cascade) rc = purge_decided(c, decision);
  return !rc && unit_delete(c->u, decision) ? context_memory(c) : rc;
}

int decisions_delete(context *c, orr_id deployment, bool cascade) {
  rec_key by = {.id = deployment};
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_DECISION_DEPLOYMENT, &by, 1, 0, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) rc = decision_delete(c, (rec_decision *)found.items[i], cascade);
  return rc;
}
