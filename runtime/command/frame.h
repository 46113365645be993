/* The frame that every entry point runs in; frame.c says what it promises. */
#ifndef ORR_COMMAND_H
#define ORR_COMMAND_H

#include "engine/engine.h"
#include "state/context.h"

/* What an entry point does. 0, or a code with the reason in c->error. `ud` is the caller's. */
typedef int (*command_body)(context *c, void *ud);

/* Joins this thread's context or begins one; after `body`, runs the agenda, commits and ends. What
 * `body` answers with must outlive the context. If a context that began here loses a race,
 * ORR_E_CONFLICT is returned, and nothing is retried. `name` is the entry point's, for traces. */
int command_run_as(const char *name, orr_engine *engine, command_body body, void *ud, orr_error *err);
/* The same, up to `attempts` times while it loses races. `body` runs anew each time, and frees what
 * it answered before. In a caller's own transaction it runs once, because nothing is lost before
 * that commits. */
int command_retry_as(const char *name, orr_engine *engine, int attempts, command_body body, void *ud, orr_error *err);
/* command_retry, ORR_CONFLICTS_MAX times, for what operators change in records while the executor
 * writes them, too. The body runs no code of the user's, so nobody sees it run twice. */
int command_upkeep_as(const char *name, orr_engine *engine, command_body body, void *ud, orr_error *err);
#define command_run(...) command_run_as(__func__, __VA_ARGS__)
#define command_retry(...) command_retry_as(__func__, __VA_ARGS__)
#define command_upkeep(...) command_upkeep_as(__func__, __VA_ARGS__)
/* As command_run, for reading: without a commit. */
int command_read(orr_engine *engine, command_body body, void *ud, orr_error *err);
/* The same for a body that evaluates expressions of the model. They may change nothing: a command
 * that one calls fails (ORR_E_STATE), and so does the whole if one has changed something. */
int command_read_only(orr_engine *engine, command_body body, void *ud, orr_error *err);
/* Within a body: runs what it has planned since the agenda held `mark` operations, so that it can
 * answer with the outcome. */
int command_run_planned(context *c, uint32_t mark);

#endif
