/* The record of a deployment, with its definitions and resources put into it as lists. */
#include "command/deploy/deployed.h"

#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "query/results.h"
#include "uow/find.h"

static void put_record(orr_builder *b, const orr_records *records, size_t index) {
  const char *name;
  orr_value value;
  orr_builder_map(b);
  for (size_t n = 0; orr_records_field(records, index, n, &name, &value); n++) orr_builder_put(b, name, value);
  orr_builder_end(b);
}

static int put_deployed(context *c, enum rec_index index, const rec_type *type, orr_id deployment, orr_builder *b) {
  rec_key by = {.id = deployment};
  unit_found found;
  orr_records *records = NULL;
  int rc = unit_find_index(c->u, index, &by, 1, 0, &found, &c->error);
  if (!rc) rc = records_from(c, type, found.items, found.count, &records, &c->error);
  if (rc) return rc;
  orr_builder_array(b);
  for (size_t i = 0; i < found.count; i++) put_record(b, records, i);
  orr_builder_end(b);
  orr_records_free(records);
  return 0;
}

static int put_definitions(context *c, orr_id deployment, orr_builder *b) {
  return put_deployed(c, REC_INDEX_DEFINITION_DEPLOYMENT, &rec_definition_type, deployment, b);
}

static int put_decisions(context *c, orr_id deployment, orr_builder *b) {
  return put_deployed(c, REC_INDEX_DECISION_DEPLOYMENT, &rec_decision_type, deployment, b);
}

static int put_resources(context *c, orr_id deployment, orr_builder *b) {
  rec_key by = {.id = deployment};
  unit_found found;
  int rc = unit_find_keys(c->u, &rec_resource_type, &by, 1, &found, &c->error);
  if (rc) return rc;
  orr_builder_array(b);
  for (size_t i = 0; i < found.count; i++) {
    rec_text text = ((const rec_resource *)found.items[i])->name;
    orr_value name = orr_bytes(text.data, text.size);
    orr_builder_add(b, &name);
  }
  orr_builder_end(b);
  return 0;
}

typedef int (*put_fn)(context *c, orr_id deployment, orr_builder *b);

static int set_list(context *c, orr_records *records, const char *name, orr_id deployment, put_fn put) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_value list;
  int rc = put(c, deployment, b);
  if (!rc) rc = orr_builder_value(b, &list, &c->error);
  if (!rc) rc = records_set(records, 0, name, &list, &c->error);
  orr_builder_free(b);
  return rc;
}

int deployment_records(context *c, rec_deployment *deployment, const orr_value *warnings, orr_records **out) {
  rec_head *items[] = {&deployment->head};
  orr_records *records = NULL;
  int rc = records_from(c, &rec_deployment_type, items, 1, &records, &c->error);
  if (!rc) rc = set_list(c, records, "definitions", deployment->id, put_definitions);
  if (!rc) rc = set_list(c, records, "decisions", deployment->id, put_decisions);
  if (!rc) rc = set_list(c, records, "resources", deployment->id, put_resources);
  if (!rc) rc = records_set(records, 0, "warnings", warnings, &c->error);
  if (rc) orr_records_free(records);
  else *out = records;
  return rc;
}

rec_resource *deployment_resource(context *c, orr_id deployment, rec_text name) {
  rec_resource key = {.deployment_id = deployment, .name = name};
  return unit_resource_key(c->u, &key, &c->error);
}
