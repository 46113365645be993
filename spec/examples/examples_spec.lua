-- The examples run as they stand and do what they say.
-- Marks: commands
local command = require "spec.cli.command"
local core = require "orrery.core"
local draw = require "orrery.draw"
local servers = require "spec.support.servers"
local testing = require "orrery.testing"

local function lines_of(shell)
  local out = {}
  for line in io.popen(shell):lines() do out[#out + 1] = line end
  return out
end

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

local models = lines_of "find examples -name '*.bpmn' | LC_ALL=C sort"

local kinds = { bpmn = true, dmn = true, lua = true, json = true, c = true, sh = true, py = true, md = true, svg = true }

-- A program that is looked at while it runs: waits until a shell's condition holds.
local SECONDS_MAX = 60

local function wait_until(condition)
  local till = os.time() + SECONDS_MAX
  while not os.execute(condition) do
    assert(os.time() < till, "it never came to: " .. condition)
    os.execute "sleep 0.02"
  end
end

describe("every example", function()
  it("has models that lint finds nothing to say of", function()
    for _, path in ipairs(models) do assert.equal(0, (command.run { "lint", "--strict", path }), path) end
  end)

  it("is drawn: every element that can be seen has its place", function()
    for _, path in ipairs(models) do
      local xml = read(path)
      for element, id in xml:gmatch '<bpmn:(%w+) id="([^"]+)"' do
        if element:find "Event$" or element:find "Task$" or element:find "Gateway$" or element:find "Activity$"
          or element == "sequenceFlow" or element == "transaction" then
          assert.is_truthy(xml:find(('bpmnElement="%s"'):format(id), 1, true), ("%s: %s is not drawn"):format(path, id))
        end
      end
    end
  end)

  -- bpmn.io's modeler calls the label of an element ID_label, and refuses another element of that id.
  it("has ids that modelers can work with", function()
    for _, path in ipairs(models) do
      local ids, xml = {}, read(path)
      for id in xml:gmatch ' id="([^"]+)"' do
        assert.is_nil(ids[id], ("%s: %s is there twice"):format(path, id))
        ids[id] = true
      end
      for id in pairs(ids) do assert.is_nil(ids[id .. "_label"], ("%s: %s_label is the label of %s"):format(path, id, id)) end
    end
  end)

  it("has a drawing that is made of its model", function()
    for _, path in ipairs(models) do
      local svg = path:gsub("%.bpmn$", ".svg")
      assert.is_true(read(svg) == draw.svg(read(path)), svg .. " is out of date: orrery draw " .. path)
    end
  end)

  it("has a README that shows its drawing, and names files that there are", function()
    for _, folder in ipairs(lines_of "find examples -mindepth 1 -maxdepth 1 -type d ! -name models") do
      local text = read(folder .. "/README.md")
      assert.is_true(select(2, text:gsub("\n", "")) < 60, folder .. ": more than a page")
      for shown in text:gmatch "!%[[^%]]*%]%(([^)]+)%)" do assert.is_truthy(core.file_type(folder .. "/" .. shown), shown) end
      assert.truthy(text:find("](", 1, true), folder)
      for name, kind in text:gmatch "`([%w_/]+%.(%l+))`" do
        local there = not kinds[kind] or core.file_type(folder .. "/" .. name) or core.file_type(name)
        assert.is_truthy(there, ("%s: %s is not there"):format(folder, name))
      end
    end
  end)
end)

-- Makes in a project, where the shell finds this build's command.
local function make(project, target)
  local path = ("PATH=%s:%s"):format(command.build, os.getenv "PATH")
  return command.execute { "env", path, "make", "--no-print-directory", "-C", project, target }
end

local last_lines = {
  hello = "ended at gone", trip = "ended at booked", approval = "ended at ordered", quests = "20 dragons beaten, 600 gold",
  worker = "20 parcels sent",
}

describe("a project of", function()
  for name, last in pairs(last_lines) do
    it(name .. " runs and is tested at once", function()
      local dir <close> = command.folder()
      local project = dir.path .. "/project"
      assert.equal(0, (command.run { "init", project, "--from", name }))
      local code, out, err = make(project, "run")
      assert.same({ 0, "" }, { code, err })
      assert.equal(last, out:match "([^\n]+)\n$")
      code, out, err = make(project, "test")
      assert.same({ 0, "" }, { code, err })
      assert.matches("\nok ", out)
      assert.equal(0, (make(project, "draw")))
    end)
  end

  it("automation is tested at once", function()
    local dir <close> = command.folder()
    assert.equal(0, (command.run { "init", dir.path .. "/project", "--from", "automation" }))
    local code, out, err = make(dir.path .. "/project", "test")
    assert.same({ 0, "" }, { code, err })
    assert.equal(3, select(2, out:gsub("\nok ", "")))
  end)
end)

describe("examples/trip", function()
  it("undoes what was booked, the last first, and books again with another card", function()
    local code, events = command.events { "run", "examples/trip", "--set", "traveler=kermit", "--set", "city=Vienna", "--set",
      'card="4000"', "--play", "--answers", "examples/trip/answers.json", "--json" }
    assert.equal(0, code)
    local done = {}
    for _, e in ipairs(events) do
      if e.event == "done" and (e.activity:find "^cancel_" or e.activity == "tickets") then done[#done + 1] = e.activity end
    end
    assert.same({ "cancel_flight", "cancel_hotel", "tickets" }, done)
    assert.equal("booked", events[#events].end_activity)
  end)
end)

describe("examples/approval", function()
  it("reminds, and passes over who does not answer", function()
    local code, events = command.events { "run", "examples/approval", "--set", "amount=900", "--play", "--answers",
      "examples/approval/answers.json", "--json" }
    assert.equal(0, code)
    local seen = {}
    for _, e in ipairs(events) do
      if e.event == "done" or e.event == "cancel" then seen[#seen + 1] = e.event .. " " .. e.activity end
    end
    assert.same({ "done requested", "done large", "done day", "done remind", "done reminded", "cancel approve", "done three_days",
      "done decide", "done approved", "done order", "done ordered" }, seen)
  end)
end)

describe("examples/automation", function()
  -- Starts the host on a folder; `tool` replaces its tool.
  local function start(folder, tool)
    local line = ("cd examples/automation && exec %s/examples/automation %s %s > %s/out 2>&1 & echo $! > %s/pid"):format(command.build,
      folder, tool or "tool.sh", folder, folder)
    assert(os.execute(line))
    wait_until(("grep -q watching %s/out"):format(folder))
  end

  local function kill(folder, signal)
    local pid = read(folder .. "/pid"):match "%d+"
    assert(os.execute(("kill -%s %s"):format(signal, pid)))
    wait_until(("! kill -0 %s 2>/dev/null || grep -q '^State:.Z' /proc/%s/status"):format(pid, pid))
  end

  local function put(dir, name, text) os.rename(dir.file("." .. name, text), ("%s/in/%s"):format(dir.path, name)) end

  it("converts what comes, tries a flaky tool again, sets bad files aside, and drains on SIGTERM", function()
    local dir <close> = command.folder()
    start(dir.path)
    put(dir, "a.txt", "hello\n")
    put(dir, "b.txt", "again\n")
    put(dir, "bad.txt", "")
    wait_until(("test -e %s/done/a.txt && test -e %s/done/b.txt && test -e %s/aside/bad.txt"):format(dir.path, dir.path, dir.path))
    kill(dir.path, "TERM")
    assert.equal("HELLO\n", read(dir.path .. "/done/a.txt.converted"))
    assert.equal("AGAIN\n", read(dir.path .. "/done/b.txt.converted"))
    assert.matches("drained\n$", read(dir.path .. "/out"))
    assert.same({ 0, "no running instances\n", "" }, { command.run { "instances", dir.path .. "/store" } })
    assert.equal(0, (command.run { "verify", dir.path .. "/store" }))
  end)

  it("waits for the tools that run when it is told to end, and takes no further file", function()
    local dir <close> = command.folder()
    local gate = dir.path .. "/gate"
    local waits = 'touch "%s.begun"\nuntil [ -e "%s" ]; do sleep 0.02; done\ncp "$1" "$2"\n'
    start(dir.path, dir.file("slow.sh", waits:format(gate, gate)))
    put(dir, "a.txt", "hello\n")
    wait_until("test -e " .. gate .. ".begun")
    local pid = read(dir.path .. "/pid"):match "%d+"
    assert(os.execute("kill -TERM " .. pid))
    wait_until(("grep -q draining %s/out"):format(dir.path))
    put(dir, "late.txt", "late\n")
    dir.file("gate", "")
    wait_until(("grep -q drained %s/out"):format(dir.path))
    assert.equal("hello\n", read(dir.path .. "/done/a.txt.converted"))
    assert.is_truthy(io.open(dir.path .. "/in/late.txt"))
  end)

  it("goes on after it was killed: each file has one instance", function()
    local dir <close> = command.folder()
    start(dir.path, dir.file("never.sh", 'echo $$ > "$2.begun"\nexec sleep 60\n'))
    put(dir, "a.txt", "hello\n")
    local begun = dir.path .. "/done/a.txt.converted.begun"
    wait_until(("test -s %s"):format(begun))
    kill(dir.path, "KILL")
    local running = select(2, command.run { "instances", dir.path .. "/store", "--json" })
    assert.equal(1, select(2, running:gsub("\n", "")))
    start(dir.path)
    put(dir, "b.txt", "other\n") -- a.txt's tool is still locked, and does not hold up others
    wait_until(("test -e %s/done/b.txt"):format(dir.path))
    kill(dir.path, "TERM")
    running = select(2, command.run { "instances", dir.path .. "/store", "--json" })
    assert.equal(1, select(2, running:gsub("\n", "")))
    os.execute("kill " .. read(begun):match "%d+")
  end)
end)

describe("examples/order", function()
  local function order()
    return testing.new { deploy = "examples/order", now = "2026-03-02T09:00:00Z", package_path = "examples/order/?.lua;" .. package.path,
      register = { shop = { remind = function(_, execution) execution:set("reminded", true) end } } }
  end

  it("pays after a failure, asks for another card, ships and invoices", function()
    local t <close> = order()
    local pi = t:start("order", { business_key = "o1", variables = { card = "4000", total = 100, address = "Vienna" } })
    t:run()
    t:at(pi, "pay") -- the bank did not answer
    t:pass "PT1M"
    t:at(pi, "another_card")
    t:complete("another_card", { card = "4111" })
    t:at(pi, "join", "ship")
    assert.matches("^invoice for o1, receipt", pi:get "invoice")
    t:pass "PT4H"
    assert.is_true(t.engine:instance({ key = "shipping" }):get "reminded")
    t:complete "pack"
    t:pass "PT2H"
    t:ended(pi, "delivered")
    assert.same({}, t.engine:incidents {})
  end)

  it("runs with its people through the command, in a store that is sound afterwards", function()
    local dir <close> = command.folder()
    local store = dir.path .. "/store"
    local code, events, err = command.events { "run", "examples/order", "--lua", "examples/order/scenario.lua", "--store", store, "--json" }
    assert.same({ 0, "" }, { code, err })
    assert.same({ "ended", "delivered" }, { events[#events].event, events[#events].end_activity })
    assert.equal(0, (command.run { "verify", store }))
  end)
end)

describe("examples/offer", function()
  if not servers.has "faults" then return pending "examples/offer: skipped, python3 is not installed" end

  it("asks a service, decides, and mails what was decided", function()
    local code, out, err = command.execute { command.build .. "/orrery", "lua", "examples/offer/main.lua" }
    assert.same({ 0, "" }, { code, err })
    assert.truthy(out:find("the instance is completed", 1, true))
    assert.truthy(out:find("Subject: An offer for Kermit", 1, true))
    assert.truthy(out:find("you get 15 %", 1, true))
  end)
end)

describe("examples/embed", function()
  local function embed(...) return command.execute { command.build .. "/examples/embed", ... } end

  it("runs a process with a delegate in C", function()
    assert.same({ 0, "in the till: 4200 cents; to be approved: 0\n", "" },
      { embed("examples/embed/purchase.bpmn", '{"cents": 4200}') })
    assert.same({ 0, "in the till: 0 cents; to be approved: 1\n", "" },
      { embed("examples/embed/purchase.bpmn", '{"cents": 10000000}') })
  end)

  it("says what is wrong", function()
    local code, out, err = embed("examples/embed/none.bpmn", "{}")
    assert.same({ 1, "" }, { code, out })
    assert.matches("none.bpmn", err)
    assert.equal(1, (embed()))
  end)

  it("fits on a page", function() assert.is_true(#lines_of "cat examples/embed/main.c" <= 40) end)
end)

describe("examples/waits", function()
  it("overlaps waits on two threads of an executor", function()
    local code, out = command.run { "lua", "examples/waits/main.lua", "1000", "2" }
    assert.equal(0, code)
    local seconds = tonumber(out:match "^1000 of 1000 jobs, each a second long, done on 2 threads in ([%d.]+) seconds\n$")
    assert.is_true(seconds >= 1 and seconds < 100) -- one after another on two threads they would take 500
  end)
end)

describe("examples/models", function()
  local folder = os.getenv "ORRERY_MODELS"
  if not folder then
    it("play models drawn by others when ORRERY_MODELS names their folder", function() pending "it is not set" end)
    return
  end
  for name, last in pairs { FinancialReportProcess = "theEnd", Helpdesk = "escalatedEnd", FixSystemFailureProcess = "theEnd",
    VacationRequest = "theEnd1", reviewSalesLead = "processEnd" } do
    it("play " .. name, function()
      local code, events, err = command.events { "run", ("%s/%s.bpmn20.xml"):format(folder, name), "--play", "--answers",
        ("examples/models/%s.json"):format(name), "--json" }
      assert.same({ 0, "" }, { code, err })
      assert.same({ "ended", last }, { events[#events].event, events[#events].end_activity })
    end)
  end
end)
