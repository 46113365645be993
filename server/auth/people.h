/* The role "task": what people may do who have tasks and are no operators. They act on tasks whose
 * assignee they are, see those and the ones that they delegated or may take (as a candidate, or by
 * a group), and start the processes that they may start. The table names for each operation what
 * it needs (enum people); all others are refused before they come here. What somebody may not see
 * is answered as what is not there. */
#ifndef SERVER_PEOPLE_H
#define SERVER_PEOPLE_H

#include "server/transport/request.h"

/* May who asks do this with what the request names? Else it fails. Within the transaction in which
 * it is then done. */
bool people_permit(request *q);
/* May its list be asked for by this parameter? What the variables of an instance are, or its
 * incidents, one learns of one's own tasks alone. Else it fails. */
bool people_may_ask(request *q, const param *p);
/* Adds to a filter's array "all" what the request's list is limited to; nothing for other users. */
void people_narrow(const request *q, orr_builder *b);

#endif
