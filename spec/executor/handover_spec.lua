-- Handing over: which follow-up jobs stay with the executor that made them, and which acquisition finds.
-- Marks: threads, records
local orrery = require "orrery"

local function definitions(elements)
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="spec">
<process id="p" isExecutable="true">%s</process></definitions>]]):format(elements)
end

local chain = definitions [[
<startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="a"/>
<task id="a" o:asyncBefore="true"/><sequenceFlow id="f2" sourceRef="a" targetRef="b"/>
<task id="b" o:asyncBefore="true"/><sequenceFlow id="f3" sourceRef="b" targetRef="c"/>
<task id="c" o:asyncBefore="true"/><sequenceFlow id="f4" sourceRef="c" targetRef="end"/><endEvent id="end"/>]]

local fork = definitions [[
<startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="first"/>
<serviceTask id="first" o:asyncBefore="true" o:jobPriority="5" o:class="delegates.note"/>
<sequenceFlow id="f2" sourceRef="first" targetRef="low"/><sequenceFlow id="f3" sourceRef="first" targetRef="high"/>
<serviceTask id="low" o:asyncBefore="true" o:jobPriority="1" o:class="delegates.note"/>
<serviceTask id="high" o:asyncBefore="true" o:jobPriority="9" o:class="delegates.note"/>]]

--- Two jobs, one after the other, of these priorities.
local function two(key, first, second)
  return (definitions [[
<startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="K1"/>
<serviceTask id="K1" o:asyncBefore="true" o:jobPriority="FIRST" o:class="delegates.note"/>
<sequenceFlow id="f2" sourceRef="K1" targetRef="K2"/>
<serviceTask id="K2" o:asyncBefore="true" o:jobPriority="SECOND" o:class="delegates.note"/>]])
    :gsub("K", key):gsub("FIRST", first):gsub("SECOND", second):gsub('process id="p"', 'process id="' .. key .. '"')
end

describe("handing over", function()
  local engine
  before_each(function() engine = orrery.open(nil, { package_path = "spec/job/?.lua;" .. package.path }) end)
  after_each(function() engine:close() end)

  local function drain(options)
    engine:start_executor(options)
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.same({}, engine:instances {})
    return engine:metrics()
  end

  it("gives a successor the place of its predecessor, however full the queue is", function()
    engine:deploy { ["p.bpmn"] = chain }
    for _ = 1, 10 do engine:start "p" end
    local metrics = drain { threads = 1, queue_size = 1 }
    assert.equal(30, metrics["job-successful"])
    assert.equal(20, metrics["job-handed-over"])
    assert.equal(0, metrics["job-execution-rejected"])
  end)

  it("hands over all of many successors, however much their batch holds", function()
    local branches, n = {}, 100
    for i = 1, n do
      branches[i] = ('<sequenceFlow id="g%d" sourceRef="wide" targetRef="t%d"/><task id="t%d" o:asyncBefore="true" o:exclusive="false"/>')
        :format(i, i, i)
    end
    engine:deploy { ["p.bpmn"] = definitions('<startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="wide"/>'
      .. '<scriptTask id="wide" o:asyncBefore="true" scriptFormat="lua" o:resultVariable="text"><script>return ("x"):rep(20000)</script>'
      .. "</scriptTask>" .. table.concat(branches)) }
    engine:start "p"
    engine:start "p"
    local metrics = drain { threads = 1 }
    assert.equal(2 * (n + 1), metrics["job-successful"])
    assert.is_true(metrics["job-handed-over"] >= n)
    assert.equal(2 * (n + 2), metrics["activity-instance-start"])
  end)

  it("gives only one of several successors that place", function()
    engine:deploy { ["p.bpmn"] = fork }
    local notes = os.tmpname()
    engine:start("p", { variables = { notes = notes } })
    local metrics = drain { threads = 1, queue_size = 1 }
    os.remove(notes)
    assert.equal(3, metrics["job-successful"])
    assert.equal(1, metrics["job-handed-over"])
    assert.equal(1, metrics["job-execution-rejected"])
  end)

  describe("in an order that was asked for", function()
    local notes
    before_each(function() notes = os.tmpname() end)
    after_each(function() os.remove(notes) end)

    --- What ran, in order, and how many jobs were handed over.
    local function ran(processes, order)
      for key, source in pairs(processes) do engine:deploy { [key .. ".bpmn"] = source } end
      for _, key in ipairs { "p", "q" } do
        if processes[key] then engine:start(key, { variables = { notes = notes } }) end
      end
      local options = { threads = 1, queue_size = 1 }
      for name, value in pairs(order) do options[name] = value end
      local metrics = drain(options)
      local file <close> = assert(io.open(notes))
      return file:read "a", metrics["job-handed-over"]
    end

    it("begins with the first of several successors", function()
      assert.same({ "first high low ", 1 }, { ran({ p = fork }, { acquire_by_priority = true }) })
    end)

    it("leaves a successor to acquisition when a job before it waits", function()
      assert.same({ "p1 q1 q2 p2 ", 1 }, { ran({ p = two("p", 9, 1), q = two("q", 5, 5) }, { acquire_by_priority = true }) })
    end)

    it("does not let a job wait for its equals, however old", function()
      assert.same({ "p1 p2 q1 q2 ", 2 }, { ran({ p = two("p", 9, 5), q = two("q", 5, 1) }, { acquire_by_priority = true }) })
    end)

    it("keeps that of aging, in which the older of equals comes first", function()
      assert.equal("p1 q1 p2 q2 ", (ran({ p = two("p", 9, 5), q = two("q", 5, 1) }, { acquire_by_aging = 3600 })))
    end)
  end)
end)
