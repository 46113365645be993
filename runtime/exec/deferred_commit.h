/* Commits that their command does not wait for: what is left of its context goes to the committer as a parcel, and the
 * committer's thread tells who asked for it. */
#ifndef ORR_DEFERRED_COMMIT_H
#define ORR_DEFERRED_COMMIT_H

#include "engine/engine.h"
#include "state/context.h"

/* context_commit, with which the context is gone; but where `how` asks for it, the batch is submitted and `how` marked as
 * taken. 0 says no more then than that the batch is on its way. What cannot be deferred is waited for: a commit without a
 * committer, of nothing, or behind which more of the context is needed than a parcel keeps. */
int context_commit_deferred(context *c, commit_deferral *how, orr_error *err);

#endif
