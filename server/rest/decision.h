/* Decisions that a path names, and those that rows of history are of. */
#ifndef SERVER_REST_DECISION_H
#define SERVER_REST_DECISION_H

#include "server/transport/request.h"

/* The decision of a row of history, for the names of its table. */
typedef struct decided {
  orr_id id;             /* 0: none yet */
  orr_records *decision; /* NULL: it is gone */
  orr_builder *builder;
  orr_value table;       /* of orr_engine_decision_table; ORR_NIL: its model is gone */
} decided;

/* The decision of the path: by id, or the latest of a key, of a tenant or of none. NULL: there is none, the request has
 * failed. The caller frees. */
orr_records *decision_of_path(request *q);
/* The definition of a row of history and the names of its table: rows that follow each other are mostly of one. NULL: it is
 * gone, or the row is of a decision of an imported model, which is no definition. */
const decided *decided_of(const row *r);

#endif
