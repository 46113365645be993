/* Noting changes, each once. */
#include "state/notices.h"

int notice_variable(context *c, orr_id scope_id, const char *name, const char *event) {
  struct variable_change *change = ARENA_NEW(c->arena, struct variable_change);
  if (!change) return context_memory(c);
  change->scope = scope_id;
  if (name) {
    change->name = arena_strdup(c->arena, name);
    if (!change->name) return context_memory(c);
  }
  change->event = event;
  *c->lists.changes_tail = change;
  c->lists.changes_tail = &change->next;
  return 0;
}

int notice_tokens(context *c, const scope *s) {
  if (!(scope_flags(s) & ORR_SCOPE_INCLUSIVE)) return 0;
  for (const struct join_check *check = c->lists.join_checks; check; check = check->next)
    if (check->scope == s->id) return 0;
  struct join_check *check = ARENA_NEW(c->arena, struct join_check);
  if (!check) return context_memory(c);
  check->scope = s->id;
  check->next = c->lists.join_checks;
  c->lists.join_checks = check;
  return 0;
}

int notice_overview(context *c, const rec_instance *instance) {
  if (!(instance->flags & ORR_SCOPE_OVERVIEWS)) return 0;
  for (const struct overview_check *check = c->lists.overviews; check; check = check->next)
    if (check->instance == instance->id) return 0;
  struct overview_check *check = ARENA_NEW(c->arena, struct overview_check);
  if (!check) return context_memory(c);
  check->instance = instance->id;
  check->next = c->lists.overviews;
  c->lists.overviews = check;
  return 0;
}
