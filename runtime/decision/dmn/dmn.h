/* DMN models, versions 1.1 to 1.5, compiled to Lua: what the rest of the runtime sees of this room.
 *
 * A file and the files it imports become one Lua chunk, which the script host loads once and calls for every decision. The
 * core never runs it. lua/orrery/decision/ has what the chunk works with. */
#ifndef ORR_DMN_H
#define ORR_DMN_H

#include "model/definition.h"

/* Is a resource of this name a decision model? *.dmn, and Camunda's *.dmn11.xml. */
bool dmn_is_model(const char *name, size_t size);

/* What a file declares and others may ask for. Texts are NUL-terminated, in the problems' arena; NULL: not given. */
typedef struct dmn_declared {
  const char *key;  /* the element's id */
  const char *name; /* as decisions are called by each other */
  const char *version_tag, *history_time_to_live;
  bool service;     /* a decision service, not a decision */
  int line;
} dmn_declared;

typedef struct dmn_compiled {
  const char *id, *name; /* of <definitions> */
  const dmn_declared *declared;
  uint32_t n_declared;
  const char *code; /* the chunk */
  size_t size;
} dmn_compiled;

typedef struct dmn_options {
  const orr_allocator *allocator;
  int dialect; /* orr_dialect: whose habits a file without marks follows */
  /* Expressions that do not compile give null and a warning instead of an error: what the compatibility kit expects. */
  bool lenient;
  /* Syntax check of Lua text, as in model_options; NULL: not checked. */
  int (*check_script)(void *ud, const char *code, size_t size, int *line, orr_error *err);
  void *ud;
} dmn_options;

/* Reads and compiles the resource of that name; imports are looked for among `resources`, a map of names to bytes.
 * Problems of the file itself are added to `list`, by place (those of an imported file when that file is compiled); with
 * errors among them the answer is ORR_E_DEPLOYMENT and *out stays empty. What *out holds lies in the problems' arena. */
int dmn_compile(const orr_value *resources, const char *resource, const dmn_options *options, problems *list, dmn_compiled *out,
                orr_error *err);

#endif
