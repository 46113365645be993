-- Local variables of branches: what is set locally in an activity that is no scope belongs to the token, and follows it until it joins
-- others or ends. No other branch sees it.
local orrery = require "orrery"
local support = require "spec.support.process"
local folder = require "spec.support.folder"

local flows = support.flows

for _, dialect in ipairs { "orrery", "camunda", "flowable" } do
describe("a branch's local variables in " .. dialect, function()
  local engine, seen
  before_each(function()
    engine = support.engine { dialect = dialect }
    seen = {}
    engine:register("mine", function(execution) execution:set_local("x", execution.activity_id) end)
    engine:register("see", function(execution)
      local x = execution:get "x"
      seen[execution.activity_id] = x == nil and "nothing" or x
    end)
  end)
  after_each(function() engine:close() end)

  local function deploy(body, before)
    engine:deploy { ["p.bpmn"] = support.definitions((before or "") .. '<process id="p" isExecutable="true">' .. body .. "</process>") }
  end
  local function mine(id, inside) return ('<serviceTask id="%s" o:class="mine">%s</serviceTask>'):format(id, inside or "") end
  local function see(id) return ('<serviceTask id="%s" o:class="see"/>'):format(id) end

  -- Two branches, each with its own x, and user tasks in them.
  local two = '<startEvent id="s"/><parallelGateway id="fork"/>' .. mine "a" .. mine "b" .. see "seea" .. see "seeb"
    .. '<userTask id="ua"/><userTask id="ub"/><%sGateway id="join"/>' .. see "after" .. '<userTask id="last"/>'
    .. flows "s -> fork fork -> a fork -> b a -> seea b -> seeb seea -> ua seeb -> ub ua -> join ub -> join join -> after after -> last"

  for _, join in ipairs { "parallel", "inclusive" } do
    it("are its own until the " .. join .. " join", function()
      deploy(two:format(join))
      local pi = engine:start "p"
      assert.same({ seea = "a", seeb = "b" }, seen)
      assert.same({}, pi:variables())
      assert.equal("a", engine:task({ key = "ua" }):get "x")
      assert.equal("b", engine:task({ key = "ub" }):get "x")
      engine:task({ key = "ua" }):complete()
      engine:task({ key = "ub" }):complete()
      assert.same({ "last" }, pi:active())
      assert.equal(dialect == "flowable" and "b" or "nothing", seen.after)
      assert.same({}, engine:verify())
    end)
  end

  it("end with it", function()
    deploy('<startEvent id="s"/><parallelGateway id="g"/>' .. mine "a" .. '<endEvent id="e"/><userTask id="u"/>'
      .. flows "s -> g g -> a a -> e g -> u")
    local pi = engine:start "p"
    assert.same({ "u" }, pi:active())
    assert.same({}, pi:variables())
    assert.is_nil(engine:task({}):get "x")
    assert.same({}, engine:verify())
  end)

  it("are changed where they are, and removed there", function()
    engine:register("change", function(execution)
      execution:set("x", execution:get "x" .. "!")
      assert.equal("a!", execution:get_local "x")
      assert.same({ x = "a!" }, execution:local_variables())
      execution:remove_local "x"
      assert.is_nil(execution:get "x")
      execution:set("x", "the instance's")
    end)
    deploy('<startEvent id="s"/><parallelGateway id="g"/><userTask id="u"/>' .. mine "a" .. '<serviceTask id="c" o:class="change"/>'
      .. flows "s -> g g -> u g -> a a -> c")
    assert.same({ x = "the instance's" }, engine:start("p"):variables())
  end)

  it("hide the instance's, and are hidden by those of a scope that the token becomes", function()
    deploy('<startEvent id="s"/><parallelGateway id="g"/><userTask id="u"/>' .. mine "a"
      .. [[<subProcess id="sub"><extensionElements><o:inputOutput><o:inputParameter name="x">${x}, inside</o:inputParameter>
        </o:inputOutput></extensionElements><startEvent id="i"/>]] .. see "inner" .. flows "i -> inner" .. "</subProcess>"
      .. see "after" .. '<userTask id="last"/>' .. flows "s -> g g -> u g -> a a -> sub sub -> after after -> last")
    local pi = engine:start("p", { variables = { x = "the instance's" } })
    assert.same({ inner = "a, inside", after = "a" }, seen)
    assert.equal("the instance's", pi:get "x")
    assert.equal("a", engine:task({ key = "last" }):get "x")
    assert.equal("the instance's", engine:task({ key = "u" }):get "x")
  end)

  it("stay with the token through a task's own", function()
    deploy('<startEvent id="s"/><parallelGateway id="g"/><userTask id="u"/>' .. mine "a" .. '<userTask id="t"/>' .. see "after"
      .. '<userTask id="last"/>' .. flows "s -> g g -> u g -> a a -> t t -> after after -> last")
    engine:start "p"
    local task = engine:task { key = "t" }
    task:set_local("x", "the task's")
    assert.equal("the task's", task:get "x")
    task:complete()
    assert.same({ after = "a" }, seen)
  end)

  it("are seen by what the branch calls and by the scopes in it, not by a handler of what is beside it", function()
    engine:deploy { ["c.bpmn"] = support.definitions('<process id="called" isExecutable="true"><startEvent id="cs"/>' .. see "called1"
      .. flows "cs -> called1" .. "</process>") }
    deploy('<startEvent id="s"/><parallelGateway id="g"/><userTask id="u"/>' .. mine "a"
      .. [[<callActivity id="call" calledElement="called"><extensionElements><o:in variables="all"/></extensionElements></callActivity>
        <userTask id="last"/><subProcess id="es" triggeredByEvent="true"><startEvent id="ess" isInterrupting="false">
        <signalEventDefinition signalRef="go"/></startEvent>]] .. see "handler" .. flows "ess -> handler" .. "</subProcess>"
      .. flows "s -> g g -> u g -> a a -> call call -> last", '<signal id="go" name="go"/>')
    engine:start "p"
    engine:signal "go"
    assert.same({ called1 = "a", handler = "nothing" }, seen)
  end)

  it("follow the first of several flows that the token takes", function()
    deploy('<startEvent id="s"/><parallelGateway id="g"/><userTask id="u"/>' .. mine "a" .. '<parallelGateway id="fork"/>'
      .. '<userTask id="u1"/><userTask id="u2"/>' .. flows "s -> g g -> u g -> a a -> fork fork -> u1 fork -> u2")
    engine:start "p"
    assert.equal("a", engine:task({ key = "u1" }):get "x")
    assert.is_nil(engine:task({ key = "u2" }):get "x")
  end)

  it("are those of useLocalScopeForResultVariable, too", function()
    local attributes = 'o:expression="${id}" o:resultVariable="r" o:useLocalScopeForResultVariable="true"'
    deploy('<startEvent id="s"/><parallelGateway id="g"/><userTask id="u"/><serviceTask id="plain" ' .. attributes:gsub("id", "1 + 1")
      .. '/><userTask id="u1"/><serviceTask id="bounded" ' .. attributes:gsub("id", "2 + 2")
      .. '/><boundaryEvent id="b" attachedToRef="bounded"><errorEventDefinition/></boundaryEvent><userTask id="u2"/>'
      .. flows "s -> g g -> u g -> plain plain -> u1 g -> bounded bounded -> u2")
    local pi = engine:start "p"
    assert.same({}, pi:variables())
    assert.is_nil(engine:task({ key = "u" }):get "r")
    assert.equal(2, engine:task({ key = "u1" }):get "r")
    assert.equal(dialect == "flowable" and 4 or nil, engine:task({ key = "u2" }):get "r") -- an activity with boundary events is a scope
  end)

  it("are not an external worker's: those are its task's", function()
    deploy('<startEvent id="s"/><parallelGateway id="g"/><userTask id="u"/><serviceTask id="x" o:type="external" o:topic="t"/>'
      .. '<boundaryEvent id="b" attachedToRef="x"><errorEventDefinition/></boundaryEvent><userTask id="u1"/>'
      .. flows "s -> g g -> u g -> x x -> u1")
    local pi = engine:start "p"
    engine:fetch_and_lock({ worker = "w", max = 1, topics = { { name = "t", lock = 60 } } })[1]:complete("w", { y = 1 }, { x = 2 })
    assert.same({ y = 1 }, pi:variables())
    assert.is_nil(engine:task({ key = "u1" }):get "x")
  end)

  it("are unknown to compensation", function()
    deploy('<startEvent id="s"/><subProcess id="sub"><startEvent id="i"/><parallelGateway id="g"/>' .. mine "a" .. '<task id="b"/>'
      .. '<boundaryEvent id="c" attachedToRef="b"><compensateEventDefinition/></boundaryEvent>'
      .. '<serviceTask id="undo" isForCompensation="true" o:class="see"/>'
      .. '<association id="as" sourceRef="c" targetRef="undo" associationDirection="One"/>' .. flows "i -> g g -> a g -> b"
      .. "</subProcess>"
      .. '<intermediateThrowEvent id="back"><compensateEventDefinition/></intermediateThrowEvent><userTask id="u"/>'
      .. flows "s -> sub sub -> back back -> u")
    engine:start "p"
    assert.same({ undo = "nothing" }, seen)
    assert.same({}, engine:verify())
  end)

  it("may be transient", function()
    engine:register("passing", function(execution) execution:set_transient_local("x", "t") end)
    deploy('<startEvent id="s"/><parallelGateway id="g"/><serviceTask id="a" o:class="passing"/>' .. see "seea" .. see "seeb"
      .. '<userTask id="u"/><userTask id="v"/>' .. flows "s -> g g -> a a -> seea seea -> u g -> seeb seeb -> v")
    engine:start "p"
    assert.same({ seea = "t", seeb = "nothing" }, seen)
    assert.is_nil(engine:task({ key = "u" }):get "x")
  end)

  it("set off the token's own conditional events alone", function()
    local bounded = [[<userTask id="%s"/><boundaryEvent id="%sb" attachedToRef="%s" cancelActivity="false"><conditionalEventDefinition>
      <condition>${go == 1}</condition></conditionalEventDefinition></boundaryEvent><userTask id="%sn"/>]]
    deploy('<startEvent id="s"/><parallelGateway id="g"/>' .. bounded:gsub("%%s", "a") .. bounded:gsub("%%s", "b")
      .. flows "s -> g g -> a g -> b ab -> an bb -> bn")
    local pi = engine:start "p"
    engine:execution(engine:task({ key = "a" }).execution_id):set_local("go", 1)
    assert.same({ "a", "an", "b" }, pi:active())
  end)

  it("are set by the id of a token, and are that token's", function()
    deploy('<startEvent id="s"/><userTask id="u"/>' .. see "after" .. '<userTask id="last"/>' .. flows "s -> u u -> after after -> last")
    local pi = engine:start "p"
    local execution = engine:execution(engine:task({}).execution_id)
    execution:set_local("x", "its")
    assert.equal("its", execution:get_local "x")
    assert.same({}, pi:variables())
    assert.equal(1, #engine:executions { variables = { x = "its" } })
    engine:task({}):complete()
    assert.same({ after = "its" }, seen)
    execution:set_local("x", "changed")
    execution:set_local("y", 2)
    execution:remove_local "x"
    assert.is_nil(engine:task({}):get "x")
    assert.equal(2, engine:task({}):get "y")
  end)

  it("are refused a name that begins with a control character", function()
    deploy('<startEvent id="s"/><userTask id="u"/>' .. flows "s -> u")
    local pi = engine:start "p"
    for _, name in ipairs { "\x1ex", "\x1fx" } do support.refused("argument", function() pi:set(name, 1) end) end
  end)

  it("outlive the engine, and end in another transaction", function()
    local place = folder.make()
    finally(function() folder.remove(place) end)
    local first = orrery.open(place, { clock = "manual", dialect = dialect, log = "none" })
    first:register("mine", function(execution) execution:set_local("x", execution.activity_id) end)
    first:register("see", function() end)
    first:deploy { ["p.bpmn"] = support.definitions('<process id="p" isExecutable="true">' .. two:format "parallel" .. "</process>") }
    first:start "p"
    first:close()
    local again <close> = orrery.open(place, { clock = "manual", dialect = dialect, log = "none" })
    again:register("see", function(execution) seen[#seen + 1] = execution:get "x" or "nothing" end)
    assert.equal("b", again:task({ key = "ub" }):get "x")
    again:task({ key = "ub" }):complete()
    again:task({ key = "ua" }):complete()
    assert.same({ dialect == "flowable" and "a" or "nothing" }, seen)
    assert.same({}, again:verify())
  end)

  it("go with a token that is canceled", function()
    deploy('<startEvent id="s"/><parallelGateway id="g"/>' .. mine "a" .. '<userTask id="ua"/><userTask id="u"/>'
      .. flows "s -> g g -> a a -> ua g -> u")
    local pi = engine:start "p"
    pi:modify { { cancel = "ua" } }
    assert.same({ "u" }, pi:active())
    assert.same({}, engine:verify())
    pi:delete "enough"
    assert.same({}, engine:verify())
  end)
end)
end
