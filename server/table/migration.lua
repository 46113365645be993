-- Migration: plans, and instances that move to another version.
local L = require "server.lines"

local plan = { { "sourceProcessDefinitionId", "id" }, { "targetProcessDefinitionId", "id" }, { "instructions", "array" },
  L.variables }
local migration = { { "migrationPlan", "map" }, { "processInstanceIds", "ids" }, { "processInstanceQuery", "query" },
  { "skipCustomListeners", "bool" }, { "skipIoMappings", "bool" } }

return {
  dtos = {
    MigrationPlanDto = { { "sourceProcessDefinitionId", "id" }, { "targetProcessDefinitionId", "id" }, { "instructions", "array" },
      { "variables", "map" }, written = true },
    MigrationPlanReportDto = { { "instructionReports", "array" }, { "variableReports", "map" }, written = true },
  },
  queries = {},
  operations = {
    { "POST", "/migration/generate", "migration_generate", "Makes a plan.", command = false,
      body = { { "sourceProcessDefinitionId", "id" }, { "targetProcessDefinitionId", "id" }, { "updateEventTriggers", "bool" },
        L.variables }, returns = "MigrationPlanDto" },
    { "POST", "/migration/validate", "migration_validate", "Says what stands against a plan.", command = false, body = plan,
      returns = "MigrationPlanReportDto" },
    { "POST", "/migration/execute", "migration_execute", "Moves instances to another version.", role = "operate", body = migration },
    L.by_batch("/migration/executeAsync", "migration_execute_async", "Moves instances to another version by a batch.",
      L.with_skips { { "migrationPlan", "map" }, { "processInstanceIds", "ids" }, { "processInstanceQuery", "query" } }),
  },
}
