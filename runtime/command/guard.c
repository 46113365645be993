/* Rows without content of their own: their keys are made here. */
#include "guard.h"

#include <inttypes.h>
#include <stdio.h>

int guard(context *c, const char *what, rec_text tenant, const char *name) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < tenant.size; i++) hash = (hash ^ (uint8_t)tenant.data[i]) * UINT64_C(0x100000001b3);
  hash = (hash ^ 0x1F) * UINT64_C(0x100000001b3);
  for (const char *at = name; *at != '\0'; at++) hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
  char text[64];
  int size = snprintf(text, sizeof text, "guard.%s.%016" PRIx64, what, hash);
  rec_meta key = {.name = {text, (size_t)size}};
  rec_meta *row = unit_meta_key(c->u, &key, &c->error);
  if (c->error.code != 0) return c->error.code;
  if (row != NULL) return unit_touch(c->u, row) == 0 ? 0 : context_memory(c);
  row = unit_new_meta(c->u, &key);
  if (row == NULL) return context_memory(c);
  row->value = orr_bool(true);
  return 0;
}
