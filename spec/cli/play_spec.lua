-- orrery run --set and --play: a model is played through without a line of Lua.
-- Marks: commands
local answers = require "orrery.cli.play.answers"
local ask = require "orrery.cli.play.ask"
local command = require "spec.cli.command"

-- Start, these nodes one after the other, end; more stands beside them.
local function chain(nodes, more, before)
  local parts, last = { '<startEvent id="start"/>' }, "start"
  for _, node in ipairs(nodes) do
    local id = node:match 'id="([^"]+)"'
    parts[#parts + 1] = node .. ('<sequenceFlow id="to_%s" sourceRef="%s" targetRef="%s"/>'):format(id, last, id)
    last = id
  end
  parts[#parts + 1] = ('<endEvent id="end"/><sequenceFlow id="to_end" sourceRef="%s" targetRef="end"/>'):format(last)
  return (command.model(table.concat(parts) .. (more or "")):gsub("<process", (before or "") .. "%0", 1))
end

local review = '<userTask id="review" name="Review" camunda:candidateGroups="sales"/>'
local ship = '<serviceTask id="ship" camunda:type="external" camunda:topic="ship"/>'
local pause = '<intermediateCatchEvent id="pause"><timerEventDefinition><timeDuration>PT2H</timeDuration></timerEventDefinition>'
  .. "</intermediateCatchEvent>"
local paid = '<intermediateCatchEvent id="paid"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>'
local opened = '<intermediateCatchEvent id="opened"><signalEventDefinition signalRef="s"/></intermediateCatchEvent>'
local known = '<intermediateCatchEvent id="known"><conditionalEventDefinition><condition>${ready}</condition></conditionalEventDefinition>'
  .. "</intermediateCatchEvent>"
local names = '<message id="m" name="payment"/><signal id="s" name="gate"/><error id="e" errorCode="BROKEN"/>'

local function patient(cycle)
  return ('<serviceTask id="work" camunda:asyncBefore="true" camunda:class="worker"><extensionElements>'
    .. "<camunda:failedJobRetryTimeCycle>%s</camunda:failedJobRetryTimeCycle></extensionElements></serviceTask>"):format(cycle)
end

local function aside(attached, definition, more)
  return ('<boundaryEvent id="aside" attachedToRef="%s" %s>%s</boundaryEvent><endEvent id="other"/>'
    .. '<sequenceFlow id="to_other" sourceRef="aside" targetRef="other"/>'):format(attached, more or "", definition)
end

-- The review again and again until it is approved.
local until_approved = chain({ review, '<exclusiveGateway id="fine" default="to_end"/>' },
  '<sequenceFlow id="again" sourceRef="fine" targetRef="review"><conditionExpression>${!approved}</conditionExpression></sequenceFlow>')

-- What happened, as "word activity", and the exit code.
local function played(model, words, file)
  local dir <close> = command.folder()
  dir.file("worker.lua", "local n = 0\nreturn function() n = n + 1 if n < 3 then error('not yet', 0) end end")
  local all = { "run", dir.file("p.bpmn", model), "--play", "--json" }
  if file then table.move({ "--answers", dir.file("answers.json", file) }, 1, 2, #all + 1, all) end
  table.move(words or {}, 1, #(words or {}), #all + 1, all)
  local code, events, err = command.events(all)
  local out = {}
  for _, e in ipairs(events) do
    if e.event == "played" then out[#out + 1] = ("%s %s"):format(e.kind, e.activity or e.name or "") end
  end
  local last = events[#events] or {}
  out[#out + 1] = ("%s %s"):format(last.event, last.end_activity or last.activity or "")
  return out, code, err, events
end

describe("orrery run --set", function()
  it("takes JSON, and what files have", function()
    local dir <close> = command.folder()
    local model = dir.file("p.bpmn", command.one_node '<userTask id="t"/>')
    local values = {}
    local code, events = command.events { "run", model, "--trace", "--json", "--set", 'order={"lines":[{"n":1}],"paid":false}',
      "--set", "list=[1,2.5]", "--set", 'quoted="a \\"b\\""', "--set", "json=@" .. dir.file("v.json", '{"a":[true]}'),
      "--set", "text=@" .. dir.file("v.txt", "{plain\n"), "--set", "mail=a@b", "--set", "empty=" }
    assert.equal(0, code)
    for _, e in ipairs(events) do
      if e.event == "variable" then values[e.name] = e.value end
    end
    assert.same({ order = { lines = { { n = 1 } }, paid = false }, list = { 1, 2.5 }, quoted = 'a "b"',
      json = { a = { true } }, text = "{plain\n", mail = "a@b", empty = "" }, values)
  end)

  it("says what it cannot read", function()
    local dir <close> = command.folder()
    local broken = dir.file("answers.json", "{ nonsense")
    local _, _, said = command.run { "run", "--play", "--answers", broken,
      dir.file("a.bpmn", command.one_node '<userTask id="t"/>') }
    assert.truthy(said:find(broken .. " is not JSON: ", 1, true), said)
    assert.not_matches("goes in quotes", said)
    local model = dir.file("p.bpmn", command.one_node '<userTask id="t"/>')
    local names_file = "a: @ names a file; a text that begins so goes in quotes: "
    for words, complaint in pairs { ["a=[1,"] = "a is not JSON: ", ['a="b'] = "a is not JSON: ",
      ["a=@" .. dir.path .. "/none"] = names_file, ["a=@" .. dir.file("x.json", "{")] = "a is not JSON: " } do
      local code, _, err = command.run { "run", model, "--set", words }
      assert.equal(2, code)
      assert.truthy(err:find("orrery run: " .. complaint, 1, true), err)
    end
  end)
end)

describe("orrery run --play", function()
  it("completes tasks, works, sends and lets time go by until the end", function()
    local out, code, err = played(chain({ review, patient "R5/PT10M", ship, paid, opened, pause,
      '<receiveTask id="called"/>' }, nil, names))
    assert.same({ "task review", "clock work", "clock work", "external ship", "message paid", "signal opened", "clock pause",
      "token called", "ended end" }, out)
    assert.same({ 0, "" }, { code, err })
  end)

  it("plays what called processes and loops wait for, too", function()
    local dir <close> = command.folder()
    dir.file("outer.bpmn", command.one_node '<callActivity id="call" calledElement="inner"/>')
    dir.file("inner.bpmn", (command.one_node('<userTask id="each"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality>'
      .. "</multiInstanceLoopCharacteristics></userTask>"):gsub('id="p"', 'id="inner"')))
    local code, out = command.run { "run", dir.path, "--process", "p", "--play" }
    assert.equal(0, code)
    assert.equal(3, select(2, out:gsub("each: completed", "")))
    assert.matches("ended at end\n$", out)
  end)

  it("begins at the time that it is told", function()
    local _, code, _, events = played(chain { pause }, { "--now", "2027-05-01T08:00:00Z" })
    assert.equal(0, code)
    for _, e in ipairs(events) do
      if e.event == "played" then assert.equal(require "orrery".parse_time "2027-05-01T10:00:00Z", e.time) end
    end
  end)

  it("takes answers from a file, in turn, the last one for good", function()
    local out, code = played(until_approved, nil, '{ "review": [{ "approved": false }, { "approved": false }, { "approved": true }] }')
    assert.same({ "task review", "task review", "task review", "ended end" }, out)
    assert.equal(0, code)
  end)

  it("has people who claim, take their time, and raise errors and escalations", function()
    local timer = aside("review", "<timerEventDefinition><timeDuration>PT4H</timeDuration></timerEventDefinition>")
    local message = aside("review", '<messageEventDefinition messageRef="m"/>')
    local failed = aside("review", '<errorEventDefinition errorRef="e"/>')
    assert.same({ "task review", "ended end" }, (played(chain({ review }, timer))))
    assert.same({ "clock aside", "ended other" }, (played(chain({ review }, timer), nil, '{"review": {"$after": "PT5H"}}')))
    assert.same({ "clock ", "task review", "ended end" }, (played(chain({ review }, timer), nil, '{"review": {"$after": "PT3H"}}')))
    assert.same({ "task review", "ended end" }, (played(chain({ review }, message, names))))
    assert.same({ "message aside", "ended other" }, (played(chain({ review }, message, names), nil,
      '{"review": {"$after": "PT3H"}, "payment": {"sum": 3}}')))
    assert.same({ "task review", "ended other" }, (played(chain({ review }, failed, names), nil, '{"review": {"$error": "BROKEN"}}')))
    local _, _, _, events = played(chain { review }, nil, '{"review": {"$user": "kermit"}}')
    for _, e in ipairs(events) do
      if e.event == "done" and e.activity == "review" then assert.equal("kermit", e.assignee) end
    end
  end)

  it("counts how long an answer takes anew each time that it is asked for", function()
    local again = chain({ '<receiveTask id="call"/>', '<exclusiveGateway id="g" default="to_end"/>' },
      '<sequenceFlow id="again" sourceRef="g" targetRef="call"><conditionExpression>${n == 1}</conditionExpression></sequenceFlow>')
    local out, _, _, events = played(again, nil, '{"call": [{"$after": "PT1H", "n": 1}, {"$after": "PT1H", "n": 2}]}')
    assert.same({ "clock ", "token call", "clock ", "token call", "ended end" }, out)
    local last = 0
    for _, e in ipairs(events) do last = e.event == "played" and e.time or last end
    assert.equal(require "orrery".parse_time "2026-01-01T02:00:00Z", last)
  end)

  it("has workers that fail until no retries are left", function()
    local out, code = played(chain { ship }, nil, '{"ship": [{"$fail": "busy"}, {}]}')
    assert.same({ "external ship", "external ship", "ended end" }, out)
    assert.equal(0, code)
    out, code = played(chain { ship }, nil, '{"ship": {"$fail": "busy"}}')
    assert.same({ "external ship", "external ship", "external ship", "waits ship" }, out)
    assert.equal(1, code)
    local caught = chain({ ship }, aside("ship", '<errorEventDefinition errorRef="e"/>'), names)
    assert.same({ "external ship", "ended other" }, (played(caught, nil, '{"ship": {"$error": "BROKEN"}}')))
  end)

  it("tells what failed for good, also when the process goes on without it", function()
    local inside = '<subProcess id="sub"><startEvent id="in"/>'
      .. '<sequenceFlow id="a" sourceRef="in" targetRef="x"/>%s'
      .. '<sequenceFlow id="b" sourceRef="x" targetRef="out"/><endEvent id="out"/></subProcess>'
    local timer = aside("sub",
      "<timerEventDefinition><timeDuration>PT4H</timeDuration></timerEventDefinition>")
    local work = '<serviceTask id="x" camunda:asyncBefore="true" camunda:expression="${1 % 0}"/>'
    local out, code, _, events = played(chain({ inside:format(work) }, timer))
    assert.same({ { "clock aside", "ended other" }, 1 }, { out, code })
    local told = events[#events - 1]
    assert.same({ "incident", "x", "deleted" }, { told.event, told.activity, told.state })
    assert.matches("Division by zero", told.message)
    local worker = inside:format((ship:gsub('"ship"', '"x"', 1)))
    out, code = played(chain({ worker }, timer), nil, '{"x": {"$fail": "busy"}}')
    assert.same({ "external x", "external x", "external x", "clock aside", "ended other" }, out)
    assert.equal(1, code)
  end)

  it("passes over an incident that a scenario mends", function()
    local dir <close> = command.folder()
    local scenario = dir.file("s.lua", [[local mended
      return {
        setup = function(engine)
          engine:register("worker", function() assert(mended, "broken") end)
        end,
        step = function(engine, instance)
          local job = not mended and engine:job { instance = instance.id, no_retries = true }
          if not job then return false end
          mended = true
          job:set_retries(1)
          return true
        end }]])
    local work = '<serviceTask id="x" camunda:asyncBefore="true" camunda:class="worker"/>'
    local out, code = played(chain { work }, { "--lua", scenario })
    assert.same({ { "ended end" }, 0 }, { out, code })
  end)

  it("moves the clock to where a delegate wakes that sleeps, in a job or without one", function()
    local dir <close> = command.folder()
    dir.file("worker.lua", "return function() require('orrery').sleep 'PT3H' end")
    for attributes, moves in pairs { ['camunda:asyncBefore="true"'] = 1, [""] = 0 } do
      local task = ('<serviceTask id="nap" %s camunda:class="worker"/>'):format(attributes)
      local code, events = command.events { "run", dir.file("p.bpmn", chain { task }), "--play",
        "--json" }
      local clock, last = 0, events[#events]
      for _, e in ipairs(events) do
        local woken = e.text == "the clock goes on to 2026-01-01T03:00:00Z"
        if e.event == "played" then clock = clock + (woken and 1 or 10) end
      end
      assert.same({ 0, moves, "ended" }, { code, clock, last.event })
    end
  end)

  it("waits for what lacks more than time", function()
    local absent = '<serviceTask id="absent" camunda:asyncBefore="true" camunda:class="nowhere"/>'
    local out, code = played(chain { pause, absent })
    assert.same({ { "clock pause", "waits absent" }, 1 }, { out, code })
    local late = absent:gsub("/>$", "><extensionElements><camunda:failedJobRetryTimeCycle>R3/PT1H</camunda:failedJobRetryTimeCycle>"
      .. "</extensionElements></serviceTask>")
    assert.same({ "waits absent" }, (played(chain { late })))
  end)

  it("waits at a condition that nothing makes true", function()
    local out, code = played(chain { known }, { "--set", "ready=false" })
    assert.same({ { "waits known" }, 0 }, { out, code })
    assert.same({ "conditional known", "ended end" }, (played(chain { known }, { "--set", "ready=false" }, '{"known": {"ready": true}}')))
  end)

  it("says which answer is missing, and leaves the task as it was", function()
    local out, code, err = played(until_approved)
    assert.equal(1, code)
    assert.same({ "enter review" }, out)
    assert.matches("review cannot be played: .*approved.*; it was answered with nothing: %-%-answers FILE says", err)
  end)

  it("ends where a process goes round in circles", function()
    local model = chain({ '<userTask id="a"/>', '<exclusiveGateway id="g" default="back"/>' },
      '<sequenceFlow id="back" sourceRef="g" targetRef="a"/>')
    local out, code, err = played((model:gsub('(<sequenceFlow id="to_end"[^>]*)/>',
      "%1><conditionExpression>${false}</conditionExpression></sequenceFlow>")))
    assert.equal(1, code)
    assert.equal(1001, #out)
    assert.matches("the play ends after 1000 moves", err)
  end)

  it("tells which answers nothing asked for, and what is wrong with a file of answers", function()
    local _, code, err = played(chain { review }, nil, '{"reveiw": {}, "review": {}}')
    assert.equal(0, code)
    assert.matches("nothing asked for the answers to reveiw", err)
    for text, complaint in pairs { ["{"] = "is not JSON", ["[1]"] = "an object of answers", ['{"a": 1}'] = "a: an object",
      ['{"a": [1]}'] = "answer 1 is no object", ['{"a": []}'] = "needs one at least", ['{"a": {"$user": 1}}'] = "%$user must be a text",
      ['{"a": {"$users": "x"}}'] = "did you mean %$user%?", ['{"a": {"$after": "soon"}}'] = "%$after needs a duration",
      ['{"review": {"$fail": "x"}}'] = "%$fail is no answer to a user task" } do
      _, code, err = played(chain { review }, nil, text)
      assert.equal(2, code, text)
      assert.matches(complaint, err)
    end
    assert.equal(2, (select(2, played(chain { review }, { "--wait", "1" }))))
    local dir <close> = command.folder()
    assert.equal(2, (command.run { "run", dir.file("p.bpmn", chain { review }), "--answers", dir.file("a.json", "{}") }))
  end)
end)

describe("a delegate that is not there", function()
  local charge = '<serviceTask id="charge" camunda:class="shop.charge" camunda:asyncBefore="true"><extensionElements>'
    .. '<camunda:executionListener event="end" class="told"/></extensionElements></serviceTask>'
  local model = chain({ charge }, aside("charge", '<errorEventDefinition errorRef="e"/>'), names)

  it("is named, with what would help, and the exit code tells", function()
    local _, code, err, events = played(model)
    assert.equal(1, code)
    assert.matches('"shop%.charge" is not there: put shop/charge%.lua beside the model, .*%-%-play %-%-stubs\n', err)
    assert.matches('"told" is not there', err)
    assert.same({ "delegate_missing", "charge" }, { events[#events].reason, events[#events].activity })
    assert.matches('nothing is registered as "shop%.charge"', events[#events].text)
  end)

  it("may be a bean, which is named and stood in for, too", function()
    local bean = chain { '<serviceTask id="tell" camunda:expression="${mailer.send(1)}" '
      .. 'camunda:resultVariable="sent"/>',
      '<userTask id="review" camunda:assignee="${sent}"/>' }
    local _, code, err = played(bean)
    assert.equal(1, code)
    assert.matches('"mailer" is not there: put mailer%.lua beside the model', err)
    local out, done, _, events = played(bean, { "--stubs" },
      '{"mailer.send": {"$result": "kermit"}}')
    assert.same({ { "delegate mailer.send", "task review", "ended end" }, 0 }, { out, done })
    local told = {}
    for _, e in ipairs(events) do told[e.text or ""] = true end
    assert.is_true(told['a stub for "mailer.send": done, gives "kermit"'])
  end)

  it("has a stub stand in, which does what the answers say", function()
    assert.same({ { "delegate charge", "delegate charge", "ended end" }, 0 }, { played(model, { "--stubs" }), 0 })
    local out, code, err, events = played(model, { "--stubs" }, '{"charge": [{"$fail": "busy"}, {"receipt": "r-1"}]}')
    assert.same({ { "delegate charge", "delegate charge", "delegate charge", "ended end" }, 0, "" }, { out, code, err })
    local failed = {}
    for _, e in ipairs(events) do failed[#failed + 1] = e.event == "failed" and e.message or nil end
    assert.same({ "busy" }, failed)
    assert.same({ "delegate charge", "delegate charge", "ended other" }, (played(model, { "--stubs" }, '{"charge": {"$error": "BROKEN"}}')))
    _, code, _, events = played(model, { "--stubs" }, '{"charge": {"$user": "kermit"}}')
    assert.equal(1, code)
    assert.matches("%$user is no answer for a delegate", events[#events].text)
  end)

  it("is none where the scenario registers it", function()
    local dir <close> = command.folder()
    local scenario = dir.file("s.lua", [[return function(engine)
      for _, name in ipairs { "shop.charge", "told" } do engine:register(name, function() end) end
    end]])
    local _, code, err = played(model, { "--lua", scenario })
    assert.same({ 0, "" }, { code, err })
  end)

  it("is asked for at a terminal", function()
    if not os.execute "command -v script > /dev/null" then return pending "script(1) is not here" end
    local dir <close> = command.folder()
    local path = dir.file("p.bpmn", chain { '<serviceTask id="charge" camunda:class="charge"/>' })
    local line = "TERM=xterm HOME='%s' timeout 60 script -qfec 'exec %s run %s --play' '%s/typescript'"
    local code, shown_text = command.execute({ "sh", "-c", line:format(dir.path, command.path, path, dir.path) }, "receipt\nreceipt=r-1\n")
    assert.equal(0, code)
    assert.matches('charge: nothing is registered as "charge"; what does it do%?', shown_text)
    assert.matches('NAME=VALUE is expected at "receipt".*a stub for "charge": done, receipt = "r%-1"', shown_text)
  end)
end)

describe("a person at a terminal", function()
  local shown
  local out = { line = function(_, format, ...) shown[#shown + 1] = format:format(...) end }

  local function choose(lines, moves)
    shown = {}
    local at = 0
    return ask.choose(moves or { { kind = "task", activity = "a", text = "first" }, { kind = "timer", activity = "b", due = 0,
      text = "second" } }, out, function()
      at = at + 1
      return lines[at]
    end)
  end

  it("chooses a move and says what it brings", function()
    local move, answer = choose { 'ok=true note="all, fine" list=[1, {"a": "] "}] $user=kermit' }
    assert.equal("a", move.activity)
    assert.same({ ok = true, note = "all, fine", list = { 1, { a = "] " } } }, answer.variables)
    assert.same({ user = "kermit" }, answer.orders)
    assert.equal("b", choose { "2" }.activity)
    assert.equal("a", choose { "" }.activity)
    assert.equal("b", choose { " 2 x=1" }.activity)
    assert.is_nil(choose { "q" })
    assert.is_nil(choose {})
  end)

  it("is asked again after what cannot be understood", function()
    for wrong, complaint in pairs { ["3"] = "moves 1 to 2", ["what?"] = "NAME=VALUE is expected", ["a=[1"] = "a is not JSON",
      ["$us=x"] = "none of" } do
      assert.equal("a", choose({ wrong, "1" }).activity)
      assert.truthy(table.concat(shown, "\n"):find(complaint, 1, true), complaint)
    end
    choose { "?", "q" }
    assert.truthy(table.concat(shown, "\n"):find("empty line", 1, true))
  end)

  it("gets at the command through a terminal, and may correct what was refused", function()
    if not os.execute "command -v script > /dev/null" then return pending "script(1) is not here" end
    local dir <close> = command.folder()
    local model = dir.file("p.bpmn", until_approved)
    local line = "TERM=xterm HOME='%s' timeout 60 script -qfec 'exec %s run %s --play' '%s/typescript'"
    line = line:format(dir.path, command.path, model, dir.path)
    local code, shown_text = command.execute({ "sh", "-c", line }, "\napproved=true\n")
    assert.equal(0, code)
    assert.matches("1  review  Review: a user task of group sales", shown_text)
    assert.matches("cannot resolve identifier 'approved'.*review: completed, approved = true.* at end", shown_text)
  end)
end)

describe("answers", function()
  it("are found by a message's name where the activity has none", function()
    local dir <close> = command.folder()
    local a = answers.load(dir.file("a.json", '{"m": {"x": 1}, "b": {"x": 2}, "c": {}}'))
    assert.same({ "b", "c", "m" }, a:unused())
    assert.equal(1, a:peek({ activity = "a", name = "m" }).variables.x)
    assert.equal(2, a:peek({ activity = "b", name = "m" }).variables.x)
    a:take { activity = "b", name = "m" }
    assert.same({ "c" }, a:unused())
  end)
end)
