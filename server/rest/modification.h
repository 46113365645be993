/* Instructions that cancel and start activities: those of a modification, a start, a restart. */
#ifndef SERVER_REST_MODIFICATION_H
#define SERVER_REST_MODIFICATION_H

#include "server/transport/request.h"

/* The instructions of a body's member, in the words of the engine. False: the request has failed. */
bool modification_instructions(request *q, const char *member, orr_value *out);

#endif
