/* Conclusions that are looked at again. */
#include "exec/verdict.h"

#include "exec/token.h"
#include "uow/siblings.h"

int verdict_add(context *c, const verdict *v) {
  if (!unit_has_siblings(c->u)) return 0;
  verdict *kept = ARENA_NEW(c->arena, verdict);
  if (!kept) return context_memory(c);
  *kept = *v;
  kept->record->reviewed = true;
  kept->next = c->lists.verdicts;
  c->lists.verdicts = kept;
  return 0;
}

/* A record that is gone has been decided about otherwise. */
static bool overturned(const verdict *v) {
  bool there = v->record->state != REC_DELETED && v->record->state != REC_VOID;
  return there && (v->bound ? *v->counter >= v->bound : *v->counter <= 0);
}

bool verdicts_overturned(const context *c) {
  for (const verdict *v = c->lists.verdicts; v; v = v->next)
    if (overturned(v)) return true;
  return false;
}

int verdicts_follow(context *c) {
  int rc = 0;
  for (verdict **at = &c->lists.verdicts; *at && !rc;) {
    const verdict *v = *at;
    if (!overturned(v)) {
      at = &(*at)->next;
      continue;
    }
    *at = v->next; /* once */
    rc = plan_on(c, v->run, v->execution, v->node, 0);
  }
  return rc;
}
