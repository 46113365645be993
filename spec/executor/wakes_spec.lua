-- What this process makes ready is begun at once: each executor here looks at its store by itself once an hour, so what no wake-up tells of
-- would wait for that.
-- Marks: threads
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"

local ROUNDS <const> = 20

local function until_true(condition)
  local till = os.time() + 60
  while not condition() do
    assert(os.time() < till, "it waits for the executor's own look")
    orrery.sleep(0.001) -- wait_idle would have the store asked for jobs
  end
end

local function all_ended(engine)
  until_true(function() return engine:count "instances" == 0 end)
end

local function timer(id)
  return ('<intermediateCatchEvent id="%s"><timerEventDefinition><timeDuration>PT0.005S</timeDuration></timerEventDefinition>'):format(id)
    .. "</intermediateCatchEvent>"
end

-- Each deploys a process `p` and has its instances go on in a way of its own.
local ways = {
  ["timers in a row"] = function(engine)
    support.deploy(engine, '<startEvent id="s"/>' .. timer "a" .. timer "b" .. timer "c" .. '<endEvent id="e"/>',
      "s -> a a -> b b -> c c -> e")
    for _ = 1, ROUNDS do
      for _ = 1, 3 do engine:start "p" end
      all_ended(engine)
    end
  end,

  ["jobs behind messages"] = function(engine)
    support.deploy(engine, '<startEvent id="s"/>' .. support.task "x" ..
      '<intermediateCatchEvent id="m"><messageEventDefinition messageRef="go"/></intermediateCatchEvent>' .. support.task "y" ..
      '<endEvent id="e"/>', "s -> x x -> m m -> y y -> e", { before = '<message id="go" name="go"/>' })
    for i = 1, ROUNDS do
      engine:start("p", { business_key = "k" .. i })
      until_true(function() return (pcall(engine.message, engine, "go", { business_key = "k" .. i })) end)
      all_ended(engine)
    end
  end,

  ["jobs between external tasks"] = function(engine)
    local function external(id, attributes)
      return ('<serviceTask id="%s" camunda:type="external" camunda:topic="t" %s/>'):format(id, attributes or "")
    end
    support.deploy(engine, '<startEvent id="s"/>' .. external("x", 'camunda:asyncBefore="true"') .. support.task "y" .. external "z" ..
      '<endEvent id="e"/>', "s -> x x -> y y -> z z -> e")
    for _ = 1, ROUNDS do
      engine:start "p"
      for _ = 1, 2 do
        until_true(function()
          local task = engine:fetch_and_lock({ worker = "w", max = 1, topics = { { name = "t", lock = 600 } } })[1]
          if task then task:complete "w" end
          return task
        end)
      end
      all_ended(engine)
    end
  end,

  ["tries of jobs that failed"] = function(engine)
    engine:register("work", function(execution)
      if execution.job.retries > 1 then error("again", 0) end
    end)
    support.single(engine, "",
      "<extensionElements><camunda:failedJobRetryTimeCycle>R3/PT0.01S</camunda:failedJobRetryTimeCycle></extensionElements>")
    for _ = 1, ROUNDS do
      for _ = 1, 3 do engine:start "p" end
      all_ended(engine)
    end
  end,

  ["exclusive jobs that commands make beside a run"] = function(engine)
    local elements, flows, before = "", "s -> f", ""
    for i = 1, 3 do
      before = before .. ('<message id="m%d" name="m%d"/>'):format(i, i)
      elements = elements .. ('<receiveTask id="r%d" messageRef="m%d"/>'):format(i, i) .. support.task("t" .. i)
      flows = flows .. (" f -> r%d r%d -> t%d t%d -> e"):format(i, i, i, i)
    end
    support.deploy(engine, '<startEvent id="s"/><parallelGateway id="f"/><endEvent id="e"/>' .. elements, flows, { before = before })
    for i = 1, ROUNDS do
      engine:start("p", { business_key = "k" .. i })
      for n = 1, 3 do
        until_true(function() return (pcall(engine.message, engine, "m" .. n, { business_key = "k" .. i })) end)
      end
      all_ended(engine)
    end
  end,

  ["jobs of what was suspended"] = function(engine)
    support.single(engine)
    for _ = 1, ROUNDS do
      local instance = engine:start "p"
      if pcall(instance.suspend, instance) then -- it may have ended already
        until_true(function() return (pcall(instance.activate, instance)) end)
      end
      all_ended(engine)
    end
  end,
}

for _, kind in ipairs { "memory", "a folder" } do
  describe("in a store in " .. kind .. ", an executor that would look in an hour begins at once", function()
    local path
    before_each(function() path = folder.make() end)
    after_each(function() folder.remove(path) end)

    for name, go in pairs(ways) do
      it(name, function()
        local place = kind ~= "memory" and path or nil
        local engine <close> = orrery.open(place, { clock = "system", log = "none", durability = "none" })
        engine:register("work", function() end)
        engine:start_executor { threads = 3, wait_time = 3600, max_wait = 3600 }
        go(engine)
      end)
    end
  end)
end
