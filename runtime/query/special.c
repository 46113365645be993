/* Finding filter keys that are no fields, and what the keys of several verbs share. */
#include "query/special.h"

#include <string.h>

#include "base/value.h"
#include "engine/engine.h"
#include "query/variables.h"

/* ---- Values ---------------------------------------------------------------------------------- */

bool special_switch(const filter_special *s) { return s->value.type == ORR_BOOL && s->value.as.boolean; }

rec_text special_text(const orr_value *v) {
  return v->type == ORR_STRING ? (rec_text){v->as.bytes, v->size} : (rec_text){0};
}

bool special_text_is(rec_text a, const orr_value *b) { return b->type == ORR_STRING && rec_text_equal(a, special_text(b)); }

bool special_text_among(rec_text a, const orr_value *texts) {
  orr_iterator i = orr_iterate(texts);
  orr_value one;
  while (orr_next(&i, NULL, &one))
    if (special_text_is(a, &one)) return true;
  return false;
}

/* ---- Keys of several verbs ------------------------------------------------------------------- */

int special_fits_always(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  (void)s;
  (void)r;
  *out = true;
  return 0;
}

static bool is_suspended(context *c, const rec_head *r) {
  if (r->type == &rec_instance_type) return ((const rec_instance *)r)->suspended;
  if (r->type == &rec_task_type) return ((const rec_task *)r)->suspended;
  if (r->type == &rec_external_task_type) return ((const rec_external_task *)r)->suspended;
  if (r->type == &rec_job_type) return ((const rec_job *)r)->suspended;
  if (r->type == &rec_job_definition_type) return ((const rec_job_definition *)r)->suspended;
  if (r->type == &rec_definition_type) return ((const rec_definition *)r)->suspended;
  const rec_instance *of = context_instance(c, ((const rec_execution *)r)->id, &c->error);
  return of && of->suspended;
}

int special_active(context *c, const filter_special *s, const rec_head *r, bool *out) {
  *out = special_switch(s) != is_suspended(c, r);
  return c->error.code;
}

/* The keys variables, process_variables and local_variables (variables.h): does what a record sees hold them? */
static int special_variables(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return variables_fit(c, s, r, VARIABLES_VISIBLE, out);
}

static int special_process_variables(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return variables_fit(c, s, r, VARIABLES_PROCESS, out);
}

static int special_local_variables(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return variables_fit(c, s, r, VARIABLES_LOCAL, out);
}

int special_prepare_groups(context *c, filter_special *s) {
  if (!c->host) return 0;
  const char *user = context_text(c, &s->value, s->is->name);
  return user ? c->host->methods->groups_of(c->host, user, c->arena, &s->prepared, &c->error) : c->error.code;
}

/* ---- Finding --------------------------------------------------------------------------------- */

static const special *const tables[] = {specials_of_instances, specials_of_tasks,     specials_of_jobs,
                                        specials_of_history,   specials_of_incidents, specials_of_repository,
                                        specials_of_involvement};

/* Of every verb whose records have variables. */
static const special of_variables[] = {
    {NULL, "variables", TAKES_VARIABLES, special_variables, NULL, variables_prepare},
    {NULL, "process_variables", TAKES_VARIABLES, special_process_variables, NULL, variables_prepare},
    {NULL, "local_variables", TAKES_VARIABLES, special_local_variables, NULL, variables_prepare},
    {NULL, VARIABLE_NAMES_IGNORE_CASE, TAKES_SWITCH, special_fits_always, NULL, NULL},
    {NULL, VARIABLE_VALUES_IGNORE_CASE, TAKES_SWITCH, special_fits_always, NULL, NULL},
    {0},
};

static bool is_called(const special *s, const char *name, size_t size) {
  return strlen(s->name) == size && memcmp(s->name, name, size) == 0;
}

const special *special_named(const rec_type *type, const char *name, size_t size) {
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
    for (const special *s = tables[t]; s->name; s++)
      if (s->type == type && is_called(s, name, size)) return s;
  for (const special *s = of_variables; s->name && variables_known(type); s++)
    if (is_called(s, name, size)) return s;
  return NULL;
}

void special_names(const rec_type *type, void (*fn)(void *ud, const char *name), void *ud) {
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
    for (const special *s = tables[t]; s->name; s++)
      if (s->type == type) fn(ud, s->name);
  for (const special *s = of_variables; s->name && variables_known(type); s++) fn(ud, s->name);
}
