-- User tasks.
local L = require "server.table.lines"

local missing = "Cannot find task with id %s: task is null"
local expressions = {}
for _, name in ipairs { "processInstanceBusinessKey", "processInstanceBusinessKeyLike", "assignee", "assigneeLike", "owner",
  "candidateGroup", "candidateUser", "involvedUser", "dueDate", "dueAfter", "dueBefore", "followUpDate", "followUpAfter",
  "followUpBefore", "followUpBeforeOrNotExistent", "createdOn", "createdAfter", "createdBefore", "updatedAfter",
  "candidateGroups" } do
  expressions[#expressions + 1] = L.unbuilt(name .. "Expression", "expressions of the caller's are not evaluated")
end
for _, name in ipairs { "caseInstanceId", "caseInstanceBusinessKey", "caseInstanceBusinessKeyLike", "caseDefinitionId",
  "caseDefinitionKey", "caseDefinitionName", "caseDefinitionNameLike", "caseExecutionId", "caseInstanceVariables" } do
  expressions[#expressions + 1] = L.unbuilt(name, L.CASES)
end

local params = {
  { "taskId", "id", "id" }, { "taskIdIn", "ids", "id_in" }, { "processInstanceId", "id", "instance_id" },
  { "processInstanceIdIn", "ids", "instance_id_in" }, { "processInstanceBusinessKey", "text", "business_key" },
  { "processInstanceBusinessKeyIn", "texts", "business_key_in" },
  { "processInstanceBusinessKeyLike", "like", "business_key_like" }, { "processDefinitionId", "id", "definition_id" },
  { "processDefinitionKey", "text", "definition_key" }, { "processDefinitionKeyIn", "texts", "definition_key_in" },
  { "processDefinitionName", "text", "definition_name" }, { "processDefinitionNameLike", "like", "definition_name_like" },
  { "executionId", "id", "execution_id" }, { "activityInstanceIdIn", "texts", "activity_instance_id_in" }, L.tenants, L.no_tenant,
  { "assignee", "text", "assignee" }, { "assigneeLike", "like", "assignee_like" }, { "assigneeIn", "texts", "assignee_in" },
  { "assigneeNotIn", "texts", "assignee_not_in" }, { "owner", "text", "owner" }, { "candidateGroup", "text", "candidate_group" },
  { "candidateGroupLike", "like", "candidate_group_like" }, { "candidateUser", "text", "candidate_user" },
  { "includeAssignedTasks", "beside", "include_assigned" }, { "involvedUser", "text", "involved_user" },
  { "assigned", "flag", "assigned" }, { "unassigned", "flag", "unassigned" }, { "taskDefinitionKey", "text", "key" },
  { "taskDefinitionKeyIn", "texts", "key_in" }, { "taskDefinitionKeyNotIn", "texts", "key_not_in" },
  { "taskDefinitionKeyLike", "like", "key_like" }, { "name", "text", "name" }, { "nameNotEqual", "text", "name_ne" },
  { "nameLike", "like", "name_like" }, { "nameNotLike", "like", "name_not_like" }, { "description", "text", "description" },
  { "descriptionLike", "like", "description_like" }, { "priority", "int", "priority" }, { "maxPriority", "int", "priority_le" },
  { "minPriority", "int", "priority_ge" }, { "dueDate", "time", "due" }, { "dueAfter", "time", "due_after" },
  { "dueBefore", "time", "due_before" }, { "withoutDueDate", "none", "due" }, { "followUpDate", "time", "follow_up" },
  { "followUpAfter", "time", "follow_up_after" }, { "followUpBefore", "time", "follow_up_before" },
  { "followUpBeforeOrNotExistent", "before_or_none", "follow_up" }, { "createdOn", "time", "created" }, { "createdAfter", "time",
      "created_after" },
  { "createdBefore", "time", "created_before" }, { "updatedAfter", "time", "last_updated_after" },
  { "delegationState", "lower", "delegation" }, { "candidateGroups", "texts", "candidate_groups" },
  { "withCandidateGroups", "flag", "with_candidate_groups" }, { "withoutCandidateGroups", "not", "with_candidate_groups" },
  { "withCandidateUsers", "flag", "with_candidate_users" }, { "withoutCandidateUsers", "not", "with_candidate_users" },
  { "active", "not", "suspended" }, { "suspended", "flag", "suspended" }, { "taskVariables", "variables", "local_variables" },
  { "processVariables", "variables", "process_variables" }, L.names_ignore,
  L.values_ignore, { "parentTaskId", "id", "parent_id" },
  L.unbuilt("withCommentAttachmentInfo", "comments and attachments"), L.or_queries,
  L.unbuilt("withTaskVariablesInReturn", "variables within a list of tasks"),
  L.unbuilt("withTaskLocalVariablesInReturn", "variables within a list of tasks"),
}
table.move(expressions, 1, #expressions, #params + 1, params)

local user = { { "userId", "text" } }
local link = { { "userId", "text" }, { "groupId", "text" }, { "type", "text" } }

return {
  dtos = {
    TaskDto = {
      { "id", "id", "id" }, { "name", "text", "name" }, { "assignee", "text", "assignee" }, { "owner", "text", "owner" },
      { "created", "time", "created" }, { "lastUpdated", "time", "last_updated" }, { "due", "time", "due" },
      { "followUp", "time", "follow_up" }, { "delegationState", "computed", "dto_delegation", type = "text" },
      { "description", "text", "description" },
      { "executionId", "id", "execution_id" }, { "parentTaskId", "id", "parent_id" }, { "priority", "int", "priority" },
      { "processDefinitionId", "id", "definition_id" }, { "processInstanceId", "id", "instance_id" }, { "caseExecutionId", "null" },
      { "caseDefinitionId", "null" }, { "caseInstanceId", "null" }, { "taskDefinitionKey", "text", "key" },
      { "suspended", "bool", "suspended" }, { "formKey", "text", "form_key" }, { "camundaFormRef", "null" },
      { "tenantId", "text", "tenant" }, { "taskState", "computed", "dto_task_state", type = "text" },
    },
    IdentityLinkDto = { { "userId", "text" }, { "groupId", "text" }, { "type", "text" }, written = true },
  },
  queries = {
    task = {
      verb = "tasks", dto = "TaskDto", params = params,
      sorts = { instanceId = "instance_id", caseInstanceId = false, dueDate = "due", followUpDate = "follow_up",
        executionId = "execution_id", caseExecutionId = false, assignee = "assignee", created = "created", lastUpdated = "last_updated",
        description = "description", id = "id", name = "name", nameCaseInsensitive = false, priority = "priority",
        processVariable = false, executionVariable = false, taskVariable = false, caseExecutionVariable = false,
        caseInstanceVariable = false, tenantId = "tenant" },
    },
  },
  operations = {
    { "GET", "/task", "list", "Lists user tasks.", query = "task" },
    { "POST", "/task", "list", "The same with the query in the body.", query = "task" },
    { "GET", "/task/count", "count", "Counts user tasks.", query = "task" },
    { "POST", "/task/count", "count", "The same with the query in the body.", query = "task" },
    { "POST", "/task/create", "task_create", "Makes a task of no process.", role = "operate",
      body = { { "id", "unbuilt", "ids are given by the engine" }, { "name", "text" }, { "description", "text" }, { "assignee", "text" },
        { "owner", "text" }, { "delegationState", "text" }, { "priority", "int" },
        { "due", "time" }, { "followUp", "time" }, { "parentTaskId", "id" }, { "tenantId", "text" },
        { "caseInstanceId", "unbuilt", L.CASES } }, ignored = L.task_facts },
    { "GET", "/task/{id}", "find", "One user task.", query = "task", missing = "No matching task with id %s",
      args = { L.unbuilt("withCommentAttachmentInfo", "comments and attachments") } },
    { "PUT", "/task/{id}", "task_update", "Changes a task.", role = "operate", missing_status = 404,
      missing = "No matching task with id %s",
      body = { { "name", "text" }, { "description", "text" }, { "assignee", "text" }, { "owner", "text" }, { "priority", "int" },
        { "due", "time" }, { "followUp", "time" }, { "delegationState", "text" },
        { "parentTaskId", "id" }, { "caseInstanceId", "unbuilt", L.CASES } }, ignored = L.task_facts },
    { "DELETE", "/task/{id}", "task_delete", "Deletes a task that belongs to no instance.", role = "operate", missing_status = 400,
      missing = "No matching task with id %s" },
    { "POST", "/task/{id}/assignee", "task_assign", "Sets or clears the assignee.", role = "operate", body = user,
      missing_status = 500, missing = missing },
    { "POST", "/task/{id}/claim", "task_claim", "Takes a task for a user.", role = "operate", body = user, missing_status = 500,
      missing = missing },
    { "POST", "/task/{id}/unclaim", "task_unclaim", "Gives it back.", role = "operate", missing_status = 500, missing = missing },
    { "POST", "/task/{id}/delegate", "task_delegate", "Hands it to another user, who resolves it.", role = "operate", body = user,
      missing_status = 500, missing = missing },
    { "POST", "/task/{id}/resolve", "task_resolve", "Gives a delegated task back to its owner.", role = "operate",
      body = { L.variables }, ignored = { "withVariablesInReturn" }, optional_body = true, missing_status = 500, missing = missing },
    { "POST", "/task/{id}/complete", "task_complete", "Completes a task.", role = "operate", returns = "{VariableValueDto}",
      body = { L.variables, { "withVariablesInReturn", "bool" } }, optional_body = true, missing_status = 500, missing = missing },
    { "POST", "/task/{id}/submit-form", "task_complete", "Completes a task with what its form says.", role = "operate",
      body = { L.variables, { "withVariablesInReturn", "bool" } }, optional_body = true, returns = "{VariableValueDto}",
      missing_status = 500, missing = missing },
    { "POST", "/task/{id}/bpmnError", "task_bpmn_error", "Raises a BPMN error where the task stands.", role = "operate",
      body = { { "errorCode", "text" }, { "errorMessage", "text" }, L.variables }, missing_status = 404, missing = missing },
    { "POST", "/task/{id}/bpmnEscalation", "task_escalation", "Raises an escalation where it stands.", role = "operate",
      body = { { "escalationCode", "text" }, L.variables }, missing_status = 404, missing = missing },
    { "GET", "/task/{id}/identity-links", "task_links", "Who has to do with it.", returns = "[IdentityLinkDto]",
      args = { { "type", "text" } }, missing_status = 400, missing = missing },
    { "POST", "/task/{id}/identity-links", "task_link_add", "Ties a user or a group to it.", role = "operate", body = link,
      missing_status = 400, missing = missing },
    { "POST", "/task/{id}/identity-links/delete", "task_link_delete", "Unties them.", role = "operate", body = link,
      missing_status = 400, missing = missing },
    { "GET", "/task/{id}/form", "task_form", "Where its form is.", returns = "FormDto", missing_status = 400, missing = missing },
    { "GET", "/task/{id}/form-variables", "task_form_variables", "The variables that its form may show.",
      args = { { "variableNames", "text" }, { "deserializeValues", "switch" } }, returns = "{VariableValueDto}", missing_status = 404,
      missing = missing },
    { "GET", "/task/{id}/rendered-form", "task_form_rendered", "Its form as HTML: there is none, 404.", missing_status = 404,
      missing = missing },
    { "GET", "/task/{id}/deployed-form", "task_deployed_form", "The form that was deployed with its process.", returns = "bytes",
      missing_status = 404, missing = missing },
  },
}
