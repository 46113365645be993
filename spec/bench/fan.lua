--- What a branch costs when an instance has 10,000 of them at once, compared with 10: a parallel gateway's branches with their join, and a
--- parallel multi-instance activity. One transaction an instance, history off, durability none.
local support = require "support"

local WIDE, NARROW = 10000, 10
local REPEAT = 3 * WIDE / NARROW -- as many branches either way

local function gateway(key, branches)
  local elements = { '<startEvent id="start"/>', '<parallelGateway id="fork"/>', '<parallelGateway id="join"/>', '<endEvent id="end"/>',
    support.flow("start", "fork"), support.flow("join", "end") }
  for i = 1, branches do
    local id, xml = support.service()(i)
    table.move({ xml, support.flow("fork", id), support.flow(id, "join") }, 1, 3, #elements + 1, elements)
  end
  return support.model(key, elements)
end

local function multi(key, branches)
  return support.model(key, {
    '<startEvent id="start"/>', support.flow("start", "each"),
    ('<serviceTask id="each" o:class="noop"><multiInstanceLoopCharacteristics><loopCardinality>%d</loopCardinality>' ..
      "</multiInstanceLoopCharacteristics></serviceTask>"):format(branches),
    support.flow("each", "end"), '<endEvent id="end"/>',
  })
end

--- Microseconds a branch, wide and narrow.
local function cost(engine, model, name)
  support.deploy(engine, model(name .. "-wide", WIDE))
  support.deploy(engine, model(name .. "-narrow", NARROW))
  engine:start(name .. "-wide")
  engine:start(name .. "-narrow")
  local wide = support.time(function()
    for _ = 1, 3 do engine:start(name .. "-wide") end
  end)
  local narrow = support.time(function()
    for _ = 1, REPEAT do engine:start(name .. "-narrow") end
  end)
  local scale = 1e6 / (3 * WIDE)
  return wide * scale, narrow * scale
end

return function()
  local engine <close> = support.open(support.directory "fan", { durability = "none", history = "none" })
  local rows = {}
  for name, model in pairs { gateway = gateway, multi = multi } do
    local wide, narrow = cost(engine, model, name)
    rows[#rows + 1] = { name = "fan." .. name, value = wide, unit = "us/branch", ratio = wide / narrow, ratio_bar = 3, most = true }
  end
  table.sort(rows, function(a, b) return a.name < b.name end)
  return rows
end
