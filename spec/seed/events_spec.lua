-- Flowable's guide, "Events": each example, deployed and run.
local orrery = require "orrery"
local seed = require "spec.seed.support"

local engine
before_each(function() engine = seed.engine() end)
after_each(function() engine:close() end)

local function signal(id, name) return ('<signal id="%s" name="%s"/>'):format(id, name) end
local function message(id, name) return ('<message id="%s" name="%s"/>'):format(id, name) end
local function waits_in(instance, ...) assert.same({ ... }, instance:active()) end

describe("Timer Event Definitions", function()
  -- an event definition stands inside an event: the fragment is put there
  local function inside(name, variables, fill)
    local text = seed.text(name)
    for old, new in pairs(fill or {}) do text = text:gsub(old, new) end
    engine:deploy { ["t.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
      xmlns:flowable="http://flowable.org/bpmn" targetNamespace="Examples"><process id="p" isExecutable="true">]]
      .. seed.ends .. seed.flows "s -> c c -> e"
      .. '<intermediateCatchEvent id="c">' .. text .. "</intermediateCatchEvent></process></definitions>" }
    return engine:start("p", { variables = variables })
  end
  it("takes a business calendar", function()
    engine:register("custom", { resolve = function(_, _, now) return now + 42 end })
    inside("timer_event_definitions_1", nil, { ["%.%.%."] = "<timeDuration>a while</timeDuration>" })
    assert.equal(engine:now() + 42, engine:job({}).due)
  end)
  it("fires at a date", function()
    inside "timer_event_definitions_2"
    assert.equal(orrery.parse_time "2011-03-11T12:13:14Z", engine:job({}).due)
  end)
  it("fires after a duration", function()
    local instance = inside "timer_event_definitions_3"
    assert.equal(engine:now() + 10 * 86400, engine:job({}).due)
    engine:advance "P10D"
    assert.equal(1, engine:run_jobs())
    assert.is_nil(engine:instance(instance.id))
  end)
  it("repeats until an end date, given as attribute or in the expression", function()
    for number, variables in ipairs { {}, { EndDate = "2026-01-01T15:00:00Z" } } do
      local text = seed.text "timer_event_definitions_4"
      local first, second = text:match "^(.-</timerEventDefinition>)%s*(.*)$"
      local own = seed.engine { now = number == 1 and "2015-02-25T00:00:00Z" or nil }
      own:deploy { ["t.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn"
        targetNamespace="Examples"><process id="p" isExecutable="true">]] .. seed.ends .. '<userTask id="t"/><userTask id="u"/>'
        .. '<boundaryEvent id="b" attachedToRef="t" cancelActivity="false">' .. (number == 1 and first or second) .. "</boundaryEvent>"
        .. seed.flows "s -> t t -> e b -> u" .. "</process></definitions>" }
      own:start("p", { variables = variables })
      for _ = 1, 5 do
        own:advance "PT10H"
        own:run_jobs()
      end
      assert.equal(1, #own:tasks { key = "u" }, "the second firing lies behind the end")
      own:close()
    end
  end)
  it("takes expressions", function()
    seed.deploy(engine, "timer_event_definitions_5", { process = seed.ends .. '<userTask id="firstLineSupport"/><userTask id="second"/>',
      flows = "s -> firstLineSupport firstLineSupport -> e escalationTimer -> second" })
    local instance = engine:start("p", { variables = { duration = "PT1H" } })
    engine:advance "PT1H"
    engine:run_jobs()
    waits_in(instance, "second")
  end)
end)

describe("Signal Event Definitions", function()
  it("are thrown and caught by name", function()
    local text = seed.text("signal_event_definitions_1"):gsub("<definitions%.%.%. >", function()
      return '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="Examples">'
    end)
    local fills = { '<startEvent id="s"/>' .. seed.flows "s -> catchSignalEvent catchSignalEvent -> throwSignalEvent", "" }
    text = text:gsub("%.%.%.", function() return table.remove(fills, 1) end)
    engine:deploy { ["s.bpmn"] = (text:gsub('<process id="catchSignal">', '<process id="catchSignal" isExecutable="true">')) }
    local first, second = engine:start "catchSignal", engine:start "catchSignal"
    assert.equal(2, #engine:executions { signal = "alert" })
    engine:signal("alert", { execution = engine:executions({ signal = "alert", instance = first.id })[1].id })
    assert.is_nil(engine:instance(first.id))
    assert.is_nil(engine:instance(second.id), "the first one threw it for all")
  end)
  it("stay within their instance by scope", function()
    seed.deploy(engine, "signal_event_scope_1", { whole = true, fill = {}, root = [[<process id="p" isExecutable="true"><startEvent id="s"/>
      <parallelGateway id="g"/><userTask id="t"/><intermediateThrowEvent id="th"><signalEventDefinition signalRef="alertSignal"/>
    </intermediateThrowEvent>
      <intermediateCatchEvent id="c"><signalEventDefinition signalRef="alertSignal"/></intermediateCatchEvent>]]
      .. seed.flows "s -> g g -> t t -> th g -> c" .. "</process>" })
    local first, second = engine:start "p", engine:start "p"
    engine:task({ instance = first.id }):complete()
    assert.is_nil(engine:instance(first.id))
    waits_in(second, "c", "t")
  end)
end)

describe("Message Event Definitions", function()
  it("are directed at one receiver", function()
    local text = seed.text "message_event_definitions_1"
    local fills = { "", seed.flows "messageStart -> paymentEvt", "" }
    text = text:gsub("%.%.%.", function() return table.remove(fills, 1) or "" end):gsub('id="invoiceProcess"', '%0 isExecutable="true"')
    engine:deploy { ["m.bpmn"] = text }
    local one = engine:start_by_message("newInvoiceMessage", { variables = { orderId = 1 } })
    engine:start_by_message("newInvoiceMessage", { variables = { orderId = 2 } })
    assert.equal(1, #engine:definitions { message = "newInvoiceMessage" })
    local waiting = engine:executions { message = "paymentMessage", variables = { orderId = 1 } }
    assert.equal(1, #waiting)
    engine:message("paymentMessage", { execution = waiting[1].id })
    assert.is_nil(engine:instance(one.id))
    assert.equal(1, #engine:instances {})
  end)
end)

describe("Start Events", function()
  it("keep the initiator", function()
    seed.deploy(engine, "start_events_1", { process = '<userTask id="t"/>', flows = "request -> t" })
    local instance = engine:as("bono", function() return engine:start "p" end) or engine:instances({})[1]
    assert.equal("bono", instance:get "initiator")
  end)
  it("None Start Event", function()
    seed.deploy(engine, "none_start_event_1", { process = '<userTask id="t"/>', flows = "start -> t" })
    waits_in(engine:start "p", "t")
  end)
  it("Custom extensions for the none start event: formKey", function()
    seed.deploy(engine, "custom_extensions_for_the_none_start_event_1", { process = '<userTask id="t"/>', flows = "request -> t" })
    waits_in(engine:start "p", "t")
  end)
  it("Timer Start Event: a cycle from a date, and a date", function()
    for name, firings in pairs { timer_start_event_1 = 4, timer_start_event_2 = 1 } do
      local own = seed.engine { now = "2011-03-11T12:00:00Z" }
      seed.deploy(own, name, { process = '<userTask id="t"/>', flows = "theStart -> t" })
      for _ = 1, 10 do
        own:advance "PT5M"
        own:run_jobs()
      end
      assert.equal(firings, #own:instances {})
      own:start "p" -- starting by hand is not restricted
      assert.equal(firings + 1, #own:instances {})
      own:close()
    end
  end)
  it("Timer Start Event: a new version replaces the job", function()
    for _ = 1, 2 do seed.deploy(engine, "timer_start_event_2", { process = '<userTask id="t"/>', flows = "theStart -> t" }) end
    assert.equal(1, #engine:jobs {})
  end)
  it("Message Start Event", function()
    local text = seed.text("message_start_event_1"):gsub("%.%.%.", function() return '<userTask id="t"/>'
      .. seed.flows "messageStart -> t" end)
    engine:deploy { ["m.bpmn"] = (text:gsub('id="invoiceProcess"', '%0 isExecutable="true"')) }
    waits_in(engine:start_by_message "newInvoiceMessage", "t")
    waits_in(engine:start "invoiceProcess", "t") -- the only start event serves starting by key too
    local other = text:gsub("invoiceProcess", "another")
    assert.is_false(pcall(engine.deploy, engine, { ["m.bpmn"] = other }), "the name is taken by another process")
    engine:deploy { ["m.bpmn"] = text }
    assert.equal(1, #engine:subscriptions { name = "newInvoiceMessage" }, "only the newest version subscribes")
  end)
  it("Signal Start Event: all definitions are started", function()
    local text = seed.text "signal_start_event_1"
    for _, id in ipairs { "processWithSignalStart1", "another" } do
      local own = text:gsub("processWithSignalStart1", id):gsub('id="' .. id .. '"', '%0 isExecutable="true"')
      engine:deploy { ["s.bpmn"] = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="Examples">' .. own
        .. "</definitions>" }
    end
    engine:signal "The Signal"
    assert.equal(2, #engine:tasks { key = "theTask" })
    engine:signal("The Signal", { async = true })
    assert.equal(2, #engine:instances {})
    engine:run_jobs()
    assert.equal(4, #engine:instances {})
  end)
  it("Error Start Event: for event sub-processes", function()
    seed.deploy(engine, "error_start_event_1", { whole = true, root = [[<process id="p" isExecutable="true"><startEvent id="s"/>
    <endEvent id="e">
      <errorEventDefinition errorRef="someError"/>
    </endEvent>]] .. seed.flows "s -> e" .. [[<subProcess id="sub" triggeredByEvent="true"><userTask id="t"/>
      <sequenceFlow id="f" sourceRef="messageStart" targetRef="t"/>]], fill = { ["</startEvent>"] = "</startEvent></subProcess>"
      .. "</process>" } })
    waits_in(engine:start "p", "t")
  end)
end)

describe("End Events", function()
  it("None End Event", function()
    seed.deploy(engine, "none_end_event_1", { process = '<startEvent id="s"/>', flows = "s -> end" })
    assert.is_nil(engine:instance(engine:start("p").id))
  end)
  local function error_caught(name, root, fill)
    seed.deploy(engine, name, { whole = true, root = (root or "") .. [[<process id="p" isExecutable="true"><startEvent id="s"/>
    <subProcess id="sub">
      <startEvent id="ss"/><sequenceFlow id="sf" sourceRef="ss" targetRef="myErrorEndEvent"/>]], fill = fill })
    return engine:start "p"
  end
  local rest = [[</subProcess><boundaryEvent id="b" attachedToRef="sub"><errorEventDefinition errorRef="%s"/></boundaryEvent>
    <userTask id="caught"/>]]
    .. seed.flows "s -> sub b -> caught" .. "</process>"
  it("Error End Event: by the error, and by its code alone", function()
    waits_in(error_caught("error_end_event_1", '<error id="myError" errorCode="123"/>', { ["</endEvent>"] = "</endEvent>"
      .. rest:format "myError" }),
      "caught")
    waits_in(error_caught("error_end_event_4", nil, { ["</endEvent>"] = "</endEvent>" .. rest:format "error123" }), "caught")
  end)
  it("Error End Event: raised when nobody catches it", function()
    seed.deploy(engine, "error_event_definitions_1", { process = '<startEvent id="s"/>', flows = "s -> myErrorEndEvent" })
    local ok, err = pcall(engine.start, engine, "p")
    assert.is_false(ok)
    assert.equal("bpmn_error", err.kind)
  end)
  it("Terminate End Event: terminateAll ends the root, from however deep", function()
    seed.deploy(engine, "terminate_end_event_1", { whole = true, root = [[<process id="p" isExecutable="true"><startEvent id="s"/>
    <parallelGateway id="g"/>
      <userTask id="t"/><subProcess id="sub"><startEvent id="ss"/><sequenceFlow id="sf" sourceRef="ss" targetRef="myEndEvent"/>]],
      fill = { ['"myEndEvent'] = '"myEndEvent"', ["</endEvent>"] = "</endEvent>"
      .. "</subProcess>" .. seed.flows "s -> g g -> t g -> sub" .. "</process>" } })
    assert.is_nil(engine:instance(engine:start("p").id))
  end)
  it("Cancel End Event, Cancel Boundary Event", function()
    local cancel_end, boundary = seed.text "cancel_end_event_1", seed.text "cancel_boundary_event_1"
    engine:deploy { ["c.bpmn"] = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="Examples">'
      .. '<process id="p" isExecutable='
      .. '"true"><startEvent id="s"/><transaction id="transaction"><startEvent id="ts"/>'
      .. '<sequenceFlow id="f" sourceRef="ts" targetRef="myCancelEndEvent"/>'
      .. cancel_end .. "</transaction>" .. boundary .. '<userTask id="t"/>' .. seed.flows "s -> transaction boundary -> t"
        .. "</process></definitions>" }
    waits_in(engine:start "p", "t")
  end)
end)

describe("Boundary Events", function()
  local function attached(name, activity, around, variables)
    around = around or {}
    around.process = seed.ends .. ('<userTask id="%s"/><userTask id="then"/>'):format(activity)
    around.flows = ("s -> %s %s -> e %s -> then"):format(activity, activity, around.boundary)
    seed.deploy(engine, name, around)
    return engine:start("p", { variables = variables })
  end
  it("Timer Boundary Event: interrupts", function()
    local instance = attached("timer_boundary_event_1", "firstLineSupport", { boundary = "escalationTimer" })
    engine:advance "PT4H"
    engine:run_jobs()
    waits_in(instance, "then")
  end)
  it("Timer Boundary Event: an event without definition is refused", function()
    assert.truthy(seed.refused(engine, "timer_boundary_event_2", { process = seed.ends .. '<userTask id="firstLineSupport"/>',
      flows = "s -> firstLineSupport" }):find "escalationTimer")
  end)
  it("Error Boundary Event", function()
    seed.deploy(engine, "error_boundary_event_1", { root = '<error id="myError" errorCode="123"/>',
      process = [[<startEvent id="s"/><userTask id="t"/>
      <subProcess id="mySubProcess"><startEvent id="ss"/><parallelGateway id="g"/><userTask id="other"/><endEvent id="se">
    <errorEventDefinition errorRef="myError"/>
      </endEvent><sequenceFlow id="a" sourceRef="ss" targetRef="g"/><sequenceFlow id="b" sourceRef="g" targetRef="other"/>
      <sequenceFlow id="c" sourceRef="g" targetRef="se"/></subProcess>]], flows = "s -> mySubProcess catchError -> t" })
    waits_in(engine:start "p", "t") -- everything within was destroyed
  end)
  it("Signal Boundary Event", function()
    local instance = attached("signal_boundary_event_1", "task", { boundary = "boundary", root = signal("alertSignal", "alert") })
    local other = engine:start "p"
    engine:signal "alert"
    waits_in(instance, "then")
    waits_in(other, "then") -- a signal is not consumed
  end)
  it("Message Boundary Event", function()
    local instance = attached("message_boundary_event_1", "task", { boundary = "boundary", root = message("newCustomerMessage",
      "newCustomer") })
    engine:message "newCustomer"
    waits_in(instance, "then")
  end)
  it("Compensation Boundary Event", function()
    local undone = 0
    engine:register("...", function() undone = undone + 1 end)
    seed.deploy(engine, "compensation_boundary_event_1", { process = seed.ends
      .. [[<serviceTask id="bookHotel" flowable:expression="${true}">
      <multiInstanceLoopCharacteristics><loopCardinality>5</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>
      <intermediateThrowEvent id="throw"><compensateEventDefinition activityRef="bookHotel"/></intermediateThrowEvent>]],
      flows = "s -> bookHotel bookHotel -> throw throw -> e" })
    engine:start "p"
    assert.equal(5, undone) -- as often as the activity completed
  end)
end)

describe("Intermediate Events", function()
  it("Timer Intermediate Catching Event", function()
    local instance = seed.run(engine, "timer_intermediate_catching_event_1", "timer")
    engine:advance "PT5M"
    engine:run_jobs()
    assert.is_nil(engine:instance(instance.id))
  end)
  it("Signal Intermediate Catching Event", function()
    local instance = seed.run(engine, "signal_intermediate_catching_event_1", "signal", { root = signal("newCustomerSignal", "new") })
    engine:signal "new"
    assert.is_nil(engine:instance(instance.id))
  end)
  it("Message Intermediate Catching Event: its example names a signal, which is no message", function()
    assert.truthy(seed.refused(engine, "message_intermediate_catching_event_1", { process = seed.ends,
      flows = "s -> message message -> e" })
      :find "message")
  end)
  it("Intermediate Throwing None Event", function()
    local heard
    engine:register("org.flowable.engine.test.bpmn.event.IntermediateNoneEventTest$MyExecutionListener",
      function(x) heard = x.event_name end)
    seed.run(engine, "intermediate_throwing_none_event_1", "noneEvent")
    assert.equal("start", heard)
  end)
  it("Signal Intermediate Throwing Event: synchronous, or by a job for each receiver", function()
    for number, name in ipairs { "signal_intermediate_throwing_event_1", "signal_intermediate_throwing_event_2" } do
      local own = seed.engine()
      own:deploy { ["r.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="Examples">
    <signal id="x" name="new"/>
        <process id="receiver" isExecutable="true">]] .. seed.ends .. [[<intermediateCatchEvent id="c">
    <signalEventDefinition signalRef="x"/>
        </intermediateCatchEvent>]] .. seed.flows "s -> c c -> e" .. "</process></definitions>" }
      own:start "receiver"
      seed.run(own, name, "signal", { root = signal("newCustomerSignal", "new") })
      assert.equal(number - 1, #own:jobs {})
      assert.equal(number - 1, #own:instances {})
      own:run_jobs()
      assert.equal(0, #own:instances {})
      own:close()
    end
  end)
  it("Compensation Intermediate Throwing Event: the scope, or one activity; last completed first", function()
    local function compensated(activity) return ([[<task id="%s"/><boundaryEvent id="b%s" attachedToRef="%s">
    <compensateEventDefinition/></boundaryEvent>
      <serviceTask id="undo%s" isForCompensation="true" flowable:class="undo"/><association id="a%s" sourceRef="b%s" targetRef="undo%s"/>]])
      :gsub("%%s", activity) end
    for name, expected in pairs { compensation_intermediate_throwing_event_1 = "undopay undobookHotel",
      compensation_intermediate_throwing_event_2 = "undobookHotel" } do
      local own, done = seed.engine(), {}
      own:register("undo", function(x) done[#done + 1] = x.activity_id end)
      seed.deploy(own, name, { process = seed.ends .. compensated "bookHotel" .. compensated "pay",
        flows = "s -> bookHotel bookHotel -> pay pay -> throwCompensation throwCompensation -> e" })
      own:start "p"
      assert.equal(expected, table.concat(done, " "))
      own:close()
    end
  end)
end)
