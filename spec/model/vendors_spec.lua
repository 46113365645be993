-- What vendors add to BPMN: whose models behave as whose, what several ways to say one thing mean, and what is told of
-- extensions that nobody reads.
local orrery = require "orrery"

local VENDORS <const> = {
  camunda = "http://camunda.org/schema/1.0/bpmn", fox = "http://www.camunda.com/fox",
  operaton = "http://operaton.org/schema/1.0/bpmn", fluxnova = "http://fluxnova.finos.org/schema/1.0/bpmn",
  flowable = "http://flowable.org/bpmn", activiti = "http://activiti.org/bpmn", orrery = "urn:orrery:bpmn",
}

--- A process s -> t -> e, whose middle is `task`; `declared` are the names of vendors.
local function model(declared, task)
  local namespaces = {}
  for i, name in ipairs(declared) do namespaces[i] = ('xmlns:%s="%s"'):format(name, VENDORS[name] or name) end
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" %s targetNamespace="t">
    <process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="t"/>%s
    <sequenceFlow id="f2" sourceRef="t" targetRef="e"/><endEvent id="e"/></process></definitions>]])
    :format(table.concat(namespaces, " "), task)
end

local function open(options)
  options = options or {}
  options.clock, options.log = "manual", "none"
  return orrery.open(nil, options)
end

local function messages(engine, xml)
  local out = {}
  for i, p in ipairs(engine:check { ["p.bpmn"] = xml }) do out[i] = p.severity .. ": " .. p.message end
  return out
end

describe("a model's dialect", function()
  local engine
  before_each(function() engine = open() end)
  after_each(function() engine:close() end)

  it("is that of the vendor whose attributes and elements it uses", function()
    for vendor, dialect in pairs { camunda = "camunda", fox = "camunda", operaton = "camunda", fluxnova = "camunda",
      flowable = "flowable", activiti = "flowable", orrery = "orrery" } do
      local declared = { "camunda", "flowable", vendor ~= "camunda" and vendor ~= "flowable" and vendor or nil }
      local of, reason = engine:model_dialect(model(declared, ('<userTask id="t" %s:assignee="kermit"/>'):format(vendor)))
      assert.same({ vendor, dialect, "it uses " .. VENDORS[vendor] }, { vendor, of, reason })
    end
  end)

  it("is that of the vendor that has more of them, and says so", function()
    local both = model({ "camunda", "flowable" }, '<userTask id="t" camunda:assignee="a" flowable:formKey="f" flowable:owner="o"/>')
    assert.same({ "flowable", "it uses more of Flowable's attributes and elements than of Camunda's (2, 1)" },
      { engine:model_dialect(both) })
    local even = model({ "camunda", "flowable" }, '<userTask id="t" camunda:assignee="a" flowable:formKey="f"/>')
    assert.equal("camunda", (engine:model_dialect(even)))
  end)

  it("is that of the only vendor it declares when it uses none", function()
    assert.same({ "flowable", "of all vendors it declares http://flowable.org/bpmn alone, though it uses nothing of it" },
      { engine:model_dialect(model({ "flowable" }, '<task id="t"/>')) })
    assert.equal("camunda", (engine:model_dialect(model({ "camunda", "operaton" }, '<task id="t"/>'))))
    assert.same({ "orrery", "it declares several vendors, and uses none of them" },
      { engine:model_dialect(model({ "camunda", "flowable" }, '<task id="t"/>')) })
    assert.same({ "orrery", "it names no vendor" }, { engine:model_dialect(model({}, '<task id="t"/>')) })
  end)

  it("is the engine's option when there is one", function()
    local strict <close> = open { dialect = "orrery" }
    assert.same({ "orrery", "the option `dialect` says so" },
      { strict:model_dialect(model({ "camunda" }, '<userTask id="t" camunda:assignee="a"/>')) })
  end)

  it("is none of what is no XML", function()
    assert.is_nil((engine:model_dialect "<definitions"))
    assert.has_error(function() engine:model_dialect(5) end)
  end)

  it("is the one it is deployed with", function()
    local vendors = { camunda = "camunda", operaton = "camunda", fluxnova = "camunda" }
    for vendor in pairs(vendors) do
      engine:deploy { ["p.bpmn"] = model({ vendor }, ([[<userTask id="t" %s:assignee="kermit" %s:asyncBefore="true">
        <extensionElements><%s:inputOutput><%s:inputParameter name="days">${2 + 3}</%s:inputParameter></%s:inputOutput>
        </extensionElements></userTask>]]):gsub("%%s", vendor)) }
      local pi = engine:start "p"
      assert.equal(1, engine:run_jobs())
      local task = engine:task { instance_id = pi.id }
      assert.same({ "kermit", 5 }, { task.assignee, task:get "days" })
    end
  end)
end)

describe("another vendor's extensions", function()
  local engine
  before_each(function() engine = open() end)
  after_each(function() engine:close() end)

  it("are told of once, however often they stand there", function()
    local found = messages(engine, model({}, [[<userTask id="t" xmlns:x="urn:some:tool" x:color="red" x:size="5">
      <extensionElements><x:note/><x:note/></extensionElements></userTask>]]))
    assert.equal(1, #found)
    assert.matches('warning: what "urn:some:tool" adds to BPMN is not read', found[1], 1, true)
  end)

  it("are told of with the namespace that was meant", function()
    local found = messages(engine, model({}, '<userTask id="t" xmlns:c="http://camunda.org/schema/1.0/bpnm" c:assignee="kermit"/>'))
    assert.matches('did you mean "http://camunda.org/schema/1.0/bpmn"?', found[1], 1, true)
  end)

  it("are passed over where tools note them for themselves", function()
    assert.same({}, messages(engine, [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t"
      xmlns:modeler="http://camunda.org/schema/modeler/1.0" modeler:executionPlatform="Camunda Platform"
      xmlns:m="http://flowable.org/modeler" m:a=""
      xmlns:d="http://flowable.org/design" d:a="" xmlns:o="http://activiti.com/modeler" o:a=""
      xmlns:color="http://www.omg.org/spec/BPMN/non-normative/color/1.0" xmlns:bioc="http://bpmn.io/schema/bpmn/biocolor/1.0">
      <process id="p" isExecutable="true"><startEvent id="s" color:fill="red" bioc:stroke="blue"/></process></definitions>]]))
  end)
end)

describe("a task that says several times what runs", function()
  it("warns, and names what runs", function()
    local engine <close> = open()
    assert.same({ "warning: <serviceTask> says 2 times what runs: its type does, and the rest is ignored" },
      messages(engine, model({ "camunda" }, '<serviceTask id="t" camunda:class="a" camunda:type="external" camunda:topic="x"/>')))
    assert.same({ "warning: <serviceTask> says 2 times what runs: its expression does, and the rest is ignored" },
      messages(engine, model({ "flowable" }, '<serviceTask id="t" flowable:delegateExpression="${a}" flowable:expression="${b}"/>')))
  end)

  it("is told of an empty attribute that stands alone", function()
    local engine <close> = open()
    assert.matches("'class' of <serviceTask> cannot be empty",
      messages(engine, model({ "camunda" }, '<serviceTask id="t" camunda:class=""/>'))[1])
  end)

  it("is a listener that takes its class, expression, delegate expression or script, whichever comes first", function()
    local engine <close> = open()
    local ran = {}
    engine:register("work", function() ran[#ran + 1] = "class" end)
    engine:register("note", function(what) ran[#ran + 1] = what end)
    local listener = [[<userTask id="t"><extensionElements>
      <camunda:executionListener event="start" class="work" expression="${note('expression')}"/>
      <camunda:executionListener event="start" expression="${note('expression')}" delegateExpression="${work}"/>
      <camunda:executionListener event="start" class="" delegateExpression="${work}"/></extensionElements></userTask>]]
    engine:deploy { ["p.bpmn"] = model({ "camunda" }, listener) }
    engine:start "p"
    assert.same({ "class", "expression", "class" }, ran)
  end)
end)

describe("what was passed over", function()
  local engine
  before_each(function() engine = open() end)
  after_each(function() engine:close() end)

  local function only(xml)
    local found = messages(engine, xml)
    assert.equal(1, #found, table.concat(found, "\n"))
    return found[1]
  end

  it("is an empty field of an external task, which has no effect", function()
    assert.matches('warning: the empty field "dir" has no effect on an external task', only(model({ "camunda" },
      [[<serviceTask id="t" camunda:type="external" camunda:topic="x"><extensionElements><camunda:field name="dir"/></extensionElements>
      </serviceTask>]])), 1, true)
    assert.matches("error: the field \"dir\" must have exactly one of", only(model({ "camunda" },
      [[<serviceTask id="t" camunda:class="x"><extensionElements><camunda:field name="dir"/></extensionElements></serviceTask>]])), 1, true)
  end)

  it("is an expression in the text of a field", function()
    for _, field in ipairs { '<camunda:field name="x" stringValue="${y}"/>',
      '<camunda:field name="x"><camunda:string>#{y}</camunda:string></camunda:field>' } do
      assert.matches('warning: the field "x" is text', only(model({ "camunda" },
        ('<serviceTask id="t" camunda:class="c"><extensionElements>%s</extensionElements></serviceTask>'):format(field))), 1, true)
    end
  end)

  it("is the validation of forms", function()
    assert.matches('warning: "formFieldValidation" is ignored', only(model({ "flowable" },
      '<userTask id="t" flowable:formFieldValidation="true"/>')), 1, true)
  end)

  it("is an errorRef that cannot be a name", function()
    local function thrown(ref)
      return messages(engine, model({}, ([[<userTask id="t"/><boundaryEvent id="b" attachedToRef="t"><errorEventDefinition errorRef="%s"/>
        </boundaryEvent>]]):format(ref)))
    end
    for _, ref in ipairs { "not a name", "5xx", "a:b:c", "-x" } do
      assert.matches(('error: "%s" cannot be the name of an error'):format(ref), thrown(ref)[1], 1, true)
    end
    for _, ref in ipairs { "code", "a.b.Failure", "my:code", "Fehler_ä" } do assert.same({}, thrown(ref)) end
  end)

  it("is a delegate's afterExecution", function()
    local Futures = { execute = function() end, afterExecution = function() end }
    Futures.__index = Futures
    engine:deploy { ["p.bpmn"] = model({ "camunda" }, '<serviceTask id="t" camunda:class="future"/>') }
    for _, delegate in ipairs { Futures, setmetatable({}, Futures) } do
      engine:register("future", delegate)
      local ok, problem = pcall(engine.start, engine, "p")
      assert.is_false(ok)
      assert.matches('"future" has a method afterExecution, which nobody calls', problem.message, 1, true)
    end
  end)
end)

describe("a sequence flow's skipExpression", function()
  it("is read without a prefix, too", function()
    local engine <close> = open()
    engine:deploy { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
      xmlns:flowable="http://flowable.org/bpmn"
      xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" targetNamespace="t"><process id="p" isExecutable="true"><startEvent id="s"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="g"/><exclusiveGateway id="g"/>
      <sequenceFlow id="f2" sourceRef="g" targetRef="small" skipExpression="${amount &lt; 10}">
      <conditionExpression xsi:type="tFormalExpression">${false}</conditionExpression></sequenceFlow>
      <sequenceFlow id="f3" sourceRef="g" targetRef="large"><conditionExpression xsi:type="tFormalExpression">${true}</conditionExpression>
      </sequenceFlow><userTask id="small" flowable:assignee="kermit"/><userTask id="large"/></process></definitions>]] }
    local function reached(variables) return engine:start("p", { variables = variables }):active()[1] end
    assert.equal("small", reached { amount = 5, _FLOWABLE_SKIP_EXPRESSION_ENABLED = true })
    assert.equal("large", reached { amount = 50, _FLOWABLE_SKIP_EXPRESSION_ENABLED = true })
    assert.equal("large", reached { amount = 5 })
  end)
end)
