-- Races about external tasks (reliability A6), each in all orders of the two commands' steps.
local race = require "spec.sim.race"
local every, process = race.every, race.process

local MODEL = process('<serviceTask id="t" camunda:type="external" camunda:topic="orders"/><userTask id="u"/>', "s -> t t -> u")

local function task(engine) return engine:only("external_tasks").id end
local function lock(id, worker, more)
  local arguments = { task = id, worker = worker, duration = 60000 }
  for key, value in pairs(more or {}) do arguments[key] = value end
  return { "external_lock", arguments }
end
local function complete(id, worker) return { "external_complete", { task = id, worker = worker } } end
local function fail(id, worker, retries) return { "external_fail", { task = id, worker = worker, failure = { retries = retries } } } end
local function fetch(worker, more)
  local arguments = { request = { worker = worker, max = 10, topics = { { name = "orders", lock = 60 } } } }
  for key, value in pairs(more or {}) do arguments[key] = value end
  return { "fetch_and_lock", arguments }
end
local function held(engine, worker)
  local id = task(engine)
  assert.equal("ok", engine:does(table.unpack(lock(id, worker))))
  return id
end
local function workers(engine)
  local names = {}
  for i, t in ipairs(engine:list "external_tasks") do names[i] = t.worker or "-" end
  table.sort(names)
  return table.concat(names, " ")
end

describe("Races of external tasks:", function()
  it("two workers lock one", function()
    every("two locks", MODEL, { "conflict ok", "ok conflict", "ok state", "state ok" }, function(engine)
      local id = task(engine)
      return lock(id, "w1"), lock(id, "w2")
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(a and "w1" or "w2", workers(engine), where)
    end)
  end)

  it("two workers fetch: one gets it", function()
    every("two fetches", MODEL, { "conflict ok", "ok conflict", "ok ok" }, function()
      return fetch "w1", fetch "w2"
    end, function(engine, a, b, where)
      local worker = workers(engine)
      assert.is_true(a and worker == "w1" or b and worker == "w2", where)
    end)
  end)

  it("two workers fetch, each in a command of its own: one gets it, the other nothing, without an error", function()
    every("two whole fetches", MODEL, { "ok ok" }, function()
      return fetch("w1", { whole = true }), fetch("w2", { whole = true })
    end, function(engine, a, b, where)
      assert.is_true(a and b, where)
      assert.is_truthy(workers(engine):find "^w[12]$", where)
    end)
  end)

  it("a whole fetch between the steps of another takes the task from it", function()
    every("fetch between", MODEL, { "conflict ok", "ok ok" }, function()
      return fetch "w1", fetch("w2", { whole = true })
    end, function(engine, a, b, where)
      assert.is_true(b, where)
      assert.equal(a and workers(engine) == "w1" and "w1" or "w2", workers(engine), where)
    end)
  end)

  it("two workers fetch one exclusive task each: one gets both tasks of the instance, or one of them alone", function()
    local two = process('<parallelGateway id="g"/><serviceTask id="t" camunda:type="external-worker" camunda:topic="orders"/>'
      .. '<serviceTask id="t2" camunda:type="external-worker" camunda:topic="others"/>', "s -> g g -> t g -> t2")
    local model = two:gsub("http://camunda.org/schema/1.0/bpmn", "http://flowable.org/bpmn")
    local function topic(worker, name)
      return { "fetch_and_lock", { request = { worker = worker, max = 1, topics = { { name = name, lock = 60 } } } } }
    end
    every("two exclusive fetches", model, { "conflict ok", "ok conflict", "ok ok" }, function()
      return topic("w1", "orders"), topic("w2", "others")
    end, function(engine, _, _, where)
      local held_by = workers(engine)
      assert.is_true(held_by == "- w1" or held_by == "- w2", where .. held_by)
    end)
  end)

  it("one is completed twice", function()
    every("two completions", MODEL, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      local id = held(engine, "w1")
      return complete(id, "w1"), complete(id, "w1")
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal("u", engine:tasks(), where)
    end)
  end)

  it("completed, or failed: not both", function()
    every("completion and failure", MODEL, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      local id = held(engine, "w1")
      return complete(id, "w1"), fail(id, "w1", 2)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and "u" or "", engine:tasks(), where)
      if not a then assert.equal(2, engine:only("external_tasks").retries, where) end
    end)
  end)

  it("the last failure, and new retries: an incident stands if the failure came last", function()
    every("failure and retries", MODEL, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local id = held(engine, "w1")
      return fail(id, "w1", 0), { "external_set_retries", { task = id, retries = 5 } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      local retries = engine:only("external_tasks").retries
      assert.is_true(retries == 0 and a or retries == 5 and b, where)
      assert.equal(retries == 0 and 1 or 0, engine:count "incidents", where)
    end)
  end)

  it("the last failure, and the end of its instance", function()
    every("failure and deletion", MODEL, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      local id = held(engine, "w1")
      return fail(id, "w1", 0), { "delete_instance", { instance = engine:only("instances").id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and 0 or 1, engine:count "instances", where)
      assert.equal(b and 0 or 1, engine:count "incidents", where)
    end)
  end)

  it("an expired lock: the new worker's lock and the old one's completion", function()
    every("expiry and completion", MODEL, { "conflict ok", "not_found ok", "ok conflict", "ok state" }, function(engine)
      local id = held(engine, "w1")
      engine:advance(60001)
      return lock(id, "w2"), complete(id, "w1")
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(b and "u" or "", engine:tasks(), where)
    end)
  end)

  it("an expired lock: fetched by another, or given back", function()
    every("expiry and unlocking", MODEL, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local id = held(engine, "w1")
      engine:advance(60001)
      return fetch "w2", { "external_unlock", { task = id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      local worker = workers(engine)
      assert.is_true(worker == "w2" and a or worker == "-" and b, where)
    end)
  end)

  it("an extended lock and the completion", function()
    every("extension and completion", MODEL, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      local id = held(engine, "w1")
      return lock(id, "w1", { extend = true, duration = 120000 }), complete(id, "w1")
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and "u" or "", engine:tasks(), where)
    end)
  end)

  it("a lock that is given back, and extended: it is not both", function()
    every("extension and unlocking", MODEL, { "conflict ok", "ok conflict", "ok ok", "state ok" }, function(engine)
      local id = held(engine, "w1")
      return lock(id, "w1", { extend = true }), { "external_unlock", { task = id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and "-" or "w1", workers(engine), where)
    end)
  end)

  it("a fetch and the suspension of the instance", function()
    every("fetch and suspension", MODEL, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      return fetch "w1", { "suspend_instance", { instance = engine:only("instances").id, suspended = true } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b, engine:only("external_tasks").suspended, where)
    end)
  end)

  it("a boundary timer and the completion: one of them goes on", function()
    local model = process([[<serviceTask id="t" camunda:type="external" camunda:topic="orders"/><boundaryEvent id="x" attachedToRef="t">
      <timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></boundaryEvent><userTask id="u"/><userTask id="ux"/>]],
      "s -> t t -> u x -> ux")
    every("boundary timer and completion", model, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      local id = held(engine, "w1")
      engine:advance(1000)
      return complete(id, "w1"), { "run_job", { job = engine:only("jobs").id } }
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(a and "u" or "ux", engine:tasks(), where)
    end)
  end)

  it("two fetches with a limit of one get one", function()
    every("two limited fetches", MODEL, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      engine:call("start", { key = "p" })
      engine:call("set_limit", { topic = "orders", max = 1 })
      return fetch "w1", fetch "w2"
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.is_truthy(workers(engine):find "^%- w[12]$", where)
    end)
  end)

  it("a place that a completion gives back is there for the next", function()
    every("a place given back", MODEL, { "ok ok" }, function(engine)
      engine:call("start", { key = "p" })
      engine:call("set_limit", { topic = "orders", max = 1 })
      engine:does(table.unpack(fetch "w1"))
      local id
      for _, t in ipairs(engine:list "external_tasks") do id = t.worker and t.id or id end
      return complete(id, "w1"), fetch "w2"
    end, function(engine, a, b, where)
      assert.is_true(a and b, where)
      engine:does(table.unpack(fetch "w2"))
      assert.equal("w2", workers(engine), where)
    end)
  end)
end)
