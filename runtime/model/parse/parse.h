/* Parsing a model: one resource of a deployment becomes its definitions. The passes are in parse_internal.h. */
#ifndef ORR_PARSE_H
#define ORR_PARSE_H

#include "model/definition.h"

typedef struct model { /* the array lives in the arena of the problems */
  definition **items; /* executable processes, or all when the dialect says so */
  uint32_t count;
} model;

typedef struct model_options {
  const orr_allocator *allocator;
  int dialect;              /* orr_dialect of the engine */
  const orr_value *resources; /* the deployment's other resources: `deployment://` scripts; may be NULL */
  /* Syntax check of Lua text; NULL: not checked. Returns 0 or a code with err filled (line within the text in `line`). */
  int (*check_script)(void *ud, const char *code, size_t size, int *line, orr_error *err);
  void *ud;
  /* May a task have this type="…", because it is built in or registered? NULL: none but external tasks. */
  bool (*known_task_type)(void *ud, const char *name);
  /* Is a business calendar registered by this name? NULL: not checked. */
  bool (*known_calendar)(void *ud, const char *name);
  orr_time now; /* of the deployment: a timer that never fires from then on is an error. 0: not checked */
  /* The model was deployed long ago, maybe by an older version that did not look at forms: what is wrong in a form is a
   * warning, and the form goes without it. */
  bool stored;
} model_options;

/* Parses, links and checks one resource. Problems are added to `problems`; with errors among them *out stays empty and
 * ORR_E_DEPLOYMENT is returned. Each definition has one reference, the caller's. */
int model_parse(const char *resource, const void *bytes, size_t size, const model_options *options, problems *list, model *out,
                orr_error *err);

#endif
