-- Statistics: what stands and what happened at definitions and activities, and how long things took.
local L = require "server.lines"

local statistics = { { "failedJobs", "switch" }, { "incidents", "switch" }, { "incidentsForType", "text" } }

return {
  dtos = {
    ActivityStatisticsResultDto = { { "id", "text" }, { "instances", "int" }, { "failedJobs", "int" }, { "incidents", "array" },
      { "@class", "text" }, written = true },
    ProcessDefinitionStatisticsResultDto = { { "id", "text" }, { "instances", "int" }, { "failedJobs", "int" },
      { "incidents", "array" }, { "@class", "text" }, { "definition", "map" }, written = true },
    HistoricActivityStatisticsDto = { { "id", "text", "activity_id" }, { "instances", "int", "instances" },
      { "canceled", "computed", "dto_canceled", type = "int" }, { "finished", "computed", "dto_finished", type = "int" },
      { "completeScope", "computed", "dto_complete_scope", type = "int" }, { "openIncidents", "computed", "dto_open_incidents",
          type = "int" },
      { "resolvedIncidents", "computed", "dto_resolved_incidents", type = "int" },
      { "deletedIncidents", "computed", "dto_deleted_incidents", type = "int" } },
    TaskCountByCandidateGroupResultDto = { { "groupName", "text", "candidate_group" },
      { "taskCount", "int", "tasks" } },
    DurationReportResultDto = { { "period", "int" }, { "periodUnit", "text" }, { "minimum", "int" }, { "maximum", "int" },
      { "average", "int" }, written = true },
  },
  queries = {},
  operations = L.joined {
    {
      { "GET", "/process-definition/statistics", "definition_statistics", "Instances, failed jobs and incidents of each definition.",
        slow = true,
        args = { { "failedJobs", "switch" }, { "incidents", "switch" }, { "incidentsForType", "text" },
          { "rootIncidents", "switch" } }, returns = "[ProcessDefinitionStatisticsResultDto]" },
      { "GET", "/history/process-instance/report", "instance_report", "How long instances took, by month or quarter.", slow = true,
        returns = "[DurationReportResultDto]", args = { { "reportType", "text" }, { "periodUnit", "text" },
          { "processDefinitionIdIn", "ids", "definition_id_in" }, { "processDefinitionKeyIn", "texts", "definition_key_in" },
          { "startedBefore", "time", "started_at_before" }, { "startedAfter", "time", "started_at_after" } } },
      { "GET", "/history/task/report", "task_report",
        "How long user tasks took, by month or quarter, or how many there were by name or process.",
        slow = true, returns = "[map]", args = { { "reportType", "text" }, { "periodUnit", "text" },
          { "groupBy", "text" }, { "completedBefore", "time", "ended_at_before" },
          { "completedAfter", "time", "ended_at_after" } } },
      { "GET", "/task/report/candidate-group-count", "task_groups",
        "Tasks that nobody has taken, by the groups that are asked.", slow = true,
        returns = "[TaskCountByCandidateGroupResultDto]" },
      { "GET", "/history/process-definition/{id}/statistics", "history_statistics", "What happened at each activity.", slow = true,
        returns = "[HistoricActivityStatisticsDto]", missing = "No matching process definition with id: %s",
        args = { { "canceled", "flag" }, { "finished", "flag" }, { "completeScope", "flag" }, { "incidents", "flag" },
          { "startedBefore", "time", "started_before" }, { "startedAfter", "time", "started_after" },
          { "finishedBefore", "time", "ended_before" }, { "finishedAfter", "time", "ended_after" },
          { "processInstanceIdIn", "ids", "instance_in" }, { "sortBy", "text" }, { "sortOrder", "text" } } },
    },
    L.each(L.of_definitions, "GET", "/statistics", "activity_statistics", "What stands at each activity.",
      { args = statistics, returns = "[ActivityStatisticsResultDto]", slow = true }),
  },
}
