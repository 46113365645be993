-- Random nesting: an instance whose tasks lie in random sub-processes migrates to another nesting of them, and to the next. What waits
-- stays, the store stays whole, and the instance ends when its tasks are done.
-- ORRERY_RANDOM: how many instances (default 500), ORRERY_SEED: the first one's seed.
local orrery = require "orrery"
local Random = require "spec.sim.random"

local count = tonumber(os.getenv "ORRERY_RANDOM" or 500)
local first = require("spec.support.random").seed()
local DEPTH_MAX <const> = 4

local HEAD <const> = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="sim">'
  .. '<message id="m" name="m"/><process id="p" isExecutable="true">%s</process></definitions>'
local LISTENERS <const> = '<extensionElements><o:executionListener event="start" class="note"/>'
  .. '<o:executionListener event="end" class="note"/></extensionElements>'
local BESIDE <const> = '<subProcess id="es%s" triggeredByEvent="true"><startEvent id="ess%s" isInterrupting="false"><timerEventDefinition>'
  .. "<timeDuration>PT9H</timeDuration></timerEventDefinition></startEvent></subProcess>"

--- The inside of a scope with these tasks, all at once, some of them in sub-processes of its own.
local function nest(random, new_id, tasks, depth)
  local p = new_id()
  local out = { ('<startEvent id="s%s"/><parallelGateway id="f%s"/><sequenceFlow id="sf%s" sourceRef="s%s" targetRef="f%s"/>')
    :format(p, p, p, p, p) }
  local at = 1
  while at <= #tasks do
    local id, element = tasks[at], '<userTask id="' .. tasks[at] .. '"/>'
    local taken = 1
    if depth < DEPTH_MAX and random:chance(0.5) then
      taken = random:integer(1, #tasks - at + 1)
      id = "sub" .. new_id()
      local kind = random:chance(0.3) and "transaction" or "subProcess"
      element = ('<%s id="%s">%s%s</%s>'):format(kind, id, random:chance(0.5) and LISTENERS or "",
        nest(random, new_id, table.move(tasks, at, at + taken - 1, 1, {}), depth + 1), kind)
      if random:chance(0.4) then
        element = element .. ('<boundaryEvent id="b%s" attachedToRef="%s"><messageEventDefinition messageRef="m"/></boundaryEvent>')
          :format(id, id)
      end
    end
    out[#out + 1] = element .. ('<sequenceFlow id="to_%s" sourceRef="f%s" targetRef="%s"/>'):format(id, p, id)
    at = at + taken
  end
  if random:chance(0.3) then out[#out + 1] = BESIDE:format(p, p) end
  return table.concat(out)
end

local function model(random, version, tasks)
  local n = 0
  return HEAD:format(nest(random, function()
    n = n + 1
    return ("v%d_%d"):format(version, n)
  end, tasks, 1))
end

local function move(engine, instance, target, tasks)
  local instructions = {}
  for i, task in ipairs(tasks) do instructions[i] = { from = task, to = task } end
  local plan = engine:migration_plan(instance:reload().definition_id, target, { map_equal = false, instructions = instructions })
  engine:migrate(plan, { instances = { instance.id } })
  assert(#engine:verify() == 0, "the store is not whole")
  assert(#engine:tasks {} == #tasks, "tasks came or went")
end

local function play(random, done)
  local dialect = random:pick { "orrery", "camunda", "flowable" }
  local engine <close> = orrery.open(nil, { clock = "manual", log = "none", durability = "none", dialect = dialect })
  engine:register("note", function(execution) execution:set("noted", (execution:get "noted" or 0) + 1) end)
  local all = { "t1", "t2", "t3", "t4", "t5" }
  local tasks = table.move(all, 1, random:integer(1, #all), 1, {})
  local versions = {}
  for version = 1, 4 do
    done[version] = model(random, version, tasks)
    versions[version] = engine:deploy({ ["p.bpmn"] = done[version] }).definitions[1].id
  end
  local instance = engine:start_by_id(versions[1])
  for version = 2, 4 do
    move(engine, instance, versions[version], tasks)
    if #tasks > 1 and random:chance(0.3) then engine:task({ key = table.remove(tasks) }):complete() end
  end
  for _, task in ipairs(tasks) do engine:task({ key = task }):complete() end
  assert(not engine:instance(instance.id), "the instance lives on")
end

describe("random nesting", function()
  it(("is moved %d times, seeds from %d"):format(count, first), function()
    for seed = first, first + count - 1 do
      local done = {}
      local ok, err = pcall(play, Random.new(seed), done)
      if not ok then error(("seed %d: %s\n%s"):format(seed, tostring(err), table.concat(done, "\n")), 0) end
    end
  end)
end)
