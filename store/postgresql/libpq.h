/* libpq, loaded when a store in PostgreSQL is first named (base/library.h): `pq.clear` is its PQclear. */
#ifndef ORR_STORE_POSTGRESQL_LIBPQ_H
#define ORR_STORE_POSTGRESQL_LIBPQ_H

#include <libpq-fe.h>

#include "base/error.h"

#define LIBPQ_FUNCTIONS(F) \
  F(backendPID) F(clear) F(connectPoll) F(connectStartParams) F(connectdbParams) \
  F(connectionNeedsPassword) F(connectionUsedPassword) F(conninfoFree) F(conninfoParse) \
  F(consumeInput) F(enterPipelineMode) F(errorMessage) F(escapeIdentifier) F(exec) \
  F(execParams) F(exitPipelineMode) F(finish) F(flush) F(freemem) F(getResult) F(getisnull) \
  F(getlength) F(getvalue) F(isBusy) F(notifies) F(ntuples) F(pipelineSync) F(resultErrorField) \
  F(resultMemorySize) F(resultStatus) F(sendPrepare) F(sendQueryParams) F(sendQueryPrepared) \
  F(setNoticeProcessor) F(setnonblocking) F(socket) F(status)

#define FIELD(name) __typeof__(PQ##name) *name;
typedef struct libpq_functions { LIBPQ_FUNCTIONS(FIELD) } libpq_functions;
#undef FIELD

/* There once libpq_load has succeeded. Linked under a name that a host of the archive has not. */
extern libpq_functions pq __asm__("orr_libpq");

/* Any thread. ORR_E_UNSUPPORTED: it is not there. */
int libpq_load(orr_error *err);

#endif
