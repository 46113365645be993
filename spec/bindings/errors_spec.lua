-- Errors are tables with a kind; arguments are checked before anything happens.
package.path = "spec/bindings/?.lua;" .. package.path
local orrery = require "orrery"
local model = require "model"

describe("errors", function()
  local engine

  before_each(function() engine = orrery.open(nil, { clock = "manual", log = "none" }) end)
  after_each(function() engine:close() end)

  local function raises(kind, pattern, f, ...)
    local ok, err = pcall(f, ...)
    assert.is_false(ok)
    assert.equal("table", type(err), tostring(err))
    assert.equal(kind, err.kind)
    assert.matches(pattern, err.message)
    assert.matches(kind .. ": ", tostring(err), 1, true)
    return err
  end

  it("name function, argument and the nearest known option", function()
    raises("argument", "#2 to 'start' %(unknown option \"variabels\"; did you mean \"variables\"%?", engine.start, engine, "p",
      { variabels = {} })
    raises("argument", 'unknown option "clok"; did you mean "clock"%?', orrery.open, nil, { clok = "manual" })
    raises("argument", 'unknown option "colck"; did you mean "clock"', orrery.open, nil, { colck = "manual" })
    raises("argument", 'unknown option "sundial"; known are ', orrery.open, nil, { sundial = "manual" })
    raises("argument", 'history: "sundial" is not known; it is one of default, none, ', orrery.open, nil, { history = "sundial" })
    raises("argument", "#1 to 'start' %(string expected, got nil%)", engine.start, engine)
    raises("argument", "retries: integer expected, got string", orrery.open, nil, { retries = "three" })
    raises("argument", "clock: one of manual, system expected", orrery.open, nil, { clock = "sundial" })
    raises("argument", 'history: "al" is not known', orrery.open, nil, { history = "al" })
    raises("argument", "without zero bytes", engine.start, engine, "p\0q")
  end)

  it("tell what is not there", function()
    raises("not_found", "nope", engine.start, engine, "nope")
    assert.is_nil(engine:task "no id at all")
  end)

  it("tell a text that is no id from an id of nothing", function()
    raises("not_found", "#1 to 'undeploy' %(\"no id at all\" is no id; ids are ", engine.undeploy, engine, "no id at all")
    raises("not_found", "#1 to 'start_by_id' %(\"abc\" is no id", engine.start_by_id, engine, "abc")
    raises("not_found", "#2 to 'signal' %(execution: \"x\" is no id; ", engine.signal, engine, "s", { execution = "x" })
    raises("not_found", '"0" is no id', engine.trigger, engine, 0)
    raises("not_found", "there is no deployment 12345$", engine.undeploy, engine, "12345")
  end)

  it("count arguments as they are written, whatever a record passes on by itself", function()
    engine:deploy(model.around '<userTask id="t"/>')
    local instance = engine:start "p"
    local task, execution = engine:tasks({})[1], engine:executions({})[1]
    raises("argument", "#1 to 'complete' %(a: a function cannot be stored", task.complete, task, { a = print })
    raises("argument", "#1 to 'claim' %(string", task.claim, task, true)
    raises("argument", "#2 to 'bpmn_error' %(string", task.bpmn_error, task, "code", true)
    raises("argument", "#1 to 'get' %(string expected, got boolean", instance.get, instance, true)
    raises("argument", "#1 to 'set_all' %(table expected, got string", instance.set_all, instance, "x")
    raises("argument", "#1 to 'trigger' %(table or nil expected, got string", execution.trigger, execution, "x")
    raises("argument", "#1 to 'activate_jobs' %(table or nil expected", engine.activate_jobs, engine, "x")
    raises("argument", "#1 to 'cancel_batch' %(", engine.cancel_batch, engine, true)
    raises("argument", "#1 to 'register' %(string", engine.register, engine, true, print)
  end)

  it("refuse a closed engine instead of using it", function()
    local other = orrery.open(nil, { log = "none" })
    other:close()
    other:close()
    raises("state", "^the engine is closed", other.now, other)
    raises("state", "^the engine is closed", other.start, other, "p")
  end)

  it("carry a delegate's own error as cause, with its traceback", function()
    engine:register("d", function() error { type = "shop.Declined", message = "no money", cause = { message = "inner" } } end)
    engine:deploy(model.class "d")
    local err = raises("script", "no money", engine.start, engine, "p")
    assert.equal("shop.Declined", err.cause.type)
    assert.equal("inner", err.cause.cause.message)
    assert.matches("errors_spec", err.traceback)
    assert.same({}, engine:instances {})
  end)

  it("keep the kind of an engine's error that a delegate lets through", function()
    engine:register("d", function(execution) execution.engine:start "nope" end)
    engine:deploy(model.class "d")
    raises("not_found", "nope", engine.start, engine, "p")
  end)

  it("say at which activity they rose, once", function()
    engine:register("d", function() error { message = "no money" } end)
    engine:deploy(model.class "d")
    local err = raises("script", "no money", engine.start, engine, "p")
    assert.equal("t", err.activity_id)
    local function said(e) return (tostring(e):gsub(" %[.-errors_spec.lua:%d+%]$", "")) end
    assert.equal('script: no money (at activity "t")', said(err))
    engine:register("d", function() error { message = '"t" has no money' } end)
    assert.equal('script: "t" has no money', said(raises("script", "no money", engine.start, engine, "p")))
  end)

  it("tell a BPMN error's code, and what was said with it, once", function()
    local engine <close> = orrery.open(nil, { log = "none", unhandled_bpmn_error = "raise" })
    engine:register("d", function(execution) orrery.bpmn_error("DECLINED", execution:get "why") end)
    engine:deploy(model.class "d")
    local silent = raises("bpmn_error", '^BPMN error "DECLINED", thrown at "t", is caught by nobody$', engine.start, engine, "p")
    assert.same({ code = "DECLINED" }, { code = silent.error_code, message = silent.error_message })
    local told = raises("bpmn_error", '^BPMN error "DECLINED": no money, thrown', engine.start, engine, "p",
      { variables = { why = "no money" } })
    assert.same({ "DECLINED", "no money" }, { told.error_code, told.error_message })
    engine:register("d", function() error { kind = "bpmn_error", code = "DECLINED", message = "by hand" } end)
    raises("bpmn_error", '^BPMN error "DECLINED": by hand, thrown', engine.start, engine, "p")
  end)

  it("refuse to register nothing", function()
    raises("argument", "function or table or string expected, got nil", engine.register, engine, "d", nil)
  end)

  it("name the delegate that is nowhere", function()
    engine:deploy(model.class "com.shop.Nowhere")
    raises("not_found", "com%.shop%.Nowhere", engine.start, engine, "p")
  end)

  it("refuse a BPMN error whose variables cannot be kept, which nothing catches then", function()
    local deep = {}
    for _ = 1, 100 do deep = { deep } end
    engine:deploy { ["p.bpmn"] = model.class("boom")["p.bpmn"]:gsub('<userTask id="wait"/>', [[<boundaryEvent id="b" attachedToRef="t">
      <errorEventDefinition/></boundaryEvent><sequenceFlow id="f4" sourceRef="b" targetRef="wait"/>%0]]) }
    for why, value in pairs { ["a function cannot be stored"] = print, ["the value nests too deep"] = deep,
      ["a string of this size cannot be stored"] = ("x"):rep((64 << 20) + 1) } do
      engine:register("boom", function() orrery.bpmn_error("DECLINED", "by hand", { reason = value }) end)
      raises("argument", '^the variables of BPMN error "DECLINED": reason.*: ' .. why, engine.start, engine, "p")
      engine:register("boom", function() error({ kind = "bpmn_error", code = "DECLINED", variables = { reason = value } }) end)
      raises("argument", why, engine.start, engine, "p")
    end
    engine:register("boom", function() orrery.bpmn_error("DECLINED", "by hand", { reason = 1 }) end)
    assert.equal(1, engine:start("p"):get "reason")
  end)
end)
