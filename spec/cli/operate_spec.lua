-- A store is run from the command line alone: deployed, started, told, changed, migrated, copied.
-- Marks: commands
local command = require "spec.cli.command"
local orrery = require "orrery"

local function order(extra)
  return command.model([[<startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="check"/>
    <serviceTask id="check" camunda:asyncBefore="true" camunda:class="check"/>
    <sequenceFlow id="f2" sourceRef="check" targetRef="paid"/>
    <intermediateCatchEvent id="paid"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>
    <sequenceFlow id="f3" sourceRef="paid" targetRef="ship"/><userTask id="ship"/>
    <sequenceFlow id="f4" sourceRef="ship" targetRef="end"/><endEvent id="end"/>]] .. (extra or ""), "order")
    :gsub("<process", '<message id="m" name="payment"/><signal id="s" name="stop"/><process')
end

local checks = [[return function(engine)
  engine:register("check", function(e) if e:get "amount" > 100 then error("too much", 0) end e:set("checked", true) end)
end]]

--- Runs it, which must succeed; its output.
local function done(...)
  local code, out, err = command.run { ... }
  assert.equal(0, code, table.concat({ ... }, " ") .. ": " .. out .. err)
  return out, err
end

local function with_store(f)
  local dir <close> = command.folder()
  local path = dir.path .. "/store"
  local lua = dir.file("checks.lua", checks)
  done("deploy", path, dir.file("order.bpmn", order()), "--create")
  f(path, dir, lua)
end

local function one(path) local _, events = command.events { "instances", path, "--json" } return events[1] end

describe("orrery deploy", function()
  it("makes a store only when it is told to", function()
    local dir <close> = command.folder()
    local model = dir.file("order.bpmn", order())
    local code, _, err = command.run { "deploy", dir.path .. "/s", model }
    assert.equal(2, code)
    assert.matches("there is no store in .*deploy %-%-create. makes one", err)
    local swapped = select(3, command.run { "deploy", model, dir.path .. "/s" })
    assert.matches("/s, and %S+%.bpmn is a file: the store comes first", swapped)
    local here = ("cd '%s' && '%s' deploy here . --create"):format(dir.path, command.path)
    local _, told = command.execute { "sh", "-c", here }
    assert.matches("^deployed " .. dir.path:match "[^/]+$" .. " as ", told)
    local out = done("deploy", dir.path .. "/s", model, "--create", "--name", "orders")
    assert.matches("^deployed orders as %d+\n  process order version 1 %(%d+%), \z
      in the camunda dialect: it uses [^\n]*\n  1 delegate is not in the deployment: check ", out)
    assert.matches("nothing has changed since deployment", done("deploy", dir.path .. "/s", model, "--name", "orders", "--skip-unchanged"))
  end)

  it("takes no Lua that does not compile", function()
    local dir <close> = command.folder()
    local model = dir.file("order.bpmn", order())
    local pay = dir.file("pay.lua", "return function(")
    local code, out, err = command.run { "deploy", dir.path .. "/s", model, pay, "--create" }
    assert.same({ 1, "" }, { code, out })
    assert.matches("^pay.lua:1:1: error: this is not Lua: ", err)
    assert.equal(2, (command.run { "jobs", dir.path .. "/s" })) -- no store was made
  end)

  it("names the delegates that are not in the deployment, wherever else they are", function()
    local dir <close> = command.folder()
    local path, model = dir.path .. "/s", dir.file("p.bpmn", command.one_node [[<serviceTask id="t" camunda:class="com.acme.Pay">
      <extensionElements><camunda:executionListener event="end" delegateExpression="${audit}"/></extensionElements></serviceTask>]])
    local bean = dir.file("b.bpmn",
      command.one_node [[<serviceTask id="t" camunda:expression="${mailer.send(1)}"/>]])
    assert.matches("1 delegate is not in the deployment: mailer %(mailer.lua%); deploy it with the",
      done("deploy", path .. "b", bean, "--create"))
    local out = done("deploy", path, model, "--create")
    assert.matches("2 delegates are not in the deployment: audit %(audit.lua%), com.acme.Pay \z
      %(com/acme/Pay.lua%); deploy them with the model", out)
    local pay = dir.file("audit.lua", "return function() end")
    local beside = ("cd '%s' && '%s' deploy s p.bpmn"):format(dir.path, command.path)
    assert.matches("2 delegates are not in the deployment",
      select(2, command.execute { "sh", "-c", beside }))
    assert.matches("1 delegate is not in the deployment: com.acme.Pay ",
      done("deploy", path, model, pay))
    local _, events = command.events { "deploy", path, model, pay, "--json" }
    assert.same({ "com.acme.Pay" }, events[#events].delegates)
  end)

  it("says what a delegate changes that is deployed by itself", function()
    with_store(function(path, dir)
      local check = dir.file("check.lua", "return function() end")
      done("deploy", path, dir.path .. "/order.bpmn", check, "--name", "shop")
      local _, err = done("deploy", path, check)
      assert.matches('^check.lua:1:1: warning: no process is deployed with it, so nothing changes: \z
        process "order" version 2 keeps the check.lua of its own deployment; deploy the model', err)
      dir.file("check.lua", "return function(e) e:set('checked', true) end")
      local out = done("deploy", path, dir.path .. "/order.bpmn", check, "--name", "shop",
        "--only-changed")
      assert.matches("process order version 3", out)
      assert.not_matches("not in the deployment", out)
    end)
  end)

  it("says where a model is wrong, and how many run by the version before", function()
    with_store(function(path, dir)
      done("start", path, "order")
      local code, _, err = command.run { "deploy", path, dir.file("bad.bpmn", order '<task id="x" incoming="nowhere"') }
      assert.equal(1, code)
      assert.matches("bad.bpmn:%d+:%d+: error: ", err)
      local out = done("deploy", path, dir.path .. "/order.bpmn")
      assert.matches("process order version 2.*1 instance runs by version 1 still", out)
      code, _, err = command.run { "deploy", path, dir.path .. "/none.bpmn" }
      assert.equal(2, code)
      assert.matches("there is no .*none.bpmn", err)
    end)
  end)
end)

describe("orrery start, work, message, set, modify", function()
  it("take an order to its end", function()
    with_store(function(path, _, lua)
      local out = done("start", path, "order", "--business-key", "17", "--set", "amount=500")
      assert.matches("^started order as instance %d+\nwaits check: a job due now", out)
      done("work", path, "--lua", lua, "--until-idle", "--log", "none")
      assert.equal("active", one(path).state)
      local changed, warned = done("set", path, "17", "amount=50", "--retry")
      assert.equal("amount = 50 (was 500)\n1 job may be tried again\n", changed)
      assert.matches("no executor runs", warned)
      done("work", path, "--lua", lua, "--until-idle", "--log", "none")
      assert.matches("^received by instance %d+\n$", done("message", path, "payment", "--business-key", "17", "--set", "by=kermit"))
      assert.matches("waits ship: a user task", done("start", path, "order:1", "--at", "ship"))
      assert.matches("^modified %d+\nwaits paid: message", done("modify", path, "17", "--move", "ship:paid"))
      assert.matches("it has ended by that", done("modify", path, "17", "--cancel", "paid"))
      local code, _, err = command.run { "set", path, "17", "amount=1" }
      assert.equal(1, code)
      assert.matches("instance %d+ has ended: %a+ at ", err)
    end)
  end)

  it("say what is wrong with what they are asked for", function()
    with_store(function(path)
      done("start", path, "order", "--business-key", "twice", "--set", "amount=1")
      done("start", path, "order", "--business-key", "twice", "--set", "amount=1")
      for _, case in ipairs {
        { 1, 'no definition "ordr"; there are order:1', "start", path, "ordr" },
        { 1, 'no definition "order:7"', "start", path, "order:7" },
        { 2, "argument too many; did you mean %-%-set amount=1%?", "start", path, "order",
          "amount=1" },
        { 2, "several instances: %d+, %d+", "set", path, "twice", "amount=1" },
        { 2, '"amount" is no NAME=VALUE', "set", path, "twice", "amount" },
        { 1, "no running instance has the id or business key", "set", path, "nobody", "amount=1" },
        { 2, "what is to be done", "modify", path, "twice" },
        { 2, "%-%-move needs FROM:TO", "modify", path, "twice", "--move", "check" },
        { 2, "all needs %-%-where", "modify", path, "all", "--cancel", "check" },
        { 1, "no receiver", "message", path, "payment", "--business-key", "twice" },
        { 2, "%-%-start and %-%-waiting exclude", "message", path, "payment", "--start", "--waiting" },
        { 2, "suspend what%?", "suspend", path },
      } do
        local code, out, err = command.run { table.unpack(case, 3) }
        assert.same({ case[1], "" }, { code, out }, err)
        assert.matches(case[2], err)
        assert.is_nil(err:find("traceback", 1, true), err)
      end
    end)
  end)

  it("are noted with who gave them, at the level full", function()
    with_store(function(path)
      done("start", path, "order", "--business-key", "17", "--set", "amount=1")
      local code = command.execute { "env", "ORRERY_USER=gonzo", "ORRERY_HISTORY=full", command.path, "set", path, "17", "amount=2" }
      assert.equal(0, code)
      assert.matches("operation +gonzo: SetVariable of Variable, amount", done("history", path, "17"))
    end)
  end)

  it("change many at one time, or list them", function()
    with_store(function(path)
      for i = 1, 3 do done("start", path, "order", "--business-key", "k" .. i, "--set", "amount=" .. i) end
      local out = done("modify", path, "all", "--where", "definition_key=order", "--move", "check:ship", "--set", "moved=true", "--dry-run")
      assert.equal("3 instances would be modified\n", out)
      out = done("modify", path, "all", "--where", "definition_key=order", "--move", "check:ship", "--yes", "--limit", "2")
      assert.equal("2 instances: 2 modified\n", out)
      local engine <close> = orrery.open(path, { log = "none" })
      assert.same({ 2, 1 }, { engine:count("tasks", { key = "ship" }), engine:count "jobs" })
    end)
  end)
end)

describe("orrery signal", function()
  it("reaches all that wait for it", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/s"
    local model = order([[<boundaryEvent id="b" attachedToRef="paid2"><signalEventDefinition signalRef="s"/></boundaryEvent>
      <userTask id="paid2"/>]])
    done("deploy", path, dir.file("order.bpmn", model), "--create")
    for _ = 1, 2 do done("start", path, "order", "--at", "paid2") end
    assert.equal("sent to 2 receivers\n", done("signal", path, "stop", "--set", "why=rain"))
    assert.equal("no tasks\n", done("tasks", path))
    assert.equal("sent to 0 receivers\n", done("signal", path, "stop"))
  end)
end)

describe("orrery suspend and activate", function()
  it("take instances by name, those that --where names, and processes", function()
    with_store(function(path)
      for i = 1, 3 do done("start", path, "order", "--business-key", "k" .. i, "--set", "amount=1") end
      local function suspended(verb, filter)
        local engine <close> = orrery.open(path, { log = "none" })
        filter.suspended = true
        return engine:count(verb, filter)
      end
      done("suspend", path, "k1", "k2")
      assert.equal(2, suspended("instances", {}))
      assert.equal(2, (command.run { "activate", path, "--where", "definition_key=order" }))
      assert.equal("3 instances: 3 activated\n", done("activate", path, "--where", "definition_key=order", "--yes"))
      assert.equal("3 jobs: 3 suspended\n", done("suspend", path, "--jobs", "--where", "activity=check", "--yes"))
      assert.same({ 0, 3 }, { suspended("instances", {}), suspended("jobs", {}) })
      assert.equal("order is suspended with its instances\n", done("suspend", path, "--definition", "order", "--instances"))
      assert.same({ 3, 1 }, { suspended("instances", {}), suspended("definitions", {}) })
      done("activate", path, "--definition", "order:1")
      assert.same({ 3, 0 }, { suspended("instances", {}), suspended("definitions", {}) })
      done("suspend", path, "--definition", "order", "--at", "2099-01-01T00:00:00Z")
      assert.equal(0, suspended("definitions", {}))
    end)
  end)
end)

describe("orrery migrate", function()
  it("shows the plan and what stands against it, and moves those that can be moved", function()
    with_store(function(path, dir, lua)
      for i = 1, 3 do done("start", path, "order", "--business-key", "k" .. i, "--set", "amount=1") end
      done("work", path, "--lua", lua, "--until-idle", "--log", "none")
      done("message", path, "payment", "--business-key", "k1")
      done("deploy", path, dir.file("v2.bpmn", (order():gsub('"ship"', '"send"'))))
      local code, out, err = command.run { "migrate", path, "order:1", "--dry-run" }
      assert.equal(1, code)
      assert.matches("^order version 1 %-> order version 2: start, check, paid, end\n3 instances: 2 can be migrated, 1 cannot\n$", out)
      assert.matches('^instance %d+ at ship: no instruction maps "ship"', err)
      code, out = command.run { "migrate", path, "order:1", "--yes" }
      assert.equal(1, code)
      assert.matches("3 instances: 2 migrated, 1 failed", out)
      out = done("migrate", path, "order:1", "order:2", "--map", "ship:send", "--yes")
      assert.matches("ship %-> send.*\n1 instance: 1 migrated\n$", out)
      local engine <close> = orrery.open(path, { log = "none" })
      assert.equal(3, engine:count("instances", { definition_id = engine:definition({ key = "order", latest = true }).id }))
      assert.equal(1, engine:count("tasks", { key = "send" }))
    end)
    with_store(function(path)
      local code, _, err = command.run { "migrate", path, "order" }
      assert.equal(2, code)
      assert.matches("order version 1 is where they are", err)
    end)
  end)
end)

describe("orrery migrate shows what it arms", function()
  local function timer(id, at)
    return ([[<boundaryEvent id="%s" attachedToRef="%s" cancelActivity="false">
      <timerEventDefinition><timeDuration>P1D</timeDuration></timerEventDefinition></boundaryEvent>]]):format(id, at)
  end

  local kept = timer("kept", "ship")
  local added = timer("remind", "ship") .. timer("elsewhere", "other")
    .. [[<subProcess id="other"><startEvent id="inner"/></subProcess>
      <subProcess id="stopped" triggeredByEvent="true"><startEvent id="stop" isInterrupting="false">
      <signalEventDefinition signalRef="s"/></startEvent></subProcess>]]

  --- What waits in the store: activities of jobs and subscriptions, in order.
  local function waiting(path)
    local engine <close> = orrery.open(path, { log = "none" })
    local out = {}
    for _, verb in ipairs { "jobs", "subscriptions" } do
      for _, row in ipairs(engine[verb](engine, {})) do out[#out + 1] = row.activity_id end
    end
    table.sort(out)
    return out
  end

  it("in a dry run, and when it does it", function()
    with_store(function(path, dir, lua)
      done("deploy", path, dir.file("order.bpmn", (order(kept))))
      done("start", path, "order", "--set", "amount=1", "--business-key", "k")
      done("work", path, "--lua", lua, "--until-idle", "--log", "none")
      done("message", path, "payment", "--business-key", "k")
      done("deploy", path, dir.file("order.bpmn", (order(kept .. added))))
      local dry = done("migrate", path, "order:2", "--update-event-triggers", "--dry-run")
      local shown = "\narmed where a token stands there: remind %(timer at ship%), "
        .. "stop %(signal at order%)\narmed anew: kept %(timer at ship%)\n"
      assert.matches(shown, dry)
      assert.is_nil(dry:find "elsewhere")
      assert.same({ "kept" }, waiting(path))
      assert.matches(shown, done("migrate", path, "order:2", "--update-event-triggers", "--yes"))
      assert.same({ "kept", "remind", "stop" }, waiting(path))
    end)
  end)

  it("behind an event-based gateway, and of a task's listeners", function()
    local flow = '<sequenceFlow id="%s" sourceRef="%s" targetRef="%s"/>'
    local function model(events, listeners)
      local nodes = '<startEvent id="s"/><parallelGateway id="both"/><eventBasedGateway id="first"/>'
        .. '<userTask id="check"><extensionElements>' .. listeners .. "</extensionElements></userTask>"
      local flows = flow:format("a", "s", "both") .. flow:format("b", "both", "first")
        .. flow:format("c", "both", "check")
      local signals = ""
      for _, id in ipairs(events) do
        signals = signals .. ('<signal id="signal_%s" name="%s"/>'):format(id, id)
        nodes = nodes .. ([[<intermediateCatchEvent id="%s"><signalEventDefinition
          signalRef="signal_%s"/></intermediateCatchEvent>]]):format(id, id)
        flows = flows .. flow:format("to_" .. id, "first", id)
      end
      return (command.model(nodes .. flows, "p"):gsub("<process", signals .. "%0"))
    end
    local late = '<camunda:taskListener event="timeout" id="late" class="l"><timerEventDefinition>'
      .. "<timeDuration>P1D</timeDuration></timerEventDefinition></camunda:taskListener>"
    with_store(function(path, dir)
      done("deploy", path, dir.file("p.bpmn", model({ "one", "two" }, "")))
      done("start", path, "p")
      done("deploy", path, dir.file("p.bpmn", model({ "one", "two", "three" }, late)))
      local before = waiting(path)
      local dry = done("migrate", path, "p:1", "--dry-run")
      assert.matches("\narmed where a token stands there: late %(timer at check%), "
        .. "three %(signal at first%)\n", dry)
      assert.same(before, waiting(path))
      done("migrate", path, "p:1", "--yes")
      assert.same({ "check", "one", "three", "two" }, waiting(path))
    end)
  end)

  it("to programs", function()
    with_store(function(path, dir)
      done("deploy", path, dir.file("order.bpmn", (order(kept))))
      local _, events = command.events { "migrate", path, "order:1", "--dry-run", "--json" }
      assert.same({ { activity = "kept", kind = "timer", at = "ship", renewed = false } },
        events[1].armed)
    end)
  end)
end)

describe("orrery external and batch", function()
  local worker = command.one_node '<serviceTask id="work" camunda:type="external" camunda:topic="cards"/>'

  it("show topics and tasks, and mend them", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/s"
    done("deploy", path, dir.file("p.bpmn", worker), "--create")
    for i = 1, 3 do done("start", path, "p", "--business-key", "k" .. i) end
    local ids = {}
    do
      local engine <close> = orrery.open(path, { log = "none" })
      local locked = engine:fetch_and_lock { worker = "w", max = 2, topics = { { name = "cards", lock = 600 } } }
      for i, task in ipairs(locked) do ids[i] = task.id end
      engine:external_task(ids[1]):fail("w", { message = "no answer", details = "timed out at line 7", retries = 0 })
    end
    local _, events = command.events { "external", path, "--topics", "--json" }
    assert.same({ "cards", 3, 1, 1, 1 }, { events[1].topic, events[1].count, events[1].waits, events[1].locked, events[1].failed })
    assert.matches("failed.*no answer", done("external", path))
    assert.matches("timed out at line 7", done("external", path, "--details", ids[1]))
    assert.equal("1 external task: 1 retried\n", done("external", path, "--retry", "all", "--yes"))
    done("external", path, "--unlock", ids[2])
    local code, _, err = command.run { "external", path, "--complete", "all" }
    assert.equal(2, code)
    assert.matches("%-%-complete takes one ID, not all; 'orrery external' lists them\n", err)
    code, _, err = command.run { "external", path, "--complete", "cards" }
    assert.equal(2, code)
    assert.matches('"cards" is no id', err)
    done("external", path, "--complete", ids[2], "--set", "answer=42")
    local engine <close> = orrery.open(path, { log = "none" })
    assert.same({ 2, 0 }, { engine:count "external_tasks", engine:count("external_tasks", { no_retries = true }) })
    assert.equal(42, engine:history_variable({ name = "answer" }).value)
  end)

  it("make a batch, show how far it is, and cancel it", function()
    with_store(function(path, _, lua)
      for i = 1, 4 do done("start", path, "order", "--set", "amount=" .. i) end
      assert.equal("cancel: 4 instances\n", done("batch", path, "--do", "cancel", "--where", "definition_key=order", "--dry-run"))
      assert.equal(2, (command.run { "batch", path, "--do", "cancel", "--where", "definition_key=order" }))
      assert.equal(2, (command.run { "batch", path, "--do", "cancel", "--yes" }))
      local out = done("batch", path, "--do", "cancel", "--where", "definition_key=order", "--size", "2", "--yes")
      local id = out:match "^batch (%d+): cancel 4 instances\n"
      assert.matches("0 of 4", done("batch", path))
      done("work", path, "--lua", lua, "--until-idle", "--log", "none")
      assert.matches(id .. " +cancel +instances +completed +4 of 4", done("batch", path))
      assert.matches("deleted", done("batch", path, "--delete", id))
      assert.equal("no batches\n", done("batch", path))
      assert.equal("no running instances\n", done("instances", path))
    end)
  end)
end)

describe("orrery batch", function()
  it("holds a batch up, lets it go on, and mends what failed of it", function()
    with_store(function(path, _, lua)
      for i = 1, 2 do done("start", path, "order", "--set", "amount=" .. i) end
      assert.equal(2, (command.run { "batch", path, "--do", "set_variables", "--where", "definition_key=order", "--yes" }))
      local out = done("batch", path, "--do", "set_variables", "--set", "note=seen", "--where", "definition_key=order", "--yes")
      local id = out:match "^batch (%d+): set_variables 2 instances\n"
      assert.matches("suspended", done("batch", path, "--suspend", id))
      assert.matches(id .. " +set_variables +instances +suspended +0 of 2", done("batch", path))
      assert.matches("goes on", done("batch", path, "--activate", id))
      assert.matches("0 jobs again", done("batch", path, "--retry", id))
      done("work", path, "--lua", lua, "--until-idle", "--log", "none")
      assert.matches(id .. " +set_variables +instances +completed +2 of 2", done("batch", path))
    end)
  end)
end)

describe("orrery copy", function()
  it("copies a store, verifies it, and takes no place that is taken", function()
    with_store(function(path, dir)
      done("start", path, "order", "--set", "amount=1")
      local out = done("copy", path, dir.path .. "/bak", "--verify", "--compact")
      assert.matches("^copied .* to .*/bak, [%d.]+ MB, verified\n$", out)
      assert.equal(one(path).id, one(dir.path .. "/bak").id)
      local code, _, err = command.run { "copy", path, dir.path .. "/bak" }
      assert.equal(2, code)
      assert.matches("bak is there already", err)
      assert.equal(1, (command.run { "copy", path, dir.path .. "/no/bak" }))
      local limited = ("ulimit -f 16; exec '%s' copy '%s' '%s/cut'"):format(command.path, path, dir.path)
      code, _, err = command.execute { "sh", "-c", limited } -- a file that may not grow is an error like any other
      assert.same({ 1, true }, { code, err:find("/store: File too large", 1, true) ~= nil }, err)
      assert.is_nil(io.popen(("ls '%s' | grep cut"):format(dir.path)):read "l")
      assert.equal(2, (command.run { "copy", dir.path .. "/none", dir.path .. "/c" }))
    end)
  end)
end)
