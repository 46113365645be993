-- What is known and not built, by the reason that the answer 501 tells.
local unbuilt = {
  ["the file of users says who there is"] = {
    "DELETE /tenant/{id}/group-members/{groupId}", "PUT /tenant/{id}/group-members/{groupId}",
  },
  ["tenants are texts that definitions carry"] = {
    "DELETE /tenant/{id}/user-members/{userId}", "PUT /tenant/{id}/user-members/{userId}",
  },
  ["what was decided goes with its instance, or by its time to live"] = {
    "GET /history/decision-definition/cleanable-decision-instance-report",
    "GET /history/decision-definition/cleanable-decision-instance-report/count",
    "POST /history/decision-instance/delete", "POST /history/decision-instance/set-removal-time",
  },
  ["a decision's time to live is its model's"] = {
    "PUT /decision-definition/key/{key}/history-time-to-live", "PUT /decision-definition/{id}/history-time-to-live",
    "PUT /decision-definition/key/{key}/tenant-id/{tenant-id}/history-time-to-live",
  },
  ["requirements graphs are not records of their own"] = {
    "GET /decision-requirements-definition/key/{key}/tenant-id/{tenant-id}",
    "GET /decision-requirements-definition/key/{key}/tenant-id/{tenant-id}/diagram",
    "GET /decision-requirements-definition/key/{key}/tenant-id/{tenant-id}/xml",
    "GET /decision-requirements-definition", "GET /decision-requirements-definition/count",
    "GET /decision-requirements-definition/key/{key}", "GET /decision-requirements-definition/key/{key}/diagram",
    "GET /decision-requirements-definition/key/{key}/xml", "GET /decision-requirements-definition/{id}",
    "GET /decision-requirements-definition/{id}/diagram", "GET /decision-requirements-definition/{id}/xml",
    "GET /history/decision-requirements-definition/{id}/statistics",
  },
  ["reports"] = {
    "GET /history/batch/cleanable-batch-report", "GET /history/batch/cleanable-batch-report/count",
    "GET /history/process-definition/cleanable-process-instance-report",
    "GET /history/process-definition/cleanable-process-instance-report/count", "GET /task/report/candidate-group-count",
  },
  ["history is cleaned by jobs of the engine"] = {
    "GET /history/cleanup/configuration", "GET /history/cleanup/job", "GET /history/cleanup/jobs", "POST /history/cleanup",
  },
  ["a store has no schema log"] = {
    "GET /schema/log", "POST /schema/log",
  },
  ["nothing is reported to anybody"] = {
    "POST /telemetry/configuration",
  },
  ["there are no authorizations to ask for"] = {
    "OPTIONS /authorization", "OPTIONS /authorization/{id}", "OPTIONS /filter",
    "OPTIONS /filter/{id}", "OPTIONS /group", "OPTIONS /group/{id}",
    "OPTIONS /group/{id}/members", "OPTIONS /tenant", "OPTIONS /tenant/{id}", "OPTIONS /tenant/{id}/group-members",
    "OPTIONS /tenant/{id}/user-members", "OPTIONS /user", "OPTIONS /user/{id}",
  },
}

local operations = {}
for why, list in pairs(unbuilt) do
  for _, line in ipairs(list) do
    local method, path = line:match "^(%S+) (%S+)$"
    operations[#operations + 1] = { method, path, "unbuilt", "Not built: " .. why .. ".", unbuilt = why,
      role = method == "GET" and "read" or "operate", args = "ignored" }
  end
end
table.sort(operations, function(a, b) return a[2] .. a[1] < b[2] .. b[1] end)

return { dtos = {}, queries = {}, operations = operations }
