-- Waits of one transaction overlap: while one token awaits, the others go on. No time is measured here: a branch awaits what only another
-- branch brings, so that a run without overlap stands still; or the engine's clock is a manual one.
local orrery = require "orrery"
local support = require "spec.support.process"

local flows = support.flows

local function process(body, before)
  return { ["p.bpmn"] = support.definitions((before or "") .. '<process id="p" isExecutable="true">' .. body .. "</process>") }
end

local function service(id, attributes, inside)
  return ('<serviceTask id="%s" %s>%s</serviceTask>'):format(id, attributes, inside or "")
end

local function see(id, inside) return service(id, 'o:class="see"', inside) end
local function await(id, name, inside)
  return service(id, ('o:expression="${await(\'%s\')}" o:resultVariable="%s"'):format(name, id), inside)
end
local function tell(id, name) return service(id, ('o:expression="${tell(\'%s\')}"'):format(name)) end

-- A fork into these activities and a join behind them.
local function fork(activities, attributes, from, to)
  local out = { ('<parallelGateway id="fork" %s/><parallelGateway id="join"/>'):format(attributes or "") }
  local paths = { ("%s -> fork join -> %s"):format(from or "s", to or "after") }
  for _, activity in ipairs(activities) do
    out[#out + 1] = activity
    local id = activity:match 'id="(%w+)"'
    paths[#paths + 1] = ("fork -> %s %s -> join"):format(id, id)
  end
  return table.concat(out) .. flows(table.concat(paths, " "))
end

local function forked(activities, attributes)
  return '<startEvent id="s"/><userTask id="after"/>' .. fork(activities, attributes)
end

local listener = '<extensionElements><o:executionListener event="%s" expression="${%s}"/></extensionElements>'

for _, dialect in ipairs { "orrery", "camunda", "flowable" } do
describe("waits in one transaction of " .. dialect, function()
  local engine, seen, futures

  local function future(name)
    futures[name] = futures[name] or orrery.future()
    return futures[name]
  end

  before_each(function()
    engine = support.engine { dialect = dialect }
    seen, futures = {}, {}
    engine:register("future", future)
    engine:register("await", function(name) return orrery.await(future(name)) end)
    engine:register("tell", function(name) future(name):resolve(name) end)
    engine:register("note", function(text) seen[#seen + 1] = text end)
    engine:register("see", function(execution) seen[#seen + 1] = execution.activity_id end)
    engine:register("awaits", function(execution)
      orrery.await(future(execution.activity_id))
      seen[#seen + 1] = execution.activity_id
    end)
  end)
  after_each(function() engine:close() end)

  local function start(model, before)
    engine:deploy(process(model, before))
    return engine:start "p"
  end

  it("let the other branches go on", function()
    local pi = start(forked { await("a", "x"), see "b", tell("c", "x") })
    assert.same({ "after" }, pi:active())
    assert.equal("x", pi:get "a")
    assert.same({ "b" }, seen)
  end)

  it("are those of futures that are returned, of scripts, listeners and mappings, too", function()
    local pi = start(forked { service("a", 'o:expression="${future(\'x\')}" o:resultVariable="a"'),
      '<scriptTask id="b" scriptFormat="lua"><script>await "y"</script></scriptTask>',
      see("c", listener:format("start", "await('l')")), see("d", listener:format("end", "await('l')")),
      see("e", [[<extensionElements><o:inputOutput><o:inputParameter name="v">
        <o:script scriptFormat="lua">return await "z"</o:script></o:inputParameter></o:inputOutput></extensionElements>]]),
      tell("t", "x"), tell("u", "y"), tell("v", "l"), tell("w", "z") })
    assert.same({ "after" }, pi:active())
    assert.equal("x", pi:get "a")
    table.sort(seen)
    assert.same({ "c", "d", "e" }, seen)
  end)

  it("are those of output mappings, of flows' and of tasks' listeners, too", function()
    engine:register("hears", function() seen[#seen + 1] = orrery.await(future "k") end)
    local pi = start(forked { service("a", 'o:expression="${1}"', [[<extensionElements><o:inputOutput><o:outputParameter name="v">
        <o:script scriptFormat="lua">return await "x"</o:script></o:outputParameter></o:inputOutput></extensionElements>]]),
      service("b", 'o:expression="${1}"') .. '<userTask id="heard"/><sequenceFlow id="bt" sourceRef="b" targetRef="heard">'
        .. listener:format("take", "await('l')") .. "</sequenceFlow>",
      '<userTask id="c"><extensionElements><o:taskListener event="create" class="hears"/></extensionElements></userTask>',
      tell("t", "x"), tell("u", "l"), tell("w", "k") })
    assert.equal("x", pi:get "v")
    assert.same({ "k" }, seen)
    local active = table.concat(pi:active(), " ")
    assert.truthy(active:find("c", 1, true) and active:find("heard", 1, true), active)
  end)

  it("do not overlap where something is only evaluated: what another branch brings is not to be had there", function()
    engine:deploy(process('<startEvent id="s"/><parallelGateway id="g"/><userTask id="u" o:assignee="${await(\'x\')}"/>'
      .. tell("t", "x") .. flows "s -> g g -> u g -> t"))
    assert.matches("nothing will settle", support.refused("state", function() engine:start "p" end).message)
    assert.same({}, engine:instances {})
  end)

  it("end in the order in which what they await comes", function()
    engine:register("all", function() for _, id in ipairs { "c", "a", "b" } do future(id):resolve() end end)
    start(forked { service("a", 'o:class="awaits"'), service("b", 'o:class="awaits"'), service("c", 'o:class="awaits"'),
      service("t", 'o:expression="${all()}"') })
    assert.same({ "c", "a", "b" }, seen)
  end)

  it("keep what follows them for their own token", function()
    start(forked { see("a", ([[<extensionElements><o:executionListener event="start" expression="${await('x')}"/>
        <o:executionListener event="start" expression="${note('listened')}"/></extensionElements>]])),
      see "b", tell("t", "x") })
    assert.same({ "b", "listened", "a" }, seen)
  end)

  it("are those of the instances of a parallel multi-instance", function()
    engine:register("gather", function(execution)
      local n = execution:get "loopCounter"
      if n < 2 then orrery.await(future(n)) else for i = 0, 1 do future(1 - i):resolve() end end
      seen[#seen + 1] = n
    end)
    local pi = start('<startEvent id="s"/><userTask id="after"/>' .. service("a", 'o:class="gather"',
      "<multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics>")
      .. flows "s -> a a -> after")
    assert.same({ "after" }, pi:active())
    assert.same({ 2, 1, 0 }, seen)
  end)

  it("are those of the receivers of a signal", function()
    local caught = '<intermediateCatchEvent id="c%d"><signalEventDefinition signalRef="go"/></intermediateCatchEvent>'
    local pi = start('<startEvent id="s"/><parallelGateway id="g"/><userTask id="u"/>' .. caught:format(1) .. await("d", "x")
      .. caught:format(2) .. tell("e", "x") .. flows "s -> g g -> c1 g -> c2 c1 -> d c2 -> e d -> u e -> u", '<signal id="go" name="go"/>')
    engine:signal "go"
    assert.same({ "u", "u" }, pi:active())
  end)

  it("are those of called processes", function()
    engine:deploy { ["c.bpmn"] = support.definitions('<process id="called" isExecutable="true"><startEvent id="cs"/>'
      .. await("ca", "x") .. flows "cs -> ca" .. "</process>") }
    local pi = start(forked { '<callActivity id="call" calledElement="called"/>', tell("t", "x") })
    assert.same({ "after" }, pi:active())
  end)

  it("overlap in jobs, and in a frame loop", function()
    local model = { "s" }
    for i = 1, 10 do model[i] = service("t" .. i, 'o:class="sleeper"') end
    engine:register("sleeper", function(execution)
      orrery.sleep(1)
      seen[#seen + 1] = execution.activity_id
    end)
    local pi = start(forked(model, 'o:asyncBefore="true"'))
    assert.equal(0, engine:poll(0))
    engine:advance(1)
    assert.equal(1, engine:poll(1)) -- one second for ten waits of one
    assert.equal(10, #seen)
    assert.same({ "after" }, pi:active())
  end)

  it("of ten branches last as long as the longest, with boundary events, joins, errors and cancels in between", function()
    engine:register("sleeper", function(execution)
      orrery.sleep(1)
      seen[#seen + 1] = execution.activity_id
    end)
    engine:register("raises", function()
      orrery.sleep(1)
      orrery.bpmn_error("e", "late")
    end)
    engine:register("ends", function(execution) execution:set("go", 1) end)
    local function sleeper(id) return service(id, 'o:class="sleeper"') end
    local raising = service("t1", 'o:class="raises"') .. '<boundaryEvent id="b1" attachedToRef="t1"><errorEventDefinition/></boundaryEvent>'
      .. see "caught" .. flows "b1 -> caught caught -> join"
    local inner = '<subProcess id="t2"><startEvent id="is"/><parallelGateway id="g"/>' .. sleeper "ia" .. sleeper "ib"
      .. '<parallelGateway id="j"/>' .. see "joined" .. flows "is -> g g -> ia g -> ib ia -> j ib -> j j -> joined" .. "</subProcess>"
    local canceled = service("t3", 'o:class="awaits"') .. [[<boundaryEvent id="b3" attachedToRef="t3"><conditionalEventDefinition>
      <condition>${go == 1}</condition></conditionalEventDefinition></boundaryEvent>]] .. see "left" .. flows "b3 -> left left -> join"
    local branches = { raising, inner, canceled, service("t4", 'o:class="ends"') }
    for i = 5, 10 do branches[i] = sleeper("t" .. i) end
    -- the join has as many flows as there are branches that may come, and two of them twice: a boundary event's, or its activity's
    local body = fork(branches, 'o:asyncBefore="true"'):gsub('<sequenceFlow id="t[13]%-join" sourceRef="t[13]" targetRef="join"/>', "")
    local pi = start('<startEvent id="s"/><userTask id="after"/>' .. body)
    assert.equal(0, engine:poll(0))
    assert.same({ "left" }, seen)
    engine:advance(1)
    assert.equal(1, engine:poll(1))
    assert.same({ "after" }, pi:active())
    assert.equal(11, #seen)
    assert.same({}, engine:verify())
  end)

  it("overlap in run_jobs", function()
    local pi = start(forked({ await("a", "x"), tell("b", "x") }, 'o:asyncBefore="true"'))
    assert.equal(1, engine:run_jobs())
    assert.same({ "after" }, pi:active())
  end)

  it("overlap in an executor", function()
    engine:deploy(process(forked({ service("a", 'o:class="spec.exec.delegates.awaits"'),
      service("b", 'o:class="spec.exec.delegates.tells"') }, 'o:asyncBefore="true"')))
    local pis = {}
    for i = 1, 20 do pis[i] = engine:start "p" end
    engine:start_executor { threads = 2 }
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    for _, pi in ipairs(pis) do
      assert.same({ "after" }, pi:active())
      assert.equal("told", pi:get "heard")
    end
  end)

  describe("are dropped", function()
    it("by a terminate end event", function()
      local pi = start([[<startEvent id="s"/><parallelGateway id="g"/><endEvent id="e"><terminateEventDefinition/></endEvent>]]
        .. await("a", "never") .. see "b" .. flows "s -> g g -> a a -> b g -> e")
      assert.is_nil(engine:instance(pi.id))
      assert.equal("completed", engine:history_instances({ id = pi.id })[1].state)
      future "never":resolve()
      assert.same({}, seen)
    end)

    it("by a boundary event of the scope around", function()
      engine:register("fails", function() orrery.bpmn_error("e", "no") end)
      local pi = start([[<startEvent id="s"/><subProcess id="sub"><startEvent id="i"/><parallelGateway id="g"/>]]
        .. await("a", "never", listener:format("end", "note('canceled')")) .. service("f", 'o:class="fails"')
        .. flows "i -> g g -> a g -> f" .. [[</subProcess><boundaryEvent id="b" attachedToRef="sub"><errorEventDefinition/></boundaryEvent>
        <userTask id="after"/>]] .. flows "s -> sub b -> after")
      assert.same({ "after" }, pi:active())
      if dialect ~= "flowable" then assert.same({ "canceled" }, seen) end -- there, listeners do not hear of canceling
    end)

    it("by an interrupting boundary event of their own", function()
      engine:register("set", function(execution) execution:set("go", 1) end)
      local pi = start(forked { await("a", "never") .. [[<boundaryEvent id="b" attachedToRef="a"><conditionalEventDefinition>
        <condition>${go == 1}</condition></conditionalEventDefinition></boundaryEvent><userTask id="caught"/>]] .. flows "b -> caught",
        service("t", 'o:class="set"') })
      assert.same({ "caught", "join" }, pi:active())
    end)

    it("by the completion condition of a multi-instance", function()
      engine:register("first", function(execution)
        if execution:get "loopCounter" ~= 2 then orrery.await(orrery.future()) end
      end)
      local pi = start('<startEvent id="s"/><userTask id="after"/>' .. service("a", 'o:class="first"',
        [[<multiInstanceLoopCharacteristics><loopCardinality>4</loopCardinality>
          <completionCondition>${nrOfCompletedInstances >= 1}</completionCondition></multiInstanceLoopCharacteristics>]])
        .. flows "s -> a a -> after")
      assert.same({ "after" }, pi:active())
    end)

    it("in a nested run's failure, while the outer ones go on", function()
      engine:deploy { ["q.bpmn"] = support.definitions('<process id="q" isExecutable="true"><startEvent id="qs"/><parallelGateway id="qg"/>'
        .. await("qa", "never") .. service("qb", 'o:class="fails"') .. flows "qs -> qg qg -> qa qg -> qb" .. "</process>") }
      engine:register("fails", function() error "no" end)
      engine:register("tries", function(execution)
        seen[#seen + 1] = pcall(execution.engine.start, execution.engine, "missing")
        future "x":resolve()
      end)
      local pi = start(forked { await("a", "x"), service("b", 'o:class="tries"') })
      assert.same({ false }, seen)
      assert.same({ "after" }, pi:active())
      engine:register("tries", function(execution)
        pcall(execution.engine.start, execution.engine, "q")
        future "x":resolve()
      end)
      futures = {}
      assert.matches("no", support.refused("script", function() engine:start "p" end).message) -- what failed inside dooms the whole
      assert.equal(1, engine:count("instances", {}))
    end)

    it("when their instance is deleted by a delegate", function()
      engine:register("delete", function(execution) execution.engine:instance(execution.instance_id):delete "enough" end)
      local pi = start(forked { await("a", "never"), service("d", 'o:class="delete"') })
      assert.is_nil(engine:instance(pi.id))
    end)

    it("closing what they have open", function()
      local closed = false
      engine:register("holds", function()
        local held <close> = setmetatable({}, { __close = function() closed = true end })
        orrery.await(orrery.future(), held)
      end)
      start([[<startEvent id="s"/><parallelGateway id="g"/><endEvent id="e"><terminateEventDefinition/></endEvent>]]
        .. service("a", 'o:class="holds"') .. flows "s -> g g -> a g -> e")
      assert.is_true(closed)
    end)

    it("for good, even when their closing settles what they await", function()
      engine:register("holds", function()
        local own = orrery.future()
        local held <close> = setmetatable({}, { __close = function() own:resolve() end })
        orrery.await(own, held)
        seen[#seen + 1] = "never"
      end)
      engine:deploy(process([[<startEvent id="s"/><parallelGateway id="g"/><endEvent id="e"><terminateEventDefinition/></endEvent>]]
        .. service("a", 'o:class="holds"') .. service("b", 'o:class="nap"') .. flows "s -> g g -> a g -> b b -> e"))
      engine:register("nap", function() orrery.sleep(0) end)
      for _ = 1, 3 do assert.is_true(engine:start("p").ended) end
      assert.same({}, seen)
    end)
  end)

  it("hold up what is canceled: its end listeners come before what follows", function()
    engine:register("later", function()
      orrery.sleep(0)
      seen[#seen + 1] = "end"
    end)
    start([[<startEvent id="s"/><parallelGateway id="g"/><subProcess id="sub"><startEvent id="i"/>
      <userTask id="u"><extensionElements><o:executionListener event="end" class="later"/></extensionElements></userTask>]]
      .. flows "i -> u" .. "</subProcess>"
      .. '<boundaryEvent id="b" attachedToRef="sub"><signalEventDefinition signalRef="go"/></boundaryEvent>'
      .. see "after" .. flows "s -> sub b -> after", '<signal id="go" name="go"/>')
    engine:signal "go"
    assert.equal("after", seen[#seen])
    if dialect ~= "flowable" then assert.same({ "end", "after" }, seen) end
  end)

  it("fail as one, with the first failure, and leave nothing", function()
    engine:register("fails", function()
      orrery.sleep(0)
      error "no"
    end)
    engine:deploy(process(forked { await("a", "never"), service("f", 'o:class="fails"'), await("b", "never") }))
    assert.matches("no", support.refused("script", function() engine:start "p" end).message)
    assert.same({}, engine:instances {})
    future "never":resolve()
    collectgarbage()
    assert.same({}, engine:verify())
    assert.equal(0, engine:run_jobs())
  end)

  it("say when nothing will end them", function()
    engine:deploy(process(forked { await("a", "never"), see "b" }))
    assert.matches("nothing will settle", support.refused("state", function() engine:start "p" end).message)
    assert.same({ "b" }, seen)
  end)

  it("end by BPMN errors that are caught", function()
    engine:register("raises", function()
      orrery.await(future "x")
      orrery.bpmn_error("e", "late")
    end)
    local pi = start(forked { service("a", 'o:class="raises"')
      .. [[<boundaryEvent id="b" attachedToRef="a"><errorEventDefinition/></boundaryEvent><userTask id="caught"/>]] .. flows "b -> caught",
      tell("t", "x") })
    assert.same({ "caught", "join" }, pi:active())
  end)

  it("leave the engine's calls in the transaction", function()
    engine:deploy { ["q.bpmn"] = support.definitions(support.waiting "q") }
    engine:register("starts", function(execution)
      orrery.await(future(execution.activity_id))
      execution.engine:start("q", { business_key = execution.activity_id })
      assert.equal(1, execution.engine:count("instances", { business_key = execution.activity_id }))
    end)
    engine:register("fails", function()
      for _, id in ipairs { "a", "b" } do future(id):resolve() end
      orrery.sleep(0)
      orrery.sleep(0)
      error "no"
    end)
    local pi = start(forked({ service("a", 'o:class="starts"'), service("b", 'o:class="starts"'), service("f", 'o:class="fails"') },
      'o:asyncBefore="true"'))
    engine:run_jobs(1)
    assert.same({ "fork" }, pi:active())
    assert.equal(0, engine:count("instances", { key = "q" }))
  end)

  it("are waited for by an engine call from a delegate before it returns", function()
    engine:deploy { ["q.bpmn"] = support.definitions([[<process id="q" isExecutable="true"><startEvent id="qs"/>]]
      .. service("qa", 'o:expression="${nap()}" o:resultVariable="r"') .. '<userTask id="qu"/>' .. flows "qs -> qa qa -> qu"
      .. "</process>") }
    engine:register("nap", function()
      orrery.sleep(0)
      future "x":resolve "from outside"
      return "slept"
    end)
    engine:register("starts", function(execution)
      local inner = execution.engine:start "q"
      seen[#seen + 1] = inner:get "r"
    end)
    local pi = start(forked { await("a", "x"), service("b", 'o:class="starts"') })
    assert.same({ "slept" }, seen)
    assert.equal("from outside", pi:get "a")
  end)

  it("hold up the instructions of a modification", function()
    engine:register("later", function(execution)
      orrery.sleep(0)
      seen[#seen + 1] = execution.activity_id
    end)
    local pi = start('<startEvent id="s"/><userTask id="u"/>' .. service("a", 'o:class="later"') .. see "b"
      .. flows "s -> u a -> u b -> u")
    pi:modify { { start_before = "a" }, { start_before = "b" }, { cancel = "u" } }
    assert.same({ "a", "b" }, seen)
  end)

  it("refuse a migration in the midst of them", function()
    engine:register("migrate", function(execution)
      local id = execution.definition_id
      local plan = execution.engine:migration_plan(id, id, {})
      local ok, err = pcall(execution.engine.migrate, execution.engine, plan, { instances = { execution.instance_id } })
      seen[#seen + 1] = ok or tostring(err)
      future "x":resolve()
    end)
    start(forked { await("a", "x"), service("m", 'o:class="migrate"') })
    assert.matches("in the middle of a step", seen[1])
  end)

  it("may be many", function()
    engine:register("many", function() orrery.sleep(0) end)
    local pi = start('<startEvent id="s"/><userTask id="after"/>' .. service("a", 'o:class="many"',
      "<multiInstanceLoopCharacteristics><loopCardinality>2000</loopCardinality></multiInstanceLoopCharacteristics>")
      .. flows "s -> a a -> after")
    assert.same({ "after" }, pi:active())
  end)
end)
end
