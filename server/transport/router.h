/* Finds the operation of a path: a tree of its pieces, made once from the table. */
#ifndef SERVER_ROUTER_H
#define SERVER_ROUTER_H

#include "server/table.h"

enum { PATH_SEGMENTS_MAX = 12 };

typedef struct router router;

/* Of a table of operations. NULL: out of memory. */
router *router_new(const operation *table, size_t n);
/* Frees it; NULL is fine. */
void router_free(router *r);
/* The operation for method and path, with what stands for {…} in `values`; NULL: none, and `other_method` says whether the
 * path has operations of other methods. */
const operation *router_find(const router *r, const char *method, char **segments, int n, char **values, bool *other_method);

#endif
