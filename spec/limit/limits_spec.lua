-- The bounds of base/limits.h, at each and one beyond: what lies beyond is refused with an error that tells, and nothing is stored.
local orrery = require "orrery"

local limits = {}
for name, value in io.open("base/limits.h"):read("a"):gmatch "#define (ORR_[%u_]+) ([%d* ()]+)\n" do
  limits[name] = load("return " .. value)()
end

local engine
before_each(function() engine = orrery.open(nil, { clock = "manual", log = "none", durability = "none" }) end)
after_each(function()
  assert.same({}, engine:verify())
  engine:close()
end)

local head <const> = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="limit">'
local function process(body) return head .. '<process id="p" isExecutable="true">' .. body .. "</process></definitions>" end
local function waiting(task)
  return process('<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>' .. task)
end
local function deploy(xml) return engine:deploy { ["p.bpmn"] = xml } end

local function counts()
  return { engine:count("deployments", {}), engine:count("definitions", {}), engine:count("instances", {}), engine:count("jobs", {}) }
end

--- `call` raises this kind, its message matches, and nothing was stored.
local function refused(kind, pattern, call, ...)
  local before = counts()
  local ok, err = pcall(call, ...)
  assert.is_false(ok, "nothing was raised")
  assert.equal(kind, type(err) == "table" and err.kind or tostring(err):sub(1, 200))
  assert.truthy(tostring(err):find(pattern), tostring(err):sub(1, 400))
  assert.same(before, counts())
end

--- make(n) gives a model of size n: it is deployed at the bound and refused beyond.
local function model_bound(bound, pattern, make)
  deploy(make(bound))
  refused("deployment", pattern, deploy, make(bound + 1))
end

describe("models", function()
  local function simple(inside) return process('<startEvent id="s"/>' .. (inside or "")) end

  it("bytes", function()
    local bare = #simple "<!---->"
    model_bound(limits.ORR_XML_BYTES_MAX, "byte", function(size) return simple("<!--" .. (" "):rep(size - bare) .. "-->") end)
  end)
  it("depth", function()
    model_bound(limits.ORR_XML_DEPTH_MAX - 3, "deep", function(depth)
      return simple("<extensionElements>" .. ("<x>"):rep(depth) .. ("</x>"):rep(depth) .. "</extensionElements>")
    end)
  end)
  it("attributes of an element, and an attribute's bytes", function()
    model_bound(limits.ORR_XML_ATTRIBUTES_MAX - 1, "attribute", function(count)
      local out = {}
      for i = 1, count do out[i] = ('o:a%d="x"'):format(i) end
      return simple(('<task id="t" %s/>'):format(table.concat(out, " ")))
    end)
    model_bound(limits.ORR_XML_ATTRIBUTE_BYTES_MAX, "attribute", function(size)
      return simple(('<textAnnotation id="a" o:x="%s"/>'):format(("x"):rep(size)))
    end)
  end)
  it("an element's text", function()
    model_bound(limits.ORR_XML_TEXT_BYTES_MAX, "text", function(size)
      return simple('<task id="t"><documentation>' .. ("x"):rep(size) .. "</documentation></task>")
    end)
  end)
  it("elements", function()
    model_bound(limits.ORR_XML_ELEMENTS_MAX - 4, "element", function(count)
      return simple("<extensionElements>" .. ("<x/>"):rep(count) .. "</extensionElements>")
    end)
  end)
  it("ids and names", function()
    model_bound(limits.ORR_ID_BYTES_MAX, "255", function(size) return simple(('<task id="%s"/>'):format(("i"):rep(size))) end)
    model_bound(limits.ORR_NAME_BYTES_MAX, "255", function(size) return simple(('<task id="t" name="%s"/>'):format(("n"):rep(size))) end)
  end)
  it("problems that are told", function()
    local many = limits.ORR_PROBLEMS_OF_KIND_MAX + 50
    local ok, err = pcall(deploy, simple(('<exclusiveGateway id="same"/>'):rep(many) .. ("<subProcess/><boundaryEvent/>"):rep(many)))
    assert.is_false(ok)
    assert.equal(limits.ORR_PROBLEMS_MAX, #err.problems)
    local ok, err = pcall(deploy, simple(('<userTask id="same"/>'):rep(many)))
    assert.is_false(ok)
    local errors = 0
    for _, problem in ipairs(err.problems) do errors = errors + (problem.warning and 0 or 1) end
    assert.equal(limits.ORR_PROBLEMS_OF_KIND_MAX, errors)
  end)
  it("scripts", function()
    model_bound(limits.ORR_SCRIPT_BYTES_MAX, "script", function(size)
      return simple('<scriptTask id="t" scriptFormat="lua"><script>return' .. (" "):rep(size - 7) .. "1</script></scriptTask>")
    end)
  end)
  local function form(fields)
    return simple('<userTask id="t"><extensionElements>'
      .. '<c:formData xmlns:c="http://camunda.org/schema/1.0/bpmn">'
      .. fields .. "</c:formData></extensionElements></userTask>")
  end
  it("fields of a form, and the values of an enum", function()
    model_bound(limits.ORR_FORM_FIELDS_MAX, "at most 1000", function(count)
      local out = {}
      for i = 1, count do out[i] = ('<c:formField id="f%d" type="long"/>'):format(i) end
      return form(table.concat(out))
    end)
    model_bound(limits.ORR_FORM_CHOICES_MAX, "at most 5000", function(count)
      local out = {}
      for i = 1, count do out[i] = ('<c:value id="v%d"/>'):format(i) end
      return form('<c:formField id="f" type="enum">' .. table.concat(out) .. "</c:formField>")
    end)
  end)
  local function camunda_form(fields, choices)
    local out, values = {}, {}
    for i = 1, choices do values[i] = ('{"value": "v%d"}'):format(i) end
    local list = table.concat(values, ",")
    for i = 1, fields do
      out[i] = ('{"type": "taglist", "key": "f%d", "values": [%s]}'):format(i, list)
    end
    local task = '<userTask id="t" o:formKey="camunda-forms:deployment:f.form"/>'
    engine:deploy { ["p.bpmn"] = waiting(task),
      ["f.form"] = ('{"components": [%s]}'):format(table.concat(out, ",")) }
    return engine:task { instance_id = engine:start("p").id }
  end
  it("fields of a Camunda Form, the values of a choice, and of a list of them", function()
    local fields, choices = limits.ORR_FORM_FIELDS_MAX, limits.ORR_FORM_CHOICES_MAX
    assert.equal(fields, #camunda_form(fields, 1):form().fields)
    local task = camunda_form(fields + 1, 1)
    refused("argument", "more than 1000 fields", task.form, task)
    task = camunda_form(1, choices + 1)
    refused("argument", "at most 5000", task.form, task)
    task = camunda_form(1, choices)
    assert.equal(choices, #task:form().fields[1].values)
    local list = {}
    for i = 1, choices + 1 do list[i] = "v1" end
    refused("argument", "a list of 5001 is longer", task.submit_form, task, { f1 = list })
  end)
  it("nesting of expressions", function()
    local function nested(depth) return ("("):rep(depth) .. "1" .. (")"):rep(depth) end
    assert.equal(1, engine:evaluate("${" .. nested(limits.ORR_EXPRESSION_DEPTH_MAX // 2) .. "}", {}))
    refused("limit", "deep", engine.evaluate, engine, "${" .. nested(limits.ORR_EXPRESSION_DEPTH_MAX + 1) .. "}")
  end)
end)

describe("values", function()
  local function start(variables) return engine:start("p", { variables = variables }) end
  local function nested(depth)
    local value = 1
    for _ = 1, depth do value = { value } end
    return value
  end
  it("depth", function()
    deploy(waiting '<userTask id="t"/>')
    start { x = nested(limits.ORR_VALUE_DEPTH_MAX - 1) }
    refused("argument", "deep", start, { x = nested(limits.ORR_VALUE_DEPTH_MAX + 1) })
  end)
  it("names of variables", function()
    deploy(waiting '<userTask id="t"/>')
    start { [("n"):rep(limits.ORR_NAME_BYTES_MAX)] = 1 }
    refused("argument", "255", start, { [("n"):rep(limits.ORR_NAME_BYTES_MAX + 1)] = 1 })
  end)
  it("bytes", function()
    deploy(waiting '<userTask id="t"/>')
    refused("argument", "size", start, { x = ("x"):rep(limits.ORR_VALUE_BYTES_MAX + 1) })
  end)
end)

describe("running", function()
  it("instances of one multi-instance activity", function()
    deploy(waiting [[<userTask id="t"><multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>${n}</loopCardinality>
      </multiInstanceLoopCharacteristics></userTask>]])
    local function start(n) return engine:start("p", { variables = { n = n } }) end
    assert.same({ "t" }, start(limits.ORR_MULTI_INSTANCE_MAX):active())
    refused("limit", tostring(limits.ORR_MULTI_INSTANCE_MAX), start, limits.ORR_MULTI_INSTANCE_MAX + 1)
  end)

  it("depth of calls", function()
    deploy(process [[<startEvent id="s"/><exclusiveGateway id="g" default="d"/><callActivity id="c" calledElement="p"><extensionElements>
      <o:in sourceExpression="${n - 1}" target="n"/></extensionElements></callActivity><userTask id="t"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="g"/><sequenceFlow id="d" sourceRef="g" targetRef="t"/>
      <sequenceFlow id="f2" sourceRef="g" targetRef="c"><conditionExpression>${n > 0}</conditionExpression></sequenceFlow>]])
    local function start(n) return engine:start("p", { variables = { n = n } }) end
    start(limits.ORR_CALL_DEPTH_MAX)
    assert.equal(limits.ORR_CALL_DEPTH_MAX + 1, engine:count("instances", {}))
    refused("limit", "101th", start, limits.ORR_CALL_DEPTH_MAX + 1)
  end)

  it("an error's message is cut", function()
    deploy(waiting '<serviceTask id="t" o:class="fail" o:asyncBefore="true"/>')
    engine:register("fail", function() error(("x"):rep(5000), 0) end)
    engine:start "p"
    engine:run_jobs(1)
    local message = engine:job({}).error
    assert.truthy(#message <= limits.ORR_ERROR_MESSAGE_MAX and #message > limits.ORR_ERROR_MESSAGE_MAX // 2, #message)
  end)
end)
