local command = require "spec.cli.command"
local orrery = require "orrery"

local model = command.model [[<startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="fork"/><parallelGateway id="fork"/>
<sequenceFlow id="f2" sourceRef="fork" targetRef="review"/><userTask id="review" name="Review"/>
<sequenceFlow id="f3" sourceRef="fork" targetRef="work"/><serviceTask id="work" camunda:asyncBefore="true" camunda:class="worker"/>
<sequenceFlow id="f4" sourceRef="fork" targetRef="pause"/>
<intermediateCatchEvent id="pause"><timerEventDefinition><timeDuration>P1D</timeDuration></timerEventDefinition></intermediateCatchEvent>]]

--- A store with one instance: a task, a timer, and a job that has failed for good.
local function broken_store(dir)
  local path = dir.path .. "/store"
  local engine <close> = orrery.open(path, { log = "none" })
  engine:register("worker", function() error "out of order" end)
  engine:deploy { ["p.bpmn"] = model }
  local instance = engine:start("p", { business_key = "k1", variables = { n = 1 } })
  engine:run_jobs()
  return path, instance.id
end

--- Puts a worker that works where the command finds it.
local function mend(dir) return dir.file("mend.lua",
  [[return function(engine) engine:register("worker", function(e) e:set("worked", true) end) end]]) end

describe("commands that look into a store", function()
  it("want one that is there, and make none", function()
    local dir <close> = command.folder()
    for _, name in ipairs { "jobs", "incidents", "instances", "tasks", "verify" } do
      local code, out, err = command.run { name, dir.path .. "/none" }
      assert.same({ 2, "" }, { code, out })
      assert.matches("there is no store in", err)
    end
    assert.is_nil(io.open(dir.path .. "/none/data.mdb"))
  end)

  it("make none among other files", function()
    local dir <close> = command.folder()
    local model = dir.file("p.bpmn", command.one_node '<userTask id="t"/>')
    for _, words in ipairs { { "repl", dir.path }, { "serve", dir.path, "--listen", "127.0.0.1:0" },
      { "deploy", dir.path, model, "--create" }, { "run", model, "--store", dir.path } } do
      local code, _, err = command.run(words)
      assert.equal(1, code, words[1])
      assert.matches("there is no store in .*, but other files are, such as p%.bpmn", err)
      assert.not_matches("made a new store", err)
    end
    assert.is_nil(io.open(dir.path .. "/data.mdb"))
    assert.is_nil(io.open(dir.path .. "/lock.mdb"))
  end)

  it("say so when they make one", function()
    local dir <close> = command.folder()
    local model = dir.file("p.bpmn", command.one_node '<scriptTask id="t"><script/></scriptTask>')
    local function told(name, ...)
      local path = ("%s/%s"):format(dir.path, name)
      local words = { ... }
      words[#words + 1] = path
      local line = ("orrery %s: made a new store in %s\n"):format(words[1], path)
      return select(3, command.run(words)):find(line, 1, true) ~= nil
    end
    assert.same({ true, false }, { told("a", "repl"), told("a", "repl") })
    local function run() return told("b", "run", model, "--store") end
    assert.same({ true, false }, { run(), run() })
    -- It ends before it listens, at a file of users that is not there.
    local function serve() return told("c", "serve", "--auth", dir.path .. "/none") end
    assert.same({ true, false }, { serve(), serve() })
  end)

  it("leave none behind when what was to be deployed is refused", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    local fine = command.one_node '<userTask id="t"/>'
    local broken = dir.file("p.bpmn", (fine:gsub('targetRef="end"', 'targetRef="nowhere"')))
    assert.equal(1, (command.run { "deploy", path, broken, "--create" }))
    assert.is_nil(io.open(path))
    dir.file("p.bpmn", fine)
    local deploy = { "deploy", path, broken, "--create", "--time-zone", "No/Where" }
    local code, _, err = command.run(deploy)
    assert.equal(1, code)
    assert.matches("no time zone", err)
    assert.is_nil(io.open(path))
    assert.equal(0, (command.run { "deploy", path, broken, "--create" }))
    local engine <close> = orrery.open(path)
    assert.equal(1, engine:count "deployments")
  end)

  it("refuse unknown fields, ids that are none, and two actions at once; an id of nothing fails", function()
    local dir <close> = command.folder()
    local path = broken_store(dir)
    local code, _, err = command.run { "jobs", path, "--where", "activty=x" }
    assert.equal(2, code)
    assert.matches('did you mean "activity', err)
    assert.equal(1, (command.run { "tasks", path, "--complete", "first" }))
    assert.equal(2, (command.run { "jobs", path, "--retry", "all", "--delete", "1" }))
    assert.equal(2, (command.run { "jobs", path, "--limit", "some" }))
    code, _, err = command.run { "jobs", path, "--where", "retries=many" }
    assert.same({ 2, true }, { code, err:find("retries must be a number", 1, true) ~= nil })
    assert.equal(2, (command.run { "jobs", path, "--retries", "3" }))
    code, _, err = command.run { "tasks", path, "--complete", "999999999" }
    assert.equal(1, code)
    assert.matches("none of the tasks has the id", err)
  end)

  it("list in columns or as JSON, filtered", function()
    local dir <close> = command.folder()
    local path, id = broken_store(dir)
    local code, out = command.run { "instances", path }
    assert.equal(0, code)
    assert.matches("^ID +PROCESS", out)
    assert.matches("\n" .. id .. " +p +k1 +active", out)
    local _, events = command.events { "jobs", path, "--json", "--where", "activity=work" }
    assert.equal(1, #events)
    assert.same({ "work", 0 }, { events[1].activity_id, events[1].retries })
    assert.equal("no tasks\n", select(2, command.run { "tasks", path, "--where", "key=other" }))
  end)

  it("show an instance: tokens, what they wait for, variables", function()
    local dir <close> = command.folder()
    local path, id = broken_store(dir)
    local code, out = command.run { "instances", path, "--show", id }
    assert.equal(0, code)
    for _, text in ipairs { "─ review  Review", "waits review: a user task of nobody", "waits pause: a timer due",
      "waits work: job %d+ failed", "n = 1" } do
      assert.matches(text, out)
    end
    assert.equal(1, (command.run { "instances", path, "--show", "999999999" }))
  end)

  it("say why jobs do not run", function()
    local dir <close> = command.folder()
    local path = broken_store(dir)
    local _, events = command.events { "jobs", path, "--stuck", "--json" }
    local reasons = {}
    local summary = table.remove(events)
    for _, e in ipairs(events) do reasons[e.activity_id] = e.reason end
    assert.same({ work = "no_retries" }, reasons)
    assert.same({ event = "summary", jobs = 2, stuck = 1, ready = 0, taken = 0, not_due = 1, over = 0, kinds = 1,
        reasons = { no_retries = 1 } },
      summary)
    local _, out = command.run { "jobs", path, "--stuck" }
    assert.matches('^1 job  p work  no_retries\n    job %d+ of instance %d+, business key "k1": '
      .. "no retries are left; [^\n]*out of order\n    %-> m", out)
    assert.matches("orrery jobs " .. path .. " %-%-retry all %-%-where activity=work\n", out)
    assert.matches("\n1 job stuck of 2: 1 no_retries\n1 job not due yet\n$", out)
    _, out = command.run { "jobs", path }
    for _, state in ipairs { "waiting", "failed" } do assert.matches(state, out) end
  end)

  it("tell whether an executor of another process takes what is ready", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    local engine <close> = orrery.open(path, { log = "none" })
    engine:deploy { ["p.bpmn"] = model }
    engine:start "p"
    local function summary()
      local _, events = command.events { "jobs", path, "--stuck", "--json", "--where", "activity=work" }
      return { stuck = events[#events].stuck, ready = events[#events].ready, taken = events[#events].taken, reason = events[1].reason }
    end
    assert.same({ stuck = 0, ready = 1, taken = 0 }, summary())
    local said = select(2, command.run { "jobs", path, "--stuck" })
    assert.matches("1 job ready, but no executor runs on this store: orrery work " .. path, said, 1, true)
    assert.is_nil(said:find "no job is stuck")
    engine:start_executor { threads = 1, priority_min = 1 }
    assert.is_true(engine:wait_idle(120))
    assert.same({ stuck = 1, ready = 0, taken = 0, reason = "priority" }, summary())
  end)

  it("change jobs: due date, priority, suspension; retry none that has not failed", function()
    local dir <close> = command.folder()
    local path = broken_store(dir)
    local _, events = command.events { "jobs", path, "--json", "--where", "activity=pause" }
    local id, due = events[1].id, events[1].due
    local function job() return select(2, command.events { "jobs", path, "--json", "--where", "activity=pause" })[1] end
    local code, out = command.run { "jobs", path, "--retry", "all", "--yes" }
    assert.same({ 0, "1 job: 1 retried\n" }, { code, out }) -- the failed one alone
    code, _, out = command.run { "jobs", path, "--retry", id }
    assert.equal(1, code)
    assert.matches("has 3 of its tries left", out)
    assert.same({ 3, due }, { job().retries, job().due })
    assert.equal(0, (command.run { "jobs", path, "--due", id, "--at", "2031-01-01T00:00:00Z" }))
    assert.equal(1924992000, job().due)
    assert.equal(2, (command.run { "jobs", path, "--due", id, "--at", "soon" }))
    assert.equal(2, (command.run { "jobs", path, "--due", id }))
    assert.equal(0, (command.run { "jobs", path, "--prioritize", "all", "--priority", "-7", "--yes" }))
    assert.equal(-7, job().priority)
    assert.equal(0, (command.run { "jobs", path, "--suspend", id }))
    assert.matches("suspended", select(2, command.run { "jobs", path }))
    assert.equal(0, (command.run { "jobs", path, "--activate", id }))
    assert.is_false(job().suspended)
    assert.equal(2, (command.run { "jobs", path, "--stuck", "--retry", "all" }))
    code, _, out = command.run { "jobs", path, "--delete", "all" }
    assert.equal(2, code)
    assert.matches("%-%-delete takes one ID, not all", out)
    assert.matches("waiting", select(2, command.run { "jobs", path }))
  end)

  it("suspend and activate definitions, as the cure says", function()
    local dir <close> = command.folder()
    local path = broken_store(dir)
    local _, definitions = command.events { "definitions", path, "--json" }
    assert.same({ 1, "p" }, { #definitions, definitions[1].key })
    assert.equal(0, (command.run { "definitions", path, "--suspend", definitions[1].id, "--instances" }))
    assert.matches("suspended", select(2, command.run { "definitions", path }))
    assert.matches("activate the process definition with its instances: orrery activate %S+ %-%-definition %d+ %-%-instances\n",
      select(2, command.run { "jobs", path, "--stuck" }))
    assert.equal(0, (command.run { "definitions", path, "--activate", "all", "--instances", "--yes" }))
    assert.matches("1 no_retries\n1 job not due yet", select(2, command.run { "jobs", path, "--stuck" }))
    assert.equal(2, (command.run { "definitions", path, "--instances" }))
  end)

  it("show a page of a long list and say how much is left; all means all", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    do
      local engine <close> = orrery.open(path, { log = "none", durability = "none" })
      engine:register("worker", function() end)
      engine:deploy { ["p.bpmn"] = model }
      engine:transaction(function()
        for i = 1, 120 do engine:start("p", { business_key = "k" .. i }) end
      end)
    end
    local _, out, err = command.run { "instances", path }
    assert.equal(101, select(2, out:gsub("\n", "")))
    assert.matches("^20 more", err)
    _, out, err = command.run { "instances", path, "--offset", "100", "--limit", "20" }
    assert.same({ 21, "" }, { select(2, out:gsub("\n", "")), err })
    local _, events = command.events { "jobs", path, "--stuck", "--json" }
    local summary = table.remove(events)
    assert.same({ 240, 0, 120, 120 }, { summary.jobs, summary.stuck, summary.ready, summary.not_due })
    assert.equal(0, (command.run { "instances", path, "--cancel", "all", "--limit", "5", "--yes" }))
    _, out = command.run { "instances", path, "--cancel", "all", "--yes" }
    assert.equal("115 instances: 115 canceled\n", out)
    assert.equal("no running instances\n", select(2, command.run { "instances", path }))
  end)

  it("repair: an incident's job is retried and executed, and the incident is gone", function()
    local dir <close> = command.folder()
    local path = broken_store(dir)
    local _, incidents = command.events { "incidents", path, "--json" }
    assert.same({ 1, "failed_job" }, { #incidents, incidents[1].type })
    assert.equal(0, (command.run { "incidents", path, "--annotate", incidents[1].id, "--text", "looked at" }))
    assert.equal("looked at", select(2, command.events { "incidents", path, "--json" })[1].annotation)
    assert.equal(2, (command.run { "incidents", path, "--annotate", incidents[1].id }))
    assert.equal("looked at", select(2, command.events { "incidents", path, "--json" })[1].annotation)
    assert.equal(0, (command.run { "incidents", path, "--annotate", incidents[1].id, "--text", "" }))
    assert.is_nil(select(2, command.events { "incidents", path, "--json" })[1].annotation)
    local _, out = command.run { "jobs", path, "--traceback", incidents[1].job_id }
    assert.matches("stack traceback", out)
    assert.equal(0, (command.run { "incidents", path, "--retry", "all", "--yes" }))
    assert.equal("no incidents\n", select(2, command.run { "incidents", path }))
    local code, _, err = command.run { "jobs", path, "--execute", incidents[1].job_id }
    assert.equal(1, code)
    assert.matches("worker.*%-%-lua names a file", err) -- nobody registered it here
    assert.equal(0, (command.run { "jobs", path, "--retry", incidents[1].job_id, "--retries", "2" }))
    assert.equal(0, (command.run { "jobs", path, "--execute", incidents[1].job_id, "--lua", mend(dir) }))
    local engine <close> = orrery.open(path, { log = "none" })
    assert.is_true(engine:instance({}):get "worked")
  end)

  it("complete, claim and assign tasks; suspend, activate and cancel instances", function()
    local dir <close> = command.folder()
    local path, id = broken_store(dir)
    local _, tasks = command.events { "tasks", path, "--json" }
    assert.equal(2, (command.run { "tasks", path, "--claim", tasks[1].id }))
    assert.equal(0, (command.run { "tasks", path, "--claim", tasks[1].id, "--user", "kermit" }))
    local code, _, err = command.run { "tasks", path, "--claim", tasks[1].id, "--user", "fozzie" }
    assert.equal(1, code)
    assert.matches("kermit", err)
    assert.equal(0, (command.run { "instances", path, "--suspend", id }))
    assert.equal(1, (command.run { "tasks", path, "--complete", tasks[1].id }))
    assert.equal(0, (command.run { "instances", path, "--activate", "all", "--yes" }))
    assert.equal(0, (command.run { "tasks", path, "--complete", tasks[1].id, "--set", "approved=true" }))
    assert.equal("no tasks\n", select(2, command.run { "tasks", path }))
    assert.equal(0, (command.run { "instances", path, "--cancel", id, "--reason", "enough" }))
    local engine <close> = orrery.open(path, { log = "none" })
    assert.same({ 0, "enough" }, { engine:count "instances", engine:history_instance(id).delete_reason })
  end)

  it("cancel an instance whose listeners are no more", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/deaf"
    local engine = orrery.open(path, { log = "none" })
    engine:deploy { ["deaf.bpmn"] = command.model [[<startEvent id="s"/><sequenceFlow id="f" sourceRef="s"
      targetRef="a"/><userTask id="a"><extensionElements><camunda:taskListener event="delete" class="gone.for.good"/>
      </extensionElements></userTask>]] }
    local id = engine:start("p").id
    engine:close()
    assert.equal(1, (command.run { "instances", path, "--cancel", id }))
    assert.equal(2, (command.run { "instances", path, "--skip-listeners" }))
    assert.equal(0, (command.run { "instances", path, "--cancel", id, "--skip-listeners" }))
    assert.equal("no running instances\n", select(2, command.run { "instances", path }))
  end)

  it("take an instance's business key where they ask for it, and find by variables", function()
    local dir <close> = command.folder()
    local path, id = broken_store(dir)
    local _, out = command.run { "instances", path, "--show", "k1" }
    assert.matches('^instance ' .. id .. ' of p version 1, business key "k1", active, since ', out)
    local function ids(...)
      local _, events = command.events { ... }
      local found = {}
      for i, e in ipairs(events) do found[i] = e.instance_id or e.id end
      return found
    end
    for _, verb in ipairs { "tasks", "incidents" } do
      assert.same({ id }, ids(verb, path, "--instance", "k1", "--json"))
      assert.equal(1, (command.run { verb, path, "--instance", "k2" }))
    end
    assert.equal(2, #ids("jobs", path, "--instance", id, "--json"))
    for variable, count in pairs { ["n=1"] = 1, ["n>=1"] = 1, ["n>1"] = 0, ["n!=1"] = 0, ["n<2"] = 1, ["n=2"] = 0, ['n="1"'] = 0 } do
      assert.equal(count, #ids("instances", path, "--variable", variable, "--json"), variable)
      assert.equal(count, #ids("tasks", path, "--variable", variable, "--json"), variable)
    end
    assert.equal(2, (command.run { "instances", path, "--variable", "n" }))
    assert.matches("^Review  review of p",
      (select(2, command.run { "tasks", path, "--show", "k1" })))
    assert.matches("claimed by kermit",
      (select(2, command.run { "tasks", path, "--claim", "k1", "--user", "kermit" })))
    assert.equal(0, (command.run { "tasks", path, "--complete", "k1" }))
    local none, _, why = command.run { "tasks", path, "--complete", "k1" }
    assert.same({ 1, true }, { none, why:find "instance %d+ has no task" ~= nil })
    assert.equal(0, (command.run { "instances", path, "--cancel", "k1" }))
    local code, _, err = command.run { "instances", path, "--show", "k1" }
    assert.equal(1, code)
    assert.matches("instance " .. id .. " has ended: terminated at ", err)
  end)

  it("show the business key of what jobs, incidents and tasks belong to", function()
    local dir <close> = command.folder()
    local path, id = broken_store(dir)
    for _, verb in ipairs { "jobs", "incidents", "tasks" } do
      local _, events = command.events { verb, path, "--json", "--where", "business_key=k1" }
      assert.equal("k1", events[1].business_key, verb)
      local _, out = command.run { verb, path }
      assert.matches("INSTANCE +BUSINESS KEY", out, verb)
      assert.matches(id .. " +k1 ", out, verb)
      assert.matches("^no ", select(2, command.run { verb, path, "--where", "business_key=k2" }),
        verb)
    end
    local _, out = command.run { "jobs", path, "--retry", "all", "--dry-run" }
    assert.matches(" k1 ", out)
    assert.matches(id .. " +k1 ", select(2, command.run { "incidents", path, "--groups" }))
    assert.matches("of instance " .. id .. ', business key "k1": no retries', select(2,
      command.run { "jobs", path, "--stuck" }))
  end)

  it("say how a variable is asked for, where a filter names one", function()
    local dir <close> = command.folder()
    local path = broken_store(dir)
    local function complaint(...)
      local code, out, err = command.run { ... }
      assert.same({ 2, "" }, { code, out })
      return err:match "[^\n]*"
    end
    local mine = "--where variables.n: a variable is no field; did you mean --variable n=1?"
    for _, words in ipairs { { "instances" }, { "tasks" }, { "external" }, { "history" },
      { "instances", "--suspend", "all", "--yes" } } do
      table.insert(words, 2, path)
      words[#words + 1], words[#words + 2] = "--where", "variables.n=1"
      assert.equal(("orrery %s: %s"):format(words[1], mine), complaint(table.unpack(words)))
    end
    assert.equal("orrery suspend: " .. mine, complaint("suspend", path, "--where", "variables.n=1"))
    assert.equal("orrery batch: " .. mine, complaint("batch", path, "--do", "suspend", "--where",
      "variables.n=1"))
    assert.equal("orrery jobs: --where variables.n: jobs have no variables; "
      .. "'orrery instances' has --variable n=x",
      complaint("jobs", path, "--where", "variables.n=x"))
    for verb, more in pairs { history = {}, suspend = { "--dry-run" }, batch = { "--do", "suspend",
      "--dry-run" },
      modify = { "all", "--cancel", "review", "--dry-run" } } do
      for value, found in pairs { [1] = true, [2] = false } do
        local words = table.move(more, 1, #more, 3, { verb, path })
        words[#words + 1], words[#words + 2] = "--variable", "n=" .. value
        local _, out = command.run(words)
        assert.equal(found, out:find(verb == "history" and "k1" or "1 instance", 1, true) ~= nil,
          verb .. out)
      end
    end
  end)

  it("say which tasks an instance has when it has several", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    do
      local engine <close> = orrery.open(path, { log = "none" })
      engine:deploy { ["p.bpmn"] = command.model [[<startEvent id="s"/>
        <sequenceFlow id="f1" sourceRef="s" targetRef="a"/><userTask id="a"/>
        <sequenceFlow id="f2" sourceRef="s" targetRef="b"/><userTask id="b"/>]] }
      engine:start("p", { business_key = "k1" })
    end
    local code, _, err = command.run { "tasks", path, "--complete", "k1" }
    assert.equal(2, code)
    assert.matches('"k1" has several tasks: a %(%d+%), b %(%d+%)', err)
  end)

  it("read times alike wherever they ask for one", function()
    local dir <close> = command.folder()
    local path = broken_store(dir)
    local function found(filter)
      return #select(2, command.events { "jobs", path, "--where", filter, "--json" })
    end
    for filter, count in pairs { ["created_after=yesterday"] = 2, ["created_before=yesterday"] = 0,
      ["created_after=2h"] = 2, ["created_before=PT2H"] = 0, ["created_after=+2h"] = 0,
      ["due_before=2d"] = 1, ["due_before=-2d"] = 0, ["due_after=today"] = 1 } do
      assert.equal(count, found(filter), filter)
    end
    local function moved(at)
      assert.equal(0, (command.run { "jobs", path, "--due", "all", "--yes", "--at", at, "--where",
        "activity=pause" }))
      local _, jobs = command.events { "jobs", path, "--where", "activity=pause", "--json" }
      return (jobs[1].due - os.time()) / 3600
    end
    for at, hours in pairs { ["2h"] = 2, ["+2h"] = 2, PT2H = 2, ["-PT2H"] = -2 } do
      assert.near(hours, moved(at), 0.5, at)
    end
    local code, _, err = command.run { "jobs", path, "--where", "due_before=soon" }
    assert.equal(2, code)
    assert.matches("soon", err)
  end)

  it("show what is broken by its cause, why a job waits, whose a task may be", function()
    local dir <close> = command.folder()
    local path, id = broken_store(dir)
    local _, groups = command.events { "incidents", path, "--groups", "--json" }
    assert.same({ 1, 1, "p", 1, "work", id }, { #groups, groups[1].count, groups[1].definition_key, groups[1].version, groups[1].activity,
      groups[1].instance })
    assert.matches("out of order", groups[1].message)
    assert.equal("no incidents\n", select(2, command.run { "incidents", path, "--groups", "--where", "activity=pause" }))
    local code, _, err = command.run { "incidents", path, "--groups", "--offset", "1" }
    assert.equal(2, code)
    assert.matches("%-%-offset does not go with %-%-groups", err)
    local _, incidents = command.events { "incidents", path, "--json" }
    assert.matches("stack traceback", select(2, command.run { "incidents", path, "--traceback", incidents[1].id }))
    local _, jobs = command.events { "jobs", path, "--json", "--where", "activity=pause" }
    assert.matches("not_due: .*\n    %-> ", select(2, command.run { "jobs", path, "--why", jobs[1].id }))
    code, _, err = command.run { "jobs", path, "--why", "k1" }
    assert.same({ 2, true }, { code, err:find("several jobs: .*" .. jobs[1].id) ~= nil })
    assert.equal(1, (command.run { "jobs", path, "--why", "k2" }))
    assert.equal(0, (command.run { "jobs", path, "--delete", jobs[1].id }))
    assert.matches("no_retries: ", select(2, command.run { "jobs", path, "--why", "k1" }))
    local _, tasks = command.events { "tasks", path, "--json" }
    local _, out = command.run { "tasks", path, "--show", tasks[1].id }
    assert.matches("^Review  review of p, instance " .. id .. "\n", out)
    assert.matches("\n{ n = 1 }\n$", out)
    assert.equal(1, (command.run { "tasks", path, "--show", "1" }))
    _, out, err = command.run { "jobs", path, "--retry", "all", "--yes" }
    assert.equal("1 job: 1 retried\n", out)
    assert.matches("no executor runs on this store", err)
  end)

  it("list decisions, and delete a version", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    local function answer(text)
      return { ["a.dmn"] = ([[<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="f" name="f" namespace="urn:spec">
        <decision id="d" name="The answer"><literalExpression><text>%s</text></literalExpression></decision></definitions>]]):format(text) }
    end
    do
      local engine <close> = orrery.open(path, { log = "none" })
      engine:deploy(answer "1")
      engine:deploy(answer "2")
    end
    local _, events = command.events { "decisions", path, "--json" }
    local versions = {}
    for _, event in ipairs(events) do versions[#versions + 1] = event.version end
    assert.same({ 1, 2 }, versions)
    assert.matches("ID +KEY +VERSION.*\n%S+ +d +1 +The answer +decision", select(2, command.run { "decisions", path }))
    assert.equal(0, (command.run { "decisions", path, "--delete", events[2].id }))
    local engine <close> = orrery.open(path, { log = "none" })
    assert.equal(1, engine:decide("d", {}))
  end)

  it("verify a store, and find what is wrong with a damaged one", function()
    local dir <close> = command.folder()
    local path = broken_store(dir)
    assert.same({ 0, "the store is sound\n", "" }, { command.run { "verify", path } })
    local file = assert(io.open(path .. "/data.mdb", "r+b"))
    file:seek("set", 0)
    file:write(("\255"):rep(8192))
    file:close()
    local code, _, err = command.run { "verify", path }
    assert.equal(1, code)
    assert.not_equal("", err)
  end)
end)
