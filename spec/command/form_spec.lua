-- Forms: what tasks and start events ask people for, shown and taken. docs/forms.md.
local orrery = require "orrery"
local support = require "spec.support.process"

local function user_task(form) return ('<startEvent id="s"/><userTask id="t">%s</userTask>'):format(
  form) end

local function data(fields, attributes)
  return ("<extensionElements><camunda:formData %s>%s</camunda:formData></extensionElements>")
    :format(attributes or "", fields)
end

local function field(id, kind, attributes, content)
  return ('<camunda:formField id="%s" type="%s" %s>%s</camunda:formField>')
    :format(id, kind, attributes or "", content or "")
end

local function rules(...)
  local out = {}
  for i, rule in ipairs { ... } do
    local name, config = rule:match "^(%w+)=?(.*)$"
    out[i] = ('<camunda:constraint name="%s" config="%s"/>'):format(name, config)
  end
  return "<camunda:validation>" .. table.concat(out) .. "</camunda:validation>"
end

--- The only task of a new instance, whose form has these fields.
local function task_with(engine, fields, variables)
  support.deploy(engine, user_task(data(fields)), "s -> t")
  engine:start("p", { variables = variables })
  return engine:task {}
end

local function refusal(f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  return { err.kind, err.field, err.constraint }, err.message
end

describe("a task's form", function()
  it("shows what its fields are, and the values that they have", function()
    local engine <close> = support.engine()
    local task = task_with(engine, field("who", "string", 'label="Who?" defaultValue="kermit"')
      .. field("amount", "long", 'defaultValue="7"', rules("required", "max=9"))
      .. field("size", "enum", "", '<camunda:value id="s" name="Small"/>'
        .. '<camunda:value id="l" name="Large"/>'
        .. '<camunda:properties><camunda:property id="look" value="radio"/></camunda:properties>'),
      { amount = 3 })
    assert.same({ fields = {
      { id = "who", label = "Who?", type = "string", variable = "who", value = "kermit",
        default = "kermit",
        required = false, readonly = false, constraints = {}, properties = {} },
      { id = "amount", type = "long", variable = "amount", value = 3, required = true,
        readonly = false,
        constraints = { { name = "required" }, { name = "max", config = "9" } },
          properties = {} },
      { id = "size", type = "enum", variable = "size", required = false, readonly = false,
        constraints = {},
        properties = { look = "radio" }, values = { { id = "s", name = "Small" }, { id = "l",
          name = "Large" } } },
    } }, task:form())
  end)

  it("takes values as the types of its fields, and completes the task", function()
    local engine <close> = support.engine()
    local task = task_with(engine, field("text", "string") .. field("whole", "long") .. field(
      "part", "double")
      .. field("yes", "boolean") .. field("day", "date") .. field("hour", "date",
        'datePattern="yyyy-MM-dd HH:mm"')
      .. field("kept", "long", 'defaultValue="1"') .. field("default", "long",
        'defaultValue="${kept + 1}"')
      .. field("empty", "long"), { kept = 5 })
    task:submit_form { text = 12, whole = "42", part = "1.5", yes = "true", day = "24/12/2026",
      hour = "2026-12-24 18:30", empty = "", more = "free" }
    assert.is_nil(engine:task {})
    local values = {}
    for _, row in ipairs(engine:history_variables {}) do values[row.name] = row.value end
    assert.same({ text = "12", whole = 42, part = 1.5, yes = true, day = 1798070400.0,
      hour = 1798137000.0, kept = 5,
      default = 6, more = "free" }, values)
  end)

  it("shows a date as a text of its pattern", function()
    local engine <close> = support.engine { time_zone = "Europe/Vienna" }
    local task = task_with(engine, field("day", "date",
      [[datePattern="d. MMMM yyyy 'at' h:mm a" ]]))
    task:set("day", 1798133400)
    assert.equal("24. December 2026 at 6:30 PM", task:form().fields[1].value)
  end)

  for _, pattern in ipairs { "d.M.y", "d MMM y", "yMMdd", "dd.MM.yy", "yyy-MM-dd" } do
    it("takes the date that it shows by the pattern " .. pattern, function()
      local engine <close> = support.engine()
      local task = task_with(engine, field("day", "date", ('datePattern="%s"'):format(pattern)),
        { day = 1772668800 })
      task:submit_form { day = task:form().fields[1].value }
      assert.equal(1772668800.0, engine:history_variable({ name = "day" }).value)
    end)
  end

  local cases = {
    { "a number's bound below", field("x", "long", "", rules "min=3"), { x = 2 }, "min" },
    { "a number's bound above", field("x", "double", "", rules "max=3"), { x = "3.5" }, "max" },
    { "a text's least length", field("x", "string", "", rules "minlength=3"), { x = "äö" },
      "minlength" },
    { "a text's greatest length", field("x", "string", "", rules "maxlength=2"), { x = "äöü" },
      "maxlength" },
    { "what is required", field("x", "string", "", rules "required"), {}, "required" },
    { "that it is not empty", field("x", "string", "", rules "required"), { x = "" }, "required" },
    { "what can only be read", field("x", "string", "", rules "readonly"), { x = "y" },
      "readonly" },
    { "a number", field("x", "long"), { x = "1e3" }, "type" },
    { "a whole number", field("x", "long"), { x = 1.5 }, "type" },
    { "a number of 64 bits", field("x", "long"), { x = "9223372036854775808" }, "type" },
    { "a number without zero bytes", field("x", "long"), { x = "1\0" }, "type" },
    { "a boolean", field("x", "boolean"), { x = "yes" }, "type" },
    { "a date by its pattern", field("x", "date"), { x = "30/02/2026" }, "type" },
    { "a date with all digits of its year", field("x", "date"), { x = "01/02/26" }, "type" },
    { "a choice", field("x", "enum", "", '<camunda:value id="a"/>'), { x = "b" }, "enum" },
    { "a default's bound", field("x", "long", 'defaultValue="${1 + 1}"', rules "min=3"), {},
      "min" },
  }
  for _, case in ipairs(cases) do
    it("holds values to " .. case[1] .. ", and changes nothing otherwise", function()
      local engine <close> = support.engine()
      local task = task_with(engine, case[2] .. field("other", "long"))
      case[3].other = 1
      assert.same({ "argument", "x", case[4] }, (refusal(task.submit_form, task, case[3])))
      assert.equal(task.id, engine:task({}).id)
      assert.is_nil(task:get "other")
    end)
  end

  it("holds the variable that a field keeps to its bounds, too", function()
    local engine <close> = support.engine()
    local task = task_with(engine, field("x", "long", "", rules "min=3"), { x = 2 })
    assert.same({ "argument", "x", "min" }, (refusal(task.submit_form, task, {})))
    assert.truthy(task:form().fields[1].error:find "less than 3")
    task:submit_form { x = 3 }
  end)

  it("is taken whatever a read-only field's variable holds", function()
    local engine <close> = support.engine()
    local task = task_with(engine, field("x", "long", "", rules("readonly", "min=3")),
      { x = "no number" })
    assert.truthy(task:form().fields[1].error:find("is not a whole number", 1, true))
    task:submit_form {}
    assert.equal("no number", engine:history_variable({ name = "x" }).value)
  end)

  it("takes no name that would set another field's variable", function()
    local engine <close> = support.engine()
    support.deploy(engine, user_task [[<extensionElements>
      <o:formProperty id="asked" variable="answer" type="long"/>
      <o:formProperty id="shown" variable="secret" writable="false"/></extensionElements>]],
        "s -> t")
    engine:start("p", { variables = { secret = "s" } })
    local task = engine:task {}
    assert.same({ "argument", "asked", "variable" }, (refusal(task.submit_form, task,
      { answer = "no number" })))
    assert.same({ "argument", "shown", "variable" }, (refusal(task.submit_form, task,
      { secret = "mine" })))
    assert.same({ "argument", "shown", "readonly" }, (refusal(task.submit_form, task,
      { shown = "mine" })))
    task:submit_form { asked = "4" }
    assert.equal(4, engine:history_variable({ name = "answer" }).value)
  end)

  it("shows the other fields when one's default fails, and says why", function()
    local engine <close> = support.engine()
    local task = task_with(engine, field("bad", "long", 'defaultValue="${nothing.there}"')
      .. field("wrong", "long", [[defaultValue="${'x'}"]]) .. field("good", "long",
        'defaultValue="1"'))
    local form = task:form()
    assert.truthy(form.fields[1].error)
    assert.truthy(form.fields[2].error:find "whole number")
    assert.same({ 1, nil }, { form.fields[3].value, form.fields[3].error })
  end)

  it("only reads: what its expressions would change fails, alone and within a transaction",
    function()
    local engine <close> = support.engine()
    engine:deploy { ["other.bpmn"] = support.model('<startEvent id="s"/><userTask id="t"/>',
      "s -> t", { key = "other" }) }
    engine:register("starter", { start = function() return engine:start("other").id end })
    local task = task_with(engine, field("a", "string", 'defaultValue="${starter.start()}"')
      .. field("b", "string", [[defaultValue="${execution.setVariable('b', 'set')}"]]))
    local function look()
      local fields = task:form().fields
      assert.truthy(fields[1].error:find "only looked at", fields[1].error)
      assert.truthy(fields[2].error:find "only looked at", fields[2].error)
    end
    look()
    engine:transaction(look)
    assert.equal(0, engine:count("instances", { definition_key = "other" }))
    assert.is_nil(task:get "b")
  end)

  it("leaves a delegated task to its owner", function()
    local engine <close> = support.engine()
    local task = task_with(engine, field("x", "long"))
    task:assign "boss"
    task:delegate "kermit"
    task:submit_form { x = 1 }
    assert.same({ "resolved", "boss" }, { engine:task({}).delegation, engine:task({}).assignee })
  end)

  it("changes nothing when a default completes its task, or suspends its instance", function()
    local engine <close> = support.engine()
    local what, task
    engine:register("meddler", { meddle = function() return what() end })
    task = task_with(engine, field("x", "string", 'defaultValue="${meddler.meddle()}"')
      .. field("y", "string", [[defaultValue="${execution.getVariable('z')}"]]))
    function what() task:complete() end
    assert.same({ "not_found" }, (refusal(task.submit_form, task, {})))
    function what() engine:instance({}):suspend() end
    assert.same({ "suspended" }, (refusal(task.submit_form, task, {})))
    assert.same({ task.id, "active" }, { engine:task({}).id, engine:instance({}).state })
    function what() return "kept" end
    task:submit_form {}
    assert.equal("kept", engine:history_variable({ name = "x" }).value)
  end)

  it("cuts what it tells of long texts between two characters", function()
    local engine <close> = support.engine()
    local id = "x" .. ("ä"):rep(60)
    local task = task_with(engine, field(id, "long"))
    for _, lead in ipairs { "", "x" } do
      local ok, err = pcall(task.submit_form, task, { [id] = lead .. ("ö"):rep(60) })
      assert.same({ false, "argument" }, { ok, err.kind })
      assert.truthy(utf8.len(err.message), err.message)
      assert.truthy(err.message:find("ö", 1, true))
    end
  end)

  it("tells fields and free variables apart among many", function()
    local engine <close> = support.engine()
    local fields, values, expected = {}, {}, {}
    for i = 1, 200 do
      fields[i] = field("f" .. i, "long")
      values["f" .. i], expected["f" .. i] = tostring(i), i
      values["free" .. i], expected["free" .. i] = tostring(i), tostring(i)
    end
    local task = task_with(engine, table.concat(fields))
    values.f7, expected.f7 = nil, nil
    task:submit_form(values)
    local set = {}
    for _, row in ipairs(engine:history_variables {}) do set[row.name] = row.value end
    assert.same(expected, set)
  end)

  it("is that of a task without a process: none", function()
    local engine <close> = support.engine()
    local task = engine:create_task { name = "alone" }
    assert.same({ fields = {} }, task:form())
    task:submit_form { x = 1 }
    assert.is_nil(engine:task {})
  end)
end)

describe("flowable's form properties", function()
  it("show expressions, and are hidden or read-only as they say", function()
    local engine <close> = support.engine()
    support.deploy(engine, user_task [[<extensionElements>
      <o:formProperty id="total" name="Total" type="long" expression="${price * 2}"
        writable="false"/>
      <o:formProperty id="price" expression="${price}" type="long" required="true"/>
      <o:formProperty id="hidden" readable="false"/></extensionElements>]], "s -> t")
    engine:start("p", { variables = { price = 4 } })
    local task = engine:task {}
    local fields = task:form().fields
    assert.same({ "total", 8, true, "price", 4, false, 2 },
      { fields[1].id, fields[1].value, fields[1].readonly, fields[2].id, fields[2].value,
        fields[2].readonly, #fields })
    task:submit_form { price = "6", hidden = "h" }
    assert.equal(6, engine:history_variable({ name = "price" }).value)
    assert.equal("h", engine:history_variable({ name = "hidden" }).value)
  end)
end)

describe("a start form", function()
  local form = '<startEvent id="s">' .. data(field("day", "date", 'datePattern="dd.MM.yyyy"')
    .. field("n", "long", "", rules "required"), 'businessKey="day"')
      .. '</startEvent><userTask id="t"/>'

  it("is shown by the process's key, and starts an instance with what it says", function()
    local engine <close> = support.engine { time_zone = "Asia/Tokyo" }
    support.deploy(engine, form, "s -> t")
    local shown = engine:start_form "p"
    assert.same({ "day", "day", "n" }, { shown.business_key, shown.fields[1].id,
      shown.fields[2].id })
    local instance = engine:submit_start_form("p", { day = "24.12.2026", n = "5" })
    assert.equal("24.12.2026", instance.business_key)
    assert.equal(5, instance:get "n")
    assert.equal(1798038000, instance:get "day")
  end)

  it("gives the business key as entered when the date comes as one", function()
    local engine <close> = support.engine { time_zone = "Asia/Tokyo" }
    support.deploy(engine, form, "s -> t")
    assert.equal("24.12.2026", engine:submit_start_form("p", { day = 1798038000,
      n = 1 }).business_key)
    local own = engine:submit_start_form("p", { day = 1798038000, n = 1 },
      { business_key = "mine" })
    assert.equal("mine", own.business_key)
  end)

  it("starts nothing when a value does not fit, or its key would hold a zero byte", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s">' .. data(field("k", "string") .. field("n",
      "long"), 'businessKey="k"')
      .. '</startEvent><userTask id="t"/>', "s -> t")
    assert.same({ "argument", "n", "type" }, (refusal(engine.submit_start_form, engine, "p",
      { n = "x" })))
    assert.same({ "argument" }, (refusal(engine.submit_start_form, engine, "p", { k = "a\0b" })))
    assert.equal(0, engine:count("instances", {}))
    assert.same({ "not_found" }, (refusal(engine.submit_start_form, engine, "none", {})))
    assert.same({ "not_found" }, (refusal(engine.start_form, engine, "none")))
  end)

  it("is that of one definition: a version or a tenant beside it is refused", function()
    local engine <close> = support.engine()
    local id = support.deploy(engine, form, "s -> t").definitions[1].id
    local function submit(more)
      return pcall(engine.core.submit_start_form, engine.core, { definition = id,
        variables = { n = 1 }, version = more.version, tenant = more.tenant })
    end
    for _, more in ipairs { { version = 1 }, { tenant = "acme" }, { tenant = "" } } do
      local ok, err = submit(more)
      assert.same({ false, "argument" }, { ok, err.kind })
      assert.truthy(err.message:find("a definition is of one version and one tenant", 1, true))
    end
    assert.equal(0, engine:count("instances", {}))
    assert.is_true((submit {}))
  end)
end)

describe("a Camunda Form", function()
  local function schema(id, most)
    return orrery.json.encode { id = id, type = "default", components = {
      { type = "number", key = "amount", label = "Amount", validate = { required = true,
        max = most } },
      { type = "group", components = { { type = "select", key = "size",
        values = { { label = "Large", value = "l" } } } } },
      { type = "textfield", key = "note", defaultValue = "none" }, { type = "button", key = "go" },
    } }
  end
  local function model(attributes)
    return support.model(('<startEvent id="s"/><userTask id="t" %s/>'):format(attributes), "s -> t")
  end
  local function form_of(engine, attributes)
    engine:deploy { ["p.bpmn"] = model(attributes) }
    return engine:task({ instance_id = engine:start("p").id })
  end

  it("is found by its id, in the version that the binding says", function()
    local engine <close> = support.engine()
    for most = 1, 3 do engine:deploy { ["f" .. most .. ".form"] = schema("pay", most) } end
    local latest = form_of(engine, 'camunda:formRef="pay" camunda:formRefBinding="latest"'):form()
    assert.same({ { key = "pay", binding = "latest" }, "f3.form" }, { latest.reference,
      latest.resource })
    local second = form_of(engine,
      'camunda:formRef="pay" camunda:formRefBinding="version" camunda:formRefVersion="2"')
    assert.same({ { key = "pay", binding = "version", version = 2 }, "f2.form" },
      { second:form().reference, second:form().resource })
    engine:deploy { ["p.bpmn"] = model 'camunda:formRef="pay" camunda:formRefBinding="deployment"',
      ["own.form"] = schema("pay", 9) }
    assert.equal("own.form", engine:task({ instance_id = engine:start("p").id }):form().resource)
  end)

  it("has fields that are checked and set", function()
    local engine <close> = support.engine()
    engine:deploy { ["f.form"] = schema("pay", 5) }
    local task = form_of(engine, 'camunda:formRef="pay"')
    local ids = {}
    for i, one in ipairs(task:form().fields) do ids[i] = one.id .. " " .. one.type end
    assert.same({ "amount number", "size select", "note textfield" }, ids)
    assert.same({ "argument", "amount", "max" }, (refusal(task.submit_form, task, { amount = 6 })))
    assert.same({ "argument", "amount", "required" }, (refusal(task.submit_form, task, {})))
    assert.same({ "argument", "size", "enum" }, (refusal(task.submit_form, task, { amount = 1,
      size = "m" })))
    task:submit_form { amount = 5, size = "l" }
    assert.equal(5, engine:history_variable({ name = "amount" }).value)
    assert.equal("none", engine:history_variable({ name = "note" }).value)
  end)

  it("that is not deployed is shown as far as it is known, and cannot be submitted", function()
    local engine <close> = support.engine()
    local task = form_of(engine, 'camunda:formRef="pay"')
    assert.same({ reference = { key = "pay", binding = "latest" }, fields = {} }, task:form())
    assert.same({ "not_found" }, (refusal(task.submit_form, task, {})))
  end)

  it("of another tenant is another's", function()
    local engine <close> = support.engine()
    engine:deploy({ ["f.form"] = schema("pay", 5) }, { tenant = "acme" })
    assert.is_nil(form_of(engine, 'camunda:formRef="pay"'):form().resource)
  end)

  it("may be named by a key", function()
    local engine <close> = support.engine()
    engine:deploy { ["p.bpmn"] = model 'camunda:formKey="camunda-forms:deployment:f.form"',
      ["f.form"] = schema("pay", 5) }
    engine:start "p"
    local form = engine:task({}):form()
    assert.same({ "camunda-forms:deployment:f.form", "f.form", 3 }, { form.key, form.resource,
      #form.fields })
  end)

  it("in HTML is a key and a file", function()
    local engine <close> = support.engine()
    local task = form_of(engine, 'camunda:formKey="embedded:deployment:look.html"')
    local form = task:form()
    assert.same({ "embedded:deployment:look.html", "look.html", {} }, { form.key, form.resource,
      form.fields })
    task:submit_form { x = 1 }
    assert.is_nil(engine:task {})
  end)
end)
