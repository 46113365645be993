/* Which definition a call activity calls. */
#ifndef ORR_CALL_TARGET_H
#define ORR_CALL_TARGET_H

#include "state/execution.h"

/* NULL with c->error, which says what was looked for. */
definition *call_target(context *c, const rec_execution *e, const node *n);

/* What the call activity would call now, by its model alone. NULL: an expression decides, or
 * nothing is found. `calling` is the record of the definition with the activity. 0 or a code with
 * c->error. */
int call_target_static(context *c, const rec_definition *calling, const node *n, rec_definition **out);

#endif
