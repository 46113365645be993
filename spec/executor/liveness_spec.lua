-- Whatever is done to instances and their jobs while the executor is at them, what can go on in the end does: it looks at its
-- store by itself once an hour here, so a job that nobody has in hand would wait for that.
-- Marks: threads
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"

local ROUNDS <const> = math.max(5, 60 * (tonumber(os.getenv "ORRERY_RANDOM") or 1000) // 1000)
local EXTERNAL <const> = { worker = "w", max = 30, topics = { { name = "t", lock = 600 } } }

local function task(id, class, attributes)
  return ([[<serviceTask id="%s" camunda:class="%s" camunda:asyncBefore="true" %s><extensionElements>
    <camunda:failedJobRetryTimeCycle>R9/PT0.003S</camunda:failedJobRetryTimeCycle></extensionElements></serviceTask>]]):format(id, class,
    attributes or "")
end

-- Branches of every kind: exclusive jobs and others, a timer, a message, an external task, with a job before and one behind.
local function deploy(engine)
  engine:register("work", function() if math.random() < 0.02 then error("again", 0) end end)
  engine:register("slow", function() require("orrery").sleep(math.random() * 0.004) end)
  support.deploy(engine, '<startEvent id="s"/><parallelGateway id="f"/><parallelGateway id="j"/><endEvent id="e"/>' ..
    task("a", "work") .. task("b", "slow", 'camunda:exclusive="false"') .. task("c", "work") ..
    task("d", "work", 'camunda:exclusive="false"') .. task("z", "slow") .. [[
    <intermediateCatchEvent id="tm"><timerEventDefinition><timeDuration>PT0.005S</timeDuration></timerEventDefinition>
    </intermediateCatchEvent><receiveTask id="r" messageRef="go" camunda:asyncBefore="true"/>
    <serviceTask id="x" camunda:type="external" camunda:topic="t"/>]],
    "s -> a a -> f f -> b f -> c f -> d f -> tm f -> r f -> x b -> j c -> j d -> j tm -> j r -> j x -> j j -> z z -> e",
    { before = '<message id="go" name="go"/>' })
end

local function any(list) return list[math.random(#list)] end

local function with_job(act)
  return function(engine, instance)
    local jobs = engine:jobs { instance = instance.id }
    if #jobs > 0 then act(any(jobs), engine) end
  end
end

local function complete_external(engine)
  for _, external in ipairs(engine:fetch_and_lock(EXTERNAL)) do
    if not pcall(external.complete, external, "w") then pcall(external.unlock, external) end
  end
end

-- What users and operators do; that it comes too late, or loses a race, is no matter.
local ACTIONS <const> = {
  function(_, instance) instance:suspend() end,
  function(_, instance) instance:activate() end,
  function(_, instance) instance:set("v", math.random(9)) end,
  function(_, instance) if math.random() < 0.1 then instance:delete() end end,
  function(engine, instance) engine:message("go", { instance = instance.id }) end,
  function(engine) engine:suspend_definition({ key = "p" }, { instances = true }) end,
  function(engine) engine:activate_definition({ key = "p" }, { instances = true }) end,
  function(engine) engine:set_limit({ job_definition = any(engine:job_definitions {}).id }, { max = math.random(3) }) end,
  function(engine) engine:set_limit({ job_definition = any(engine:job_definitions {}).id }, { per_second = 200, burst = 2 }) end,
  function(engine) engine:clear_limit { job_definition = any(engine:job_definitions {}).id } end,
  complete_external,
  with_job(function(job) job:suspend() end),
  with_job(function(job) job:activate() end),
  with_job(function(job) job:set_retries(9) end),
  with_job(function(job) job:set_priority(math.random(9)) end),
  with_job(function(job, engine) job:set_due(engine:now() + math.random() * 0.01) end),
}

local function act_at_random(engine)
  local instances = {}
  for i = 1, math.random(6) do instances[i] = engine:start "p" end
  for _ = 1, math.random(0, 40) do
    pcall(any(ACTIONS), engine, any(instances))
    if math.random() < 0.3 then orrery.sleep(math.random() * 0.003) end
  end
end

-- Until it is done: it may lose to what runs.
local function surely(act, ...)
  local till = os.time() + 60
  while not pcall(act, ...) do assert(os.time() < till, "an operator's command loses again and again") end
end

-- Nothing is suspended or limited any more, and nobody holds an external task.
local function let_go_on(engine)
  surely(engine.activate_definition, engine, { key = "p" }, { instances = true })
  for _, limit in ipairs(engine:limits {}) do surely(engine.clear_limit, engine, { job_definition = limit.job_definition_id }) end
  for _, instance in ipairs(engine:instances {}) do
    surely(function() if engine:count("instances", { id = instance.id }) > 0 then instance:activate() end end)
  end
  for _, external in ipairs(engine:external_tasks {}) do pcall(external.unlock, external) end
end

local function tell(engine)
  local said = {}
  for _, job in ipairs(engine:jobs {}) do said[#said + 1] = job.id .. ": " .. (job:why().text or "?") end
  for _, e in ipairs(engine:executions {}) do said[#said + 1] = ("%s at %s"):format(e.id, e.activity_id) end
  return table.concat(said, "\n")
end

local function all_end(engine)
  local till = os.time() + 60
  while engine:count "instances" > 0 do
    for _, e in ipairs(engine:executions { message = "go" }) do pcall(engine.message, engine, "go", { execution = e.id }) end
    complete_external(engine)
    for _, job in ipairs(engine:jobs { no_retries = true }) do pcall(job.set_retries, job, 9) end
    if os.time() > till then error("waits for the executor's own look:\n" .. tell(engine)) end
    orrery.sleep(0.001)
  end
end

local STORES <const> = {
  ["in memory"] = {},
  ["in memory, with room for two jobs"] = { queue_size = 2 },
  ["in a folder"] = { path = true },
}

for name, kind in pairs(STORES) do
  describe("an executor that would look in an hour, " .. name .. ",", function()
    local path
    before_each(function() path = folder.make() end)
    after_each(function() folder.remove(path) end)

    it("leaves nothing behind of what users and operators do beside it", function()
      local seed = require("spec.support.random").seed()
      math.randomseed(seed)
      local engine <close> = orrery.open(kind.path and path or nil, { clock = "system", log = "none", durability = "none" })
      deploy(engine)
      engine:start_executor { threads = 4, wait_time = 3600, max_wait = 3600, queue_size = kind.queue_size }
      for round = 1, ROUNDS do
        act_at_random(engine)
        let_go_on(engine)
        local ok, message = pcall(all_end, engine)
        assert(ok, ("seed %d, round %d: %s"):format(seed, round, message))
      end
    end)
  end)
end
