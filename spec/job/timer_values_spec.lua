-- What the expressions of timers may give, what is said when they give something else, and business calendars.
local orrery = require "orrery"
local support = require "spec.support.process"

local START = 1767225600 -- the manual clock's first time

for _, dialect in ipairs { "orrery", "camunda", "flowable" } do
describe("a timer's value in " .. dialect, function()
  local engine
  before_each(function() engine = support.engine { dialect = dialect } end)
  after_each(function() engine:close() end)

  local function deploy(body)
    return engine:deploy { ["p.bpmn"] = support.definitions('<process id="p" isExecutable="true"><startEvent id="s"/>'
      .. '<sequenceFlow id="f" sourceRef="s" targetRef="w"/>' .. body .. "</process>") }
  end
  local function catch(text, attributes)
    return deploy(('<intermediateCatchEvent id="w"><timerEventDefinition %s>%s</timerEventDefinition></intermediateCatchEvent>')
      :format(attributes or "", text))
  end
  local function due() return engine:job({}).due end

  describe("in parts of a cycle", function()
    local function firings()
      local n = 0
      for _ = 1, 10 do
        engine:advance(36000)
        n = n + engine:run_jobs()
      end
      return n
    end
    before_each(function()
      deploy([[<userTask id="w"/><boundaryEvent id="b" attachedToRef="w" cancelActivity="false">
        <timerEventDefinition><timeCycle>${cycle}/PT10H/${last}</timeCycle></timerEventDefinition></boundaryEvent>]])
    end)

    -- 22 hours, in steps of ten; Camunda counts back from the end.
    local expected = dialect == "camunda" and 3 or 2
    for name, last in pairs { ["a number of seconds"] = START + 80000, ["a fraction of one"] = START + 80000.25,
      ["a date"] = orrery.format_time(START + 80000) } do
      it("may be " .. name, function()
        engine:start("p", { variables = { cycle = "R5", last = last } })
        assert.equal(expected, firings())
      end)
    end

    it("is named when it is neither", function()
      local err = support.refused("expression", function() engine:start("p", { variables = { cycle = "R5", last = "tomorrow" } }) end)
      assert.matches('"b"', err.message, 1, true)
      assert.matches("R5/PT10H/tomorrow", err.message, 1, true)
      assert.equal(0, engine:count("instances", {}))
    end)
  end)

  for _, kind in ipairs { "timeDate", "timeDuration", "timeCycle" } do
    it("is within the years 0 to 9999: a number as " .. kind, function()
      deploy(([[<intermediateCatchEvent id="w"><timerEventDefinition><%s>${n}</%s></timerEventDefinition>
        </intermediateCatchEvent>]]):format(kind, kind))
      for _, n in ipairs { 0 / 0, 1 / 0, -1 / 0, 1e300, 1e19, 1e15, math.maxinteger, math.mininteger } do
        local err = support.refused("expression", function()
          engine:start("p", { variables = { n = n } })
        end)
        assert.matches('timer of "w": .* years 0 to 9999', err.message)
      end
      assert.equal(0, engine:count("instances", {}))
    end)
  end

  it("begins a cycle at a number of seconds", function()
    deploy([[<userTask id="w"/><boundaryEvent id="b" attachedToRef="w" cancelActivity="false">
      <timerEventDefinition><timeCycle>R2/${first}/PT10H</timeCycle></timerEventDefinition></boundaryEvent>]])
    engine:start("p", { variables = { first = START + 7200 } })
    assert.equal(START + 7200, due())
  end)

  for _, kind in ipairs { "timeDate", "timeDuration", "timeCycle" } do
    it("that is no " .. kind .. " is an error of its expression, with the element and the text", function()
      catch(("<%s>${when}</%s>"):format(kind, kind))
      for _, value in ipairs { "nonsense", "PT5X", "2026-13-01", "P" } do
        local err = support.refused("expression", function() engine:start("p", { variables = { when = value } }) end)
        assert.matches('"w"', err.message, 1, true)
        assert.matches(value, err.message, 1, true)
      end
      for _, value in ipairs { true, { 1 } } do
        local err = support.refused("expression", function() engine:start("p", { variables = { when = value } }) end)
        assert.matches('"w"', err.message, 1, true)
      end
      assert.equal(0, engine:count("instances", {}))
    end)
  end

  it("of a user task's due date is one, too", function()
    deploy '<userTask id="w" o:dueDate="${when}"/>'
    local err = support.refused("expression", function() engine:start("p", { variables = { when = "soon" } }) end)
    assert.matches('"w"', err.message, 1, true)
  end)

  describe("with a business calendar", function()
    local function calendar(name)
      engine:register(name, { resolve = function(_, definition, now) return now + 60 * tonumber(definition) end })
    end

    it("that is registered, is the calendar's", function()
      calendar "custom"
      catch("<timeDuration>5</timeDuration>", 'o:businessCalendarName="custom"')
      engine:start "p"
      assert.equal(START + 300, due())
    end)

    it("by an expression, too", function()
      calendar "custom"
      catch("<timeDuration>5</timeDuration>", 'o:businessCalendarName="${which}"')
      engine:start("p", { variables = { which = "custom" } })
      assert.equal(START + 300, due())
      local err = support.refused("expression", function() engine:start("p", { variables = { which = "other" } }) end)
      assert.matches('"w"', err.message, 1, true)
      assert.matches('business calendar "other"', err.message, 1, true)
    end)

    it("that is not registered yet, is warned of by the deployment, and an error when it is reached", function()
      local warnings = catch("<timeDuration>5</timeDuration>", 'o:businessCalendarName="custom"').warnings
      assert.same({ 1, "w", 2 }, { #warnings, warnings[1].element, warnings[1].line })
      assert.matches('no business calendar "custom" yet; register a table with a method resolve, \z
        called as calendar:resolve(definition, now)', warnings[1].message, 1, true)
      local err = support.refused("expression", function() engine:start "p" end)
      assert.matches('no business calendar "custom"; register a table with a method resolve, \z
        called as calendar:resolve(definition, now)', err.message, 1, true)
      calendar "custom"
      engine:start "p"
      assert.equal(START + 300, due())
    end)

    it("of a default kind, is what it is without", function()
      for _, name in ipairs { "duration", "dueDate", "cycle" } do
        catch("<timeDuration>PT5M</timeDuration>", ('o:businessCalendarName="%s"'):format(name))
        engine:start "p"
        assert.equal(START + 300, due())
        engine:job({}):execute()
      end
    end)

    it("serves due dates of user tasks", function()
      deploy '<userTask id="w" o:dueDate="5" o:businessCalendarName="custom"/>'
      support.refused("expression", function() engine:start "p" end)
      calendar "custom"
      deploy '<userTask id="w" o:dueDate="5" o:businessCalendarName="custom"/>'
      engine:start "p"
      assert.equal(START + 300, engine:task({}).due)
      deploy '<userTask id="w" o:dueDate="5" o:businessCalendarName="${which}"/>'
      support.refused("expression", function() engine:start("p", { variables = { which = "other" } }) end)
    end)
  end)
end)
end
