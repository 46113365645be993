--- One random model with a random client in two worlds that must look the same: one that keeps
--- running, and its rival, which
---   - is closed and opened again after every other step ("reopened");
---   - is killed now and then, and goes on from what is left ("killed");
---   - has its transactions cut elsewhere ("cut");
---   - has its jobs run by threads ("threads").
--- For the last two the model is a calm one (model.lua), and the worlds are compared when no job is
--- due.
local Model = require "spec.sim.model"
local Random = require "spec.sim.random"
local World = require "spec.sim.world.world"
local choice = require "spec.sim.world.choice"
local counts = require "spec.sim.checks.counts"
local state = require "spec.sim.world.state"

local STEPS_MAX <const> = 16
local BETWEEN_LOOKS <const> = 5 -- steps: what differed for a while has a past that differs, too
local HOUR <const> = 3600

local checks = {}
for i, name in ipairs { "waiting", "effects", "story" } do
  checks[i] = require("spec.sim.checks." .. name).check
end

local function lines_of(text)
  local out = {}
  for line in (text or "nothing"):gmatch "[^\n]+" do out[#out + 1] = line end
  return out
end

local function same(what, a, b)
  if a == b then return end
  local left, right = lines_of(a), lines_of(b)
  for i = 1, math.max(#left, #right) do
    if left[i] ~= right[i] then
      error(("%s differs\n  here:  %s\n  rival: %s\n\n%s\n\nthe rival's:\n%s"):format(what,
        left[i] or "-", right[i] or "-", a, b), 0)
    end
  end
end

-- ---- Rivals ------------------------------------------------------------------------------------

local rivals = {
  reopened = { after = function(world, number) if number % 2 == 0 then world:reopen() end end },
  killed = { after = function(world, number) if number % 5 == 2 then world:kill() end end },
  cut = { calm = true },
  threads = { calm = true, threads = { 1, 2, 4 } },
}

--- The models of both, which differ in their save points at most.
local function models_of(seed, dialect, rival)
  local calm = rivals[rival].calm
  local model = Model.random(seed, dialect, { calm = calm })
  if rival ~= "cut" then return model, model end
  return model, Model.random(seed, dialect, { calm = true, cut = 1 })
end

local function threads_of(rival, seed)
  local numbers = rivals[rival].threads
  return numbers and numbers[seed % #numbers + 1]
end

local function world_of(model, dialect, options)
  options.dialect, options.calm = dialect, model.calm
  local world = World.new(options)
  world.engine:deploy { ["p.bpmn"] = model.xml }
  return world
end

-- ---- Steps -------------------------------------------------------------------------------------

local Play = {}
Play.__index = Play

function Play:look()
  if self.model.calm then
    same("the settled state", state.settled(self.here), state.settled(self.there))
  else
    same("the state", state.whole(self.here), state.whole(self.there))
  end
end

--- Both do the same.
function Play:step(number, action)
  local done = self.done
  done[#done + 1] = choice.text(action)
  local raised, there = self.here:act(action), self.there:act(action)
  if self.model.calm then
    self.here:drain()
    self.there:drain()
  end
  done[#done] = done[#done] .. (raised and "   -> " .. raised or "")
  same("what was raised", raised, there)
  local after = rivals[self.rival].after
  if after then after(self.there, number) end
  if self.closely or number % BETWEEN_LOOKS == 0 then self:look() end
  checks[1](self.here)
end

local function check(world, model)
  for _, one in ipairs(checks) do one(world, model) end
  local problems = world.engine:verify()
  if #problems > 0 then
    error("the store is not sound: " .. tostring(problems[1].message or problems[1]), 0)
  end
end

--- All that time alone brings on comes to pass.
function Play:finish()
  for _ = 1, self.model.calm and 0 or 3 do
    for _, world in ipairs { self.here, self.there } do
      world:act { name = "activate" }
      world:drain()
      world.engine:advance(HOUR)
      world:drain()
    end
  end
  self:look()
  check(self.here, self.model)
  check(self.there, self.rival_model)
  counts.check(self.there)
end

--- A start, or, while an instance runs, what the client draws.
function Play:action(random)
  if self.here.engine:count("instances", {}) > 0 then
    return choice.next(random, self.here, self.model)
  end
  return { name = "start", n = 1, m = 0, x = random:integer(0, 3) }
end

function Play:run(random)
  for number = 1, random:integer(4, STEPS_MAX) do self:step(number, self:action(random)) end
  self:finish()
end

--- Raises what is wrong. `place`: a folder for the rival's store; `done` gets the models and what was
--- done; `closely`: the worlds are compared after every step.
local function play(seed, dialect, rival, place, done, closely)
  local model, other = models_of(seed, dialect, rival)
  done.xml, done.other = model.xml, other ~= model and other.xml or nil
  local self = setmetatable({ model = model, rival_model = other, rival = rival, done = done,
    closely = closely }, Play)
  self.here = world_of(model, dialect, {})
  self.there = world_of(other, dialect, {
    folder = not model.calm and place or nil, threads = threads_of(rival, seed) })
  local ok, err = pcall(self.run, self, Random.new(seed ~ 0x5eed))
  self.here:close()
  self.there:close()
  if not ok then error(err, 0) end
end

return play
