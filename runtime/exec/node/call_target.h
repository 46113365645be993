/* Which definition a call activity calls. */
#ifndef ORR_CALL_TARGET_H
#define ORR_CALL_TARGET_H

#include "exec/execution.h"

/* NULL with c->error, which names what was looked for. */
definition *call_target(context *c, const rec_execution *e, const node *n);

#endif
