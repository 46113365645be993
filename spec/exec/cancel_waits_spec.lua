-- Listeners and mappings of what is canceled that await: the branch that cancels waits for them, and no other. Nothing here measures time:
-- what is awaited is brought by another branch, so that a run where that stands still fails.
local orrery = require "orrery"
local support = require "spec.support.process"

local flows = support.flows

local function service(id, class) return ('<serviceTask id="%s" o:class="%s"/>'):format(id, class) end
local function user(id, inside) return ('<userTask id="%s">%s</userTask>'):format(id, inside or "") end
local function fork(id) return ('<parallelGateway id="%s"/>'):format(id) end
local function sub(id, inside, more)
  return ('<subProcess id="%s">%s<startEvent id="%s0"/>%s</subProcess>'):format(id, more or "", id, inside)
end
local function boundary(id, to, event, attributes)
  return ('<boundaryEvent id="%s" attachedToRef="%s" %s>%s</boundaryEvent>'):format(id, to, attributes or "", event)
end

local ERROR <const>, SIGNAL <const> = '<errorEventDefinition errorRef="error"/>', '<signalEventDefinition signalRef="go"/>'
local TERMINATE <const> = '<endEvent id="%s"><terminateEventDefinition/></endEvent>'
local DEFINITIONS <const> = '<error id="error" errorCode="e"/><error id="error2" errorCode="e2"/><signal id="go" name="go"/>'

-- A task whose end is heard by a listener that awaits "x"; every dialect tells a canceled task's `delete` listeners.
local function going(id) return user(id, '<extensionElements><o:taskListener event="delete" class="awaits"/></extensionElements>') end

-- A path that takes longer than those beside it have before they wait, also where branches take turns.
local function long(from, to, nodes)
  local out, path = {}, { from }
  for i = 1, nodes or 8 do
    out[i] = ('<task id="%s%d"/>'):format(from, i)
    path[#path + 1] = ("%s%d %s%d"):format(from, i, from, i)
  end
  return table.concat(out) .. flows((table.concat(path, " -> ") .. " -> " .. to))
end

-- Beside the branch that cancels: what the listener awaits comes from here.
local TELLS <const> = service("t", "tells") .. user "y"

for _, dialect in ipairs { "orrery", "camunda", "flowable" } do
describe("what awaits while it is canceled in " .. dialect, function()
  local engine, seen, futures

  local function future(name)
    futures[name] = futures[name] or orrery.future()
    return futures[name]
  end

  before_each(function()
    engine = support.engine { dialect = dialect, history = "full" }
    seen, futures = {}, {}
    engine:register("awaits", function()
      orrery.await(future "x")
      seen[#seen + 1] = "ended"
    end)
    engine:register("tells", function()
      seen[#seen + 1] = "told"
      future "x":resolve()
    end)
    engine:register("sees", function(execution) seen[#seen + 1] = execution.activity_id end)
    engine:register("fails", function() orrery.bpmn_error "e" end)
  end)
  after_each(function()
    assert.same({}, engine:verify())
    engine:close()
  end)

  local function start(body, more)
    engine:deploy { ["p.bpmn"] = support.definitions(DEFINITIONS .. (more or "")
      .. '<process id="p" isExecutable="true"><startEvent id="s"/>' .. body .. "</process>") }
    return engine:start "p"
  end

  -- A sub-process beside `TELLS`, left by `after` and `z` once something has canceled the task in it.
  local function beside(inside, leaves_by, more)
    return start(fork "f" .. inside .. service("after", "sees") .. user "z" .. TELLS .. (more or "")
      .. flows("s -> f f -> sub t -> y after -> z " .. leaves_by .. " -> after") .. long("f", "t", 20))
  end

  local function holds_up_its_branch_alone(pi)
    assert.same({ "told", "ended", "after" }, seen)
    assert.same({ "y", "z" }, pi:active())
    assert.same({ "y", "z" }, support.fields(engine:tasks { order_by = "key" }, "key"))
  end

  it("holds up the boundary event that interrupts, and no other branch", function()
    holds_up_its_branch_alone(beside(sub("sub", fork "g" .. going "a" .. service("b", "fails") .. flows "sub0 -> g g -> a g -> b")
      .. boundary("c", "sub", ERROR), "c"))
  end)

  it("holds up the event sub-process that interrupts", function()
    local pi = beside(sub("sub", fork "g" .. going "a" .. service("b", "fails") .. flows "sub0 -> g g -> a g -> b"
      .. '<subProcess id="es" triggeredByEvent="true"><startEvent id="ev">' .. ERROR .. "</startEvent>"
      .. service("within", "sees") .. flows "ev -> within" .. "</subProcess>"), "sub")
    if dialect == "flowable" then -- where it interrupts the branch alone that fails
      assert.same({ { "within", "told" }, { "a", "y" } }, { seen, pi:active() })
    else
      assert.same({ "told", "ended", "within", "after" }, seen)
      assert.same({ "y", "z" }, pi:active())
    end
  end)

  it("holds up a terminate end event", function()
    holds_up_its_branch_alone(beside(sub("sub", fork "g" .. going "a" .. TERMINATE:format "b" .. flows "sub0 -> g g -> a g -> b"), "sub"))
  end)

  it("holds up the completion condition of a multi-instance", function()
    local pi = beside(sub("sub", '<exclusiveGateway id="g" default="d"/>' .. going "a" .. service("b", "sees") .. [[
      <sequenceFlow id="d" sourceRef="g" targetRef="a"/><sequenceFlow id="q" sourceRef="g" targetRef="b">
      <conditionExpression>${loopCounter == 2}</conditionExpression></sequenceFlow>]] .. flows "sub0 -> g",
      "<multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality>"
      .. "<completionCondition>${nrOfCompletedInstances == 1}</completionCondition></multiInstanceLoopCharacteristics>"), "sub")
    table.sort(seen)
    assert.same({ "after", "b", "ended", "ended", "told" }, seen)
    assert.same({ "y", "z" }, pi:active())
  end)

  local CANCEL <const> = '<endEvent id="b"><cancelEventDefinition/></endEvent>'
  local function transaction(inside, more)
    return ('<transaction id="sub">%s<startEvent id="sub0"/>%s</transaction>'):format(more or "", inside)
  end

  it("holds up the cancel end event of a transaction, and its compensation", function()
    local undone = '<task id="d"/>' .. boundary("cd", "d", "<compensateEventDefinition/>")
      .. '<serviceTask id="undo" isForCompensation="true" o:class="sees"/>'
      .. '<association id="as" sourceRef="cd" targetRef="undo" associationDirection="One"/>'
    local pi = beside(transaction(fork "g" .. going "a" .. undone .. CANCEL
      .. flows "sub0 -> d d -> g g -> a g -> b")
      .. boundary("c", "sub", "<cancelEventDefinition/>"), "c")
    assert.same({ "told", "ended", "undo", "after" }, seen)
    assert.same({ "y", "z" }, pi:active())
  end)

  it("holds up that of one instance of a transaction, whichever go with it", function()
    local multi = "<multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics>"
    local pi = beside(transaction('<exclusiveGateway id="g" default="e"/>' .. fork "g1" .. going "a" .. CANCEL
      .. [[<sequenceFlow id="e" sourceRef="g" targetRef="a"/><sequenceFlow id="q" sourceRef="g" targetRef="g1">
      <conditionExpression>${loopCounter == 2}</conditionExpression></sequenceFlow>]]
      .. flows "sub0 -> g g1 -> b", multi) .. boundary("c", "sub", "<cancelEventDefinition/>"), "c")
    assert.equal("told", seen[1])
    assert.equal("after", seen[#seen])
    assert.same({ "y", "z" }, pi:active())
  end)

  it("holds up the end event that terminates all", function()
    local pi = start(fork "f" .. going "a" .. service("t", "tells")
      .. '<endEvent id="e"><terminateEventDefinition o:terminateAll="true"/></endEvent>'
      .. flows "s -> f f -> a f -> t f -> e")
    assert.is_true(pi:reload().ended)
    assert.same({ "told", "ended" }, #seen == 2 and seen or { "told", table.concat(seen, " ") })
  end)

  it("holds it up with an output mapping, too", function()
    engine:register("out", function()
      orrery.await(future "x")
      seen[#seen + 1] = "ended"
      return 7
    end)
    local mapped = user("a", [[<extensionElements><o:inputOutput><o:outputParameter name="v">
      <o:script scriptFormat="lua">return out()</o:script></o:outputParameter></o:inputOutput></extensionElements>]])
    local pi = beside(sub("sub", fork "g" .. mapped .. service("b", "fails") .. flows "sub0 -> g g -> a g -> b")
      .. boundary("c", "sub", ERROR), "c")
    holds_up_its_branch_alone(pi)
  end)

  it("holds it up from within a called instance", function()
    engine:deploy { ["q.bpmn"] = support.definitions('<process id="q" isExecutable="true"><startEvent id="qs"/>' .. going "qa"
      .. flows "qs -> qa" .. "</process>") }
    holds_up_its_branch_alone(beside(sub("sub", fork "g" .. '<callActivity id="a" calledElement="q"/>'
      .. service("b", "fails") .. flows "sub0 -> g g -> a" .. long("g", "b")) .. boundary("c", "sub", ERROR), "c"))
    assert.equal(0, engine:count("instances", { key = "q" }))
  end)

  it("holds up what cancels around it, which comes behind", function()
    local inner = sub("inner", fork "g" .. going "a" .. service("b", "fails") .. flows "inner0 -> g g -> a g -> b")
      .. boundary("c", "inner", ERROR) .. service("never", "sees") .. flows "c -> never"
    local throws = '<endEvent id="e"><errorEventDefinition errorRef="error2"/></endEvent>'
    for _, outer in ipairs { { TERMINATE:format "e", "", "sub" },
      { throws, boundary("d", "sub", '<errorEventDefinition errorRef="error2"/>'), "d" } } do
      seen, futures = {}, {}
      local pi = beside(sub("sub", fork "h" .. inner .. outer[1] .. flows "sub0 -> h h -> inner" .. long("h", "e")) .. outer[2], outer[3])
      assert.same({ "told", "ended", "after" }, seen)
      assert.same({ "y", "z" }, pi:active())
      pi:delete()
    end
  end)

  it("holds up the end of its instance, by a terminate end event or deleted by a delegate", function()
    local inner = sub("sub", fork "g" .. going "a" .. service("b", "fails") .. flows "sub0 -> g g -> a g -> b")
      .. boundary("c", "sub", ERROR) .. service("never", "sees") .. flows "c -> never"
    local pi = start(fork "f" .. inner .. service("t", "tells") .. TERMINATE:format "e" .. flows "s -> f f -> sub t -> e" .. long("f", "t"))
    assert.same({ "told", "ended" }, seen)
    assert.is_true(pi:reload().ended)
    engine:register("deletes", function(execution) execution.engine:instance(execution.instance_id):delete "enough" end)
    engine:register("awaits", function()
      orrery.sleep(0)
      seen[#seen + 1] = "ended"
    end)
    seen = {}
    pi = start(fork "f" .. inner .. service("t", "deletes") .. flows "s -> f f -> sub" .. long("f", "t"))
    assert.same({ "ended" }, seen)
    assert.equal("enough", engine:history_instance(pi.id).delete_reason)
  end)

  it("is out of reach: no event finds it, and what another branch does to it is of no consequence", function()
    engine:register("completes", function(execution)
      local task = execution.engine:task { key = "a2" }
      seen[#seen + 1] = task and task:complete()
    end)
    local pi = start(fork "f" .. sub("sub", fork "g" .. going "a" .. user "a2" .. service("never", "sees") .. service("b", "fails")
      .. '<intermediateCatchEvent id="a3">' .. SIGNAL .. "</intermediateCatchEvent>"
      .. flows "sub0 -> g g -> a g -> a2 g -> a3 a2 -> never a3 -> never g -> b")
      .. boundary("c", "sub", ERROR) .. boundary("n", "sub", SIGNAL, 'cancelActivity="false"') .. service("never2", "sees")
      .. service("after", "sees") .. user "z" .. '<intermediateThrowEvent id="th">' .. SIGNAL .. "</intermediateThrowEvent>"
      .. service("co", "completes") .. TELLS .. long("f", "co")
      .. flows "s -> f f -> sub co -> th th -> t t -> y c -> after after -> z n -> never2")
    holds_up_its_branch_alone(pi)
  end)

  it("holds up one receiver of a signal, not the other", function()
    local pi = start(fork "f" .. going "a" .. boundary("c", "a", SIGNAL) .. service("after", "sees") .. user "z"
      .. '<intermediateCatchEvent id="w">' .. SIGNAL .. "</intermediateCatchEvent>" .. TELLS
      .. flows "s -> f f -> a f -> w w -> t t -> y c -> after after -> z")
    engine:signal "go"
    holds_up_its_branch_alone(pi)
  end)

  it("fails the whole when it fails, and leaves nothing", function()
    engine:register("awaits", function()
      orrery.await(future "x")
      error "no end"
    end)
    local failed = support.refused("script", function()
      beside(sub("sub", fork "g" .. going "a" .. service("b", "fails") .. flows "sub0 -> g g -> a g -> b")
        .. boundary("c", "sub", ERROR), "c")
    end)
    assert.matches("no end", failed.message)
    assert.same({ "told" }, seen)
    assert.equal(0, engine:count "instances")
  end)
end)
end
