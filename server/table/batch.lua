-- Batches, historic ones, and the operations that are done by one.
local L = require "server.table.lines"

local no_instance = "Process instance with id %s does not exist"

local function params(more)
  local out = { { "batchId", "id", "id" }, { "type", "text", "type" }, L.unbuilt("tenantIdIn", "batches have no tenant"),
    { "withoutTenantId", "switch" } }
  return table.move(more, 1, #more, #out + 1, out)
end

local running = params { { "suspended", "bool", "suspended" }, { "createdBy", "text", "user" },
  { "startedBefore", "time", "created_before" }, { "startedAfter", "time", "created_after" },
  { "withFailures", "flag", "has_failures" }, { "withoutFailures", "not", "has_failures" } }
local sorts = { batchId = "id", tenantId = false, startTime = "created" }

-- What both have, live or historic.
local function shape(more)
  local out = {
    { "id", "id", "id" }, { "type", "text", "type" }, { "totalJobs", "int", "jobs" }, { "batchJobsPerSeed", "int", "jobs_per_seed" },
    { "invocationsPerBatchJob", "int", "size" }, { "seedJobDefinitionId", "id", "seed_job_definition_id" },
    { "monitorJobDefinitionId", "id", "monitor_job_definition_id" }, { "batchJobDefinitionId", "id", "batch_job_definition_id" },
    { "tenantId", "null" }, { "createUserId", "text", "user" }, { "startTime", "time", "created" },
    { "executionStartTime", "time", "first_run_at" },
  }
  return table.move(more, 1, #more, #out + 1, out)
end

-- What names many instances.
local function many(more)
  local out = { { "processInstanceIds", "ids" }, { "processInstanceQuery", "query" }, { "historicProcessInstanceQuery", "query" } }
  return table.move(more, 1, #more, #out + 1, out)
end

local function skips(more) return table.move(L.skips, 1, #L.skips, #more + 1, more) end

local delete = skips(many { { "deleteReason", "text" }, { "skipSubprocesses", "unbuilt", "called instances go with their caller" } })
local retries = { { "processInstances", "ids" }, { "processInstanceQuery", "query" }, { "historicProcessInstanceQuery", "query" },
  { "retries", "int" }, { "dueDate", "time" } }
local removal = { { "absoluteRemovalTime", "time" }, { "clearedRemovalTime", "bool" }, { "calculatedRemovalTime", "bool" } }

local function removal_of(more) return table.move(removal, 1, #removal, #more + 1, more) end

-- An operation that answers with the batch that does it.
local function by_batch(path, handler, summary, body, more)
  local op = { "POST", path, handler, summary, role = "operate", returns = "BatchDto", body = body }
  for key, value in pairs(more or {}) do op[key] = value end
  return op
end

return {
  dtos = {
    BatchDto = shape { { "jobsCreated", "int", "jobs_created" }, { "suspended", "bool", "suspended" } },
    BatchStatisticsDto = {
      extends = "BatchDto", { "remainingJobs", "int", "jobs_remaining" }, { "completedJobs", "int", "jobs_completed" },
      { "failedJobs", "int", "jobs_failed" },
    },
    HistoricBatchDto = shape { { "endTime", "time", "ended_at" }, { "removalTime", "time", "remove_at" } },
  },
  queries = {
    batch = { verb = "batches", dto = "BatchDto", params = running, sorts = sorts, unset = "ended_at" },
    batch_statistics = { verb = "batches", dto = "BatchStatisticsDto", params = running, sorts = sorts, unset = "ended_at" },
    history_batch = { verb = "batches", dto = "HistoricBatchDto", params = params { { "completed", "bool", "ended" } },
      sorts = { batchId = "id", tenantId = false, startTime = "created", endTime = "ended_at" } },
  },
  operations = {
    { "GET", "/batch", "list", "Lists batches that run.", query = "batch" },
    { "GET", "/batch/count", "count", "Counts batches that run.", query = "batch" },
    { "GET", "/batch/statistics", "list", "Lists batches that run, with their progress.", query = "batch_statistics" },
    { "GET", "/batch/statistics/count", "count", "Counts them.", query = "batch_statistics" },
    { "GET", "/batch/{id}", "batch_get", "One batch that runs.", returns = "BatchDto", missing = "Batch with id '%s' does not exist" },
    { "DELETE", "/batch/{id}", "batch_delete", "Ends a batch before it is done.", role = "operate", args = { { "cascade", "flag" } },
      missing_status = 400, missing = "Unable to delete batch with id '%s'" },
    { "PUT", "/batch/{id}/suspended", "batch_suspend", "Suspends or activates a batch.", role = "operate",
      body = { { "suspended", "bool" } }, missing_status = 400, missing = "Batch for id '%s' cannot be found" },
    { "GET", "/history/batch", "list", "Lists batches, ended or not.", query = "history_batch" },
    { "GET", "/history/batch/count", "count", "Counts them.", query = "history_batch" },
    { "GET", "/history/batch/{id}", "find", "One batch, ended or not.", query = "history_batch",
      missing = "Historic batch with id '%s' does not exist" },
    { "DELETE", "/history/batch/{id}", "history_batch_delete", "Deletes the record of an ended batch.", role = "operate",
      missing = "Unable to delete historic batch with id '%s'" },
    by_batch("/history/batch/set-removal-time", "history_batch_removal_time", "Sets when the records of batches go.",
      removal_of { { "historicBatchIds", "ids" }, { "historicBatchQuery", "query" } }),

    by_batch("/process-instance/delete", "instances_delete", "Deletes many by a batch.", delete),
    by_batch("/process-instance/delete-historic-query-based", "instances_delete", "The same, found by their history.", delete),
    by_batch("/process-instance/suspended-async", "instances_suspend_async", "Suspends or activates many by a batch.",
      many { { "suspended", "bool" } }),
    by_batch("/process-instance/message-async", "messages_async", "Correlates a message to many by a batch.",
      many { { "messageName", "text" }, L.variables }),
    by_batch("/process-instance/variables-async", "variables_async", "Sets variables of many by a batch.", many { L.variables }),
    by_batch("/process-instance/job-retries", "instances_retry", "Sets the retries of their failed jobs by a batch.", retries,
      { ignored = { "jobIds", "jobQuery" } }),
    by_batch("/process-instance/job-retries-historic-query-based", "instances_retry", "The same, found by their history.", retries,
      { ignored = { "jobIds", "jobQuery" } }),
    by_batch("/process-instance/{id}/modification-async", "instance_modify_async", "Cancels and starts activities by a batch.",
      skips { { "instructions", "array" }, { "annotation", "text" } }, { missing = no_instance }),
    by_batch("/modification/executeAsync", "modification_execute_async", "Carries out one modification in many instances by a batch.",
      skips(many { { "processDefinitionId", "id" }, { "instructions", "array" }, { "annotation", "text" } })),
    by_batch("/migration/executeAsync", "migration_execute_async", "Moves instances to another version by a batch.",
      skips { { "migrationPlan", "map" }, { "processInstanceIds", "ids" }, { "processInstanceQuery", "query" } }),
    by_batch("/process-definition/{id}/restart-async", "definition_restart_async", "Starts ended instances again by a batch.",
      skips { { "processInstanceIds", "ids" }, { "historicProcessInstanceQuery", "query" }, { "initialVariables", "bool" },
        { "withoutBusinessKey", "bool" }, { "instructions", "array" } },
      { missing = "No matching process definition with id: %s" }),
    by_batch("/job/retries", "jobs_retry", "Sets the retries of jobs by a batch.",
      { { "jobIds", "ids" }, { "jobQuery", "query" }, { "retries", "int" }, { "dueDate", "time" } }),
    by_batch("/external-task/retries-async", "externals_retry_async", "Sets the retries of external tasks by a batch.",
      many { { "retries", "int" }, { "externalTaskIds", "ids" }, { "externalTaskQuery", "query" } }),
    by_batch("/history/process-instance/delete", "history_delete_many", "Deletes the history of many by a batch.",
      { { "historicProcessInstanceIds", "ids" }, { "historicProcessInstanceQuery", "query" }, { "deleteReason", "text" },
        { "failIfNotExists", "bool" } }),
    by_batch("/history/process-instance/set-removal-time", "history_removal_time", "Sets when the history of many goes, by a batch.",
      removal_of { { "historicProcessInstanceIds", "ids" }, { "historicProcessInstanceQuery", "query" }, { "hierarchical", "bool" },
        { "updateInChunks", "bool" }, { "updateChunkSize", "int" } }),
  },
}
