-- orrery decide, orrery tck and orrery lint of decision models.
-- Marks: commands
local models = require "spec.decision.models"
local folder = require "spec.support.folder"

local command = require "spec.cli.command".path

describe("the command", function()
  local place
  before_each(function() place = folder.make() end)
  after_each(function() folder.remove(place) end)

  local function write(name, text)
    local file = assert(io.open(place .. "/" .. name, "w"))
    file:write(text)
    file:close()
    return place .. "/" .. name
  end

  local function run(arguments)
    local pipe = assert(io.popen(("%s %s 2>&1; echo $?"):format(command, arguments)))
    local output = pipe:read "a"
    pipe:close()
    local text, code = output:match "^(.-)(%d+)\n$"
    return text, tonumber(code)
  end

  local dish = models.decision("dish", models.table { policy = "FIRST", inputs = { { "guests", "number" } },
    rules = { { "< 10", '"Stew"' }, { "-", '"Beef"' } } })

  it("decides, with inputs by --set", function()
    local path = write("dish.dmn", models.file(dish))
    assert.same({ '"Stew"\n', 0 }, { run("decide " .. path .. " --set guests=5") })
    assert.same({ '{"event":"decided","result":"Beef"}\n', 0 }, { run("decide --json " .. path .. " --set guests=50") })
  end)

  it("names a file as it is called, and says of a process that it is none", function()
    local text, code = run("decide " .. write("order.bpmn", "<a/>"))
    assert.equal(2, code)
    assert.matches("/order.bpmn is a model of processes; decisions are in .dmn files", text)
    text = run("decide " .. write("dish.txt", "<a/>"))
    assert.matches("dish.txt:1:", text)
    assert.not_matches("dish.txt.dmn", text)
  end)

  it("asks which of several decisions is meant, and says why a result is null", function()
    local path = write("two.dmn", models.file(dish .. models.decision("other", "1 + nothing")))
    local text, code = run("decide " .. path)
    assert.equal(2, code)
    assert.matches("say which with %-%-decision: dish, other", text)
    text, code = run("decide " .. path .. " --decision other")
    assert.equal(0, code)
    assert.matches("nothing", text)
    assert.matches("null\n$", text)
  end)

  it("finds imported models beside the file", function()
    write("library.dmn", models.file(models.decision("base", "40"), { namespace = "urn:library" }))
    write("broken.dmn", "<definitions")
    local path = write("uses.dmn", models.file(('<import name="lib" namespace="urn:library" importType="%s"/>'):format(
      models.NAMESPACES["1.5"]) .. '<decision id="d" name="d"><variable name="d"/><informationRequirement>' ..
      '<requiredDecision href="urn:library#base"/></informationRequirement>' .. models.text "lib.base + 2" .. "</decision>"))
    assert.same({ "42\n", 0 }, { run("decide " .. path) })
  end)

  it("prints the problems of a file it cannot decide by", function()
    local path = write("bad.dmn", models.file(models.decision("d", "1 +")))
    local text, code = run("decide " .. path)
    assert.equal(1, code)
    assert.matches("bad%.dmn:1:%d+: ", text)
  end)

  it("lints, with line and column", function()
    local text, code = run("lint " .. write("bad.dmn", [[
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="f" name="f" namespace="urn:x">
  <decision id="d" name="d">
    <literalExpression>
      <text>1 + * 2</text>
    </literalExpression>
  </decision>
  <decision id="e" name="e">
    <literalExpression typeRef="nmuber">
      <text>
        if 1 = 1
        then 2
      </text>
    </literalExpression>
  </decision>
  <desicion/>
</definitions>
]]))
    assert.equal(1, code)
    assert.matches("bad%.dmn:4:17: ", text)
    assert.matches('bad%.dmn:8:5: .*there is no type "nmuber"; did you mean "number"', text)
    assert.matches("bad%.dmn:12:%d+: ", text)
    assert.matches("bad%.dmn:15:3: .*there is no DMN element <desicion>; did you mean \"decision\"", text)
    assert.matches("1 checked: 4 error", text)
  end)

  it("lints a file without problems", function()
    local text, code = run("lint " .. write("good.dmn", models.file(dish)))
    assert.equal(0, code)
    assert.matches("1 checked: 0 errors, 0 warnings", text)
  end)

  it("runs cases of the compatibility kit and prints each that fails", function()
    write("m.dmn", models.file(models.input("x") .. models.decision("d", "x", { inputs = { "x" } }) ..
      models.decision("e", "date(x)", { inputs = { "x" } }) .. models.decision("bad", "1 +")))
    local function value(kind, text) return ('<value xsi:type="xsd:%s">%s</value>'):format(kind, text) end
    local function case(id, input, name, expected, attributes)
      return ('<tc:testCase id="%s"><tc:inputNode name="x">%s</tc:inputNode><tc:resultNode name="%s" type="decision" %s>'):format(
        id, input, name, attributes or "") .. ("<tc:expected>%s</tc:expected></tc:resultNode></tc:testCase>"):format(expected)
    end
    write("m-test-01.xml", '<?xml version="1.0"?><!-- cases --><tc:testCases xmlns:tc="urn:tc" xmlns:xsi="urn:xsi">' ..
      "<tc:modelName>m.dmn</tc:modelName>" .. case("001", value("decimal", "1.50"), "d", value("decimal", "1.5")) ..
      case("002", "<list><item>" .. value("string", "a &lt; b") .. "</item></list>", "d",
        "<list><item>" .. value("string", "<![CDATA[a < b]]>") .. "</item></list>") ..
      case("003", value("string", "2020-01-31"), "e", value("date", "2020-01-31")) ..
      case("004", value("string", "2020-01-31"), "e", value("date", "2020-01-30")) ..
      case("005", value("string", "x"), "bad", '<value xsi:nil="true"/>', 'errorResult="true"') ..
      case("006", value("boolean", "true"), "nowhere", value("boolean", "true")) .. "</tc:testCases>")
    local text, code = run("tck " .. place)
    assert.equal(1, code)
    assert.matches("m%-test%-01%.xml: case 004: e: expected 2020%-01%-30, got 2020%-01%-31", text)
    assert.matches('m%-test%-01%.xml: case 006: the model has no "nowhere"', text)
    assert.matches("\n4 passed, 2 failed\n$", text)
  end)

  it("counts a case of a file it cannot read as failed", function()
    write("a-test-01.xml", '<testCases><modelName>missing.dmn</modelName><testCase id="1"/></testCases>')
    local text, code = run("tck " .. place)
    assert.equal(1, code)
    assert.matches("there is no missing%.dmn", text)
    assert.matches("0 passed, 1 failed\n$", text)
    assert.matches("is no folder", (run("tck " .. place .. "/nothing")))
  end)
end)
