-- Races about messages, signals and event sub-processes (reliability A6), each in all orders of the two commands' steps.
local race = require "spec.sim.race"
local every, process = race.every, race.process

local function instance(engine) return engine:only("instances").id end
local function message(engine, name) return { "message", { instance = instance(engine), name = name or "order" } } end
local function signal() return { "signal", { name = "alarm" } } end
local function complete(engine) return { "task_complete", { task = engine:only("tasks").id } } end
local function deletion(engine) return { "delete_instance", { instance = instance(engine) } } end
local function run(engine) return { "run_job", { job = engine:only("jobs").id } } end

describe("Races of messages:", function()
  local RECEIVE = process('<receiveTask id="r" messageRef="m"/><serviceTask id="t" camunda:class="work"/><userTask id="u"/>',
    "s -> r r -> t t -> u")

  it("one message twice: one receiver, one delivery", function()
    every("two messages", RECEIVE, { "conflict ok", "correlation ok", "ok conflict", "ok correlation" }, function(engine)
      return message(engine), message(engine)
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ "u", 1 }, { engine:tasks(), engine:variable "n" }, where)
    end)
  end)

  it("one message for two instances, told apart", function()
    every("two instances", RECEIVE, { "ok ok" }, function(engine)
      local first, second = instance(engine), engine:call("start", { key = "p" })[1].id
      return { "message", { instance = first, name = "order" } }, { "message", { instance = second, name = "order" } }
    end, function(engine, a, b, where)
      assert.is_true(a and b, where)
      assert.equal("u u", engine:tasks(), where)
    end)
  end)

  it("a message to all, and one to one of them", function()
    every("all and one", RECEIVE, { "conflict ok", "ok conflict", "ok correlation", "ok ok" }, function(engine)
      local first = instance(engine)
      engine:call("start", { key = "p" })
      return { "message", { name = "order", all = true } }, { "message", { instance = first, name = "order" } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and "u u" or "u", engine:tasks(), where)
    end)
  end)

  it("a message and the end of its receiver", function()
    every("message and deletion", RECEIVE, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      return message(engine), deletion(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same({ b and 0 or 1, b and "" or "u" }, { engine:count "instances", engine:tasks() }, where)
      if b then assert.equal(0, engine:count "subscriptions", where) end
    end)
  end)

  it("a message by a job and the end of its receiver leave no job behind", function()
    every("later message and deletion", RECEIVE, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      return { "message", { instance = instance(engine), name = "order", async = true } }, deletion(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and 0 or 1, engine:count "jobs", where)
      engine:run_jobs()
      assert.equal(b and "" or "u", engine:tasks(), where)
    end)
  end)

  it("two messages by jobs are delivered once", function()
    every("two later messages", RECEIVE, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      local later = { "message", { instance = instance(engine), name = "order", async = true } }
      assert.equal("ok", engine:does(later[1], later[2]))
      assert.equal("ok", engine:does(later[1], later[2]))
      local jobs = engine:list "jobs"
      return { "run_job", { job = jobs[1].id } }, { "run_job", { job = jobs[2].id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      engine:run_jobs()
      assert.same({ "u", 1, 0 }, { engine:tasks(), engine:variable "n", engine:count "jobs" }, where)
    end)
  end)

  it("a message and the suspension of its receiver", function()
    every("message and suspension", RECEIVE, { "conflict ok", "correlation ok", "ok conflict", "ok ok" }, function(engine)
      return message(engine), { "suspend_instance", { instance = instance(engine), suspended = true } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and "u" or "", engine:tasks(), where)
      if a and b then assert.is_true(engine:only("tasks").suspended, where) end
    end)
  end)

  local function boundary(id, reference)
    return ([[<boundaryEvent id="%s" attachedToRef="a"><messageEventDefinition messageRef="%s"/></boundaryEvent><userTask id="u%s"/>]])
      :format(id, reference, id)
  end

  it("a boundary message and the completion of its activity", function()
    local model = process('<userTask id="a"/>' .. boundary("x", "m") .. '<userTask id="v"/>', "s -> a a -> v x -> ux")
    every("boundary and completion", model, { "conflict ok", "correlation ok", "ok conflict", "ok not_found" }, function(engine)
      return message(engine), complete(engine)
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(a and "ux" or "v", engine:tasks(), where)
    end)
  end)

  it("two boundary messages of one activity: the first takes it", function()
    local model = process('<userTask id="a"/>' .. boundary("x", "m") .. boundary("y", "m2"), "s -> a x -> ux y -> uy")
    every("two boundaries", model, { "conflict ok", "correlation ok", "ok conflict", "ok correlation" }, function(engine)
      return message(engine), message(engine, "other")
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(a and "ux" or "uy", engine:tasks(), where)
    end)
  end)

  it("one path's message while the other path ends its scope", function()
    local model = process([[<subProcess id="sub"><startEvent id="s2"/><parallelGateway id="fork"/><receiveTask id="r" messageRef="m"/>
      <userTask id="a"/><endEvent id="bad"><errorEventDefinition errorRef="E"/></endEvent>
      <sequenceFlow id="f1" sourceRef="s2" targetRef="fork"/><sequenceFlow id="f2" sourceRef="fork" targetRef="r"/>
      <sequenceFlow id="f3" sourceRef="fork" targetRef="a"/><sequenceFlow id="f4" sourceRef="a" targetRef="bad"/>
      <userTask id="b"/><sequenceFlow id="f5" sourceRef="r" targetRef="b"/></subProcess>
      <boundaryEvent id="x" attachedToRef="sub"><errorEventDefinition/></boundaryEvent><userTask id="u"/>]], "s -> sub x -> u")
    every("message and error", model, { "conflict ok", "correlation ok", "ok conflict", "ok ok" }, function(engine)
      return message(engine), complete(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and "u" or "a b", engine:tasks(), where)
    end)
  end)

  it("an event gateway has one winner", function()
    local model = process([[<eventBasedGateway id="g"/><intermediateCatchEvent id="x"><messageEventDefinition messageRef="m"/>
      </intermediateCatchEvent><intermediateCatchEvent id="y"><timerEventDefinition><timeDuration>PT1S</timeDuration>
      </timerEventDefinition></intermediateCatchEvent><userTask id="ux"/><userTask id="uy"/>]],
      "s -> g g -> x g -> y x -> ux y -> uy")
    every("event gateway", model, { "conflict ok", "correlation ok", "ok conflict", "ok not_found" }, function(engine)
      engine:advance(1000)
      return message(engine), run(engine)
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ a and "ux" or "uy", 0, 0 }, { engine:tasks(), engine:count "jobs", engine:count "subscriptions" }, where)
    end)
  end)

  it("two messages that each start an instance start two", function()
    local model = process('<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent><userTask id="u"/>', "s -> u")
    every("two starts", nil, { "ok ok" }, function(engine)
      engine:deploy(model)
      return { "message", { name = "order" } }, { "message", { name = "order" } }
    end, function(engine, a, b, where)
      assert.is_true(a and b, where)
      assert.equal("u u", engine:tasks(), where)
    end)
  end)

  it("a message that starts, and a newer version", function()
    local function model(task)
      return process('<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent><userTask id="' .. task .. '"/>',
        "s -> " .. task)
    end
    every("start and deployment", nil, { "ok ok" }, function(engine)
      engine:deploy(model "u")
      return { "message", { name = "order" } }, { "deploy", { resources = { ["p.bpmn"] = model "v" } } }
    end, function(engine, a, b, where)
      assert.is_true(a and b, where)
      assert.is_true(engine:tasks() == "u" or engine:tasks() == "v", where)
      assert.equal(1, engine:count "subscriptions", where)
    end)
  end)
end)

describe("Races of signals:", function()
  it("two to one execution: it goes on once", function()
    local model = process('<intermediateCatchEvent id="c"><signalEventDefinition signalRef="sig"/></intermediateCatchEvent>'
      .. '<userTask id="u"/>', "s -> c c -> u")
    every("two signals", model, { "conflict ok", "ok conflict", "ok ok" }, function()
      return signal(), signal()
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal("u", engine:tasks(), where)
    end)
  end)

  it("one that starts instances and its definition's deletion", function()
    local model = process('<startEvent id="s"><signalEventDefinition signalRef="sig"/></startEvent><userTask id="u"/>', "s -> u")
    every("signal and deletion", nil, { "conflict ok", "ok conflict", "ok ok", "ok state" }, function(engine)
      engine:deploy(model)
      return signal(), { "delete_definition", { definition = engine:only("definitions").id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and "" or "u", engine:tasks(), where)
    end)
  end)
end)

describe("Races of event sub-processes:", function()
  local function event_subprocess(id, interrupting, definition)
    return ([[<subProcess id="%s" triggeredByEvent="true"><startEvent id="%s_s" isInterrupting="%s">%s</startEvent><userTask id="u%s"/>
      <sequenceFlow id="%s_f" sourceRef="%s_s" targetRef="u%s"/></subProcess>]]):format(id, id, interrupting, definition, id, id, id, id)
  end
  local M, M2 = '<messageEventDefinition messageRef="m"/>', '<messageEventDefinition messageRef="m2"/>'
  local TIMER = "<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>"
  local function with(...) return process(table.concat { '<userTask id="a"/><userTask id="b"/>', ... }, "s -> a a -> b") end

  it("an interrupting one starts once", function()
    local answers = { "conflict ok", "correlation ok", "ok conflict", "ok correlation" }
    every("interrupting, twice", with(event_subprocess("x", true, M)), answers, function(engine)
      return message(engine), message(engine)
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ "ux", 0 }, { engine:tasks(), engine:count "subscriptions" }, where)
    end)
  end)

  it("a non-interrupting one starts with every message that was told ok", function()
    every("non-interrupting, twice", with(event_subprocess("x", false, M)), { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      return message(engine), message(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same({ a and b and "a ux ux" or "a ux", 1 }, { engine:tasks(), engine:count "subscriptions" }, where)
    end)
  end)

  it("of two interrupting ones the first takes the scope", function()
    local answers = { "conflict ok", "correlation ok", "ok conflict", "ok correlation" }
    every("two interrupting", with(event_subprocess("x", true, M), event_subprocess("y", true, M2)), answers, function(engine)
      return message(engine), message(engine, "other")
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ a and "ux" or "uy", 0 }, { engine:tasks(), engine:count "subscriptions" }, where)
    end)
  end)

  it("an interrupting one by a timer and by a message", function()
    local answers = { "conflict ok", "not_found ok", "ok conflict", "ok correlation" }
    every("timer and message", with(event_subprocess("x", true, TIMER), event_subprocess("y", true, M)), answers, function(engine)
      engine:advance(1000)
      return run(engine), message(engine)
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ a and "ux" or "uy", 0, 0 }, { engine:tasks(), engine:count "jobs", engine:count "subscriptions" }, where)
    end)
  end)

  it("an interrupting one and the completion of what it would interrupt", function()
    local answers = { "conflict ok", "ok conflict", "ok not_found", "ok ok" }
    every("interruption and completion", with(event_subprocess("x", true, M)), answers, function(engine)
      return message(engine), complete(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and "ux" or "b", engine:tasks(), where)
    end)
  end)

  it("a non-interrupting one and the end of its scope", function()
    local model = process('<userTask id="a"/>' .. event_subprocess("x", false, M), "s -> a")
    every("non-interrupting and end", model, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      return message(engine), complete(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and (b and "ux" or "a ux") or "", engine:tasks(), where)
      assert.equal(a and 1 or 0, engine:count "instances", where)
    end)
  end)
end)
