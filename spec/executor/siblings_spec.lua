-- Jobs of one instance that are not exclusive, on several workers: each runs its delegate once, however many overlap.
-- docs/job-executor.md, "Branches side by side".
-- Marks: threads
local Model = require "spec.sim.model"
local World = require "spec.sim.world.world"
local folder = require "spec.support.folder"
local state = require "spec.sim.world.state"
local support = require "spec.support.process"
local waiting = require "spec.sim.checks.waiting"

local N <const> = 24

local function free(id) return support.task(id, 'camunda:exclusive="false"') end

-- N branches; `way(i, element)` gives the flows of one, and may add elements.
local function fork(way)
  local parts, flows = { '<startEvent id="s"/><parallelGateway id="fork"/><endEvent id="e"/>' }, { "s -> fork" }
  for i = 1, N do flows[#flows + 1] = way(i, function(text) parts[#parts + 1] = text end) end
  return table.concat(parts), table.concat(flows, " ")
end

local function one_task(i, add)
  add(free("t" .. i))
  return ("fork -> t%d t%d -> e"):format(i, i)
end

local function chain(i, add)
  add(free("t" .. i))
  add(free("u" .. i))
  return ("fork -> t%d t%d -> u%d u%d -> e"):format(i, i, i, i)
end

local function to_a_join(i, add)
  if i == 1 then add '<parallelGateway id="join"/>' end
  add(free("t" .. i))
  return ("fork -> t%d t%d -> join%s"):format(i, i, i == 1 and " join -> e" or "")
end

local function to_an_inclusive_join(i, add)
  return (to_a_join(i, function(text) add((text:gsub('<parallelGateway id="join"', '<inclusiveGateway id="join"'))) end))
end

local MULTI = [[<startEvent id="s"/><serviceTask id="t" camunda:class="work"><multiInstanceLoopCharacteristics camunda:asyncBefore="true"
  camunda:exclusive="false"><loopCardinality>%d</loopCardinality></multiInstanceLoopCharacteristics></serviceTask><endEvent id="e"/>]]

-- A barrier: none of the first N ends before all of them have begun, so that they overlap whatever threads do. The lines of the file are
-- the runs; threads share nothing else.
local function register(engine, path)
  engine:register("work", function(execution)
    local orrery = require "orrery"
    local path = execution:get "path"
    local file = assert(io.open(path, "a"))
    file:write(execution.job.id, "\n")
    file:close()
    local begun
    repeat
      begun = 0
      for _ in io.lines(path) do begun = begun + 1 end
      if begun < execution:get "wide" then orrery.sleep(0.001) end
    until begun >= execution:get "wide"
  end)
  return { path = path, wide = N }
end

describe("Branches side by side", function()
  local path
  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  local function runs_of()
    local runs, jobs = 0, {}
    for id in io.lines(path) do
      runs = runs + 1
      jobs[id] = true
    end
    local distinct = 0
    for _ in pairs(jobs) do distinct = distinct + 1 end
    return { runs, distinct }
  end

  local function overlap(elements, flows, options)
    local engine <close> = support.engine { clock = "system", history = options.history }
    support.deploy(engine, elements, flows)
    engine:start("p", { variables = register(engine, path) })
    engine:start_executor { threads = options.threads }
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.same({}, engine:verify())
    assert.same({}, engine:instances {})
    assert.same({ options.jobs or N, options.jobs or N }, runs_of())
    if options.conflicts ~= false then assert.equal(0, engine:metrics()["job-conflict"]) end
    return options.look and options.look(engine)
  end

  for _, history in ipairs { "none", "audit", "full" } do
    for _, threads in ipairs { 1, 2, 4 } do
      local with = (" (history %s, threads %d)"):format(history, threads)
      local options = { history = history, threads = threads }
      it("to one join" .. with, function()
        local elements, flows = fork(to_a_join)
        overlap(elements, flows, options)
      end)
      it("to their ends" .. with, function()
        local elements, flows = fork(one_task)
        overlap(elements, flows, options)
      end)
      it("each with a next job" .. with, function()
        local elements, flows = fork(chain)
        overlap(elements, flows, { history = history, threads = threads, jobs = 2 * N })
      end)
      it("as a multi-instance" .. with, function() overlap(MULTI:format(N), "s -> t t -> e", options) end)
    end
  end

  it("within a sub-process, which ends with the last", function()
    local elements, flows = fork(one_task)
    local model = support.model('<subProcess id="sub">' .. elements .. "FLOWS</subProcess><startEvent id=\"s0\"/>", "s0 -> sub")
    local inner = support.model("", flows):match "(<sequenceFlow.*/>)</process>"
    local engine <close> = support.engine { clock = "system" }
    engine:deploy { ["p.bpmn"] = (model:gsub("FLOWS", inner)) }
    engine:start("p", { variables = register(engine, path) })
    engine:start_executor { threads = 3 }
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.same({ {}, {} }, { engine:verify(), engine:instances {} })
    assert.same({ N, N }, runs_of())
    assert.equal(0, engine:metrics()["job-conflict"])
  end)

  it("count themselves in what a model sees of a multi-instance, and history says each once", function()
    overlap(MULTI:format(N), "s -> t t -> e", { threads = 4, look = function(engine)
      local values = {}
      for _, v in ipairs(engine:history_variables {}) do values[v.name] = v.value end
      assert.same({ N, 0 }, { values.nrOfCompletedInstances, values.nrOfActiveInstances })
      local rows = engine:history_activities { activity_id = "t" }
      assert.equal(N, #rows)
    end })
  end)

  it("where tokens are looked for one by one, some do their work again and none is lost", function()
    local elements, flows = fork(to_an_inclusive_join)
    local engine <close> = support.engine { clock = "system", retries = 1 }
    support.deploy(engine, elements, flows)
    engine:start("p", { variables = register(engine, path) })
    engine:start_executor { threads = 4 }
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.same({ {}, {}, {} }, { engine:verify(), engine:instances {}, engine:incidents {} })
  end)

  -- Commands of this process's other threads take no part: what they change is found out, and nothing is lost.
  it("beside commands that change the instance", function()
    local elements, flows = fork(to_a_join)
    local engine <close> = support.engine { clock = "system", retries = 1 }
    support.deploy(engine, elements, flows)
    local instances = {}
    local variables = register(engine, path)
    for i = 1, 5 do instances[i] = engine:start("p", { variables = variables }) end
    engine:start_executor { threads = 2 }
    for round = 1, 40 do
      for _, instance in ipairs(instances) do
        pcall(function() instance:suspend() end)
        pcall(function() instance:set("round", round) end)
        pcall(function() instance:activate() end)
      end
    end
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.same({ {}, {}, {} }, { engine:verify(), engine:instances {}, engine:incidents {} })
    assert.equal(5, engine:count("history_instances", { state = "completed" }))
  end)

  it("in random models: every counter is true, and stays so when the store is opened again", function()
    local base = folder.make()
    finally(function() folder.remove(base) end)
    local first = require("spec.support.random").seed()
    for seed = first, first + 59 do
      local dialect = ({ "orrery", "camunda", "flowable" })[seed % 3 + 1]
      local model = Model.random(seed, dialect, { side_by_side = true })
      local world <close> = World.new { folder = base .. "/" .. seed, dialect = dialect }
      local where = ("seed %d, dialect %s"):format(seed, dialect)
      world.engine:deploy { ["p.bpmn"] = model.xml }
      for x = 1, 3 do world:act { name = "start", n = 1, x = x } end
      world.engine:start_executor { threads = 3 }
      assert.is_true(world.engine:wait_idle(60), where)
      world.engine:stop_executor()
      local seen = state.whole(world)
      assert.same({}, world.engine:verify(), where)
      waiting.check(world)
      world:reopen()
      assert.same({}, world.engine:verify(), where)
      assert.equal(seen, state.whole(world), where)
    end
  end)
end)
