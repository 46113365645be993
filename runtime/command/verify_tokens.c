/* The checker of tokens. uow/verify.c checks what single records refer to; this one needs a whole
 * instance and its model. */
#include "command/verify_tokens.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/engine.h"
#include "job/exclusive.h"
#include "record/states.h"
#include "state/execution.h"
#include "uow/find.h"

typedef struct token {
  const rec_execution *record;
  int64_t children; /* live ones that name it as their parent */
  bool joins;       /* a gateway's row names it */
  bool throws;      /* handlers run that it waits for */
} token;

typedef struct checker {
  context *c;
  const rec_instance *instance;
  const definition *definition;
  token *tokens; /* by ascending id */
  size_t count;
  int64_t children; /* live ones of the instance itself */
  void (*problem)(void *ud, const char *problem);
  void *ud;
} checker;

static void report_token(const checker *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void report_token(const checker *k, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  k->problem(k->ud, text);
}

static token *token_with(const checker *k, orr_id id) {
  size_t low = 0, high = k->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    orr_id found = k->tokens[middle].record->id;
    if (found == id) return &k->tokens[middle];
    if (found < id) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

static const node *token_node(const checker *k, const rec_execution *e) {
  return e->node > 0 && e->node <= k->definition->n_nodes ? k->definition->nodes[e->node - 1] : NULL;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int read_tokens(checker *k) {
  unit_found found;
  int rc = unit_find_group(k->c->u, &rec_execution_type, orr_id_group(k->instance->id), &found, &k->c->error);
  if (rc) return rc;
  k->tokens = ARENA_ARRAY(k->c->arena, token, found.count + 1);
  if (!k->tokens) return context_memory(k->c);
  k->count = found.count;
  for (size_t i = 0; i < found.count; i++)
    k->tokens[i] = (token){.record = (const rec_execution *)(const void *)found.items[i]};
  for (size_t i = 0; i < k->count; i++) {
    const rec_execution *e = k->tokens[i].record;
    token *parent = token_with(k, e->parent), *thrower = token_with(k, e->thrower);
    if (thrower) thrower->throws = true;
    if (e->kind == EXECUTION_EVENT_SCOPE) continue;
    if (parent) parent->children++;
    else if (e->parent == k->instance->id) k->children++;
  }
  return 0;
}

static int read_joins(checker *k) {
  unit_found found;
  int rc = unit_find_group(k->c->u, &rec_join_type, orr_id_group(k->instance->id), &found, &k->c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_join *row = (const rec_join *)(const void *)found.items[i];
    for (size_t n = 0; n < row->waiting.count; n++) {
      token *t = token_with(k, row->waiting.items[n]);
      if (t && t->record->state == EXECUTION_JOINING) t->joins = true;
      else report_token(k, "a join in %" PRIu64 " names execution %" PRIu64 ", which does not wait there", row->scope,
                        row->waiting.items[n]);
    }
  }
  return rc;
}

/* ---- What belongs to a token knows it, and is known by it ------------------------------------ */

static void check_named(const checker *k, const char *what, orr_id id, orr_id execution, size_t naming) {
  const token *t = token_with(k, execution);
  if (!t) return; /* it refers to nothing */
  orr_id named = *(const orr_id *)(const void *)((const char *)t->record + naming);
  if (named != id) report_token(k, "%s %" PRIu64 ": execution %" PRIu64 " does not wait for it", what, id, execution);
}

/* The owner of a locked job must exist, so that the lock is found when the owner is gone. The owner
 * of an exclusive job must hold the lock of its instance, so that nobody else takes another one. */
static int check_lock(const checker *k, const rec_job *job) {
  orr_id held = exclusive_scope_held(job);
  if (job->owner && !job_owner(k->c, job) && !k->c->error.code)
    report_token(k, "job %" PRIu64 " is locked by owner %" PRIu64 ", which is not there", job->id, job->owner);
  if (k->c->error.code) return k->c->error.code;
  const rec_exclusive *lock = held ? exclusive_holder(k->c, held) : NULL;
  if (held && !k->c->error.code && (!lock || lock->owner != job->owner))
    report_token(k, "job %" PRIu64 " is locked by one who has not locked its instance", job->id);
  return k->c->error.code;
}

static int check_belongings(const checker *k) {
  uint64_t group = orr_id_group(k->instance->id);
  unit_found found;
  int rc = unit_find_group(k->c->u, &rec_task_type, group, &found, &k->c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_task *t = (const rec_task *)(const void *)found.items[i];
    check_named(k, "task", t->id, t->execution_id, offsetof(rec_execution, task_id));
  }
  if (!rc) rc = unit_find_group(k->c->u, &rec_external_task_type, group, &found, &k->c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_external_task *t = (const rec_external_task *)(const void *)found.items[i];
    check_named(k, "external task", t->id, t->execution_id, offsetof(rec_execution, task_id));
  }
  if (!rc) rc = unit_find_group(k->c->u, &rec_job_type, group, &found, &k->c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_job *job = (const rec_job *)(const void *)found.items[i];
    if (job_continues_token(job->kind)) check_named(k, "job", job->id, job->execution_id, offsetof(rec_execution, job_id));
    if (!rc) rc = check_lock(k, job);
  }
  return rc;
}

static int check_caller(const checker *k) {
  if (k->instance->super_execution == 0) return 0;
  const rec_execution *caller = unit_execution(k->c->u, k->instance->super_execution, &k->c->error);
  if (caller && caller->called_id != k->instance->id)
    report_token(k, "process instance %" PRIu64 ": execution %" PRIu64 " does not wait for it", k->instance->id, caller->id);
  return k->c->error.code;
}

/* ---- Reasons to wait ------------------------------------------------------------------------- */

/* Does a subscription or a job hang on this execution or instance? */
static int token_listens(const checker *k, orr_id id, bool *out) {
  unit_found found;
  rec_key key = {.id = id};
  int rc = unit_find_index(k->c->u, REC_INDEX_SUBSCRIPTION_EXECUTION, &key, 1, 1, &found, &k->c->error);
  *out = !rc && found.count > 0;
  if (rc || *out) return rc;
  rc = unit_find_index(k->c->u, REC_INDEX_JOB_EXECUTION, &key, 1, 1, &found, &k->c->error);
  *out = !rc && found.count > 0;
  return rc;
}

/* Activities that wait to be triggered leave no trace but their token. */
static bool waits_to_be_triggered(const node *n) {
  switch (n->type) {
    case NODE_RECEIVE_TASK: return n->event.type == EVENT_NONE;
    case NODE_SERVICE_TASK: case NODE_SEND_TASK: case NODE_SCRIPT_TASK: case NODE_BUSINESS_RULE_TASK:
    case NODE_THROW_EVENT: case NODE_END_EVENT: return n->service && n->service->run.kind != IMPLEMENTATION_EXTERNAL;
    default: return false;
  }
}

static int has_reason(const checker *k, const token *t, const node *n, bool *out) {
  const rec_execution *e = t->record;
  switch ((execution_state)e->state) {
    case EXECUTION_ARRIVING: case EXECUTION_LEAVING: *out = e->job_id != 0; return 0;
    case EXECUTION_JOINING: *out = t->joins || n->type == NODE_INCLUSIVE_GATEWAY; return 0;
    case EXECUTION_ACTIVE: break;
    default: *out = false; return 0; /* what only passes through */
  }
  *out = e->task_id != 0 || e->called_id != 0 || e->job_id != 0 || t->throws || waits_to_be_triggered(n);
  return *out ? 0 : token_listens(k, e->id, out);
}

static int verify_token(const checker *k, const token *t) {
  const rec_execution *e = t->record;
  const node *n = token_node(k, e);
  if (!n) {
    report_token(k, "execution %" PRIu64 " stands at node %u, which \"%s\" does not have", e->id, (unsigned)e->node,
                 k->definition->key);
    return 0;
  }
  if (e->children != t->children)
    report_token(k, "execution %" PRIu64 " counts %" PRId64 " children and has %" PRId64, e->id, e->children, t->children);
  if (e->kind == EXECUTION_EVENT_SCOPE || t->children > 0) return 0;
  bool waits;
  int rc = has_reason(k, t, n, &waits);
  if (!rc && !waits) report_token(k, "execution %" PRIu64 " at \"%s\" (%s) waits for nothing", e->id, n->id, n->element);
  return rc;
}

static int check_root(const checker *k) {
  const rec_instance *i = k->instance;
  if (i->children != k->children)
    report_token(k, "process instance %" PRIu64 " counts %" PRId64 " children and has %" PRId64, i->id, i->children,
                 k->children);
  bool waits = k->children > 0;
  int rc = waits ? 0 : token_listens(k, i->id, &waits);
  if (!rc && !waits) report_token(k, "process instance %" PRIu64 " waits for nothing", i->id);
  return rc;
}

/* ---- The instance ---------------------------------------------------------------------------- */

static int verify_instance(checker *k, orr_id id) {
  k->instance = unit_instance(k->c->u, id, &k->c->error);
  k->definition = k->instance ? context_definition(k->c, k->instance->definition_id, &k->c->error) : NULL;
  if (!k->definition) return k->c->error.code;
  int rc = read_tokens(k);
  if (!rc) rc = read_joins(k);
  if (!rc) rc = check_root(k);
  for (size_t i = 0; !rc && i < k->count; i++) rc = verify_token(k, &k->tokens[i]);
  if (!rc) rc = check_belongings(k);
  return rc ? rc : check_caller(k);
}

int verify_tokens(orr_engine *engine, unit *reader, orr_id instance, void (*fn)(void *ud, const char *problem), void *ud,
                  orr_error *err) {
  checker k = {.c = context_begin_beside(engine, reader, err), .problem = fn, .ud = ud};
  if (!k.c) return err->code;
  int rc = verify_instance(&k, instance);
  if (rc == ORR_E_MEMORY) {
    error_move(err, &k.c->error);
  } else if (rc) { /* what it cannot read is damage */
    const char *why = k.c->error.message ? k.c->error.message : orr_strerror(rc);
    report_token(&k, "process instance %" PRIu64 " cannot be checked: %s", instance, why);
    rc = 0;
  }
  context_end(k.c);
  return rc;
}
