-- Event sub-processes side by side in one scope: what an interrupting start takes away, and what it leaves.
-- Marks: records
local support = require "spec.support.process"

local function on(id, event, interrupting)
  return ([[<subProcess id="%s" triggeredByEvent="true"><startEvent id="%s_s" isInterrupting="%s">%s</startEvent>
    <sequenceFlow id="%s_f" sourceRef="%s_s" targetRef="%s_t"/><userTask id="%s_t"/></subProcess>]])
    :format(id, id, interrupting, event, id, id, id, id)
end

local events = {
  message = '<messageEventDefinition messageRef="m"/>',
  other = '<messageEventDefinition messageRef="n"/>',
  signal = '<signalEventDefinition signalRef="sg"/>',
  timer = "<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>",
  conditional = "<conditionalEventDefinition><condition>${x == 1}</condition></conditionalEventDefinition>",
}
local roots = '<message id="m" name="m"/><message id="n" name="n"/><signal id="sg" name="sg"/>'

for _, place in ipairs { "a process", "a sub-process" } do
  describe("two event sub-processes of " .. place, function()
    local engine
    before_each(function() engine = support.engine() end)
    after_each(function()
      assert.same({}, engine:verify())
      engine:close()
    end)

    local function start(one, two)
      local inside = '<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/><userTask id="t"/>' .. one .. two
      if place == "a sub-process" then
        inside = '<startEvent id="s0"/><sequenceFlow id="f0" sourceRef="s0" targetRef="sub"/><subProcess id="sub">' .. inside
          .. "</subProcess>"
      end
      engine:deploy { ["p.bpmn"] = support.definitions(roots .. '<process id="p" isExecutable="true">' .. inside .. "</process>") }
      return engine:start("p", { variables = { x = 0 } })
    end

    local function waiting() return engine:count "subscriptions" + engine:count "jobs" end

    for kind, event in pairs(events) do
      it(("both interrupting, by a message and by %s: the start of one takes the other's away"):format(kind), function()
        if kind == "message" then return end -- the same event for both is refused
        local pi = start(on("one", events.message, true), on("two", event, true))
        assert.equal(2, waiting())
        engine:message "m"
        assert.same({ "one_t" }, pi:active())
        assert.equal(0, waiting())
        engine:signal "sg"
        engine:advance "PT2H"
        engine:run_jobs()
        pi:set("x", 1)
        support.refused("correlation", function() engine:message "n" end)
        assert.same({ "one_t" }, pi:active())
      end)

      it(("what the start by %s cancels says so in history, and nothing else"):format(kind), function()
        if kind == "message" then return end
        start(on("one", events.message, true), on("two", event, true))
        engine:message "m"
        local canceled = {}
        for _, row in ipairs(engine:history_activities {}) do
          if row.canceled then canceled[#canceled + 1] = row.activity_id end
          assert.equal(row.activity_id == "t", row.canceled == true, row.activity_id)
        end
        assert.same({ "t" }, canceled)
      end)

      it(("one interrupting, by %s; the other not: it stays until the interrupting one starts"):format(kind), function()
        if kind == "message" then return end
        local pi = start(on("one", events.message, true), on("two", event, false))
        local triggers = { other = function() engine:message "n" end, signal = function() engine:signal "sg" end,
          timer = function()
            engine:advance "PT2H"
            engine:run_jobs()
          end, conditional = function() pi:set("x", 1) end }
        triggers[kind]()
        assert.same({ "t", "two_t" }, pi:active())
        engine:message "m"
        assert.same({ "one_t" }, pi:active())
        assert.equal(0, waiting())
      end)
    end
  end)
end
