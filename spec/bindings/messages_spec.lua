--- What the first day brings: mistakes that everybody makes, and what is said about them.
local folder = require "spec.support.folder"
local model = require "spec.bindings.model"
local orrery = require "orrery"

local function raised(f, ...)
  local ok, problem = pcall(f, ...)
  assert.is_false(ok)
  return problem
end

describe("a mistake is named:", function()
  local engine
  before_each(function() engine = orrery.open(nil, { log = "none", clock = "manual" }) end)
  after_each(function() engine:close() end)

  it("a method that is called with a dot", function()
    engine:deploy(model.around '<userTask id="t"/>')
    local pi = engine:start "p"
    local task, job = engine:task {}, nil
    for text, f in pairs {
      ["engine:start"] = function() engine.start "p" end,
      ["engine:close"] = function() engine.close() end,
      ["engine:tasks"] = function() engine.tasks { key = "t" } end,
      ["engine:register"] = function() engine.register("x", print) end,
      ["instance:delete"] = function() pi.delete "why" end,
      ["task:complete"] = function() task.complete { approved = true } end,
      ["task:get"] = function() task.get "x" end,
    } do
      local problem = raised(f)
      assert.equal("argument", problem.kind)
      assert.truthy(problem.message:find("was called with '.'", 1, true), problem.message)
      assert.truthy(problem.message:find("call it with ':', as " .. text .. "(...)", 1, true), problem.message)
    end
    assert.is_nil(job)
    task:complete()
  end)

  it("variables that are read like a field", function()
    engine:deploy(model.class "d")
    for text, f in pairs {
      ["execution.vars.x is the variable, execution:variables() gives all"] = function(execution) return execution.variables.x end,
      ["execution.vars.y is the variable"] = function(execution) execution.variables.y = 1 end,
      ["execution:local_variables() gives all"] = function(execution) return execution.local_variables.x end,
    } do
      engine:register("d", f)
      local problem = raised(engine.start, engine, "p")
      assert.truthy(problem.message:find(text, 1, true), problem.message)
    end
    engine:register("d", function(execution)
      assert(execution:variables().x == 1 and execution.variables(execution).x == 1 and execution.getVariables().x == 1)
      assert(type(execution:local_variables()) == "table")
    end)
    engine:start("p", { variables = { x = 1 } })
    engine:deploy { ["q.bpmn"] = model.around('<userTask id="t"/>')["p.bpmn"]:gsub('id="p"', 'id="q"') }
    local pi = engine:start("q", { variables = { x = 1 } })
    for text, f in pairs {
      ['instance:get "x" is the variable, instance:variables() gives all'] = function() return pi.variables.x end,
      ['task:get "x" is the variable'] = function() engine:task({}).variables.x = 1 end,
      ['execution:get "x" is the variable'] = function() return engine:executions({})[1].local_variables.x end,
    } do
      local problem = raised(f)
      assert.equal("argument", problem.kind)
      assert.truthy(problem.message:find(text, 1, true), problem.message)
    end
    assert.equal(1, engine:evaluate("${execution.variables.x}", { execution = pi.id }))
  end)

  it("options that are not there, with those that are", function()
    for _, case in ipairs {
      { "lock_time", engine.start_executor, engine, { lock_duration = 5 } },
      { "acquisition", orrery.open, nil, { lock_duration = 5 } },
      { "business_key", engine.start, engine, "p", { lock_duration = 5 } },
      { "lock_expires", engine.jobs, engine, { color = 5 } },
      { "triggered_variables", engine.message, engine, "m", { lock_duration = 5 } },
      { "use_priority", engine.fetch_and_lock, engine, { worker = "w", max = 1, lock_duration = 5 } },
      { "extension_properties", engine.fetch_and_lock, engine, { worker = "w", max = 1, topics = { { name = "x", lock_duration = 5 } } } },
      { "libraries", orrery.open, nil, { sandbox = { lock_duration = 5 } } },
    } do
      local problem = raised(table.unpack(case, 2))
      assert.equal("argument", problem.kind)
      assert.truthy(problem.message:find(case[1], 1, true), problem.message)
    end
    assert.matches('there is no "io" for scripts', raised(orrery.open, nil, { sandbox = { libraries = { "io" } } }).message:gsub("'", '"'))
  end)

  it("variables that stand among the options", function()
    engine:deploy(model.around '<userTask id="t"/>')
    local problem = raised(engine.start, engine, "p", { total = 4 })
    assert.matches('unknown option "total"; a variable goes into variables = { total = %.%.%. }; known are key, ', problem.message)
    problem = raised(engine.fetch_and_lock, engine, { worker = "w", max = 1, total = 4 })
    assert.is_nil(problem.message:find("variables = {", 1, true))
  end)

  it("what is no resource of a deployment", function()
    local xml = select(2, next(model.around '<userTask id="t"/>'))
    assert.matches("this is a model itself", raised(engine.deploy, engine, xml).message)
    assert.matches("this is a model itself", raised(engine.check, engine, xml).message)
    local list = raised(engine.deploy, engine, { "order.bpmn" })
    assert.same({ "argument", true }, { list.kind, list.message:find "a path, of a file or folder, goes without a table" ~= nil })
  end)

  it("a delegate by its file's name", function()
    engine:deploy(model.class "shop.charge.lua")
    assert.matches('a module is named without its file\'s ending: "shop.charge"', raised(engine.start, engine, "p").message)
  end)

  it("what waits for ever, where it was written", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local problem = raised(function() orrery.await(orrery.future()) end)
    assert.same({ "state", "nothing will settle this future" }, { problem.kind, problem.message })
    assert.matches("messages_spec.lua:" .. line .. "$", problem.where)
  end)

  it("a raised table or nil, by its content", function()
    for raise, shown in pairs {
      ["error()"] = "nil was raised: error%(%) was called without a message",
      ["error(nil)"] = "nil was raised",
      ["error { reason = 'no money', amounts = { 1, 2 } }"] = '{ amounts = { 1, 2 }, reason = "no money" }',
      ["error {}"] = "{}",
      ["error(setmetatable({}, { __tostring = function() return 'in words' end }))"] = "in words",
      ["error { message = 'its own' }"] = "its own",
      ["error(false)"] = "false",
      ["local t = {} t.t = t error(t)"] = "{ t = <above> }",
      ["error { long = ('x'):rep(10000) }"] = "%.%.%.$",
    } do
      engine:register("d", load("return function() " .. raise .. " end")())
      engine:deploy(model.class "d")
      local problem = raised(engine.start, engine, "p")
      assert.equal("script", problem.kind)
      assert.matches(shown, problem.message)
      assert.is_true(#problem.message < 400)
    end
  end)

  it("where the program called, not where it was noticed", function()
    local line = debug.getinfo(1, "l").currentline
    local from = raised(function() engine:start "nowhere" end)
    assert.matches("messages_spec.lua:" .. line + 1 .. "$", from.where)
    assert.matches("not_found: .* %[.*messages_spec.lua:" .. line + 1 .. "%]$", tostring(from))
    for _, f in ipairs { function() engine:undeploy("7", { casacde = true }) end, function() engine:task() end,
      function() engine:start_by_id "x" end, function() engine:set_time {} end } do
      assert.matches("messages_spec.lua:%d+$", raised(f).where)
    end
    engine:register("d", function(execution) execution.engine:start "nowhere" end)
    local inner = debug.getinfo(1, "l").currentline - 1
    engine:deploy(model.class "d")
    assert.matches("messages_spec.lua:" .. inner .. "$", raised(engine.start, engine, "p").where)
  end)

  it("a model for Camunda 8", function()
    local xml = model.around [[<serviceTask id="t"><extensionElements>
      <zeebe:taskDefinition xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" type="x"/></extensionElements></serviceTask>]]
    local problem = raised(engine.deploy, engine, xml)
    assert.matches("drawn for Camunda 8 %(zeebe:%).*Camunda 7 as the modeler's platform", problem.problems[1].message)
    local named = 0
    for _, p in ipairs(problem.problems) do named = named + (p.message:find "Camunda 8" and 1 or 0) end
    assert.equal(1, named)
  end)
end)

describe("a time that dateTime() gives", function()
  it("is a due date, a timer's date and a value", function()
    local engine <close> = orrery.open(nil, { log = "none", clock = "manual" })
    local tomorrow = engine:now() + 86400
    engine:deploy(model.around '<userTask id="t" camunda:dueDate="${dateTime().plusDays(1)}"/>')
    engine:start "p"
    assert.equal(tomorrow, engine:task({}).due)
    engine:deploy(model.around [[<intermediateCatchEvent id="t"><timerEventDefinition>
      <timeDate>${dateTime().plusDays(1)}</timeDate></timerEventDefinition></intermediateCatchEvent>]])
    engine:start "p"
    assert.equal(tomorrow, engine:job({}).due)
    assert.equal(tomorrow, engine:evaluate "${dateTime().plusDays(1)}")
    assert.equal(engine:now() + 0.25, engine:evaluate "${dateTime().plusMillis(250)}")
    engine:deploy(model.around '<serviceTask id="t" camunda:expression="${dateTime()}" camunda:resultVariable="at"/>')
    assert.equal(engine:now(), engine:start("p"):get "at")
  end)
end)

describe("a folder", function()
  local path
  before_each(function() path = folder.make() end)
  after_each(function() folder.remove(path) end)

  local function write(name, bytes)
    os.execute(("mkdir -p '%s/%s'"):format(path, name:match "^(.*)/" or ""))
    local file <close> = assert(io.open(path .. "/" .. name, "wb"))
    file:write(bytes)
  end

  it("is deployed without secrets, repositories, stores and programs", function()
    local engine <close> = orrery.open(path .. "/store", { log = "none" })
    local models = model.around '<userTask id="t"/>'
    write("p.bpmn", models["p.bpmn"])
    for _, name in ipairs { "com/shop/Charge.lua", "forms/order.form", "rates.csv" } do write(name, "-- x") end
    for _, name in ipairs { ".env", ".git/config", ".git/objects/a.lua", "tool.so", "core", "backup.tar.gz", "README" } do
      write(name, "secret")
    end
    local deployment = engine:deploy(path)
    table.sort(deployment.resources)
    assert.same({ "com/shop/Charge.lua", "forms/order.form", "p.bpmn", "rates.csv" }, deployment.resources)
  end)

  it("names the file that is too large, before it is read", function()
    local engine <close> = orrery.open(nil, { log = "none" })
    assert(os.execute(("truncate -s 5G '%s/huge.csv'"):format(path)))
    local problem = raised(engine.deploy, engine, path)
    assert.equal("limit", problem.kind)
    assert.matches("huge.csv is of 5368709120 bytes; a resource has at most 67108864", problem.message)
  end)
end)
