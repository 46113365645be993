/* Input and output parameters of a node, and the data objects of a scope that opens.
 *
 * Both mappings are operations, since a parameter may be a script that waits. Plan them with op->node set; each plans
 * itself again for the parameters that remain, so whatever was planned behind it runs when the mapping is done. */
#ifndef ORR_IO_H
#define ORR_IO_H

#include "exec/agenda.h"
#include "state/execution.h"

/* Inputs go to the token's own scope. Plan before the start listeners. Skips itself for nodes without inputs and when the
 * context or the operation (OP_SKIP_IO) says so. */
int op_io_input(context *c, operation *op);
/* Outputs are evaluated in the token's scope and written outwards from the enclosing one. Plan before the scope closes. */
int op_io_output(context *c, operation *op);
static inline bool io_has_inputs(const node *n) { return n->n_inputs > 0; }
static inline bool io_has_outputs(const node *n) { return n->n_outputs > 0; }

/* Creates the data objects of `n` (process or sub-process) as local variables of `s`. At once. */
int io_open_scope(context *c, const scope *s, const node *n);

#endif
