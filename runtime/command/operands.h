/* What commands take: records by their ids, and maps. Each fills c->error when the caller's word does not hold. */
#ifndef ORR_OPERANDS_H
#define ORR_OPERANDS_H

#include "lookup.h"

/* NULL with c->error (ORR_E_NOT_FOUND, or a failure of the store). */
rec_task *operand_task(context *c, orr_id id);
rec_job *operand_job(context *c, orr_id id);
rec_job_definition *operand_job_definition(context *c, orr_id id);
rec_external_task *operand_external_task(context *c, orr_id id);
rec_incident *operand_incident(context *c, orr_id id);

/* Not given, a map, or an empty array, which is how a script's empty table may arrive. */
int operand_map(context *c, const orr_value *value, const char *name);
/* A text that must be there and hold something. */
int operand_text(context *c, const char *text, const char *what);

#endif
