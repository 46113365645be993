-- Branches of one transaction that wait for each other, on whatever thread they run: meet.await(execution) waits until another branch has
-- said meet.tell.
local orrery = require "orrery"

local futures = {}

local function future(execution)
  local id = execution.instance_id
  futures[id] = futures[id] or orrery.future()
  return futures[id]
end

return {
  await = function(execution) execution:set("heard", orrery.await(future(execution))) end,
  tell = function(execution)
    future(execution):resolve "told"
    futures[execution.instance_id] = nil
  end,
}
