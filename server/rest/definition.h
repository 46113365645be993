/* Definitions that a path names, and forms. */
#ifndef SERVER_REST_DEFINITION_H
#define SERVER_REST_DEFINITION_H

#include "server/transport/request.h"

/* The definition of the path: by id, or the latest of a key that no tenant has. 0: there is none, the request has failed. */
orr_id rest_definition_of_path(request *q);
/* Writes the variables of an instance as an object; of one that has ended, those of its history. */
void rest_instance_variables(request *q, orr_id instance);
/* Answers with the file of a form (forms_of_task), which must be deployed; returns the status. */
int rest_form_deployed(request *q, const orr_value *form);

#endif
