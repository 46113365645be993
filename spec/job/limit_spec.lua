-- Limits (features J20): at most n at once, at most n starts a second.
-- Marks: threads, records
package.path = "spec/job/?.lua;" .. package.path
local orrery = require "orrery"
local model = require "model"

describe("limits", function()
  local engine, ran

  before_each(function()
    engine = orrery.open(nil, { clock = "manual", now = 1000, log = "none" })
    ran = {}
    engine:register("d", function(execution) ran[#ran + 1] = execution:get "n" or 0 end)
  end)
  after_each(function() engine:close() end)

  local function start(count, variables)
    for i = 1, count do
      local given = { n = i }
      for key, value in pairs(variables or {}) do given[key] = value end
      engine:start("p", { variables = given })
    end
  end

  local function definition() return engine:job_definition { activity_id = "t" }.id end

  describe("per second", function()
    before_each(function() engine:deploy(model.async()) end)

    it("let one start at once and one more each time a token is due", function()
      engine:set_limit({ job_definition = definition() }, { per_second = 2 })
      start(5)
      assert.equal(1, engine:run_jobs())
      engine:advance(0.499)
      assert.equal(0, engine:run_jobs())
      engine:advance(0.001)
      assert.equal(1, engine:run_jobs())
      engine:advance(0.5)
      assert.equal(1, engine:run_jobs())
    end)

    it("save up no more than the burst", function()
      engine:set_limit({ job_definition = definition() }, { per_second = 1, burst = 3 })
      start(10)
      assert.equal(3, engine:run_jobs())
      engine:advance(100)
      assert.equal(3, engine:run_jobs())
    end)

    it("may be less than one", function()
      engine:set_limit({ job_definition = definition() }, { per_second = 0.1 })
      start(2)
      assert.equal(1, engine:run_jobs())
      engine:advance(9.999)
      assert.equal(0, engine:run_jobs())
      engine:advance(0.001)
      assert.equal(1, engine:run_jobs())
    end)

    it("change while jobs wait", function()
      engine:set_limit({ job_definition = definition() }, { per_second = 0.001 })
      start(4)
      assert.equal(1, engine:run_jobs())
      engine:set_limit({ job_definition = definition() }, { per_second = 1000, burst = 1000 })
      engine:advance(1)
      assert.equal(3, engine:run_jobs())
    end)

    it("go, and what waited goes on", function()
      engine:set_limit({ job_definition = definition() }, { per_second = 0.001 })
      start(4)
      engine:run_jobs()
      engine:clear_limit { job_definition = definition() }
      assert.same({}, engine:limits())
      assert.equal(3, engine:run_jobs())
    end)

    it("hold for the higher priority first", function()
      engine:set_limit({ job_definition = definition() }, { per_second = 1 })
      start(3)
      engine:run_jobs()
      local waiting = engine:jobs {}
      waiting[2]:set_priority(10)
      engine:run_jobs() -- puts it aside again, by its new priority
      engine:advance(1)
      assert.equal(1, engine:run_jobs())
      assert.equal(3, ran[2])
    end)
  end)

  it("hold for a key that an expression gives", function()
    engine:deploy(model.async('orrery:limitKey="customer-${customer}"'))
    engine:set_limit({ key = "customer-a" }, { per_second = 1 })
    start(3, { customer = "a" })
    start(3, { customer = "b" })
    assert.equal("customer-a", engine:jobs {}[1].limit_key)
    assert.equal(4, engine:run_jobs())
    engine:advance(1)
    assert.equal(1, engine:run_jobs())
  end)

  it("of a definition and of a key hold together, and a job gives both its places back", function()
    engine:deploy(model.async('camunda:exclusive="false" orrery:limitKey="${customer}"'))
    engine:set_limit({ job_definition = definition() }, { max = 2 })
    engine:set_limit({ key = "a" }, { max = 1 })
    local most, now = {}, {}
    engine:register("d", function(execution)
      for _, name in ipairs { "all", execution:get "customer" } do
        now[name] = (now[name] or 0) + 1
        most[name] = math.max(most[name] or 0, now[name])
      end
      orrery.sleep(0)
      for _, name in ipairs { "all", execution:get "customer" } do now[name] = now[name] - 1 end
    end)
    start(3, { customer = "a" })
    start(3, { customer = "b" })
    local ran, polls = 0, 0
    while ran < 6 and polls < 1000 do
      ran, polls = ran + engine:poll(1), polls + 1
    end
    assert.equal(6, ran)
    assert.same({ all = 2, a = 1 }, { all = most.all, a = most.a })
    assert.same({}, engine:verify())
  end)

  it("of a definition and of a key: what failed, was deleted or had its lock taken back holds no place either", function()
    engine:deploy(model.async('orrery:limitKey="a"'))
    engine:set_limit({ job_definition = definition() }, { max = 1 })
    engine:set_limit({ key = "a" }, { max = 1 })
    engine:register("d", function(execution)
      if execution:get "n" == 1 then error "no" end
      ran[#ran + 1] = execution:get "n"
    end)
    start(3)
    engine:run_jobs() -- the first fails, and waits for nothing: it has its next tries at once
    assert.same({ 2, 3 }, ran)
    assert.equal(1, engine:count "incidents")
    assert.same({}, engine:verify())
  end)

  it("let a key that is null pass", function()
    engine:deploy(model.async('orrery:limitKey="${customer}"'))
    engine:set_limit({ key = "a" }, { per_second = 1 })
    start(3, { customer = orrery.null })
    assert.equal(3, engine:run_jobs())
  end)

  it("never keep back ready jobs behind throttled ones", function()
    engine:deploy(model.async('orrery:limitKey="${k}"'))
    engine:set_limit({ key = "slow" }, { per_second = 0.001 })
    start(1200, { k = "slow" })
    engine:start("p", { variables = { k = "fast", n = "fast" } })
    engine:run_jobs()
    assert.equal(2, #ran)
    assert.equal("fast", ran[2])
    assert.same({}, engine:verify())
  end)

  it("are one budget for all who acquire by them, and a lease ends with its job", function()
    local most, now = 0, 0
    engine:register("d", function()
      now = now + 1
      most = math.max(most, now)
      orrery.sleep(0.001)
      now = now - 1
    end)
    engine:deploy(model.async('camunda:exclusive="false"'))
    engine:set_limit({ job_definition = definition() }, { max = 1 })
    start(5)
    local ended = 0
    for _ = 1, 6 do -- the first has begun and sleeps, then each ends and lets the next begin
      ended = ended + engine:run_jobs()
      engine:advance(0.001)
    end
    assert.equal(5, ended)
    assert.equal(1, most)
    assert.same({}, engine:verify())
    engine:clear_limit { job_definition = definition() }
  end)

  it("hold in the executor: never more than max at once, and all come to their turn", function()
    local path = os.tmpname()
    os.remove(path)
    local many = orrery.open(path, { log = "none", package_path = "spec/job/?.lua;" .. package.path })
    finally(function()
      many:close()
      os.execute("rm -r " .. path)
    end)
    many:deploy(model.task 'camunda:asyncBefore="true" camunda:class="delegates.overlap"')
    many:set_limit({ job_definition = many:job_definition { activity_id = "t" }.id }, { max = 3 })
    many:start_executor { threads = 2 }
    for _ = 1, 30 do many:start "p" end
    assert.is_true(many:wait_idle(120))
    assert.equal(0, many:count("jobs", {}))
    local most = 0
    for _, row in ipairs(many:history_variables { name = "overlap" }) do most = math.max(most, row.value) end
    assert.is_true(most >= 1 and most <= 3, "at once: " .. most)
    assert.equal(30, many:count("history_instances", { state = "completed" }))
    many:stop_executor()
    assert.same({}, many:verify())
  end)

  describe("of a topic", function()
    before_each(function() engine:deploy(model.external "mail") end)

    local function fetch(max) return engine:fetch_and_lock { worker = "w", max = max or 10, topics = { { name = "mail", lock = 60 } } } end

    it("hold for what is fetched and not finished", function()
      engine:set_limit({ topic = "mail" }, { max = 2 })
      start(5)
      local tasks = fetch()
      assert.equal(2, #tasks)
      assert.equal(0, #fetch())
      tasks[1]:complete("w")
      assert.equal(1, #fetch())
      tasks[2]:fail("w", { message = "m", retries = 1 })
      assert.equal(1, #fetch(1))
      assert.same({}, engine:verify())
    end)

    it("count a lock that expired no more, and one that was extended still", function()
      engine:set_limit({ topic = "mail" }, { max = 2 })
      start(5)
      local tasks = fetch()
      tasks[1]:extend_lock("w", 1000)
      engine:advance(61)
      assert.equal(1, #fetch())
      assert.same({}, engine:verify())
    end)

    it("hold for starts a second", function()
      engine:set_limit({ topic = "mail" }, { per_second = 1, burst = 2 })
      start(5)
      assert.equal(2, #fetch())
      assert.equal(0, #fetch())
      engine:advance(1)
      assert.equal(1, #fetch())
    end)
  end)

  it("are listed, and wrong ones refused", function()
    engine:set_limit({ topic = "mail" }, { max = 2, per_second = 20 })
    local limit = engine:limits()[1]
    assert.same({ "mail", 2, 20, 2 }, { limit.topic, limit.max, limit.per_second, limit.burst })
    local function refused(kind, f, ...)
      local ok, problem = pcall(f, engine, ...)
      assert.is_false(ok)
      assert.equal(kind, problem.kind)
    end
    refused("argument", engine.set_limit, {}, { max = 1 })
    refused("argument", engine.set_limit, { topic = "a", key = "b" }, { max = 1 })
    refused("argument", engine.set_limit, { topic = "a" }, {})
    refused("argument", engine.set_limit, { topic = "a" }, { max = 0 })
    refused("argument", engine.set_limit, { topic = "a" }, { per_second = -1 })
    refused("argument", engine.set_limit, { topic = "a" }, { max = 1, burst = 1 })
    refused("not_found", engine.set_limit, { job_definition = 4711 }, { max = 1 })
    refused("not_found", engine.clear_limit, { key = "none" })
  end)

  -- Seed: "Diagnosing ACT_RU_JOB", jobs are acquired only with high delay or never.
  it("are among the reasons that why gives", function()
    engine:deploy(model.async())
    engine:set_limit({ job_definition = definition() }, { per_second = 0.5 })
    start(2)
    engine:run_jobs()
    local why = engine:why(engine:jobs {}[1])
    assert.equal("limit", why.reason)
    assert.matches("0.5 start a second; the next may at 1970%-01%-01T00:16:42", why.text)
    assert.same(why, engine:why(engine:jobs {}[1].id))
    engine:advance(2)
    assert.equal("no_executor", engine:why(engine:jobs {}[1]).reason)
  end)
end)
