--- What an event of a model waits for, as its XML says it.
local waiting = {}

local KINDS <const> = { timerEventDefinition = "timer", messageEventDefinition = "message",
  signalEventDefinition = "signal", conditionalEventDefinition = "condition" }

--- "timer", "message", "signal" or "condition", and the element that says so; nil for an event that
--- does not wait.
function waiting.kind_of(event)
  for _, child in ipairs(event) do
    if KINDS[child.name] then return KINDS[child.name], child end
  end
end

return waiting
