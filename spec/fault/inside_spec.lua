--- What the engine runs calls the engine: whatever it calls, it is answered, and the engine goes on.
-- Marks: threads
local folder = require "spec.support.folder"
local gate = require "spec.executor.gate"
local orrery = require "orrery"

local function model(activities)
  return { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="spec">]] .. activities .. "</definitions>" }
end

local function process(key, activity)
  local xml = [[<process id="KEY" isExecutable="true"><startEvent id="sKEY"/><sequenceFlow id="fKEY" sourceRef="sKEY" targetRef="tKEY"/>
    ACTIVITY<sequenceFlow id="gKEY" sourceRef="tKEY" targetRef="wKEY"/><userTask id="wKEY"/></process>]]
  return (xml:gsub("ACTIVITY", function() return activity end):gsub("KEY", key))
end

local async = '<serviceTask id="tKEY" camunda:class="work" camunda:asyncBefore="true"/>'

local function raises(kind, message, f, ...)
  local ok, problem = pcall(f, ...)
  assert.is_false(ok)
  assert.equal(kind, problem.kind)
  assert.matches(message, problem.message)
end

describe("a transaction", function()
  local path, engine
  before_each(function()
    path = folder.make()
    engine = orrery.open(path, { clock = "manual", log = "none" })
    engine:deploy(model(process("p", '<userTask id="tKEY"/>')))
  end)
  after_each(function()
    engine:close()
    folder.remove(path)
  end)

  it("is not left open by a coroutine that yields, and what comes later is kept", function()
    local closed = false
    local co = coroutine.wrap(function()
      engine:transaction(function()
        local _ <close> = setmetatable({}, { __close = function() closed = true end })
        engine:start "p"
        coroutine.yield()
      end)
    end)
    raises("state", "its function yielded; what engine:transaction does ends before other code runs", co)
    assert.is_true(closed)
    engine:start "p"
    engine:close()
    engine = orrery.open(path, { clock = "manual", log = "none" })
    assert.equal(1, #engine:instances {})
  end)

  it("may be made in a coroutine, and gives what its function gives", function()
    local co = coroutine.wrap(function() return engine:transaction(function() return engine:start "p", nil, 3 end) end)
    local pi, none, three = co()
    assert.is_nil(none)
    assert.equal(3, three)
    assert.is_table(engine:instance(pi.id))
    local problem = select(2, pcall(engine.transaction, engine, function() error { mine = true } end))
    assert.is_true(problem.mine)
  end)

  it("waits for futures as any code of the program does", function()
    assert.equal(7, engine:transaction(function()
      engine:start "p"
      local future = orrery.future()
      engine:register("later", function() future:resolve(7) end)
      engine:evaluate "${later()}"
      return orrery.await(future)
    end))
    assert.equal(1, #engine:instances {})
  end)

  it("keeps the engine from being closed", function()
    raises("state", "cannot be closed within a transaction", engine.transaction, engine, function() engine:close() end)
    engine:start "p"
    assert.equal(1, #engine:instances {})
  end)

  it("is logged when an engine closes over it", function()
    local lines = {}
    local other = orrery.open(nil, { log = function(level, message) lines[#lines + 1] = level .. ": " .. message end })
    other.core:begin()
    other.core:close()
    assert.matches("warning: a transaction is rolled back", table.concat(lines, "\n"))
  end)

  it("is ended by nothing that its commands run", function()
    engine:register("meddle", function(execution)
      local core = execution.engine.core
      raises("state", "no transaction that was begun here", core.commit, core)
      core:rollback()
      core:begin() -- and never ended
    end)
    engine:deploy(model(process("q", '<serviceTask id="tKEY" camunda:class="meddle"/>')))
    engine:transaction(function()
      engine:start "q"
      engine:start "p"
    end)
    assert.equal(2, #engine:instances {})
    engine:close()
    engine = orrery.open(path, { clock = "manual", log = "none" })
    assert.equal(2, #engine:instances {})
  end)
end)

describe("engine:as", function()
  it("ends before other code runs", function()
    local engine <close> = orrery.open(nil, { log = "none" })
    local co = coroutine.wrap(function() engine:as("kermit", coroutine.yield) end)
    raises("state", "its function yielded; what engine:as does", co)
    assert.is_nil(engine.user)
    assert.is_nil(engine:evaluate "${authenticatedUserId}")
  end)

  it("lets no user slip into another job of the thread while a delegate waits", function()
    local engine <close> = orrery.open(nil, { log = "none", user = "system" })
    local future, seen = orrery.future(), {}
    engine:register("waits", function(execution)
      execution.engine:as("kermit", function()
        orrery.await(future)
        seen.waits = execution.engine:evaluate("${authenticatedUserId}", { execution = execution.id })
      end)
    end)
    engine:register("looks", function(execution)
      seen.looks = execution.engine:evaluate("${authenticatedUserId}", { execution = execution.id })
      execution.engine:as("fozzie", function() end)
      future:resolve()
    end)
    engine:deploy(model(process("a", '<serviceTask id="tKEY" camunda:class="waits" camunda:asyncBefore="true"/>')
      .. process("b", '<serviceTask id="tKEY" camunda:class="looks" camunda:asyncBefore="true"/>')))
    engine:start "a"
    engine:poll(0)
    engine:start "b"
    for _ = 1, 3 do engine:poll(0) end
    assert.same({ waits = "kermit", looks = "system" }, seen)
    assert.equal("system", engine:evaluate "${authenticatedUserId}")
  end)
end)

describe("an error", function()
  -- Lua leaves C functions by longjmp; what watches the stack of a thread has to see that they are left.
  it("that leaves the module's functions leaves nothing of them behind, however often", function()
    local engine <close> = orrery.open(nil, { log = "none" })
    for _ = 1, 70000 do assert(not pcall(engine.core.now, engine.core, "too", "many")) end
    assert.equal(0, engine:count("jobs", {}))
  end)
end)

describe("a delegate", function()
  it("that yields its coroutine fails, for nothing would resume it", function()
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none" })
    local closed = 0
    engine:register("work", function()
      local _ <close> = setmetatable({}, { __close = function() closed = closed + 1 end })
      coroutine.yield "something"
    end)
    engine:deploy(model(process("p", async)))
    engine:start "p"
    assert.equal(1, engine:run_jobs(1))
    assert.matches("yielded its coroutine; to wait, it calls orrery.await", engine:jobs({})[1].error)
    assert.equal(1, closed)
  end)

  local function on_a_worker(f)
    local engine <close> = orrery.open(nil, { log = "none", retries = 1 })
    engine:register("work", f)
    engine:deploy(model(process("p", async)))
    local pi = engine:start "p"
    engine:start_executor { threads = 2 }
    assert.is_true(engine:wait_idle(60))
    assert.same({}, engine:incidents {})
    local variables = pi:variables()
    engine:stop_executor()
    assert.is_false(engine:executor_active())
    return variables
  end

  it("stops no executor, starts none, and does not wait for itself", function()
    local variables = on_a_worker(function(execution)
      for _, name in ipairs { "stop_executor", "start_executor", "wait_idle", "close", "run_jobs", "poll" } do
        local ok, problem = pcall(execution.engine[name], execution.engine)
        execution:set(name, ok and "done" or problem.kind)
      end
      local core = execution.engine.core
      for _, name in ipairs { "close", "__close", "stop_executor" } do
        local ok, problem = pcall(core[name], core)
        execution:set("core_" .. name, ok and "done" or problem.kind)
      end
    end)
    assert.same({ stop_executor = "state", start_executor = "state", wait_idle = "state", close = "state", run_jobs = "state",
      poll = "state", core_close = "state", core___close = "state", core_stop_executor = "state" }, variables)
  end)

  it("that sets another due date for its own job does not lose it to itself", function()
    local variables = on_a_worker(function(execution)
      execution.job:set_due(execution.engine:now() + 60)
      require "orrery".sleep(0.01) -- what waits looks at its job again before it commits
      execution:set("done", true)
    end)
    assert.is_true(variables.done)
  end)

  it("registers what lives on, and nothing that ends with its thread", function()
    local variables = on_a_worker(function(execution)
      local engine, n = execution.engine, 1
      engine:register("plain", function() return 5 end)
      engine:register("module", "spec.fault.models")
      for name, value in pairs { closure = function() return n end, bean = { execute = print } } do
        local ok, problem = pcall(engine.register, engine, name, value)
        execution:set(name, not ok and problem.kind .. ": " .. problem.message or "done")
      end
      execution:set("plain", engine:evaluate "${plain()}")
    end)
    assert.equal(5, variables.plain)
    for _, name in ipairs { "closure", "bean" } do
      assert.matches("state: \"" .. name .. "\": a closure or table cannot be registered on an executor's thread", variables[name])
    end
  end)

  it("registers what serves when its thread is gone", function()
    local engine <close> = orrery.open(nil, { log = "none", retries = 1 })
    engine:register("work", function(execution) execution.engine:register("made", function() return 6 end) end)
    engine:register("made", function() return 5 end)
    engine:deploy(model(process("p", async)))
    engine:start "p"
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.equal(6, engine:evaluate "${made()}")
    engine:register("made", function() return 7 end)
    assert.equal(7, engine:evaluate "${made()}")
  end)

  it("of one engine stops no executor that serves several", function()
    local executor <close> = orrery.executor { threads = 1 }
    local a <close> = orrery.open(nil, { log = "none" })
    local b <close> = orrery.open(nil, { log = "none" })
    executor:add(a)
    executor:add(b)
    local kinds = {}
    a:register("work", function()
      for name, f in pairs { stop = executor.stop, close = executor.close, remove = function() executor:remove(b) end } do
        kinds[name] = select(2, pcall(f, executor)).kind
      end
      kinds.engine = select(2, pcall(b.stop_executor, b)).kind
    end)
    a:deploy(model(process("p", '<serviceTask id="tKEY" camunda:class="work"/>')))
    a:start "p"
    assert.same({ stop = "state", close = "state", remove = "state", engine = "state" }, kinds)
    executor:start()
    assert.is_true(b:wait_idle(60))
    executor:stop()
  end)
end)

describe("the log", function()
  -- The executor's only thread is at a gate, so that run_jobs is lent what it has taken.
  it("stops no executor while its thread runs a job that the executor has lent to it", function()
    local place <close> = gate.make()
    local kinds, engine = {}, nil
    engine = orrery.open(nil, { retries = 1, log = function(_, message)
      if not message:find("broken", 1, true) then return end
      for _, name in ipairs { "stop_executor", "wait_idle", "close" } do
        local ok, problem = pcall(engine[name], engine)
        kinds[name] = ok and "done" or problem.kind
      end
    end })
    place:register(engine)
    engine:register("fails", function() error "broken" end)
    engine:deploy(model(process("p", async)
      .. process("q", '<serviceTask id="tKEY" camunda:class="fails" camunda:asyncBefore="true"/>')))
    engine:start_executor { threads = 1 }
    engine:start("p", { variables = place:variables "blocks" })
    place:fills(1)
    engine:start "q"
    assert.equal(1, engine:run_jobs(1))
    assert.same({ stop_executor = "state", wait_idle = "state", close = "state" }, kinds)
    place:open()
    engine:stop_executor()
    engine:close()
  end)
end)

--- Calls every method of the engine and of records with arguments of many kinds, in an order that is
--- a seed's; nothing but its errors may come of it.
local everything = [[
  local random = require "spec.support.random"
  local engine, called = execution.engine, 0
  local draw = random.seeded(random.seed())
  local function drawn(class)
    local names = {}
    for name, f in pairs(class) do
      if type(f) == "function" and type(name) == "string" and not name:find "^__" and name ~= "reload" and name ~= "copy_to" then
        names[#names + 1] = name
      end
    end
    table.sort(names)
    for i = #names, 2, -1 do
      local k = draw(i)
      names[i], names[k] = names[k], names[i]
    end
    return names
  end
  local arguments = { {}, { "ok" }, { "1" }, { {} }, { "ok", {} }, { "1", {} }, { {}, {} }, { "1", "1" }, { function() end },
    { "ok", function() end }, { 0 } }
  local function all(object, class)
    for _, name in ipairs(drawn(class)) do
      for _, list in ipairs(arguments) do
        pcall(class[name], object, table.unpack(list))
        called = called + 1
      end
    end
  end
  all(engine, getmetatable(engine))
  for _, verb in ipairs { "instances", "executions", "tasks", "jobs", "job_definitions", "deployments", "definitions", "incidents" } do
    for _, record in ipairs(select(2, pcall(engine[verb], engine, {}))) do
      local index = type(record) == "table" and getmetatable(record).__index
      if index then all(record, type(index) == "table" and getmetatable(index).__index or require "orrery.record.task") end
    end
  end
  return called]]

describe("every entry point", function()
  local engine
  local made = load("local execution = ... " .. everything, "=everything")

  local function ready(options)
    options.log, options.retries = options.log or "none", 1
    engine = orrery.open(nil, options)
    engine:deploy(model(process("ok", '<userTask id="tKEY"/>')))
  end
  after_each(function()
    assert.is_table(engine:definition { key = "fresh" } or engine:deploy(model(process("fresh", '<userTask id="tKEY"/>'))))
    local pi = engine:start "fresh"
    assert.same({ "tfresh" }, pi:active())
    assert.same({}, engine:verify())
    engine:close()
  end)

  local function attempt(xml, key)
    pcall(engine.deploy, engine, model(xml))
    pcall(engine.start, engine, key or "p")
  end

  it("may be called by a delegate, a listener, an expression and a condition", function()
    local called = 0
    ready { clock = "manual" }
    engine:register("f", function(execution) called = called + made(execution) end)
    attempt(process("p", '<serviceTask id="tKEY" camunda:class="f"/>'))
    ready { clock = "manual" }
    engine:register("f", function(execution) called = called + made(execution) end)
    attempt(process("p", '<userTask id="tKEY"><extensionElements><camunda:executionListener event="start" class="f"/>'
      .. '<camunda:taskListener event="create" class="f"/></extensionElements></userTask>'))
    ready { clock = "manual" }
    engine:register("g", function(execution)
      called = called + made(execution)
      return true
    end)
    attempt(process("p", '<serviceTask id="tKEY" camunda:expression="${g(execution)}"/>'))
    ready { clock = "manual" }
    engine:register("g", function(execution)
      called = called + made(execution)
      return true
    end)
    local gateway = process("p", '<exclusiveGateway id="tKEY"/>')
    attempt((gateway:gsub('(<sequenceFlow id="gp".-)/>',
      "%1><conditionExpression>${g(execution)}</conditionExpression></sequenceFlow>")))
    assert.is_true(called > 2000)
  end)

  it("may be called by a job, by run_jobs and on a worker", function()
    for _, threads in ipairs { false, true } do
      ready {}
      engine:register("f", made)
      attempt(process("p", '<serviceTask id="tKEY" camunda:class="f" camunda:asyncBefore="true"/>'))
      assert.equal(1, engine:count("jobs", {}))
      if threads then
        engine:start_executor { threads = 2 }
        assert.is_true(engine:wait_idle(120))
        engine:stop_executor()
      else
        assert.is_true(engine:run_jobs(10) >= 1)
      end
    end
  end)

  it("may be called by a finalizer and by the log", function()
    local called, inside = 0, false
    ready { clock = "manual", log = function()
      if inside then return end
      inside = true
      called = called + made { engine = engine }
      inside = false
    end }
    engine:register("f", function(execution)
      setmetatable({}, { __gc = function() called = called + made { engine = execution.engine } end })
      for _ = 1, 2 do collectgarbage() end
      error "logged"
    end)
    attempt(process("p", '<serviceTask id="tKEY" camunda:class="f" camunda:asyncBefore="true"/>'))
    engine:run_jobs(10)
    assert.is_true(called > 0)
  end)
end)
