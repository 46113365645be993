-- A script's budget, whatever it calls: what C code works for it, and what runs by its commands.
local model = require "spec.bindings.model"
local orrery = require "orrery"

local TOO_OFTEN <const> = 10000
-- It stands for 2047 tables.
local SHARED <const> = "local t = {} for _ = 1, 10 do t = { t, t } end "
local LIST <const> = "local t = {} for i = 1, 2000 do t[i] = i end "
local SETS <const> = "while true do count() pcall(execution.set, execution, 'x', t) end"

--- Runs a script that calls count(): how often it did, and what it failed with, if it did.
local function run(text, sandbox, others)
  local engine <close> = orrery.open(nil, { clock = "manual", log = "none", sandbox = sandbox })
  local count = 0
  engine:register("count", function()
    count = count + 1
    if count > TOO_OFTEN then error "too often" end
  end)
  engine:register("fails", function() error "no" end)
  engine:register("nap", function() orrery.sleep(1e9) end)
  for _, source in ipairs(others or {}) do engine:deploy(source) end
  engine:deploy(model.script(text))
  local ok, problem = pcall(engine.start, engine, "p")
  return count, not ok and problem or nil
end

--- The resources of a process "inner" with this script.
local function inner(text)
  local source = model.script(text)["p.bpmn"]
  return { ["inner.bpmn"] = (source:gsub('process id="p"', 'process id="inner"')) }
end

local function ends(most, what, text, sandbox, others)
  local count, problem = run(text, sandbox, others)
  assert.is_table(problem)
  assert.matches("used up its " .. what, problem.message)
  assert.equal("limit", problem.kind)
  assert.is_true(count <= most, count .. " times")
end

describe("the budget of a script", function()
  local steps <const> = { instructions = 200000, seconds = 0 }

  it("counts values that are converted", function()
    ends(110, "instructions", SHARED .. SETS, steps)
    ends(110, "instructions", SHARED .. [[local engine = execution.engine
      local options = { variables = { x = t } }
      while true do count() pcall(engine.evaluate, engine, "${1}", options) end]], steps)
    ends(110, "instructions", LIST .. "t[2002] = 1 " .. SETS, steps)
  end)

  it("counts values that are read", function()
    ends(110, "instructions", LIST .. "execution:set('x', t) " ..
      "while true do count() local _ = execution:get 'x' end", steps)
  end)

  it("counts JSON", function()
    ends(110, "instructions", SHARED .. "while true do count() orrery.json.encode(t) end", steps)
  end)

  it("counts expressions that it evaluates by the engine, also those that fail", function()
    local evaluate = [[local engine = execution.engine
      while true do count() pcall(engine.evaluate, engine, "${%s}") end]]
    ends(400, "instructions", evaluate:format "1 + 1", steps)
    ends(400, "instructions", evaluate:format "fails()", steps)
    ends(400, "instructions", evaluate:format "'a'.nothing()", steps)
  end)

  it("counts scripts that run by its commands", function()
    local starts = [[local engine = execution.engine
      while true do count() pcall(engine.start, engine, "inner") end]]
    ends(40, "instructions", starts, steps, { inner "for _ = 1, 5000 do end" })
  end)

  it("looks at the clock at each call of what is not the script's own", function()
    ends(3, "seconds", "for _ = 1, 20 do count() end", { seconds = 1e-9 })
    assert.equal(20, (run("for _ = 1, 20 do count() end", { seconds = 600 })))
  end)

  it("holds for functions that a future would call: none does", function()
    local _, problem = run "orrery.future():done_then(function() while true do end end)"
    assert.equal("unsupported", problem.cause and problem.cause.kind or problem.kind)
  end)
end)

describe("a script that awaits", function()
  local short <const> = { await_seconds = 0.001 }

  it("is waited for no longer than its transaction may", function()
    ends(0, "await_seconds", "orrery.sleep(1e9)", short)
    ends(0, "await_seconds", "while true do pcall(orrery.sleep, 1e9) end", short)
  end)

  it("is so in a call that must answer at once, and by a command", function()
    ends(0, "await_seconds", [[execution.engine:evaluate "${nap()}"]], short)
    local _, problem = run([[execution.engine:start "inner"]], short, { inner "orrery.sleep(1e9)" })
    assert.equal("limit", problem.kind)
  end)

  it("has what its transaction has left", function()
    local engine <close> = orrery.open(nil, { log = "none", sandbox = { await_seconds = 0.01 } })
    engine:deploy(model.script "orrery.sleep(0.006) orrery.sleep(0.006)")
    local ok, problem = pcall(engine.start, engine, "p")
    assert.same({ false, "limit" }, { ok, problem.kind })
  end)

  it("has no bound where its thread goes on with others meanwhile", function()
    for _, verb in ipairs { "poll", "run_jobs" } do
      local engine <close> = orrery.open(nil, { clock = "manual", log = "none", sandbox = short })
      engine:deploy(model.around [[<scriptTask id="t" scriptFormat="lua" camunda:asyncBefore="true">
        <script>orrery.sleep(3600) execution:set("slept", true)</script></scriptTask>]])
      local instance = engine:start "p"
      engine[verb](engine, 1)
      engine:advance(3599)
      engine[verb](engine, 1)
      assert.is_nil(instance:get "slept", verb)
      engine:advance(1)
      engine[verb](engine, 1)
      assert.is_true(instance:get "slept", verb)
    end
  end)

  it("has no bound with 0, and a delegate has none", function()
    assert.is_nil(select(2, run("orrery.sleep(0.002)", { await_seconds = 0 })))
    local engine <close> = orrery.open(nil, { log = "none", sandbox = short })
    engine:register("sleeps", function(execution)
      orrery.sleep(0.005)
      execution:set("slept", true)
    end)
    engine:deploy(model.class "sleeps")
    assert.is_true(engine:start "p":get "slept")
  end)
end)
