-- What tests reached of a model: counted as tokens go, merged over a suite, as a table and as a drawing.
local command = require "spec.cli.command"
local draw = require "orrery.draw"
local testing = require "orrery.testing"

local function definitions(body)
  return '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">' .. body .. "</definitions>"
end

-- Both flows out of "which" lead to tasks that lead to "end"; "twice" can be reached from "which" and from "left": only what was taken
-- itself counts, not what lies between two things that were reached.
local forks = definitions [[<process id="p" isExecutable="true">
  <startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="which"/>
  <exclusiveGateway id="which" default="right"/>
  <sequenceFlow id="go_left" sourceRef="which" targetRef="left"><conditionExpression>${way == 'left'}</conditionExpression></sequenceFlow>
  <sequenceFlow id="right" sourceRef="which" targetRef="twice"/>
  <userTask id="left"/><sequenceFlow id="on" sourceRef="left" targetRef="twice"/>
  <userTask id="twice" name="Twice"/><sequenceFlow id="f2" sourceRef="twice" targetRef="sub"/>
  <subProcess id="sub"><startEvent id="is"/><sequenceFlow id="g" sourceRef="is" targetRef="ie"/><endEvent id="ie"/></subProcess>
  <sequenceFlow id="f3" sourceRef="sub" targetRef="end"/><endEvent id="end"/>
  </process>]]

local function play(way, collector)
  local t <close> = testing.new { deploy = { ["p.bpmn"] = forks }, coverage = collector }
  t:start("p", { variables = { way = way } })
  if way == "left" then t:complete "left" end
  t:complete "twice"
  return t:coverage()
end

describe("coverage", function()
  it("counts what a test has reached that goes on", function()
    local suite = testing.coverage()
    local t <close> = testing.new { deploy = { ["p.bpmn"] = forks }, coverage = suite }
    assert.equal(0, suite:result("p").reached)
    t:start("p", { variables = { way = "left" } })
    local reached = suite:result("p").reached
    assert.is_true(reached > 0)
    assert.matches("p: " .. reached .. " of ", suite:text())
    t:close()
    assert.equal(reached, suite:result("p").reached)
  end)

  it("counts nodes and flows as tokens take them", function()
    local result = play("left", true)
    assert.same({ "right" }, result.missing)
    assert.same({ 15, 14, "p" }, { result.total, result.reached, result.process })
    assert.same({ 1, 0, 1, 1, 1 }, { result.times.go_left, result.times.right, result.times.on, result.times.g, result.times.ie })
    assert.same({ "go_left", "left", "on" }, play("right", true).missing)
  end)

  it("is merged over a suite", function()
    local suite = testing.coverage()
    play("right", suite)
    assert.same({ "go_left", "left", "on" }, suite:result("p").missing)
    assert.error_matches(function() suite:at_least(1) end,
      "p: 100 %% should be reached, but 12 of 15 elements are; missing: go_left, left, on")
    suite:at_least(0.8)
    play("left", suite)
    assert.same({}, suite:result("p").missing)
    assert.equal(2, suite:result("p").times.twice)
    suite:at_least(1, "p")
  end)

  it("counts flows of a transaction that failed, as code that raised is reached, too", function()
    local t <close> = testing.new { coverage = true, deploy = { ["p.bpmn"] = definitions [[<process id="p" isExecutable="true">
      <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="bad"/>
      <scriptTask id="bad" scriptFormat="lua"><script>error "no"</script></scriptTask></process>]] } }
    assert.is_false((pcall(t.start, t, "p")))
    assert.same({ 1, 0 }, { t:coverage().times.f, t:coverage().times.bad })
  end)

  it("counts what an executor's threads take", function()
    local t <close> = testing.new { coverage = true, deploy = { ["p.bpmn"] = definitions [[
      <process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="n"/>
      <scriptTask id="n" scriptFormat="lua" o:async="true" xmlns:o="urn:orrery:bpmn"><script>x = 1</script></scriptTask>
      <sequenceFlow id="g" sourceRef="n" targetRef="e"/><endEvent id="e"/></process>]] } }
    t.engine:start_executor { threads = 2 }
    for _ = 1, 50 do t:start "p" end
    assert.is_true(t.engine:wait_idle(120))
    t.engine:stop_executor()
    assert.same({ 50, 50, 50 }, { t:coverage().times.f, t:coverage().times.g, t:coverage().times.e })
  end)

  it("is a table as text", function()
    local suite = testing.coverage()
    play("right", suite)
    local text = suite:text()
    assert.matches("^p: 12 of 15 reached %(80 %%%)\nTIMES  ELEMENT%s+ID%s+NAME\n1      startEvent%s+s\n", text)
    assert.matches("\n0      sequenceFlow%s+go_left\n", text)
    assert.matches("\n1      userTask%s+twice%s+Twice\n", text)
    assert.equal(text, suite:text "p")
  end)

  it("is a drawing, and files", function()
    local suite = testing.coverage()
    do
      local t <close> = testing.new { deploy = "examples/order", coverage = suite, stubs = true,
        register = { shop = { remind = function() end } } }
      t:start("order", { variables = { card = "4111", total = 100, address = "Vienna" } })
      t:run()
    end
    local result, svg = suite:result "order", suite:svg "order"
    assert.is_true(result.reached > 0 and result.reached < result.total)
    assert.matches("<title>order: " .. result.reached .. " of " .. result.total .. " reached</title>", svg)
    local marks = require "orrery.draw".marks
    assert.is_truthy(svg:find(marks.passed.ink, 1, true) and svg:find(marks.missed.ink, 1, true))
    local dir <close> = command.folder()
    suite:write(dir.path)
    local file <close> = assert(io.open(dir.path .. "/order.svg"))
    assert.equal(svg, file:read "a")
    local table_file <close> = assert(io.open(dir.path .. "/coverage.txt"))
    assert.equal(suite:text(), table_file:read "a")
    assert.error_matches(function() suite:write(dir.path .. "/nowhere") end, "nowhere/coverage.txt")
  end)

  it("draws a model without a diagram, too", function()
    local suite = testing.coverage()
    play("right", suite)
    local dir <close> = command.folder()
    suite:write(dir.path)
    local file <close> = assert(io.open(dir.path .. "/p.svg"))
    assert.equal(suite:svg(), file:read "a")
    assert.truthy(suite:svg():find(draw.marks.missed.ink, 1, true))
  end)

  it("says what is missing to ask for it", function()
    assert.error_matches(function() testing.new { coverage = true, history = "none" } end, "history")
    local t <close> = testing.new { deploy = { ["p.bpmn"] = forks } }
    assert.error_matches(function() t:coverage() end, "testing.new { coverage = true }")
    assert.error_matches(function() testing.coverage():result "q" end, 'no test has deployed a process "q"; there are none')
  end)
end)
