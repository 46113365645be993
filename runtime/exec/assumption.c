/* Assumptions about counters: kept, and checked again before the commit. */
#include "exec/assumption.h"

#include "exec/token.h"
#include "uow/siblings.h"

int assumption_keep(context *c, const assumption *a) {
  if (!unit_has_siblings(c->u)) return 0;
  assumption *kept = ARENA_NEW(c->arena, assumption);
  if (!kept) return context_memory(c);
  *kept = *a;
  kept->record->reviewed = true;
  kept->next = c->lists.assumptions;
  c->lists.assumptions = kept;
  return 0;
}

/* A deleted record breaks nothing: whoever deleted it has decided what follows. */
static bool is_broken(const assumption *a) {
  bool there = a->record->state != REC_DELETED && a->record->state != REC_VOID;
  return there && (a->bound ? *a->counter >= a->bound : *a->counter <= 0);
}

bool assumptions_broken(const context *c) {
  for (const assumption *a = c->lists.assumptions; a; a = a->next)
    if (is_broken(a)) return true;
  return false;
}

int assumptions_follow(context *c) {
  int rc = 0;
  for (assumption **at = &c->lists.assumptions; *at && !rc;) {
    const assumption *a = *at;
    if (!is_broken(a)) {
      at = &(*at)->next;
      continue;
    }
    *at = a->next; /* once */
    rc = plan_on(c, a->run, a->execution, a->node, 0);
  }
  return rc;
}
