/* How often each sequence flow was taken, for orrery.testing: what of a model the tests reached. */
#ifndef ORRERY_FLOW_COUNTS_H
#define ORRERY_FLOW_COUNTS_H

#include <lauxlib.h>

typedef struct flow_counts flow_counts;

void flow_counts_free(flow_counts *f); /* NULL is fine */

/* count_flows, flows_taken */
extern const luaL_Reg flow_counts_functions[];

#endif
