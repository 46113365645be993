--- What happens around the order process when `orrery run` plays it: the people, and a clock that jumps to whatever is due next.
local shop = {} -- a bean: its methods get it as self

--- What ${shop.remind(execution)} calls.
function shop:remind(execution) execution:set("reminded", true) end

local people = {
  another_card = { who = "sales", variables = { card = "4111" } },
  pack = { who = "the warehouse", variables = {} },
}

local function next_due(engine)
  local job = engine:jobs({ executable = false, order_by = "due", limit = 1, retries_gt = 0 })[1]
  return job and job.due
end

local function complete_task(engine, say)
  for _, task in ipairs(engine:tasks {}) do
    local person = people[task.key]
    -- The warehouse is slow: it packs only after it was reminded.
    if task.key ~= "pack" or task:get "reminded" then
      say("%s: %s", person.who, task.name)
      task:complete(person.variables)
      return true
    end
  end
  return false
end

return {
  options = { clock = "manual", now = "2026-03-02T09:00:00Z" },
  process = "order",
  start = { business_key = "order-1", variables = { card = "4000", total = 4200, address = "Vienna" } },
  setup = function(engine) engine:register("shop", shop) end,
  step = function(engine, _, say)
    if complete_task(engine, say) then return true end
    local due = next_due(engine)
    if not due then return false end
    engine:set_time(due)
    return true
  end,
}
