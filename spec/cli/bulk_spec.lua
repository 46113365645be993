-- Actions on many records: what they are done to is counted and listed before, asked for, and told.
-- Marks: commands
local command = require "spec.cli.command"
local orrery = require "orrery"

local model = command.one_node '<userTask id="wait"/>'
local failing = command.one_node '<serviceTask id="work" camunda:asyncBefore="true" camunda:class="worker"/>'

--- A store with so many instances of a process of one node, which waits unless another is given.
local function store_of(dir, count, node)
  local path = dir.path .. "/store"
  local engine <close> = orrery.open(path, { log = "none", durability = "none" })
  engine:deploy { ["p.bpmn"] = node or model }
  engine:transaction(function()
    for i = 1, count do engine:start("p", { business_key = "k" .. i, variables = { n = i } }) end
  end)
  return path
end

--- How many are suspended, and how many commits the store has seen.
local function look(path)
  local engine <close> = orrery.open(path, { log = "none" })
  return engine:count("instances", { suspended = true }), engine.core:changes()
end

describe("an action on all", function()
  it("does nothing without --yes where nobody can be asked, and says to how many it would be done", function()
    local dir <close> = command.folder()
    local path = store_of(dir, 3)
    local code, out, err = command.run { "instances", path, "--suspend", "all" }
    assert.same({ 2, "" }, { code, out })
    assert.matches("%-%-yes is needed to suspend 3 instances; %-%-dry%-run lists them", err)
    code, _, err = command.run({ "instances", path, "--suspend", "all" }, "y\n")
    assert.equal(2, code, err) -- a pipe is nobody
    assert.equal(0, (look(path)))
  end)

  it("lists with --dry-run what it would be done to", function()
    local dir <close> = command.folder()
    local path = store_of(dir, 3)
    local code, out = command.run { "instances", path, "--suspend", "all", "--dry-run", "--where", 'business_key_like="k%"',
      "--order-by", "business_key:desc", "--limit", "2" }
    assert.equal(0, code)
    assert.matches("^ID .*k3.*k2.*\n2 instances would be suspended\n$", out)
    assert.is_nil(out:find("k1 ", 1, true))
    local _, events = command.events { "instances", path, "--suspend", "all", "--dry-run", "--json" }
    assert.same({ event = "summary", action = "suspend", matched = 3, dry_run = true }, events[4])
    assert.equal(0, (look(path)))
    assert.equal(2, (command.run { "instances", path, "--dry-run" }))
    assert.equal(2, (command.run { "instances", path, "--suspend", "1", "--yes" }))
  end)

  it("commits in groups, and counts", function()
    local dir <close> = command.folder()
    local path = store_of(dir, 250)
    local _, before = look(path)
    local code, out = command.run { "instances", path, "--suspend", "all", "--yes" }
    assert.same({ 0, "250 instances: 250 suspended\n" }, { code, out })
    local suspended, after = look(path)
    assert.equal(250, suspended)
    assert.is_true(after - before <= 3 + 1, ("%d commits"):format(after - before)) -- three groups; opening may make one
    _, out = command.run { "instances", path, "--activate", "all", "--yes", "--verbose", "--limit", "2" }
    assert.matches("^%d+: active\n%d+: active\n2 instances: 2 activated\n$", out)
  end)

  it("goes on behind what fails, and exits with 1", function()
    local dir <close> = command.folder()
    local path = store_of(dir, 5, failing)
    local worker = dir.file("worker.lua", [[return function(engine)
      engine:register("worker", function(e) if e:get "n" == 3 then error("not three", 0) end end)
    end]])
    local code, events, err = command.events { "jobs", path, "--execute", "all", "--yes", "--lua", worker, "--json" }
    assert.equal(1, code, err)
    local summary = table.remove(events)
    assert.same({ event = "summary", action = "execute", matched = 5, done = 4, failed = 1, gone = 0, left = 0 }, summary)
    local failed = {}
    for _, e in ipairs(events) do failed[#failed + 1] = e.event == "failed" and e.message or nil end
    assert.same({ "not three" }, failed)
  end)

  it("rolls a failing group back and tries each of it", function()
    local dir <close> = command.folder()
    local path = store_of(dir, 4)
    do -- one whose end listener fails
      local engine <close> = orrery.open(path, { log = "none" })
      engine:deploy { ["q.bpmn"] = command.model([[<startEvent id="start"/><sequenceFlow id="f" sourceRef="start" targetRef="wait"/>
        <userTask id="wait"><extensionElements><camunda:executionListener event="end" class="missing"/></extensionElements>
        </userTask>]], "q") }
      engine:start("q")
    end
    local code, out, err = command.run { "instances", path, "--cancel", "all", "--yes" }
    assert.same({ 1, "5 instances: 4 canceled, 1 failed\n" }, { code, out })
    assert.matches("^%d+: .*missing", err)
  end)

  it("says what is left when a signal ends it", function()
    local dir <close> = command.folder()
    local path = store_of(dir, 5, failing)
    local worker = dir.file("worker.lua", [[return function(engine)
      engine:register("worker", function(e) if e:get "n" == 2 then os.execute "kill -TERM $PPID" end end)
    end]])
    local code, out, err = command.run { "jobs", path, "--execute", "all", "--yes", "--lua", worker }
    assert.equal(128 + 15, code)
    assert.matches("interrupted by SIGTERM", err)
    local done, left = out:match "^5 jobs: (%d) executed, (%d) left\n$"
    local engine <close> = orrery.open(path, { log = "none" })
    assert.same({ 5 - engine:count "jobs", engine:count "jobs" }, { tonumber(done), tonumber(left) }, out)
    assert.is_true(engine:count "jobs" >= 3)
  end)

  it("has a word when there is nothing to do", function()
    local dir <close> = command.folder()
    local path = store_of(dir, 0)
    assert.same({ 0, "no job has failed for good: there is nothing to retry\n", "" }, { command.run { "jobs", path, "--retry", "all" } })
  end)
end)

describe("a list", function()
  it("is in the order that --order-by says, and knows its fields", function()
    local dir <close> = command.folder()
    local path = store_of(dir, 3)
    local function keys(...)
      local _, events = command.events { "instances", path, "--json", ... }
      local out = {}
      for i, e in ipairs(events) do out[i] = e.business_key end
      return table.concat(out, " ")
    end
    assert.equal("k3 k2 k1", keys("--order-by", "business_key:desc"))
    assert.equal("k1 k2 k3", keys("--order-by", "definition_key", "--order-by", "business_key:asc"))
    local code, _, err = command.run { "instances", path, "--order-by", "busines_key" }
    assert.equal(2, code)
    assert.matches("%-%-order%-by: .*busines_key.*did you mean", err)
  end)

  it("shows times by the clocks of a zone", function()
    local dir <close> = command.folder()
    local path = store_of(dir, 1)
    assert.matches("T%d%d:%d%d:%d%d%.?%d*Z", select(2, command.run { "instances", path }))
    assert.matches("T%d%d:%d%d:%d%d%.?%d*%+05:45", select(2, command.run { "instances", path, "--zone", "Asia/Kathmandu" }))
    assert.equal(1, (command.run { "instances", path, "--zone", "Mars/North" }))
  end)
end)

describe("orrery jobs --stuck", function()
  it("groups by reason, activity and error, keeps to the limit, and leaves out what is not due", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    do
      local engine <close> = orrery.open(path, { log = "none", durability = "none", retries = 1 })
      engine:register("worker", function(e) error(e:get "n" % 2 == 0 and "no answer from 10.0.0." .. e:get "n" or "refused", 0) end)
      engine:deploy { ["p.bpmn"] = failing, ["t.bpmn"] = command.model([[<startEvent id="start"/>
        <sequenceFlow id="f" sourceRef="start" targetRef="later"/><intermediateCatchEvent id="later"><timerEventDefinition>
        <timeDuration>P1D</timeDuration></timerEventDefinition></intermediateCatchEvent>]], "t") }
      engine:transaction(function()
        for i = 1, 5 do engine:start("p", { variables = { n = i } }) end
        for _ = 1, 3 do engine:start "t" end
      end)
      engine:run_jobs()
      engine:suspend_jobs { activity = "later", instance = engine:instances({ definition_key = "t" })[1].id }
    end
    local _, events = command.events { "jobs", path, "--stuck", "--json" }
    local summary, kinds = table.remove(events), {}
    for i, e in ipairs(events) do kinds[i] = { e.count, e.reason, e.activity_id, e.error } end
    assert.same({ { 3, "no_retries", "work", "refused" }, { 2, "no_retries", "work", "no answer from 10.0.0.2" },
      { 1, "suspended", "later" } }, kinds)
    assert.same({ 8, 6, 2, 3 }, { summary.jobs, summary.stuck, summary.not_due, summary.kinds })
    local _, cures = command.run { "jobs", path, "--stuck" }
    for _, begins in ipairs { "refused", "no answer from " } do -- two causes at one activity: a cure is for one of them
      assert.truthy(cures:find(("--retry all --where activity=work --where 'error_like=%s%%'\n"):format(begins), 1, true), cures)
    end
    local before = os.time()
    assert.equal(0, (command.run { "jobs", path, "--due", "all", "--at", "+2h", "--yes", "--where", "activity=later" }))
    local _, later = command.events { "jobs", path, "--json", "--where", "activity=later" }
    assert.is_true(later[1].due >= before + 7200 and later[1].due <= os.time() + 7200)
    local _, out, err = command.run { "jobs", path, "--stuck", "--limit", "1" }
    assert.matches("^3 jobs  p work  no_retries\n    the oldest, since %S+, is job %d+ of instance %d+: ", out)
    assert.matches("\n6 jobs stuck of 8", out)
    assert.matches("2 more", err)
    _, events = command.events { "jobs", path, "--stuck", "--each", "--limit", "4", "--json" }
    assert.equal(4 + 1, #events)
  end)

  it("leaves out what an executor of another process has", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    local engine <close> = orrery.open(path, { log = "none" })
    engine:register("worker", function(execution)
      repeat require("orrery").sleep(0.01) until io.open(execution:get "done")
    end)
    engine:deploy { ["p.bpmn"] = failing }
    engine:start("p", { variables = { done = dir.path .. "/done" } })
    local function summary()
      local _, events = command.events { "jobs", path, "--stuck", "--json" }
      return events[#events]
    end
    engine:start_executor { threads = 1 }
    repeat orrery.sleep(0.01) until engine:jobs({})[1].lock_owner
    assert.same({ 0, 1 }, { summary().stuck, summary().taken })
    dir.file("done", "")
  end)
end)

describe("orrery incidents --groups", function()
  it("counts all of a kind, and names the newest of them", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    do
      local engine <close> = orrery.open(path, { log = "none", durability = "none", retries = 1 })
      engine:register("worker", function() error("refused", 0) end)
      engine:deploy { ["p.bpmn"] = failing }
      engine:transaction(function()
        for i = 1, 1001 do engine:start("p", { variables = { n = i } }) end
      end)
      engine:run_jobs()
    end
    local _, kinds = command.events { "incidents", path, "--groups", "--json" }
    assert.same({ 1, 1001, true }, { #kinds, kinds[1].count, kinds[1].first <= kinds[1].last })
    local _, out = command.run { "top", path }
    assert.matches("1001 incidents\n  of the newest 1000:\n   1000  p:1 work  refused", out)
    local code, said = command.run { "jobs", path, "--retry", "all", "--where", "activity=other" }
    assert.same({ 0, "no job has failed for good: there is nothing to retry\n" }, { code, said })
  end)
end)
