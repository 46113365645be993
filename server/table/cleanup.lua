-- Clean-up of history: its jobs, and reports of what it would find.
local L = require "server.lines"

local function report(key)
  return { { key .. "DefinitionIdIn", "ids", "id_in" }, { key .. "DefinitionKeyIn", "texts", "key_in" }, L.tenants, L.no_tenant,
    { "compact", "switch" }, { "sortBy", "idle" }, { "sortOrder", "idle" }, { "firstResult", "idle" }, { "maxResults", "idle" } }
end

local function reported(prefix, finished, cleanable)
  return { { prefix .. "Id", "id" }, { prefix .. "Key", "text" }, { prefix .. "Name", "text" }, { prefix .. "Version", "int" },
    { "historyTimeToLive", "int" }, { finished, "int" }, { cleanable, "int" }, { "tenantId", "text" }, written = true }
end

local instances, decisions = "/history/process-definition/cleanable-process-instance-report",
  "/history/decision-definition/cleanable-decision-instance-report"

local batches = "/history/batch/cleanable-batch-report"
local of_batches = { { "sortBy", "idle" }, { "sortOrder", "idle" }, { "firstResult", "idle" },
  { "maxResults", "idle" } }

return {
  dtos = {
    HistoryCleanupConfigurationDto = { { "batchWindowStartTime", "null" }, { "batchWindowEndTime", "null" }, { "enabled", "bool" },
      written = true },
    CleanableHistoricProcessInstanceReportResultDto = reported("processDefinition", "finishedProcessInstanceCount",
      "cleanableProcessInstanceCount"),
    CleanableHistoricDecisionInstanceReportResultDto = reported("decisionDefinition", "finishedDecisionInstanceCount",
      "cleanableDecisionInstanceCount"),
    CleanableHistoricBatchReportResultDto = { { "batchType", "text" },
      { "historyTimeToLive", "null" }, { "finishedBatchesCount", "int" },
      { "cleanableBatchesCount", "int" }, written = true },
  },
  queries = {},
  operations = {
    { "GET", "/history/cleanup/configuration", "cleanup_configuration", "When clean-up may run: at any hour.",
      returns = "HistoryCleanupConfigurationDto" },
    { "GET", "/history/cleanup/job", "cleanup_job", "The job that cleans history; 404 when none is scheduled.", returns = "JobDto" },
    { "GET", "/history/cleanup/jobs", "cleanup_jobs", "The same as a list.", returns = "[JobDto]" },
    { "POST", "/history/cleanup", "cleanup_start", "Has history cleaned now, by each definition's time to live.", role = "operate",
      returns = "JobDto", args = { { "immediatelyDue", "switch" } }, again = true },
    { "GET", instances, "cleanable_instances", "Ended instances of each definition, and how many of them clean-up would take.",
      slow = true, args = report "process", returns = "[CleanableHistoricProcessInstanceReportResultDto]" },
    { "GET", instances .. "/count", "cleanable_instances_count", "How many rows that has.", slow = true, args = report "process",
      returns = "CountResultDto" },
    { "GET", decisions, "cleanable_decisions", "The same of what was decided.", slow = true, args = report "decision",
      returns = "[CleanableHistoricDecisionInstanceReportResultDto]" },
    { "GET", batches, "cleanable_batches", "Ended batches of each type, and how many of them \z
      clean-up would take: those whose time of removal has come.", slow = true,
      args = of_batches, returns = "[CleanableHistoricBatchReportResultDto]" },
    { "GET", batches .. "/count", "cleanable_batches_count", "How many rows that has.", slow = true,
      args = of_batches, returns = "CountResultDto" },
    { "GET", decisions .. "/count", "cleanable_decisions_count", "How many rows that has.", slow = true, args = report "decision",
      returns = "CountResultDto" },
  },
}
