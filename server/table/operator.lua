-- What the operator's page asks for beside Camunda's interface: groups, reasons, figures, the check of models.
return {
  dtos = {
    -- A batch's things beside its jobs: how many are done, were gone before their turn, or failed.
    BatchProgressDto = { extends = "BatchStatisticsDto", { "state", "text", "state" }, { "total", "int", "total" },
      { "done", "int", "done" }, { "skipped", "int", "skipped" }, { "failed", "int", "failed" }, { "endTime", "time", "ended_at" } },
    TakenFlowDto = { { "flowId", "text", "flow_id" }, { "taken", "int", "taken" } },
    TimeZoneDto = { { "timeZone", "text" }, written = true },
  },
  queries = {
    batch_progress = { verb = "batches", dto = "BatchProgressDto", params = { { "completed", "bool", "ended" } },
      sorts = { batchId = "id", endTime = "ended_at" } },
    taken_flows = { verb = "history_flows", dto = "TakenFlowDto", params = { { "processInstanceId", "id", "instance_id" } }, sorts = {} },
  },
  operations = {
    { "GET", "/orrery/batches", "list", "Lists batches, ended or not: what is done, failed, skipped.", query = "batch_progress" },
    { "GET", "/orrery/flows", "list", "The sequence flows that an instance took, and how often.", query = "taken_flows" },
    { "GET", "/orrery/figures", "figures", "How much there is of everything, and an hour of counts by the minute.", returns = "map",
      slow = true },
    { "GET", "/orrery/incident-groups", "incident_groups", "What is broken, by process, activity and message.", returns = "map",
      slow = true },
    { "POST", "/orrery/incident-group", "incident_group", "The jobs, or external tasks, of one of these groups.", returns = "map",
      command = false, slow = true,
      body = { { "definitionId", "id" }, { "activityId", "text" }, { "type", "text" }, { "message", "text" } } },
    { "GET", "/orrery/stuck", "stuck", "Jobs that do not run, by reason.", returns = "map", slow = true },
    { "GET", "/orrery/why", "why", "Why a job does not run.", returns = "map", args = { { "jobId", "id" } }, missing_status = 404,
      missing = "Job with id %s does not exist" },
    { "GET", "/orrery/executors", "executors", "The executors on this store.", returns = "[map]" },
    { "GET", "/orrery/nodes", "nodes", "Who works on this store, on all machines.", returns = "[map]", slow = true },
    { "GET", "/orrery/time-zone", "time_zone", "The store's time zone.", returns = "TimeZoneDto" },
    { "GET", "/orrery/threads", "threads", "What each thread of each executor is at.", returns = "[map]", slow = true },
    { "GET", "/orrery/limits", "limits", "The limits that are set.", returns = "[map]" },
    { "PUT", "/orrery/limits", "limit_set", "Sets a limit, or without max and perSecond takes it away.", role = "operate",
      body = { { "jobDefinitionId", "id" }, { "topic", "text" }, { "key", "text" }, { "max", "int" }, { "perSecond", "any" },
        { "burst", "int" } } },
    { "POST", "/orrery/lint", "lint", "Checks files as a deployment would, and deploys nothing.", role = "deploy", multipart = true,
      returns = "map" },
  },
}
