/* A job looks a module up when it first needs it. The deployment checks what can be known before:
 * that it compiles, and that it returns something. */
#include "command/deploy/modules.h"

#include <string.h>

#include "base/value.h"

const char *module_name(context *c, rec_text file) {
  char *name = arena_strndup(c->arena, file.data, file.size - strlen(".lua"));
  for (char *at = name; at && *at; at++)
    if (*at == '/') *at = '.';
  return name;
}

bool module_asked_for(context *c, const orr_value *text, const char *module) {
  static const char *const around[][2] = {
      {"lass=\"", "\""}, {"lass='", "'"}, {"{", "}"}, {"{", "."}};
  for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
    const char *asked = arena_printf(c->arena, "%s%s%s", around[i][0], module, around[i][1]);
    if (!asked) context_memory(c);
    if (!asked) return false;
    if (memmem(text->as.bytes, text->size, asked, strlen(asked))) return true;
  }
  return false;
}

/* Without a first line for the system, "#!/usr/bin/lua", as Lua itself reads files. */
static rec_text without_mark(const orr_value *bytes) {
  rec_text text = {bytes->as.bytes, bytes->size};
  const char *end = text.size && *text.data == '#' ? memchr(text.data, '\n', text.size) : NULL;
  return end ? (rec_text){end, text.size - (size_t)(end - text.data)} : text;
}

/* Compiles a text between two others. A code other than 0 goes with a message in the arena. */
static int compiles(context *c, const char *before, rec_text text, const char *after, int *line,
                    const char **message) {
  size_t head = strlen(before), tail = strlen(after), size = head + text.size + tail;
  char *all = arena_alloc(c->arena, size + 1);
  orr_error err = {0};
  if (!all) return context_memory(c);
  memcpy(all, before, head);
  if (text.size) memcpy(all + head, text.data, text.size);
  memcpy(all + head + text.size, after, tail + 1);
  int rc = c->engine->host->methods->check_script(c->engine->host, all, size, line, &err);
  *message = err.message ? arena_strdup(c->arena, err.message) : "";
  orr_error_clear(&err);
  if (rc == ORR_E_MEMORY || !*message) return context_memory(c);
  return rc == ORR_E_LIMIT ? 0 : rc; /* scripts have that limit, modules have none */
}

/* The first model that asks for it; NULL: none does. */
static const char *who_asks(context *c, const orr_value *resources, const char *module) {
  orr_iterator at = orr_iterate(resources);
  orr_value name, bytes;
  while (orr_next(&at, &name, &bytes))
    if (resource_is_model(name.as.bytes, name.size) && module_asked_for(c, &bytes, module))
      return context_text(c, &name, "the name of a resource");
  return NULL;
}

/* A file that no model names as a module may be the script of a condition, which is an expression.
 * A prefix makes it a chunk. Nothing may follow a return, so a text that still compiles with one
 * more has none at its end. */
static int check_module(context *c, const char *name, rec_text text, const char *who,
                        problems *list) {
  problem_place at = {name, 0, 0, NULL};
  const char *message;
  int line = 0;
  if (text.size && *text.data == '\x1B') {
    problems_add(list, false, &at, "this is Lua bytecode; only Lua text is accepted");
    return 0;
  }
  int rc = compiles(c, who ? "do end " : "", text, "", &at.line, &message);
  if (c->error.code) return c->error.code;
  if (rc) problems_add(list, false, &at, "this is not Lua: %s", message);
  if (rc || !who) return 0;
  at.line = 0;
  rc = compiles(c, "", text, "\nreturn nil", &line, &message);
  if (!rc)
    problems_add(
        list, true, &at,
        "it returns nothing, and %s asks for it: a delegate's module returns a function or "
        "a table",
        who);
  return c->error.code;
}

int modules_check(context *c, const orr_value *resources, problems *list) {
  orr_iterator at = orr_iterate(resources);
  orr_value key, bytes;
  int rc = 0;
  if (!c->engine->host) return 0;
  while (!rc && orr_next(&at, &key, &bytes)) {
    if (!resource_is_module(key.as.bytes, key.size)) continue;
    const char *name = context_text(c, &key, "the name of a resource");
    const char *module = name ? module_name(c, (rec_text){name, strlen(name)}) : NULL;
    const char *who = module ? who_asks(c, resources, module) : NULL;
    if (!c->error.code && !module) return context_memory(c);
    rc = c->error.code ? c->error.code : check_module(c, name, without_mark(&bytes), who, list);
  }
  return rc;
}
