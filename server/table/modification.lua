-- Modification: what cancels and starts activities, in one instance or in many.
local L = require "server.lines"

local no_instance = "Process instance with id %s does not exist"
local one = L.with_skips { { "instructions", "array" }, { "annotation", "text" } }

return {
  dtos = {},
  queries = {},
  operations = {
    { "POST", "/process-instance/{id}/modification", "instance_modify", "Cancels and starts activities.", role = "operate",
      body = one, missing = no_instance },
    L.by_batch("/process-instance/{id}/modification-async", "instance_modify_async", "Cancels and starts activities by a batch.",
      one, { missing = no_instance }),
    { "POST", "/modification/execute", "modification_execute", "Carries out one modification in many instances.", role = "operate",
      body = L.with_skips { { "processDefinitionId", "id" },
        { "historicProcessInstanceQuery", "unbuilt", "what runs is found by processInstanceQuery" }, { "instructions", "array" },
        { "processInstanceIds", "ids" }, { "processInstanceQuery", "query" }, { "annotation", "text" } } },
    L.by_batch("/modification/executeAsync", "modification_execute_async", "Carries out one modification in many instances by a batch.",
      L.with_skips(L.many { { "processDefinitionId", "id" }, { "instructions", "array" }, { "annotation", "text" } })),
  },
}
