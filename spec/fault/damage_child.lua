-- Reads all there is in a damaged store, and writes. Ends with 0 when it could, with 1 when an error said that it cannot.
-- Argument: the store.
local orrery = require "orrery"
local store = ...

local ok, failure = pcall(function()
  local engine <close> = orrery.open(store, { log = "none" })
  for _, verb in ipairs { "instances", "executions", "tasks", "jobs", "definitions", "history_instances", "history_activities" } do
    for _, row in ipairs(engine[verb](engine, {})) do
      if verb == "instances" then row:variables() end
    end
  end
  for _ = 1, 5 do engine:start("p", { variables = { text = ("x"):rep(3000) } }) end
end)
if ok then os.exit(0) end
io.stderr:write(tostring(failure), "\n")
os.exit(type(failure) == "table" and failure.kind and 1 or 3)
