/* The names of the built-in functions and what each gives; lua/orrery/feel has the functions. */
#include "decision/feel/parse_internal.h"

#include <string.h>

/* spec/decision compares this list with the library's. FEEL_ANY: it depends on the arguments. */
static const struct {
  const char *name;
  enum feel_kind gives;
} builtins[] = {
#define BUILTIN(name, gives) {name, FEEL_##gives},
#include "decision/feel/builtin.def"
#undef BUILTIN
};

static const feel_type *gives_type(enum feel_kind kind) {
  if (kind == FEEL_BOOLEAN) return &feel_boolean;
  if (kind == FEEL_NUMBER) return &feel_number;
  if (kind == FEEL_STRING) return &feel_string;
  return &feel_any;
}

const char *feel_builtin_at(const feel_scan *s, size_t at, size_t *end, const feel_type **result) {
  const char *best = NULL;
  *end = 0;
  for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
    if (builtins[i].name[0] != s->text[at]) continue;
    size_t stop = feel_scan_name_end(s, at, builtins[i].name);
    if (stop <= *end) continue;
    *end = stop;
    best = builtins[i].name;
    *result = gives_type(builtins[i].gives);
  }
  return best;
}
