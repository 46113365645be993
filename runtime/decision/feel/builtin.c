/* The names of the built-in functions and what each gives; lua/orrery/feel has the functions. */
#include "decision/feel/parse_internal.h"

#include <string.h>

/* spec/decision compares this list with the library's. FEEL_ANY: it depends on the arguments. */
static const struct {
  const char *name;
  enum feel_kind gives;
  bool camunda;
} builtins[] = {
#define BUILTIN(name, gives) {name, FEEL_##gives, false},
#define CAMUNDA(name, gives) {name, FEEL_##gives, true},
#include "decision/feel/builtin.def"
#undef BUILTIN
#undef CAMUNDA
};

static const feel_type *gives_type(enum feel_kind kind) {
  if (kind == FEEL_BOOLEAN) return &feel_boolean;
  if (kind == FEEL_NUMBER) return &feel_number;
  if (kind == FEEL_STRING) return &feel_string;
  return &feel_any;
}

static bool call_follows(feel_scan s, size_t end) {
  feel_scan_move(&s, end);
  return feel_scan_peek(&s) == S_OPEN;
}

feel_builtin feel_builtin_at(const feel_scan *s, size_t at) {
  feel_builtin best = {0};
  for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
    if (builtins[i].name[0] != s->text[at]) continue;
    size_t stop = feel_scan_name_end(s, at, builtins[i].name);
    if (stop <= best.end || (builtins[i].camunda && !call_follows(*s, stop))) continue;
    best = (feel_builtin){builtins[i].name, stop, gives_type(builtins[i].gives), builtins[i].camunda};
  }
  return best;
}
