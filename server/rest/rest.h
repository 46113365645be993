/* What the operations' files share, each in the header of the file that has it: how a request becomes a filter (query.h), a
 * record JSON (dto.h), a body variables (values.h). */
#ifndef SERVER_REST_H
#define SERVER_REST_H

#include "server/mapping/operation.h"
#include "server/rest/batch.h"
#include "server/rest/decision.h"
#include "server/rest/definition.h"
#include "server/rest/deployment.h"
#include "server/mapping/dto.h"
#include "server/rest/migration.h"
#include "server/mapping/selection.h"
#include "server/mapping/query.h"
#include "server/mapping/values.h"

#endif
