/* Rows without content of their own: their keys are made here. */
#include "command/guard_row.h"
#include "record/key.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int guard_row_write(context *c, const char *what, rec_text tenant, const char *name) {
  char *whole = arena_printf(c->arena, "%.*s\x1f%s", (int)tenant.size, tenant.size > 0 ? tenant.data : "", name);
  if (!whole) return context_memory(c);
  char text[64];
  int size = snprintf(text, sizeof text, "guard.%s.%016" PRIx64, what, rec_text_hash((rec_text){whole, strlen(whole)}));
  rec_meta key = {.name = {text, (size_t)size}};
  rec_meta *row = unit_meta_key(c->u, &key, &c->error);
  if (c->error.code != 0) return c->error.code;
  if (row) return unit_touch(c->u, row) ? context_memory(c) : 0;
  row = unit_new_meta(c->u, &key);
  if (!row) return context_memory(c);
  row->value = orr_bool(true);
  return 0;
}
