--- Jobs whose delegates are not here: they lose nothing, say what they wait for, and run as soon as they can.
-- Marks: threads
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"

local function state_of(engine, instance) return engine:history_instance(instance.id).state end

--- Gives time until the instance is at its end; modules are looked for once a second at the latest.
local function comes_to_its_end(engine, instance)
  local given_up = os.time() + 60
  while state_of(engine, instance) ~= "completed" and os.time() < given_up do engine:wait_idle(0.1) end
  assert.equal("completed", state_of(engine, instance))
end

describe("a job whose delegate is missing", function()
  local engine, instance
  local function open(options, elements, flows)
    engine = support.engine(options or {})
    if elements then support.deploy(engine, elements, flows)
    else support.single(engine) end
    instance = engine:start "p"
  end
  after_each(function() engine:close() end)

  local function waits(name)
    local job = engine:job {}
    assert.equal(3, job.retries)
    assert.is_nil(job.lock_owner)
    assert.is_nil(job.error)
    assert.equal(name, job.waits_for)
    assert.same({}, engine:incidents {})
    local why = job:why()
    assert.equal("delegate_missing", why.reason)
    assert.truthy(why.text:find(('nothing is registered as "%s"'):format(name), 1, true), why.text)
    assert.matches("keeps its 3 tries", why.text)
  end

  it("keeps its tries, says so, and runs once it is registered", function()
    open()
    for _ = 1, 5 do engine:run_jobs() end
    waits "work"
    assert.equal(0, engine:run_jobs()) -- it is passed over, not tried again
    engine:register("work", function(execution) execution:set("done", true) end)
    assert.equal(1, engine:run_jobs())
    assert.equal("completed", state_of(engine, instance))
  end)

  it("is raised where it is run by hand, and costs nothing there either", function()
    open()
    local ok, problem = pcall(function() engine:job({}):execute() end)
    assert.is_false(ok)
    assert.equal("not_found", problem.kind)
    assert.equal("work", problem.missing_delegate)
    waits "work"
  end)

  it("goes on beside others, with an executor that comes to rest", function()
    open { clock = "system" }
    engine:register("other", function() end)
    support.deploy(engine, '<startEvent id="s"/><serviceTask id="t" camunda:class="other" camunda:asyncBefore="true"/><endEvent id="e"/>',
      "s -> t t -> e", { key = "q" })
    local others = {}
    for i = 1, 50 do others[i] = engine:start "q" end
    for _ = 1, 50 do engine:start "p" end
    engine:start_executor { threads = 2 }
    assert.is_true(engine:wait_idle(60))
    for _, other in ipairs(others) do assert.equal("completed", state_of(engine, other)) end
    assert.equal(51, engine:count("jobs", { waits_for = "work", retries = 3, locked = false }))
    assert.same({}, engine:incidents {})
    engine:register("work", function() end)
    comes_to_its_end(engine, instance)
    assert.is_true(engine:wait_idle(60))
    assert.equal(0, engine:count("jobs", {}))
  end)

  it("runs when its module appears", function()
    local path = folder.make()
    open { clock = "system", package_path = path .. "/?.lua" }
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(60))
    waits "work"
    local file <close> = assert(io.open(path .. "/work.lua", "w"))
    file:write "return function(execution) execution:set('found', true) end"
    file:close()
    comes_to_its_end(engine, instance)
    engine:stop_executor()
    folder.remove(path)
  end)

  it("runs in a process that has it, with all its tries", function()
    local path = folder.make()
    engine = orrery.open(path, { log = "none" })
    support.single(engine)
    instance = engine:start "p"
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(60))
    engine:close()
    engine = orrery.open(path, { log = "none" })
    waits "work" -- as an operator's own process sees it
    engine:register("work", function() error "now it fails" end)
    engine:run_jobs(1)
    local job = engine:job {}
    assert.equal(2, job.retries)
    assert.is_nil(job.waits_for)
    folder.remove(path)
  end)

  it("may call it in other ways", function()
    for name, task in pairs {
      bean = '<serviceTask id="t" camunda:delegateExpression="${bean}" camunda:asyncBefore="true"/>',
      charge = '<serviceTask id="t" camunda:expression="${charge(1)}" camunda:asyncBefore="true"/>',
      ["type:fax"] = '<serviceTask id="t" o:type="fax" camunda:asyncBefore="true"/>',
      listener = '<userTask id="t" camunda:asyncBefore="true"><extensionElements><camunda:executionListener event="start" '
        .. 'class="listener"/></extensionElements></userTask>',
    } do
      if engine then engine:close() end
      engine = support.engine {}
      if name == "type:fax" then engine:register_task_type("fax", print) end
      support.deploy(engine, '<startEvent id="s"/>' .. task .. '<endEvent id="e"/>', "s -> t t -> e")
      if name == "type:fax" then engine.core:register(name, nil) end
      instance = engine:start "p"
      engine:run_jobs()
      waits(name)
      engine.core:register(name, function() end)
      assert.equal(1, engine:run_jobs())
      assert.equal(0, engine:count("jobs", {}))
    end
  end)

  it("fails as ever when it is there and cannot be loaded, or a variable is what is missing", function()
    for _, task in ipairs { '<serviceTask id="t" camunda:class="spec.job.delegates.broken" camunda:asyncBefore="true"/>',
      '<serviceTask id="t" camunda:expression="${order.total}" camunda:asyncBefore="true"/>' } do
      if engine then engine:close() end
      engine = support.engine {}
      support.deploy(engine, '<startEvent id="s"/>' .. task .. '<endEvent id="e"/>', "s -> t t -> e")
      engine:start "p"
      engine:run_jobs()
      assert.equal(1, engine:count("incidents", {}))
    end
  end)
end)

describe("a closure", function()
  local engine, lines
  local function open(options)
    lines = {}
    options.log = function(level, message) lines[#lines + 1] = level .. ": " .. message end
    engine = support.engine(options)
  end
  after_each(function() engine:close() end)

  local function warnings()
    local found = {}
    for _, line in ipairs(lines) do
      if line:find "^warning: closures and tables run" then found[#found + 1] = line end
    end
    return found
  end

  it("just works, on the thread that registered it, and is named once", function()
    open { clock = "system" }
    local count = 0
    engine:register("work", function(execution)
      count = count + 1
      execution:set("n", count)
    end)
    engine:register("plain", function() end)
    support.single(engine)
    local instances = {}
    for i = 1, 20 do instances[i] = engine:start "p" end
    engine:start_executor { threads = 3 }
    assert.is_true(engine:wait_idle(60))
    for _, instance in ipairs(instances) do assert.equal("completed", state_of(engine, instance)) end
    assert.equal(20, count)
    assert.same({}, engine:incidents {})
    engine:stop_executor()
    engine:start_executor { threads = 3 }
    assert.equal(1, #warnings())
    assert.matches("wait_idle%): work; a module's name", warnings()[1])
  end)

  it("waits for its thread, and why says so; run_jobs and poll give it time", function()
    for _, way in ipairs { "run_jobs", "poll" } do
      if engine then engine:close() end
      open { clock = "system" }
      local n = 0
      engine:register("work", { execute = function() n = n + 1 end })
      support.single(engine)
      local instance = engine:start "p"
      engine:start_executor { threads = 1 }
      local job = engine:job {}
      local given_up = os.time() + 60
      while job:why().reason ~= "waits_for_thread" and os.time() < given_up do end
      assert.equal("waits_for_thread", job:why().reason)
      assert.matches('"work" was registered as a closure or table', job:why().text)
      assert.equal(3, job:reload().retries)
      local ran = 0
      while ran == 0 and os.time() < given_up do ran = engine[way](engine) end
      assert.equal(1, n)
      assert.equal("completed", state_of(engine, instance))
      engine:stop_executor()
    end
  end)

  it("may await, and others wait for what it leaves behind", function()
    open { clock = "system" }
    local order = {}
    engine:register("work", function(execution)
      orrery.sleep(0.01)
      order[#order + 1] = execution.activity_id
    end)
    engine:register("plain", function() end)
    support.deploy(engine, '<startEvent id="s"/>' .. support.task "a"
      .. '<serviceTask id="b" camunda:class="plain" camunda:asyncBefore="true"/>' .. support.task "c" .. '<endEvent id="e"/>',
      "s -> a a -> b b -> c c -> e")
    local instance = engine:start "p"
    engine:start_executor { threads = 2 }
    assert.is_true(engine:wait_idle(60))
    assert.same({ "a", "c" }, order)
    assert.equal("completed", state_of(engine, instance))
  end)

  it("that fails burns its tries as any other", function()
    open { clock = "system" }
    local n = 0
    engine:register("work", function()
      n = n + 1
      error "broken"
    end)
    support.single(engine)
    engine:start "p"
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(60))
    assert.equal(3, n)
    assert.equal(1, engine:count("incidents", {}))
  end)
end)
