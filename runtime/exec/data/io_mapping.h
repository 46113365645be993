/* Input and output parameters of a node, and the data objects of a scope that opens.
 *
 * Both mappings are operations, because a parameter may be a script that waits. Plan them with
 * op->node set. Each plans itself again for the parameters that remain, so what was planned behind
 * it runs when the mapping is done. */
#ifndef ORR_IO_H
#define ORR_IO_H

#include "exec/agenda.h"
#include "state/execution.h"

/* Sets the inputs in the token's own scope. Plan it before the start listeners. Does nothing for
 * nodes without inputs, and when the context or the operation (OP_SKIP_IO) skips it. */
int op_io_input(context *c, operation *op);
/* Evaluates the outputs in the token's scope, and sets them from the enclosing scope outwards. Plan
 * it before the scope closes. */
int op_io_output(context *c, operation *op);
static inline bool io_has_inputs(const node *n) { return n->n_inputs > 0; }
static inline bool io_has_outputs(const node *n) { return n->n_outputs > 0; }

/* Creates the data objects of `n` (a process or sub-process) as local variables of `s`, at once. */
int io_open_scope(context *c, const scope *s, const node *n);

#endif
