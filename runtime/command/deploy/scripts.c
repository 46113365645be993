/* An engine without a script host runs literals, plain variables and delegates in C. The deployment
 * reports whatever else a model needs, not the instance that meets it months later. */
#include "command/deploy/scripts.h"

#define CURE "which a host in C has by orr_lua_use of orrery/lua.h"

static void refuse_expressions(problems *all, const definition *d) {
  for (uint32_t i = 0; i < d->n_exprs; i++) {
    const expr *e = d->exprs[i];
    const problem_place at = {d->resource, e->line, 0, NULL};
    if (e->kind < EXPR_CODE) continue;
    problems_add(all, false, &at, "%s \"%.60s\" needs Lua, " CURE,
                 e->kind == EXPR_CODE ? "the expression" : "the script", e->text);
  }
}

static void refuse_task_types(problems *all, const definition *d) {
  for (uint32_t i = 0; i < d->n_nodes; i++) {
    const node *n = d->nodes[i];
    const problem_place at = {d->resource, n->line, 0, n->id};
    if (!n->service || n->service->run.kind != IMPLEMENTATION_TYPE) continue;
    problems_add(all, false, &at, "a task of the type \"%.60s\" needs Lua, " CURE,
                 n->service->run.type_name);
  }
}

void scripts_refuse(parsed_models *models) {
  for (uint32_t i = 0; i < models->count; i++) {
    refuse_expressions(&models->problems, models->items[i]);
    refuse_task_types(&models->problems, models->items[i]);
  }
  for (const parsed_decisions *d = models->decisions; d; d = d->next) {
    const problem_place at = {d->resource, 0, 0, NULL};
    problems_add(&models->problems, true, &at, "decisions need Lua, " CURE);
  }
}
