/* The subjects of users' operations, for the log (state/user_operation.h). Each function names a
 * thing and what it belongs to; types are Camunda's names. A command logs after its change, so a
 * command that is refused has written nothing. */
#ifndef ORR_COMMAND_OPERATIONS_H
#define ORR_COMMAND_OPERATIONS_H

#include "record/record.h"
#include "state/user_operation.h"

static inline user_operation operation_on_task(const rec_task *t, const char *type) {
  return (user_operation){.type = type, .entity = "Task", .category = OPERATION_BY_WORKER, .instance = t->instance_id,
                          .execution = t->execution_id, .task = t->id, .definition = t->definition_id};
}

static inline user_operation operation_on_instance(orr_id instance, const char *type) {
  return (user_operation){.type = type, .entity = "ProcessInstance", .category = OPERATION_BY_OPERATOR, .instance = instance};
}

static inline user_operation operation_on_definition(const rec_definition *d, const char *type) {
  return (user_operation){.type = type, .entity = "ProcessDefinition", .category = OPERATION_BY_OPERATOR, .definition = d->id};
}

static inline user_operation operation_on_job(const rec_job *j, const char *type) {
  return (user_operation){.type = type, .entity = "Job", .category = OPERATION_BY_OPERATOR, .instance = j->instance_id,
                          .execution = j->execution_id, .job = j->id, .job_definition = j->job_definition_id,
                          .deployment = j->deployment_id, .definition = j->definition_id};
}

static inline user_operation operation_on_job_definition(const rec_job_definition *d, const char *type) {
  return (user_operation){.type = type, .entity = "JobDefinition", .category = OPERATION_BY_OPERATOR, .job_definition = d->id,
                          .deployment = d->deployment_id, .definition = d->definition_id};
}

static inline user_operation operation_on_external(const rec_external_task *t, const char *type) {
  return (user_operation){.type = type, .entity = "ExternalTask", .category = OPERATION_BY_OPERATOR, .instance = t->instance_id,
                          .execution = t->execution_id, .external_task = t->id, .definition = t->definition_id};
}

static inline user_operation operation_on_incident(const rec_incident *i, const char *type) {
  return (user_operation){.type = type, .entity = "Incident", .category = OPERATION_BY_OPERATOR, .instance = i->instance_id,
                          .execution = i->execution_id, .definition = i->definition_id};
}

static inline user_operation operation_on_deployment(orr_id id, const char *type) {
  return (user_operation){.type = type, .entity = "Deployment", .category = OPERATION_BY_OPERATOR, .deployment = id};
}

static inline user_operation operation_on_decision(orr_id deployment, const char *type) {
  return (user_operation){.type = type, .entity = "DecisionDefinition", .category = OPERATION_BY_OPERATOR,
                          .deployment = deployment};
}

static inline user_operation operation_on_batch(orr_id id, const char *type) {
  return (user_operation){.type = type, .entity = "Batch", .category = OPERATION_BY_OPERATOR, .batch = id};
}

#endif
