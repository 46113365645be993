/* Commands: the frame of every entry point, and transactions that gather several of them.
 *
 * A command that finds a context on its thread joins it: it was called from a delegate, or within a
 * transaction. It then runs what it planned before it returns, so that its caller sees the effects.
 * If it fails after it has changed something, half of its work lies in a unit that others want to
 * commit; nothing can take that out again, so the whole context may only roll back: its commit fails with
 * the same error, even if the caller caught it. A command that failed before it changed anything (a
 * wrong argument, an unknown id) leaves the context as it was.
 *
 * Between the commands of a transaction, and while a delegate runs, the host's own code has the
 * thread and may wait for whatever it likes: a joined command therefore ends without a view.
 *
 * A transaction is ended by the code that began it: what its commands run may begin and end others
 * inside it, and no more. */
#include <stdint.h>

#include "command/frame.h"
#include "base/null.h"
#include "exec/deferred_commit.h"
#include "state/tracing.h"

#include "base/limits.h"
#include "engine/meter.h"
#include "exec/context_run.h"

/* Why a body, or what it planned, has failed. A body leaves the error in the context, the agenda in
 * `err`. */
static int collect_results(context *c, int rc, orr_error *err) {
  if (!rc) return 0;
  if (err->code == 0) error_move(err, &c->error);
  if (err->code == 0) error_set(err, rc, "%s", orr_strerror(rc));
  return err->code;
}

static void doom(context *c, const orr_error *why) {
  if (c->rollback_only) return;
  c->rollback_only = true;
  (void)error_copy(&c->rollback_reason, why);
}

/* Ends the transactions that a delegate has begun in its caller's and not ended. */
static void come_back(context *c) {
  if (--c->command_depth == 0) c->depth = c->depth_outside;
}

static int run_joined(context *c, command_body body, void *ud, orr_error *err) {
  uint64_t writes = unit_writes(c->u);
  uint32_t mark = c->agenda.count;
  const trace_context *trace = c->trace;
  /* the host's own next command: their number is not the process's */
  if (c->transaction && c->command_depth == 0) c->steps = 0;
  if (c->command_depth++ == 0) c->operation_id = 0;
  int rc = body(c, ud);
  if (!rc) rc = context_run_nested(c, mark, err);
  come_back(c);
  c->trace = trace;
  rc = collect_results(c, rc, err);
  if (rc && unit_writes(c->u) != writes) doom(c, err);
  unit_yield(c->u);
  return rc;
}

static void run_failed(context *c, int rc) {
  if (c->spans) tracing_end(tracing_take(c), orr_error_kind(rc));
  context_end(c);
}

/* Runs in a context of its own. What else its thread runs meanwhile, while it waits for the host,
 * waits for its own commits. */
static int run_own(engine_thread *thread, const char *name, command_body body, void *ud, orr_error *err) {
  commit_deferral deferral = thread->deferral;
  meter_close_interval(thread->engine);
  context *c = context_begin(thread->engine, thread->host, err);
  if (!c) return err->code;
  thread->current = c;
  thread->deferral = (commit_deferral){0};
  c->command_depth++;
  tracing_command(c, name);
  int rc = body(c, ud);
  if (!rc) rc = context_run_nested(c, 0, err);
  come_back(c);
  rc = collect_results(c, rc, err);
  thread->current = NULL;
  if (!rc) rc = context_commit_deferred(c, &deferral, err);
  else run_failed(c, rc);
  thread->deferral = deferral;
  if (!rc) meter_write(thread->engine);
  return rc;
}

static int refuse_change(orr_error *err) {
  return error_set(err, ORR_E_STATE, "what is only looked at, such as a form, may change nothing");
}

int command_run_as(const char *name, orr_engine *engine, command_body body, void *ud, orr_error *err) {
  orr_error failure = {0};
  engine_thread *thread = engine_thread_get(engine, &failure);
  int rc = failure.code;
  if (thread && thread->current && thread->current->read_only) rc = refuse_change(&failure);
  else if (thread) rc = thread->current ? run_joined(thread->current, body, ud, &failure)
                                    : run_own(thread, name, body, ud, &failure);
  if (rc) error_move(err, &failure);
  return rc;
}

int command_retry_as(const char *name, orr_engine *engine, int attempts, command_body body, void *ud, orr_error *err) {
  orr_error failure = {0};
  int rc = ORR_E_CONFLICT;
  for (int attempt = 0; attempt < attempts && rc == ORR_E_CONFLICT; attempt++) {
    orr_error_clear(&failure);
    rc = command_run_as(name, engine, body, ud, &failure);
  }
  if (rc) error_move(err, &failure);
  return rc;
}

int command_upkeep_as(const char *name, orr_engine *engine, command_body body, void *ud, orr_error *err) {
  return command_retry_as(name, engine, ORR_CONFLICTS_MAX, body, ud, err);
}

int command_read(orr_engine *engine, command_body body, void *ud, orr_error *err) {
  orr_error failure = {0};
  engine_thread *thread = engine_thread_get(engine, &failure);
  if (!thread) {
    int code = failure.code;
    error_move(err, &failure);
    return code;
  }
  bool joined = thread->current;
  context *c = joined ? thread->current : context_begin(engine, thread->host, &failure);
  int rc = failure.code;
  if (c) rc = collect_results(c, body(c, ud), &failure);
  if (c && joined) unit_yield(c->u);
  if (c && !joined) context_end(c);
  if (rc) error_move(err, &failure);
  return rc;
}

/* An expression may change a variable through its execution without a command; the unit shows
 * that. */
static int look_joined(context *c, command_body body, void *ud, orr_error *err) {
  bool looking = c->read_only;
  uint64_t writes = unit_writes(c->u);
  c->read_only = true;
  c->command_depth++;
  int rc = collect_results(c, body(c, ud), err);
  come_back(c);
  c->read_only = looking;
  if (unit_writes(c->u) != writes) {
    orr_error_clear(err);
    rc = refuse_change(err);
    doom(c, err);
  }
  unit_yield(c->u);
  return rc;
}

/* As run_own, but for the commit. */
static int look_own(engine_thread *thread, command_body body, void *ud, orr_error *err) {
  commit_deferral deferral = thread->deferral;
  context *c = context_begin(thread->engine, thread->host, err);
  if (!c) return err->code;
  thread->current = c;
  thread->deferral = (commit_deferral){0};
  int rc = look_joined(c, body, ud, err);
  thread->current = NULL;
  context_end(c);
  thread->deferral = deferral;
  return rc;
}

int command_read_only(orr_engine *engine, command_body body, void *ud, orr_error *err) {
  orr_error failure = {0};
  engine_thread *thread = engine_thread_get(engine, &failure);
  int rc = failure.code;
  if (thread && thread->current) rc = look_joined(thread->current, body, ud, &failure);
  else if (thread) rc = look_own(thread, body, ud, &failure);
  if (rc) error_move(err, &failure);
  return rc;
}

int command_run_planned(context *c, uint32_t mark) {
  orr_error failure = {0};
  int rc = context_run_nested(c, mark, &failure);
  if (rc && failure.code != 0) error_move(&c->error, &failure);
  return rc;
}

/* ---- Transactions ---------------------------------------------------------------------------- */

int orr_engine_begin(orr_engine *engine, orr_error *err) {
  orr_error failure = {0};
  engine_thread *thread = engine_thread_get(engine, &failure);
  if (thread && !thread->current) {
    thread->current = context_begin(engine, thread->host, &failure);
    if (thread->current) {
      thread->current->transaction = true;
      unit_yield(thread->current->u);
    }
  }
  if (!thread || !thread->current) {
    int rc = failure.code;
    error_move(err, &failure);
    return rc;
  }
  thread->current->depth++;
  if (thread->current->command_depth == 0) thread->current->depth_outside++;
  return 0;
}

/* The innermost begin ends. True when the context ends with it. */
static bool leave_frame(engine_thread *thread) {
  context *c = thread->current;
  if (c->command_depth == 0) c->depth_outside--;
  if (--c->depth > 0 || !c->transaction) return false;
  thread->current = NULL;
  return true;
}

/* The calling thread, if the calling code has begun a transaction there. */
static engine_thread *in_transaction(orr_engine *engine) {
  engine_thread *thread = engine_thread_get(engine, NULL);
  const context *c = thread ? thread->current : NULL;
  if (!c) return NULL;
  return c->depth > (c->transaction && c->command_depth > 0 ? c->depth_outside : 0) ? thread : NULL;
}

int orr_engine_commit(orr_engine *engine, orr_error *err) {
  REQUIRE(engine);
  engine_thread *thread = in_transaction(engine);
  if (!thread) return error_set(err, ORR_E_STATE, "there is no transaction that was begun here");
  context *c = thread->current;
  if (!leave_frame(thread)) return 0;
  orr_error failure = {0};
  int rc = context_commit(c, &failure);
  if (rc) error_move(err, &failure);
  return rc;
}

void orr_engine_rollback(orr_engine *engine) {
  if (!engine) return;
  engine_thread *thread = in_transaction(engine);
  if (!thread) return;
  context *c = thread->current;
  if (leave_frame(thread)) {
    context_end(c);
    return;
  }
  static const char why[] = "a transaction inside this one was rolled back";
  orr_error lost = {0};
  error_set(&lost, ORR_E_STATE, "%s", why);
  doom(c, &lost);
  orr_error_clear(&lost);
}
