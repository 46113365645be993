/* Where a form comes from: the model's fields, a Camunda Form, or a key alone. */
#ifndef ORR_COMMAND_SOURCE_H
#define ORR_COMMAND_SOURCE_H

#include "command/lookup.h"
#include "model/form.h"

typedef struct form_source {
  const rec_task *task;    /* whose form it is; NULL: a start form */
  const definition *graph; /* NULL: a task without a process */
  const node *at;          /* the user task or start event; NULL: there is none */
  const char *key;         /* formKey; NULL: none */
  const char *reference;   /* formRef, evaluated; NULL: none */
  form_binding binding;
  int64_t version;      /* FORM_VERSION */
  orr_id deployment;    /* where the form lies, */
  const char *resource; /* and its file; NULL: it is not deployed */
  const form_field *fields;
  uint32_t n_fields;
  const char *business_key; /* a start form's field; NULL: none */
} form_source;

/* The form of a task. Looks up what a formRef or a key names: ORR_E_NOT_FOUND when it is not
 * deployed; `out` then has what is known. */
int form_of_task(context *c, const rec_task *t, form_source *out);
/* The same for the start form of a definition. */
int form_of_start(context *c, const rec_definition *r, form_source *out);

#endif
