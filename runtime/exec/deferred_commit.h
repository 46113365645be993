/* Commits that their command does not wait for: the committer gets what is left of the context
 * (exec/pending_commit.h), and its thread tells the caller the answer. */
#ifndef ORR_DEFERRED_COMMIT_H
#define ORR_DEFERRED_COMMIT_H

#include "engine/engine.h"
#include "state/context.h"

/* Does what context_commit does, and the context is gone. Where `how` asks for it, the batch is only
 * submitted, and `how` is marked as taken: 0 then says no more than that the batch is on its way.
 * What cannot be deferred is waited for: without a committer's thread, without a batch, or when
 * more follows the commit than a pending commit keeps. */
int context_commit_deferred(context *c, commit_deferral *how, orr_error *err);

#endif
