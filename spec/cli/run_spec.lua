-- Marks: commands
local command = require "spec.cli.command"

local task = command.one_node '<userTask id="review" name="Review" camunda:assignee="kermit"/>'
local service = command.one_node '<serviceTask id="work" camunda:asyncBefore="true" camunda:class="worker"/>'

local function kinds(events)
  local out = {}
  for i, e in ipairs(events) do out[i] = e.activity and e.event .. " " .. e.activity or e.event end
  return out
end

describe("orrery run", function()
  it("runs to a wait state, showing each step and what it waits for", function()
    local dir <close> = command.folder()
    local code, out, err = command.run { "run", dir.file("p.bpmn", task) }
    assert.same({ 0, "" }, { code, err })
    assert.matches("done +start", out)
    assert.matches("enter +review  Review  %(userTask, kermit%)", out)
    assert.matches("waits review: a user task of kermit", out)
    assert.is_nil(out:find("\27", 1, true), "color belongs to terminals")
  end)

  it("tells the same to programs", function()
    local dir <close> = command.folder()
    local code, events = command.events { "run", dir.file("p.bpmn", task), "--json" }
    assert.equal(0, code)
    assert.same({ "deployed", "started", "done start", "enter review", "waits review" }, kinds(events))
    assert.equal("kermit", events[4].assignee)
  end)

  it("finds delegates beside the model, takes variables, and ends", function()
    local dir <close> = command.folder()
    dir.file("worker.lua",
      "return function(e) e:set('kind', math.type(e:get 'n') .. ' ' .. tostring(e:get 'yes') .. ' ' .. e:get 'text') end")
    local code, events = command.events { "run", dir.file("p.bpmn", service), "--trace", "--json",
      "--set", "n=7", "--set", "yes=true", "--set", 'text="7"', "--set", "nothing=null" }
    assert.equal(0, code)
    local variables = {}
    for _, e in ipairs(events) do
      if e.event == "variable" then variables[e.name] = e.value end
    end
    assert.equal("integer true 7", variables.kind)
    assert.same({ "ended", "end" }, { events[#events].event, events[#events].end_activity })
  end)

  it("shows failures with what is left, and exits with 1 at an incident", function()
    local dir <close> = command.folder()
    dir.file("worker.lua", "return function() error 'out of order' end")
    local code, events = command.events { "run", dir.file("p.bpmn", service), "--json" }
    assert.equal(1, code)
    local left = {}
    for _, e in ipairs(events) do
      if e.event == "failed" then left[#left + 1] = e.retries end
    end
    assert.same({ 2, 1, 0 }, left)
    assert.same({ "waits", "incident" }, { events[#events].event, events[#events].kind })
    assert.matches("out of order", events[#events].text)
  end)

  it("shows what failed alone, and when it is tried again", function()
    local dir <close> = command.folder()
    dir.file("worker.lua", "return function() error('out of: order', 0) end")
    local cycle = "<extensionElements><camunda:failedJobRetryTimeCycle>R2/PT5M</camunda:failedJobRetryTimeCycle></extensionElements>"
    local patient = service:gsub('(<serviceTask[^>]*)/>', "%1>" .. cycle .. "</serviceTask>")
    local code, out = command.run { "run", dir.file("p.bpmn", patient) }
    assert.equal(0, code)
    assert.matches("failed %a+  out of: order; 1 try left, next at %d+%-", out)
  end)

  it("lets a scenario answer tasks and move the clock", function()
    local dir <close> = command.folder()
    local scenario = dir.file("s.lua", [[
      return { options = { clock = "manual" }, start = { business_key = "k" },
        step = function(engine, instance, say)
          local task = engine:task { instance = instance.id }
          if not task then return false end
          say("the key is %s", instance.business_key)
          task:complete()
          return true
        end }]])
    local code, out = command.run { "run", dir.file("p.bpmn", task), "--lua", scenario }
    assert.equal(0, code)
    assert.matches("2026%-01%-01T00:00:00Z  done   start", out)
    assert.matches("the key is k", out)
    assert.matches("ended at end\n$", out)
  end)

  it("says of one file that what it calls lies beside it", function()
    local dir <close> = command.folder()
    local called = command.one_node '<callActivity id="call" calledElement="part"/>'
    local rule = '<businessRuleTask id="decide" camunda:decisionRef="dish"/>'
    local file = dir.file("p.bpmn", (called:gsub("<callActivity", rule .. "%0")))
    dir.file("inner.bpmn", command.model('<startEvent id="s"/>', "part"))
    dir.file("dish.dmn", [[<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d"
      name="d" namespace="urn:d"><decision id="dish" name="dish"><literalExpression><text>1</text>
      </literalExpression></decision></definitions>]])
    local hint = "orrery run " .. dir.path .. " --process p\n"
    local _, _, err = command.run { "run", file }
    local words = 'the %s is not deployed, but %s beside the model has it: ' .. hint
    local missing = { ['decision "dish"'] = "dish.dmn", ['process "part"'] = "inner.bpmn" }
    for what, where in pairs(missing) do
      assert.truthy(err:find(words:format(what, where), 1, true), err)
    end
    local _, _, whole = command.run { "run", dir.path, "--process", "p" }
    assert.is_nil(whole:find("beside the model", 1, true), whole)
  end)

  it("follows called processes, and tells their steps within the call's", function()
    local dir <close> = command.folder()
    dir.file("outer.bpmn", command.one_node '<callActivity id="call" calledElement="inner"/>')
    dir.file("inner.bpmn", (command.one_node '<manualTask id="inside"/>':gsub('id="p"', 'id="inner"')))
    local code, events = command.events { "run", dir.path, "--json" } -- the one that no other calls
    assert.equal(0, code)
    assert.same({ "deployed", "started", "done start", "done start", "done inside", "done end", "done call", "done end", "ended" },
      (function()
        local names = kinds(events)
        names[#names] = events[#events].event
        return names
      end)())
  end)

  it("asks which process when there are several", function()
    local dir <close> = command.folder()
    dir.file("a.bpmn", task)
    dir.file("b.bpmn", (task:gsub('id="p"', 'id="q"')))
    local code, _, err = command.run { "run", dir.path }
    assert.equal(2, code)
    assert.matches("%-%-process must name one of", err)
    code, _, err = command.run { "run", dir.path, "--process", "r" }
    assert.equal(2, code)
    assert.matches('no process "r"', err)
  end)

  describe("of a process with several start events", function()
    local after = '<sequenceFlow id="f%d" sourceRef="%s" targetRef="t"/>'
    local function model(plain)
      local ids = { plain and "plain" or "late", "ordered", "called" }
      local first = plain and '<startEvent id="plain"/>'
        or '<startEvent id="late"><timerEventDefinition><timeCycle>R/PT1H</timeCycle>'
        .. "</timerEventDefinition></startEvent>"
      local parts = { first,
        '<startEvent id="ordered"><messageEventDefinition messageRef="m"/></startEvent>',
        '<startEvent id="called"><signalEventDefinition signalRef="s"/></startEvent>',
        '<userTask id="t"/>' }
      for i, id in ipairs(ids) do parts[#parts + 1] = after:format(i, id) end
      return (command.model(table.concat(parts)):gsub("<process",
        '<message id="m" name="order"/><signal id="s" name="call"/>%0', 1))
    end

    local function started(dir, plain, ...)
      local path = dir.file("p.bpmn", model(plain))
      local code, events, err = command.events { "run", path, "--json", ... }
      return code, events[3] and events[3].activity, err
    end

    it("says where it starts, and how else it may", function()
      local dir <close> = command.folder()
      local code, at, err = started(dir, true)
      assert.same({ 0, "plain" }, { code, at })
      assert.equal('orrery run: it starts at "plain"; it may also start by '
        .. "--message order (at ordered), --at called (signal)\n", err)
    end)

    it("says how to choose where none of them is a plain one", function()
      local dir <close> = command.folder()
      local code, at, err = started(dir, false)
      assert.same({ 2, nil }, { code, at })
      assert.matches('process "p" has several start events: say where it starts, '
        .. "by %-%-at late %(timer%), %-%-message order %(at ordered%), "
        .. "%-%-at called %(signal%)\n", err)
      local path = dir.path .. "/store"
      assert.equal(0, (command.run { "deploy", path, dir.path .. "/p.bpmn", "--create" }))
      code, _, err = command.run { "start", path, "p" }
      assert.equal(2, code)
      assert.matches("by %-%-at late %(timer%), %-%-at ordered %(message%), "
        .. "%-%-at called %(signal%)\n", err)
      assert.equal(0, (command.run { "start", path, "p", "--at", "ordered" }))
    end)

    it("starts where it is told", function()
      local dir <close> = command.folder()
      for _, words in ipairs { { "late", "--at", "late" }, { "ordered", "--message", "order" },
        { "called", "--at", "called" }, { "t", "--at", "t" } } do
        local code, at, err = started(dir, false, table.unpack(words, 2))
        assert.same({ 0, words[1], "" }, { code, at, err })
      end
      local code, _, err = started(dir, false, "--message", "orders")
      assert.equal(1, code)
      assert.matches('message "orders" starts no process', err)
      assert.equal(2, (started(dir, false, "--message", "order", "--at", "late")))
    end)
  end)

  it("waits for timers when it is told to", function()
    local dir <close> = command.folder()
    local timer = command.one_node [[<intermediateCatchEvent id="pause">
      <timerEventDefinition><timeDuration>PT0.2S</timeDuration></timerEventDefinition></intermediateCatchEvent>]]
    local file = dir.file("p.bpmn", timer)
    local code, out = command.run { "run", file }
    assert.equal(0, code)
    assert.matches("waits pause: a timer due ", out)
    code, out = command.run { "run", file, "--wait", "60" }
    assert.equal(0, code)
    assert.matches("ended at end", out)
  end)

  it("fails for models with problems, files that are not there, scenarios that are none, and refused starts", function()
    local dir <close> = command.folder()
    local code, _, err = command.run { "run", dir.file("bad.bpmn", command.model "") }
    assert.equal(1, code)
    assert.matches("bad.bpmn:%d+:%d+: error: ", err)
    assert.equal(1, (command.run { "run", dir.path .. "/none.bpmn" }))
    local file = dir.file("p.bpmn", task)
    assert.equal(2, (command.run { "run", file, "--lua", dir.path .. "/none.lua" }))
    assert.equal(2, (command.run { "run", file, "--lua", dir.file("s.lua", "return { steps = print }") }))
    assert.equal(2, (command.run { "run", file, "--lua", dir.file("s.lua", "return { step = 1 }") }))
    local failing = command.model [[<startEvent id="start"/><endEvent id="end"/>
      <sequenceFlow id="f" sourceRef="start" targetRef="end"><conditionExpression>${'no boolean'}</conditionExpression></sequenceFlow>]]
    code, _, err = command.run { "run", dir.file("f.bpmn", failing) }
    assert.equal(1, code)
    assert.matches("orrery run: .*boolean is expected", err)
  end)
end)
