/* Forms of tasks and definitions: what Camunda's resources say of them. */
#ifndef SERVER_MAPPING_FORMS_H
#define SERVER_MAPPING_FORMS_H

#include "server/transport/request.h"

/* The form as orr_engine_task_form describes it, kept with the request. False: the request has
 * failed. */
bool forms_of_task(request *q, orr_id task, orr_value *out);
/* The same of a definition's start form. */
bool forms_of_start(request *q, orr_id definition, orr_value *out);
/* Answers { key, camundaFormRef, contextPath }. A form of the model's fields has the key under
 * which it is rendered, below `rendered` ("task/7"). Returns the status. */
int forms_write_key(request *q, const orr_value *form, const char *rendered);
/* Answers the variables of its fields, and those of `others` (a map of described variables; NULL:
 * none), as far as the request names them. Returns the status. */
int forms_write_variables(request *q, const orr_value *form, const orr_value *others);
/* Answers the HTML of its fields; a form without any is 404, with `missing` as the message. Returns
 * the status. */
int forms_render(request *q, const orr_value *form, const char *missing);
/* Where the form lies; false: it is not deployed, and the request has failed. */
bool forms_resource(request *q, const orr_value *form, orr_id *deployment, orr_value *name);

#endif
