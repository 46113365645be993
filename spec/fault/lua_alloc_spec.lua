-- Lua itself runs out of memory at any request, in scripts, delegates, expressions and in the calls that lead there: the call says so and
-- has done nothing, or all and only its answer is lost; and once there is memory again everything goes on.
local orrery = require "orrery"
local starve = require("orrery_inside").starve.call

local head <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="fault">
  <message id="m" name="go"/>]]
local function process(body) return head .. '<process id="p" isExecutable="true">' .. body .. "</process></definitions>" end

local MODEL = process [[
  <startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="script"/>
  <scriptTask id="script" scriptFormat="lua"><script>
    local list = {}
    for i = 1, 10 do list[i] = ("x"):rep(i) .. order.number end
    execution:set("list", orrery.array(list))
    execution:set("total", #table.concat(list))</script></scriptTask>
  <sequenceFlow id="f2" sourceRef="script" targetRef="d"/>
  <serviceTask id="d" o:class="charge"><extensionElements>
    <o:executionListener event="start" expression="${execution.setVariable('heard', order.number + total)}"/>
    <o:inputOutput><o:inputParameter name="sum">${total * 2}</o:inputParameter></o:inputOutput>
  </extensionElements></serviceTask>
  <sequenceFlow id="f3" sourceRef="d" targetRef="g"/><exclusiveGateway id="g" default="f5"/>
  <sequenceFlow id="f4" sourceRef="g" targetRef="u"><conditionExpression>${charged}</conditionExpression></sequenceFlow>
  <sequenceFlow id="f5" sourceRef="g" targetRef="e"/><endEvent id="e"/>
  <userTask id="u"/><sequenceFlow id="f6" sourceRef="u" targetRef="e"/>]]

local JOB = process [[
  <startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="script"/>
  <scriptTask id="script" scriptFormat="lua" o:asyncBefore="true"><script>
    local list = {}
    for i = 1, 10 do list[i] = ("x"):rep(i) end
    execution:set("list", orrery.array(list))</script></scriptTask>
  <sequenceFlow id="f2" sourceRef="script" targetRef="u"/><userTask id="u"/>]]

local function is_memory(err)
  if type(err) == "table" or type(err) == "userdata" then return err.kind == "memory" end
  return err == "not enough memory"
end

--- Starves `call` at every request for memory until it gets through. `done` says after each failure whether all was done in spite of it,
--- and raises when a part was; then `undo` is called. Returns how many requests there were, and the answer.
local function every(call, done, undo)
  local n, undone, ok, result, hungry = 0, 0
  repeat
    n = n + 1
    ok, result, hungry = starve(n, call)
    if not ok and not is_memory(result) then error(("request %d: %s"):format(n, tostring(result)), 0) end
    if not ok and done and done(n) then undo() else undone = undone + 1 end
  until ok and not hungry
  assert.is_true(undone > 0, "every failure had done its work")
  return n, result
end

describe("Lua is out of memory", function()
  local engine
  before_each(function()
    engine = orrery.open(nil, { clock = "manual", log = "none" })
    engine:register("charge", function(execution)
      local text = {}
      for i = 1, 5 do text[i] = tostring(execution:get "sum") .. i end
      execution:set("charged", #table.concat(text, ",") > 0)
    end)
  end)
  after_each(function()
    collectgarbage()
    assert.same({}, engine:verify())
    engine:close()
  end)

  local function started(n)
    local instances = engine:count("instances", {})
    assert.is_true(instances <= 1 and instances == engine:count("tasks", {}), "request " .. n)
    return instances == 1
  end
  local function delete() engine:instances({})[1]:delete "once more" end

  it("while an instance starts and runs", function()
    engine:deploy { ["p.bpmn"] = MODEL }
    local requests = every(function()
      return engine:start("p", { variables = { order = { number = 7, lines = { "a", "b" } } } })
    end, started, delete)
    assert.is_true(requests > 50, requests)
    local task = engine:tasks {}[1]
    assert.is_true(task:get "charged")
    every(function() task:complete { done = true, note = ("x"):rep(100) } end)
    assert.equal(0, engine:count("instances", {}))
  end)

  it("while a model is deployed", function()
    every(function() engine:deploy { ["p.bpmn"] = MODEL } end, function()
      local definitions = engine:count("definitions", {})
      assert.is_true(definitions <= 1 and definitions == engine:count("deployments", {}))
      return definitions == 1
    end, function() engine:undeploy(engine:deployments({})[1].id) end)
    assert.equal(1, engine:count("definitions", {}))
  end)

  it("while a job runs: it fails, and keeps the message", function()
    engine:deploy { ["p.bpmn"] = JOB }
    engine:start "p"
    every(function()
      engine:jobs({})[1]:set_retries(100)
      return engine:run_jobs()
    end)
    while engine:count("tasks", {}) == 0 do
      engine:jobs({})[1]:set_retries(100)
      engine:run_jobs()
    end
  end)

  it("while things are asked for", function()
    engine:deploy { ["p.bpmn"] = JOB }
    local instance = engine:start("p", { variables = { list = { 1, 2, 3 }, text = ("x"):rep(100) } })
    local _, seen = every(function()
      return { #engine:jobs {}, #engine:instances {}, instance:get("text"), instance:variables(), instance:active() }
    end)
    assert.same({ 1, 1, 4 }, { seen[1], seen[2], select(2, seen[4].list, 4) })
  end)

  it("while coroutines wait", function()
    engine:register("charge", function(execution)
      orrery.sleep(0)
      execution:set("charged", true)
    end)
    engine:deploy { ["p.bpmn"] = MODEL }
    every(function() return engine:start("p", { variables = { order = { number = 1 } } }) end, started, delete)
  end)
end)
