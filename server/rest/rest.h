/* What the operations' files share, each in the header of the file that has it: how a request becomes a filter (query.h), a
 * record JSON (dto.h), a body variables (values.h). */
#ifndef SERVER_REST_H
#define SERVER_REST_H

#include "server/rest/base.h"
#include "server/rest/batch.h"
#include "server/rest/decision.h"
#include "server/rest/definition.h"
#include "server/rest/deployment.h"
#include "server/rest/dto.h"
#include "server/rest/event.h"
#include "server/rest/many.h"
#include "server/rest/query.h"
#include "server/rest/values.h"

#endif
