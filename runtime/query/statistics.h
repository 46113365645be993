/* Counts by definition and by activity: what runs, what has failed, what has ended. Each is one
 * walk along an index, however many activities there are. */
#ifndef ORR_QUERY_STATISTICS_H
#define ORR_QUERY_STATISTICS_H

#include "query/results.h"

/* Without a definition, a row for each deployed definition: its fields, instances and, on request,
 * failed_jobs and incidents. With one, a row for each activity where tokens are, or that has what
 * was asked for. `request` is a map: definition, failed_jobs, incidents, incident_type,
 * root_incidents. */
int statistics_live(context *c, const orr_value *request, orr_records **out);
/* A row for each activity of a definition that history has: instances (not ended), finished,
 * canceled, complete_scope, and with incidents = true open_incidents, resolved_incidents,
 * deleted_incidents. `request`: definition, incidents, instance_in, started_before, started_after,
 * ended_before, ended_after (of the process instances). */
int statistics_history(context *c, const orr_value *request, orr_records **out);

#endif
