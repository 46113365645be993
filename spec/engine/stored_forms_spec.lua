-- Forms of a store that an older version deployed without looking at them: what is wrong in them is
-- left out, and the process goes on.
local orrery = require "orrery"
local folder = require "spec.support.folder"
local support = require "spec.support.process"
local uow = require("orrery_inside").uow

local HEADER = 8 -- store_header

describe("a stored form with mistakes", function()
  local path
  before_each(function() path = folder.make() end)
  after_each(function() folder.remove(path) end)

  local function open() return orrery.open(path, { clock = "manual", log = "none" }) end

  local function task_of(attributes, fields)
    return support.model(([[<startEvent id="s"/><userTask id="t" %s><extensionElements>
      <camunda:formData>%s</camunda:formData></extensionElements></userTask><userTask id="u"/>]])
      :format(attributes, fields), "s -> t t -> u")
  end

  --- Writes a model over another of the same length.
  local function overwrite(model, other)
    local source = uow.open(path)
    local written = 0
    for key, value in pairs(source:dump()) do
      local from, to = value:find(model, 1, true)
      if from then
        source:plant(key, uow.seal(value:sub(HEADER + 1, from - 1) .. other .. value:sub(to + 1)))
        written = written + 1
      end
    end
    source:close()
    assert.equal(1, written)
  end

  --- Leaves an instance of a model, in whose text the changes are made behind the engine's back.
  local function store_with(model, changes)
    do
      local engine <close> = open()
      engine:deploy { ["p.bpmn"] = model }
      engine:start "p"
    end
    local wrong = model
    for from, to in pairs(changes) do
      assert.equal(#from, #to)
      local count
      wrong, count = wrong:gsub(from:gsub("%p", "%%%0"), to)
      assert.is_true(count > 0, from)
    end
    overwrite(model, wrong)
    return wrong
  end

  local function refused(engine, model)
    local ok, err = pcall(engine.deploy, engine, { ["p.bpmn"] = model })
    assert.same({ false, "deployment" }, { ok, err.kind })
    local errors = 0
    for _, problem in ipairs(err.problems) do
      if problem.severity == "error" then errors = errors + 1 end
    end
    return errors
  end

  local function ids(task)
    local out = {}
    for i, field in ipairs(task:form().fields) do out[i] = field.id end
    return table.concat(out, " ")
  end

  it("is shown without them, and its task can be completed", function()
    local wrong = store_with(task_of('camunda:formKey="k" camunda:formRex="f"',
      [[<camunda:formField id="a" type="string"/><camunda:formField id="b" type="long"/>
      <camunda:formField id="c1" type="double"/><camunda:formField id="c2" type="double"/>
      <camunda:formField ix="d" id="x" type="boolean"/>
      <camunda:formField id="e" type="enum"><camunda:value id="e1"/><camunda:value id="e2"/>
        <camunda:validation><camunda:constraint name="required"/></camunda:validation>
      </camunda:formField><camunda:formField id="f" type="date"><camunda:validation>
        <camunda:constraint name="required" config="12345"/></camunda:validation>
      </camunda:formField>]]), {
      ['id="a" type'] = 'id="a" tipe',
      ['id="b" type="long"'] = 'id="b" type="lung"',
      ['id="c2"'] = 'id="c1"',
      ['ix="d" id="x"'] = 'ix="d" iy="x"',
      ['id="e2"'] = 'id="e1"',
      ['name="required" config="12345"'] = 'name="minimums" config="12345"',
      ["formRex"] = "formRef",
    })
    local engine <close> = open()
    local task = engine:task {}
    assert.equal("a b c1 e f", ids(task))
    local form = task:form()
    assert.same({ "k", nil, { { id = "e1", name = "e1" } } },
      { form.key, form.reference, form.fields[4].values })
    task:submit_form { a = 1, b = "any", c1 = "1.5", e = "e1", f = "24/12/2026" }
    assert.equal("u", engine:task({}).key)
    assert.equal(1.5, engine:task({}):get "c1")
    assert.equal(7, refused(engine, wrong))
  end)

  it("has as many fields and choices as there may be", function()
    local fields = { '<camunda:formField id="f" type="enum">' }
    for i = 1, 5001 do fields[#fields + 1] = ('<camunda:valux id="v%d"/>'):format(i) end
    fields[#fields + 1] = "</camunda:formField>"
    for i = 1, 1001 do
      fields[#fields + 1] = ('<camunda:formFielx id="f%d" type="long"/>'):format(i)
    end
    local wrong = store_with(task_of("", table.concat(fields)),
      { ["camunda:valux"] = "camunda:value", ["camunda:formFielx"] = "camunda:formField" })
    local engine <close> = open()
    local form = engine:task({}):form()
    assert.same({ 1000, 5000 }, { #form.fields, #form.fields[1].values })
    assert.equal(2, refused(engine, wrong))
  end)
end)
