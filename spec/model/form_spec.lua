-- What lint says of forms that are wrong.
local support = require "spec.support.process"

local HEAD = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="spec">
  <process id="p" isExecutable="true">
  <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>]]

local function problems(attributes, inner)
  local engine <close> = support.engine { dialect = "camunda" }
  local text = HEAD .. '<userTask id="t" ' .. attributes .. "><extensionElements>" .. inner
    .. "</extensionElements></userTask></process></definitions>"
  local out = {}
  for i, one in ipairs(engine:check { ["m.bpmn"] = text }) do
    out[i] = one.severity .. ": " .. one.message
  end
  return table.concat(out, "\n")
end

local function data(fields, attributes)
  return ("<camunda:formData %s>%s</camunda:formData>"):format(attributes or "", fields)
end

local function field(kind, attributes, content)
  return data(('<camunda:formField id="x" type="%s" %s>%s</camunda:formField>'):format(kind,
    attributes or "", content or ""))
end

local function rule(kind, name, config)
  return field(kind, "", ('<camunda:validation><camunda:constraint name="%s" config="%s"/>'
    .. '</camunda:validation>')
    :format(name, config))
end

local cases = {
  { "an unknown type", field "money",
    'error: field "x" is of the unknown type "money"; the types are' },
  { "a type that is missing", data '<camunda:formField id="x"/>',
    'error: field "x" must have a type' },
  { "an id that is missing", data '<camunda:formField type="long"/>',
    "error: a <formField> has no id" },
  { "an id that is there twice", data('<camunda:formField id="x" type="long"/>'
    .. '<camunda:formField id="x" type="long"/>'),
    'error: the form has two fields "x"' },
  { "a variable that two fields set", '<camunda:formProperty id="a" variable="v"/>'
    .. '<camunda:formProperty id="b" variable="v"/>',
    'error: fields "a" and "b" both set the variable "v"' },
  { "a variable that a read-only field's default sets, too",
    '<camunda:formProperty id="a" variable="v"/>'
    .. '<camunda:formProperty id="b" variable="v" writable="false" default="1"/>',
    'error: fields "a" and "b" both set the variable "v"' },
  { "a default of another type", field("long", 'defaultValue="many"'),
    'warning: the default cannot be taken: field "x": "many"' },
  { "a default outside of its enum", field("enum", 'defaultValue="c"', '<camunda:value id="a"/>'),
    'warning: the default cannot' },
  { "a default outside of its bounds", field("long", 'defaultValue="4"',
    '<camunda:validation><camunda:constraint name="max" config="3"/>'
    .. '</camunda:validation>'), "4 is more than 3" },
  { "an enum without values", field "enum", "warning: field \"x\" is an enum without a <value>" },
  { "a value that is there twice", field("enum", "", '<camunda:value id="a"/>'
    .. '<camunda:value id="a"/>'), 'the value "a" twice' },
  { "an unknown constraint", rule("long", "odd", ""),
    'error: field "x" has the unknown constraint "odd"' },
  { "a bound that is no number", rule("long", "min", "few"), 'error: min of field "x" is "few"' },
  { "a bound of a text", rule("string", "min", "1"), 'error: min of field "x" is for numbers' },
  { "a length of a number", rule("long", "maxlength", "1"),
    'error: maxlength of field "x" is for texts' },
  { "a length below 0", rule("string", "minlength", "-1"),
    'error: minlength of field "x" is "-1"' },
  { "a validator that nobody calls", rule("long", "validator", "com.acme.Odd"),
    'warning: the validator "com.acme.Odd"' },
  { "a pattern with a letter that is not known", field("date", 'datePattern="yyyy-QQ"'),
    "error: the letter 'Q'" },
  { "a pattern with an open quote", field("date", [[datePattern="yyyy 'x"]]),
    "error: a quote is open" },
  { "a business key of no field", data('<camunda:formField id="x" type="long"/>',
    'businessKey="y"'), 'warning: businessKey names "y"' },
  { "an expression that cannot be written", '<camunda:formProperty id="a" expression="${a.b}"/>',
    "warning: field \"a\" cannot" },
}

describe("a form", function()
  for _, case in ipairs(cases) do
    it("with " .. case[1] .. " is a problem", function()
      local said = problems("", case[2])
      assert.truthy(said:find(case[3], 1, true), said)
    end)
  end

  it("without a fault has none", function()
    assert.equal("", problems("", field("date", [[datePattern="EEE"]]):gsub("EEE",
      "dd.MM.yyyy'T'HH:mm:ss.SSSXXX")))
  end)

  it("by reference wants a version that there can be", function()
    local function of(binding) return problems('camunda:formRef="f" ' .. binding, "") end
    assert.truthy(of('camunda:formRefBinding="version"'):find('needs a formRefVersion', 1, true))
    for _, version in ipairs { "0", "-1", "two" } do
      local said = of(('camunda:formRefBinding="version" camunda:formRefVersion="%s"'):format(
        version))
      assert.truthy(said:find("formRefVersion must be a whole number from 1 on", 1, true), said)
    end
    assert.equal("", of 'camunda:formRefBinding="version" camunda:formRefVersion="2"')
  end)
end)
