/* Finding a form. Camunda Forms are found by the id in their JSON among the files of deployments: a
 * deployment that holds a form of an id is its next version. */
#include "command/form/source.h"

#include <inttypes.h>
#include <string.h>

#include "command/deploy/deployed.h"
#include "command/form/schema.h"
#include "state/expression.h"
#include "uow/find.h"

#define DEPLOYED_MARK "deployment:"
#define SCHEMA_KEY "camunda-forms:" DEPLOYED_MARK

/* ---- Camunda Forms that are deployed --------------------------------------------------------- */

typedef struct deployed_form {
  orr_id deployment;
  const char *name;
} deployed_form;

/* Every file that holds a form of this id, oldest deployment first. */
typedef struct form_search {
  context *c;
  const char *id;
  deployed_form *found;
  uint32_t count, capacity;
} form_search;

/* Most files are no forms, and most forms do not even hold the id: those are not read. */
static int look_at_resource(void *ud, rec_head *record, bool *stop) {
  form_search *s = ud;
  const rec_resource *r = (const rec_resource *)record;
  const char *id;
  (void)stop;
  if (!schema_is_form(r->name.data, r->name.size) ||
      !memmem(r->bytes.data, r->bytes.size, s->id, strlen(s->id)))
    return 0;
  int rc = schema_id(s->c, r->bytes.data, r->bytes.size, &id);
  if (rc || !id || strcmp(id, s->id) != 0) return rc;
  const char *name = arena_strndup(s->c->arena, r->name.data, r->name.size);
  if (!name || !ARENA_ROOM(s->c->arena, s->found, s->count, s->capacity, 8))
    return context_memory(s->c);
  s->found[s->count++] = (deployed_form){r->deployment_id, name};
  return 0;
}

/* Keeps those of one tenant. */
static int keep_tenant(form_search *s, rec_text tenant) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const rec_deployment *d = unit_deployment(s->c->u, s->found[i].deployment, &s->c->error);
    if (!d && s->c->error.code) return s->c->error.code;
    bool again = kept > 0 && s->found[kept - 1].deployment == s->found[i].deployment;
    if (d && rec_text_equal(d->tenant, tenant) && !again) s->found[kept++] = s->found[i];
  }
  s->count = kept;
  return 0;
}

/* In one deployment (0: in all). */
static int search_forms(form_search *s, orr_id deployment) {
  rec_key by = {.id = deployment};
  access_path way = {.type = &rec_resource_type, .n_fields = deployment ? 1 : 0, .fields = &by};
  return unit_walk(s->c->u, &way, look_at_resource, s, NULL, &s->c->error);
}

static int form_missing(context *c, const form_source *f) {
  const char *where = f->binding == FORM_DEPLOYMENT ? " in its deployment"
                      : f->binding == FORM_VERSION
                          ? arena_printf(c->arena, ", version %" PRId64, f->version)
                          : "";
  return context_error(c, ORR_E_NOT_FOUND, "there is no Camunda Form with the id \"%s\"%s",
                       f->reference, where ? where : "");
}

static int find_referenced(context *c, const rec_definition *r, form_source *f) {
  form_search s = {.c = c, .id = f->reference};
  int rc = search_forms(&s, f->binding == FORM_DEPLOYMENT ? r->deployment_id : 0);
  if (!rc) rc = keep_tenant(&s, r->tenant);
  if (rc) return rc;
  int64_t wanted = f->binding == FORM_VERSION ? f->version : s.count;
  if (wanted < 1 || wanted > s.count) return form_missing(c, f);
  f->deployment = s.found[wanted - 1].deployment;
  f->resource = s.found[wanted - 1].name;
  return 0;
}

/* ---- Keys and references --------------------------------------------------------------------- */

/* "embedded:deployment:x.html" and "camunda-forms:deployment:x.form" name a file of the
 * definition's deployment. */
static void find_keyed(const rec_definition *r, form_source *f) {
  const char *mark = f->key ? strstr(f->key, DEPLOYED_MARK) : NULL;
  if (!mark) return;
  f->deployment = r->deployment_id;
  f->resource = mark + strlen(DEPLOYED_MARK);
}

/* The file is looked at for its fields alone. */
static int read_file(context *c, form_source *f) {
  bool schema = f->reference || strncmp(f->key, SCHEMA_KEY, strlen(SCHEMA_KEY)) == 0;
  if (!schema) return 0;
  rec_text name = {f->resource, strlen(f->resource)};
  const rec_resource *file = deployment_resource(c, f->deployment, name);
  if (!file && c->error.code) return c->error.code;
  if (!file)
    return context_error(c, ORR_E_NOT_FOUND, "there is no resource \"%s\" in deployment %" PRIu64,
                         f->resource, f->deployment);
  int rc = schema_fields(c, file->bytes.data, file->bytes.size, &f->fields, &f->n_fields);
  return rc ? error_wrap(&c->error, "form \"%s\"", f->resource) : 0;
}

static int form_text(context *c, const form_source *f, const expr *e, const char **out) {
  return f->task ? expr_text(c, e, f->task->execution_id, f->at, out)
                 : expr_text_over(c, e, NULL, out);
}

static int version_of_text(context *c, const char *text, int64_t *out) {
  form_field version = form_field_of("formRefVersion", FORM_LONG);
  orr_value given = orr_string(text ? text : ""), n;
  version.required = true;
  version.min = orr_int(1);
  int rc = form_convert(&version, &given, NULL, c->arena, &n, &c->error);
  if (!rc) rc = form_check(&version, &n, &c->error);
  if (!rc) *out = n.as.integer;
  return rc;
}

static int read_reference(context *c, form_source *f, const struct form *form) {
  const char *version = NULL;
  if (!form || !expr_given(&form->reference)) return 0;
  f->binding = form->binding;
  int rc = form_text(c, f, &form->reference, &f->reference);
  if (!rc && !f->reference)
    rc = context_error(c, ORR_E_EXPRESSION, "\"%s\": its formRef gives no id of a form", f->at->id);
  if (!rc && f->binding == FORM_VERSION) {
    rc = form_text(c, f, &form->version, &version);
    if (!rc) rc = version_of_text(c, version, &f->version);
  }
  return rc;
}

static int complete_source(context *c, const rec_definition *r, form_source *f) {
  const struct form *form = f->at ? f->at->form : NULL;
  if (form && form->n_fields) {
    f->fields = form->fields;
    f->n_fields = form->n_fields;
    f->business_key = form->business_key;
  }
  int rc = read_reference(c, f, form);
  if (!rc && f->reference) rc = find_referenced(c, r, f);
  if (!rc && !f->reference) find_keyed(r, f);
  return !rc && f->resource ? read_file(c, f) : rc;
}

int form_of_task(context *c, const rec_task *t, form_source *out) {
  *out = (form_source){.task = t, .key = t->form_key.size ? t->form_key.data : NULL};
  if (!t->definition_id) return 0;
  const rec_definition *r = lookup_definition(c, t->definition_id);
  const definition *graph = r ? context_definition(c, r->id, &c->error) : NULL;
  if (!graph) return c->error.code;
  out->graph = graph;
  out->at = t->node ? graph->nodes[t->node - 1] : NULL;
  return complete_source(c, r, out);
}

static bool has_form(const node *n) {
  return n->type == NODE_START_EVENT && (n->form || n->form_key);
}

/* A form is shown before it is known by which event the process starts. */
static const node *start_with_form(const definition *graph) {
  const node *process = graph->process;
  if (process->start && has_form(process->start)) return process->start;
  for (uint32_t i = 0; i < process->n_children; i++)
    if (has_form(process->children[i])) return process->children[i];
  return process->start;
}

int form_of_start(context *c, const rec_definition *r, form_source *out) {
  *out = (form_source){0};
  const definition *graph = context_definition(c, r->id, &c->error);
  if (!graph) return c->error.code;
  out->graph = graph;
  out->at = start_with_form(graph);
  out->key = out->at ? out->at->form_key : NULL;
  return complete_source(c, r, out);
}
