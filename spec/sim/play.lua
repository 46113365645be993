-- One random model with a random client, in two engines: one keeps running, the other's store is closed and reopened after every step.
local Model = require "spec.sim.model"
local Random = require "spec.sim.random"
local World = require "spec.sim.world"

local STEPS_MAX <const> = 20

local function same(what, a, b)
  if a == b then return end
  local left, right = {}, {}
  for line in (a or "nothing"):gmatch "[^\n]+" do left[#left + 1] = line end
  for line in (b or "nothing"):gmatch "[^\n]+" do right[#right + 1] = line end
  for i = 1, math.max(#left, #right) do
    if left[i] ~= right[i] then
      error(("%s differs\n  running:  %s\n  reopened: %s\n\n%s"):format(what, left[i] or "-", right[i] or "-", b), 0)
    end
  end
end

local function sound(world, ended)
  local problems = world.engine:verify()
  if #problems > 0 then error("the store is not sound: " .. table.concat(problems, "; "), 0) end
  world:each_stuck(function(node, instance)
    error(("%s %s waits for nothing in instance %s (%s)"):format(node.type, node.activity_id, instance.id, ended), 0)
  end)
end

--- Both do the same; the second is reopened behind it.
local function step(running, reopened, done, action)
  done[#done + 1] = table.concat({ table.unpack(action) }, " ")
  local a, b = running:act(action), reopened:act(action)
  done[#done] = done[#done] .. (a and "   -> " .. a or "")
  same("what was raised", a, b)
  reopened:reopen()
  same("the state", running:state(), reopened:state())
end

local function finish(running, reopened)
  for _ = 1, 3 do
    for _, world in ipairs { running, reopened } do
      world:act { "activate" }
      world:drain()
      world.engine:advance(3600)
      world:drain()
    end
    same("the state after the timers", running:state(), reopened:state())
  end
  sound(running, "running")
  sound(reopened, "reopened")
end

--- Raises what is wrong. `place`: a folder for the store that is reopened; `done` gets the model, the dialect and what was done.
local function play(seed, place, done)
  local random = Random.new(seed)
  local dialect = random:pick { "orrery", "camunda", "flowable" }
  local model = Model.random(seed, dialect)
  done.xml, done.dialect = model.xml, dialect
  local running <close> = setmetatable(World.new(nil, dialect), { __index = World, __close = World.close })
  local reopened <close> = setmetatable(World.new(place, dialect), { __index = World, __close = World.close })
  for _, world in ipairs { running, reopened } do world.engine:deploy { ["p.bpmn"] = model.xml } end
  step(running, reopened, done, { "start", 1, random:integer(0, 3) })
  for _ = 1, random:integer(3, STEPS_MAX) do
    if running.engine:count("instances", {}) == 0 and #done > 2 then break end
    step(running, reopened, done, running:choose(random, model.ids))
  end
  finish(running, reopened)
end

return play
