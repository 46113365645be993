-- What happened to order 17 yesterday.
-- Marks: commands
local command = require "spec.cli.command"
local orrery = require "orrery"

local outer = command.model([[<startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="charge"/>
  <serviceTask id="charge" name="Charge card" camunda:asyncBefore="true" camunda:class="charge"/>
  <sequenceFlow id="f2" sourceRef="charge" targetRef="pack"/><callActivity id="pack" calledElement="packing"/>
  <sequenceFlow id="f3" sourceRef="pack" targetRef="end"/><endEvent id="end"/>]], "order")
local inner = command.model([[<startEvent id="begin"/><sequenceFlow id="g1" sourceRef="begin" targetRef="box"/>
  <userTask id="box" camunda:assignee="gonzo"/><sequenceFlow id="g2" sourceRef="box" targetRef="packed"/>
  <endEvent id="packed"/>]], "packing")

--- Order 17 of the first of March, which failed twice and was packed after two hours; order 18 of the second, which waits.
local function store_of(dir)
  local path = dir.path .. "/store"
  local engine <close> = orrery.open(path, { log = "none", clock = "manual", now = "2026-03-01T10:00:00Z", history = "full", retries = 2 })
  engine:deploy { ["order.bpmn"] = outer, ["packing.bpmn"] = inner }
  local fails = true
  engine:register("charge", function() if fails then error("card service down", 0) end end)
  local instance = engine:start("order", { business_key = "17", variables = { amount = 5 }, initiator = nil })
  engine:run_jobs()
  engine:advance "PT1H"
  fails = false
  instance:set("amount", 6)
  engine:as("gonzo", function() engine:jobs({})[1]:set_retries(1) end)
  engine:run_jobs()
  engine:advance "PT2H"
  engine:task({}):complete()
  engine:set_time "2026-03-02T08:00:00Z"
  engine:start("order", { business_key = "18" })
  return path, instance.id
end

local function words(events)
  local out = {}
  for _, e in ipairs(events) do out[#out + 1] = ("%s %s"):format(e.event, e.activity or "") end
  return out
end

describe("orrery history", function()
  it("tells an instance's and its called ones' story in the order of time", function()
    local dir <close> = command.folder()
    local path, id = store_of(dir)
    local _, out = command.run { "history", path, "17" }
    local lines = {}
    for line in out:gmatch "[^\n]+" do lines[#lines + 1] = line:gsub("%s+", " ") end
    assert.same({
      ("2026-03-01T10:00:00Z started instance %s of order, business key \"17\""):format(id),
      "2026-03-01T10:00:00Z done start (startEvent)",
      "2026-03-01T10:00:00Z failed charge card service down; 1 try left",
      "2026-03-01T10:00:00Z failed charge card service down; 0 tries left",
      "2026-03-01T10:00:00Z incident charge card service down",
      "2026-03-01T11:00:00Z operation gonzo: SetJobRetries of Job, retries: 0 -> 1",
      "2026-03-01T11:00:00Z resolved charge the incident is resolved, 1h",
      "2026-03-01T11:00:00Z done charge Charge card (serviceTask)",
      "2026-03-01T11:00:00Z enter pack (callActivity)",
    }, table.move(lines, 1, 9, 1, {}))
    assert.matches("2026%-03%-01T11:00:00Z enter box %(userTask, gonzo%)", table.concat(lines, "\n"))
    assert.matches("2026%-03%-01T13:00:00Z done box %(userTask, gonzo%), 2h", table.concat(lines, "\n"))
    assert.equal(("2026-03-01T13:00:00Z completed instance %s at end, 3h"):format(id), lines[#lines])
    assert.equal(out, select(2, command.run { "history", path, id }))
  end)

  it("keeps to a time, shows variables and what is waited for, by the clocks of a zone", function()
    local dir <close> = command.folder()
    local path = store_of(dir)
    local _, events = command.events { "history", path, "17", "--since", "2026-03-01T13:00:00Z", "--json" }
    assert.same({ "done box", "done packed", "completed ", "done pack", "done end", "completed " }, words(events))
    _, events = command.events { "history", path, "17", "--until", "2026-03-01T10:00:00.001Z", "--variables", "--json" }
    assert.same({ "started ", "variable " }, { words(events)[1], words(events)[2] })
    assert.same({ "amount", 5 }, { events[2].name, events[2].value })
    local _, out = command.run { "history", path, "18", "--zone", "Europe/Berlin" }
    assert.matches("^2026%-03%-02T09:00:00%+01:00 +started ", out)
    assert.matches("\nnow +waits +charge: a job due now %(job %d+%)\n$", out)
  end)

  it("lists those that ran in a time, the latest first", function()
    local dir <close> = command.folder()
    local path = store_of(dir)
    local function keys(...)
      local _, events = command.events { "history", path, "--json", "--where", "definition_key=order", ... }
      local out = {}
      for i, e in ipairs(events) do out[i] = e.business_key end
      return table.concat(out, " ")
    end
    assert.equal("18 17", keys())
    assert.equal("17 18", keys("--order-by", "started_at"))
    assert.equal("18", keys("--since", "2026-03-02T00:00:00Z"))
    assert.equal("18 17", keys("--since", "2026-03-01T12:00:00Z"))
    assert.equal("17", keys("--until", "2026-03-02T00:00:00Z"))
    assert.equal("", keys("--until", "2026-03-01T10:00:00Z"))
    assert.equal("17", keys("--offset", "1"))
    local _, out, err = command.run { "history", path, "--limit", "1", "--since", "2026-03-01T12:00:00Z" }
    assert.matches("^ID +PROCESS +BUSINESS KEY +STATE +STARTED +ENDED +TOOK +AT\n%d+ +order +18 +active", out)
    assert.matches("2 more", err)
    assert.matches("3h +end\n", select(2, command.run { "history", path }))
  end)

  it("says what it does not know", function()
    local dir <close> = command.folder()
    local path = store_of(dir)
    local code, _, err = command.run { "history", path, "19" }
    assert.equal(1, code)
    assert.matches('knows no instance of the id or business key "19"', err)
    code, _, err = command.run { "history", path, "--since", "lately" }
    assert.equal(2, code)
    assert.matches('%-%-since needs a date or time, today, yesterday, or how long ago .*got "lately"', err)
    assert.equal(2, (command.run { "history", path, "17", "--where", "state=active" }))
    for _, ago in ipairs { "2h", "3d", "PT2H", "today", "yesterday", "now", "2026-01-01" } do
      assert.equal(0, (command.run { "history", path, "--since", ago }))
    end
  end)
end)
