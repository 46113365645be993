-- Batches, historic ones too. The operations that are done by one stand with what they are about.
local L = require "server.lines"

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
    L.by_batch("/history/batch/set-removal-time", "history_batch_removal_time", "Sets when the records of batches go.",
      L.removal { { "historicBatchIds", "ids" }, { "historicBatchQuery", "query" } }),
  },
}
