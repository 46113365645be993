-- What calls and messages hand over: nothing that was to stay behind, and nothing that was to pass is lost.
local peers = require "spec.exec.peers"

local shows = peers.shows

-- A caller whose `prepare` task runs first, with these mappings; a called process that notes what it sees.
local function call(engine, mappings, more, options)
  local seen = {}
  engine:register("see", function(execution)
    for _, name in ipairs { "x", "y", "z" } do
      local value = execution:get(name)
      seen[#seen + 1] = name .. "=" .. tostring(value)
    end
  end)
  engine:register("prepare", function(execution)
    execution:set_transient("passing", "p")
    execution:set("kept", "k")
    execution:set_local("branch", "b")
  end)
  engine:deploy { ["c.bpmn"] = peers.definitions(peers.process(
    '<startEvent id="cs"/><serviceTask id="look" o:class="see"/>' .. (options and options.called or "") .. '<userTask id="cu"/>',
    options and options.flows or "cs -> look look -> cu", "called")):gsub("<message id.-/>", "") }
  local pi = peers.run(engine, '<startEvent id="s"/><serviceTask id="a" o:class="prepare"/><callActivity id="c" calledElement="called">'
    .. "<extensionElements>" .. mappings .. "</extensionElements>" .. (more or "") .. '</callActivity><userTask id="u"/>',
    "s -> a a -> c c -> u", { variables = { amount = 1 } })
  return pi, engine:instances({ key = "called" })[1], table.concat(seen, " ")
end

describe("a call's mapping", function()
  shows("keeps a transient variable transient on the way in", function(engine)
    local _, called, seen = call(engine, '<o:in source="passing" target="x"/><o:in source="kept" target="y"/>')
    return { seen, called:variables() }
  end, { "x=p y=k z=nil", { y = "k" } })

  shows("keeps it transient on the way out", function(engine)
    local seen
    engine:register("give", function(execution)
      execution:set_transient("passing", "p")
      execution:set("kept", "k")
    end)
    engine:register("look", function(execution) seen = tostring(execution:get "x") .. tostring(execution:get "y") end)
    engine:deploy { ["c.bpmn"] = peers.definitions(peers.process('<startEvent id="cs"/><serviceTask id="g" o:class="give"/>', "cs -> g",
      "called")):gsub("<message id.-/>", "") }
    local pi = peers.run(engine, [[<startEvent id="s"/><callActivity id="c" calledElement="called"><extensionElements>
      <o:out source="passing" target="x"/><o:out source="kept" target="y"/></extensionElements></callActivity>
      <serviceTask id="l" o:class="look"/><userTask id="u"/>]], "s -> c c -> l l -> u")
    return { seen, pi:variables() }
  end, { "pk", { y = "k" } })

  shows("of all keeps transient what was, in both directions", function(engine)
    engine:register("give", function(execution) execution:set_transient("back", "b") end)
    local seen
    engine:register("look", function(execution) seen = tostring(execution:get "back") end)
    engine:deploy { ["c.bpmn"] = peers.definitions(peers.process('<startEvent id="cs"/><serviceTask id="g" o:class="give"/>', "cs -> g",
      "called")):gsub("<message id.-/>", "") }
    local pi = peers.run(engine, [[<startEvent id="s"/><callActivity id="c" calledElement="called"><extensionElements>
      <o:out variables="all"/></extensionElements></callActivity><serviceTask id="l" o:class="look"/><userTask id="u"/>]],
      "s -> c c -> l l -> u")
    return { seen, pi:variables() }
  end, { "b", {} })

  local mapped = '<o:inputOutput><o:inputParameter name="own">o</o:inputParameter></o:inputOutput>'
  shows("that is local sees the call's own variables alone", function(engine)
    local _, _, seen = call(engine, mapped .. '<o:in source="own" target="x" local="true"/><o:in source="amount" target="y" local="true"/>'
      .. '<o:in sourceExpression="${own}!" target="z" local="true"/>')
    return seen
  end, "x=o y=nil z=o!")

  shows("by a local expression does not find the instance's", function(engine)
    return (peers.kind(call, engine, '<o:in sourceExpression="${amount}" target="x" local="true"/>'))
  end, "expression")

  shows("that is local hands over nothing of the instance where the call has no variables", function(engine)
    local _, called, seen = call(engine, '<o:in variables="all" local="true"/><o:in source="amount" target="y" local="true"/>')
    return { seen, called:get "amount" == nil, called:get "branch" == nil, called:get "kept" == nil }
  end, { camunda = { "x=nil y=nil z=nil", true, true, true }, orrery = { "x=nil y=nil z=nil", true, true, true },
    flowable = { "x=nil y=nil z=nil", true, false, true } }) -- there, the call is no scope: what is local is the branch's
end)

describe("a message that starts an instance", function()
  local model = peers.process([[<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent><userTask id="u"/>]], "s -> u")
  local options = { variables = { a = 1, b = 1, c = 1 }, local_variables = { b = 2, c = 2 }, triggered_variables = { c = 3 } }

  shows("brings its local variables, too", function(engine)
    peers.deploy(engine, model)
    engine:message("m", options)
    return engine:instances({})[1]:variables()
  end, { a = 1, b = 2, c = 3 })

  shows("brings them by a job", function(engine)
    peers.deploy(engine, model)
    options.async = true
    engine:message("m", options)
    options.async = nil
    engine:run_jobs()
    return engine:instances({})[1]:variables()
  end, { a = 1, b = 2, c = 3 })

  shows("brings them among many receivers", function(engine)
    peers.deploy(engine, model)
    engine:message("m", { all = true, local_variables = { b = 2 } })
    return engine:instances({})[1]:variables()
  end, { b = 2 })
end)

describe("a data association of a call activity", function()
  local called = [[<process id="called" isExecutable="true"><startEvent id="cs"/><serviceTask id="g" o:expression="${%s + 1}"
    o:resultVariable="result"/><userTask id="cu"/><sequenceFlow id="c1" sourceRef="cs" targetRef="g"/>
    <sequenceFlow id="c2" sourceRef="g" targetRef="cu"/></process>]]

  -- What the called process gets, and what comes back.
  local function pass(engine, associations, source, around)
    engine:deploy { ["c.bpmn"] = (peers.definitions(called:format(source or "y")):gsub("<message id.-/>", "")) }
    local pi = peers.run(engine, (around or "") .. '<startEvent id="s"/><callActivity id="c" calledElement="called">' .. associations
      .. '</callActivity><userTask id="u"/>', "s -> c c -> u", { variables = { x = 5 } })
    local got = engine:instances({ key = "called" })[1]:variables()
    engine:task({ key = "cu" }):complete()
    return { got, pi:variables() }
  end

  shows("passes a variable by name, in and out", function(engine)
    return pass(engine, [[<dataInputAssociation><sourceRef>x</sourceRef><targetRef>y</targetRef></dataInputAssociation>
      <dataOutputAssociation><sourceRef>result</sourceRef><targetRef>z</targetRef></dataOutputAssociation>]])
  end, { { y = 5, result = 6 }, { x = 5, z = 6 } })

  shows("passes what a transformation gives", function(engine)
    return pass(engine, [[<dataInputAssociation><targetRef>y</targetRef><transformation>${x + 5}</transformation></dataInputAssociation>
      <dataOutputAssociation><sourceRef>result</sourceRef><targetRef>z</targetRef><transformation>${result * 2}</transformation>
      </dataOutputAssociation>]])
  end, { { y = 10, result = 11 }, { x = 5, z = 22 } })

  shows("passes its assignments one by one", function(engine)
    return pass(engine, [[<dataInputAssociation><targetRef>ignored</targetRef><assignment><from>${x}</from><to>${y}</to></assignment>
      <assignment><from>${x * 3}</from><to>w</to></assignment></dataInputAssociation>]])
  end, { { y = 5, w = 15, result = 6 }, { x = 5 } })

  shows("names data objects and the activity's own inputs by their ids", function(engine)
    return pass(engine, [[<ioSpecification><dataInput id="in1" name="y"/><dataOutput id="out1" name="result"/></ioSpecification>
      <dataInputAssociation><sourceRef>ref</sourceRef><targetRef>in1</targetRef></dataInputAssociation>
      <dataOutputAssociation><sourceRef>out1</sourceRef><targetRef>o2</targetRef></dataOutputAssociation>]], nil,
      [[<dataObject id="o1" name="amount" itemSubjectRef="xsd:int"><extensionElements><o:value>7</o:value></extensionElements></dataObject>
        <dataObject id="o2" name="back"/><dataObjectReference id="ref" dataObjectRef="o1"/>]])
  end, { { y = 7, result = 8 }, { x = 5, amount = 7, back = 8 } })

  shows("stands beside the extensions", function(engine)
    return pass(engine, [[<extensionElements><o:in source="x" target="w"/></extensionElements>
      <dataInputAssociation><sourceRef>x</sourceRef><targetRef>y</targetRef></dataInputAssociation>]])
  end, { { y = 5, w = 5, result = 6 }, { x = 5 } })

  for text, says in pairs { ["<targetRef>y</targetRef>"] = "what it passes", ["<sourceRef>x</sourceRef>"] = "where to",
    ["<assignment><from>${x}</from><to>${y.part}</to></assignment>"] = "must name a variable" } do
    shows("that is incomplete is refused: " .. says, function(engine)
      local kind, err = peers.kind(peers.deploy, engine, peers.process(('<startEvent id="s"/><callActivity id="c" calledElement="called">'
        .. "<dataInputAssociation>%s</dataInputAssociation></callActivity>"):format(text), "s -> c"))
      return { kind, err.message:find(says, 1, true) ~= nil }
    end, { "deployment", true })
  end
end)
