-- Variables: of an instance, an execution or a task, of many by a batch, and across instances.
local L = require "server.lines"

local operations = {
  { "GET", "/variable-instance", "list", "Lists variables of running instances.",
      query = "variable_instance" },
  { "POST", "/variable-instance", "list", "The same with the query in the body.",
      query = "variable_instance" },
  { "GET", "/variable-instance/count", "count", "Counts them.", query = "variable_instance" },
  { "POST", "/variable-instance/count", "count", "The same with the query in the body.", query = "variable_instance" },
  { "GET", "/variable-instance/{id}", "variable_instance_get", "One of them.", returns = "VariableInstanceDto",
    args = { { "deserializeValue", "idle" } }, missing = "Variable instance with Id '%s' does not exist." },
  { "GET", "/variable-instance/{id}/data", "variable_instance_data", "Its bytes.", returns = "bytes",
    missing = "Variable instance with Id '%s' does not exist." },
  L.by_batch("/process-instance/variables-async", "variables_async", "Sets variables of many by a batch.", L.many { L.variables }),
}

-- Variables of an instance, an execution or a task: below `path`, `where` says which of their scope.
local function variables(path, where, missing, role)
  for _, op in ipairs {
    { "GET", "", "variables_get", "Its variables.", args = { { "deserializeValues", "idle" } }, returns = "{VariableValueDto}" },
    { "POST", "", "variables_patch", "Sets and deletes variables.", role = "operate", body = { { "modifications", "variables" },
      { "deletions", "texts" } } },
    { "GET", "/{varName}", "variable_get", "One variable.", args = { { "deserializeValue", "idle" } }, returns = "VariableValueDto" },
    { "PUT", "/{varName}", "variable_put", "Sets it.", role = "operate",
      body = { { "value", "any" }, { "type", "text" }, { "valueInfo", "map" } } },
    { "DELETE", "/{varName}", "variable_delete", "Deletes it.", role = "operate" },
    { "GET", "/{varName}/data", "variable_data", "The bytes of a file or binary variable.", returns = "bytes", role = role },
    { "POST", "/{varName}/data", "variable_data_put", "Sets a file or binary variable.", role = "operate", multipart = true,
      parts = { "data", "valueType", "type" } },
  } do
    op[2] = path .. "/{id}/" .. where .. op[2]
    op.missing = missing
    op.missing_status = 500
    operations[#operations + 1] = op
  end
end

variables("/process-instance", "variables", "Cannot find execution with id %s: execution is null", "worker_read")
variables("/execution", "localVariables", "Cannot find execution with id %s: execution is null", "worker_read")
variables("/task", "variables", "Cannot find task with id %s: task is null")
variables("/task", "localVariables", "Cannot find task with id %s: task is null")

return {
  dtos = {
    VariableInstanceDto = {
      { "type", "computed", "dto_value_type", type = "text" }, { "value", "computed", "dto_value", type = "any" },
      { "valueInfo", "computed", "dto_value_info", type = "map" }, { "id", "text", "id" }, { "name", "text", "name" },
      { "processDefinitionId", "id", "definition_id" }, { "processInstanceId", "id", "instance_id" },
      { "executionId", "id", "execution_id" }, { "caseInstanceId", "null" }, { "caseExecutionId", "null" },
      { "taskId", "computed", "dto_task_of", type = "id" },
      { "batchId", "null" }, { "activityInstanceId", "id", "activity_instance_id" }, { "tenantId", "text", "tenant" },
      { "errorMessage", "null" },
    },
    VariableValueDto = { { "type", "text" }, { "value", "any" }, { "valueInfo", "map" }, written = true },
  },
  queries = {
    variable_instance = {
      verb = "variables", dto = "VariableInstanceDto",
      params = {
        L.cased("variableName", "name"), L.cased("variableNameLike", "name_like"),
        { "processInstanceIdIn", "ids", "instance_id_in" }, { "executionIdIn", "ids", "execution_id_in" },
        L.unbuilt("caseInstanceIdIn", L.CASES), L.unbuilt("caseExecutionIdIn", L.CASES), { "taskIdIn", "tasks", "task_in" },
        L.unbuilt("batchIdIn", "batches have no variables"), { "activityInstanceIdIn", "texts", "activity_instance_id_in" },
        L.tenants, { "variableValues", "own", "value", word = "variableValuesIgnoreCase" },
        { "variableNamesIgnoreCase", "switch" }, { "variableValuesIgnoreCase", "switch" },
        { "variableScopeIdIn", "ids", "scope_in" }, { "deserializeValues", "idle" },
      },
      sorts = { variableName = "name", variableType = "type", activityInstanceId = "activity_instance_id", tenantId = "tenant" },
    },
  },
  operations = operations,
}
