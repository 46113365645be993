local testing = require "orrery.testing"

local head = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:orrery="urn:orrery:bpmn" targetNamespace="t">'
  .. '<process id="p" isExecutable="true">'

local model = head .. [[<startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="work"/>
<serviceTask id="work" orrery:asyncBefore="true" orrery:class="worker"/><sequenceFlow id="f2" sourceRef="work" targetRef="pause"/>
<intermediateCatchEvent id="pause"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>
<sequenceFlow id="f3" sourceRef="pause" targetRef="review"/><userTask id="review"/>
<sequenceFlow id="f4" sourceRef="review" targetRef="finish"/><endEvent id="finish"/>
<boundaryEvent id="late" attachedToRef="review" cancelActivity="false">
  <timerEventDefinition><timeCycle>R3/PT1H</timeCycle></timerEventDefinition>
</boundaryEvent>
<sequenceFlow id="f5" sourceRef="late" targetRef="nag"/>
<scriptTask id="nag" scriptFormat="lua"><script>execution:set("nags", (nags
  or 0) + 1)</script></scriptTask>
</process></definitions>]]

local function raised(f, ...)
  local ok, problem = pcall(f, ...)
  assert.is_false(ok)
  return tostring(problem)
end

describe("testing", function()
  local t

  before_each(function()
    t = testing.new { deploy = { ["p.bpmn"] = model }, register = { worker = function(execution) execution:set("worked", true) end } }
  end)

  after_each(function() t:close() end)

  it("runs what is due, lets time pass, completes tasks, and knows the end", function()
    local pi = t:start "p"
    t:at(pi, "work")
    assert.equal(1, t:run())
    assert.is_true(pi:get "worked")
    t:at(pi, "pause")
    t:pass "PT59M"
    t:at(pi, "pause")
    t:pass(60)
    t:at(pi, "review")
    t:complete("review", { approved = true })
    t:ended(pi, "finish")
  end)

  it("stops at everything that falls due while time passes", function()
    local pi = t:start "p"
    t:pass "P1D"
    assert.equal(3, pi:get "nags")
    assert.equal(require "orrery".parse_time "2026-01-02T00:00:00Z", t.engine:now())
  end)

  it("says what it found instead of what was expected", function()
    local pi = t:start "p"
    assert.matches("should be at review, but its tokens stand at\n.*work", raised(t.at, t, pi, "review"))
    assert.matches("should have ended, but its tokens stand at", raised(t.ended, t, pi))
    assert.matches('one task { key = "review" } expected, found 0; open tasks: none', raised(t.task, t, "review"))
    t:pass "PT1H"
    assert.matches("open tasks: review", raised(t.task, t, "other"))
    t:complete "review"
    assert.matches("ended at start, but ended at finish", (raised(t.ended, t, pi, "start"):gsub("should have ", "")))
    assert.matches("it has ended at finish", raised(t.at, t, pi, "review"))
  end)

  it("deploys files of a list", function()
    local dir <close> = require "spec.cli.command".folder()
    local deployed <close> = testing.new { deploy = { dir.file("p.bpmn", model),
      dir.file("worker.lua", "return function(e) e:set('worked', true) end") } }
    local pi = deployed:start "p"
    deployed:run()
    assert.is_true(pi:get "worked")
    assert.matches("two files would be the resource p.bpmn", raised(testing.new,
      { deploy = { dir.path .. "/p.bpmn", dir.path .. "/p.bpmn" } }))
    assert.matches("deploy%[2%]: a path expected", raised(testing.new,
      { deploy = { dir.path .. "/p.bpmn", 7 } }))
  end)

  it("has stubs for beans, which remember what they were asked", function()
    local bean = model:gsub("<process.*</process>",
      [[<process id="b" isExecutable="true"><startEvent id="s"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="t"/><serviceTask id="t"
        orrery:expression="${mailer.send(to, 2)}"
      orrery:resultVariable="r"/>
      <sequenceFlow id="f2" sourceRef="t" targetRef="u"/><serviceTask id="u"
        orrery:expression="${mailer.note(execution)}"/>
      <sequenceFlow id="f3" sourceRef="u" targetRef="w"/><userTask id="w"/></process>]])
    local t <close> = testing.new { deploy = { ["b.bpmn"] = bean }, stubs = true }
    t:start("b", { variables = { to = "kermit" } })
    assert.same({ method = "send", arguments = { "kermit", 2 } }, t.stubs.mailer[1])
    assert.same({ "note", "u" }, { t.stubs.mailer[2].method, t.stubs.mailer[2].activity_id })
    local calls = t:stub("mailer", { result = "sent", variables = { noted = true }, fails = "busy",
      times = 0 })
    local instance = t:start("b", { variables = { to = "kermit" } })
    t:variables(instance, { r = "sent", noted = true })
    assert.equal(2, #calls)
    t:stub("mailer", function(a, b) return a == "kermit" and b end)
    t:variables(t:start("b", { variables = { to = "kermit" } }), { r = 2 })
  end)

  it("leaves nothing open when the model does not deploy", function()
    assert.matches("deployment", raised(testing.new, { deploy = { ["p.bpmn"] = "<definitions" } }))
  end)
end)
