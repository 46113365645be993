-- Races between two commands (reliability A6), each in all 70 orders of their steps {read, validate, commit, acknowledge}. A command that
-- reads after the other has committed sees its work; else their revisions decide. Whatever the order: the store stays sound, who is told
-- "ok" has its effect there, who is told otherwise has none.
local races = require("orrery_inside").races

local STEPS = { "read", "validate", "commit", "acknowledge" }

-- Every sequence of four "a" and four "b".
local function orders()
  local out = {}
  local function extend(text, a, b)
    if a + b == 8 then out[#out + 1] = text end
    if a < 4 then extend(text .. "a", a + 1, b) end
    if b < 4 then extend(text .. "b", a, b + 1) end
  end
  extend("", 0, 0)
  return out
end

-- Runs two commands in one order; their answers.
local function run(commands, order)
  local at, answers = { a = 0, b = 0 }, {}
  for who in order:gmatch "." do
    at[who] = at[who] + 1
    answers[who] = commands[who][STEPS[at[who]]](commands[who]) or answers[who]
  end
  return answers.a, answers.b
end

local head = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  targetNamespace="spec"><message id="m" name="order"/><signal id="sig" name="alarm"/><process id="p" isExecutable="true">
  <startEvent id="s"/>]]

local function engine_with(elements, flows)
  local engine, text = races.open(), { head, elements }
  for from, to in flows:gmatch "(%S+)%s*%->%s*(%S+)" do
    text[#text + 1] = ('<sequenceFlow id="%s-%s" sourceRef="%s" targetRef="%s"/>'):format(from, to, from, to)
  end
  engine:deploy(table.concat(text) .. "</process></definitions>")
  return engine
end

local function one_step(engine, name, arguments)
  local command = engine:command(name, arguments)
  for _, step in ipairs(STEPS) do
    local answer = command[step](command)
    if step == "acknowledge" then return answer end
  end
end

-- What a race is about: `setup(engine)` gives the two commands' names and arguments; `check(engine, a, b, order)` looks at the outcome, and
-- says how much there is that `verify` should find: nothing, unless a command leaves a token stranded.
local function race(name, model, setup, check)
  it(name, function()
    local seen = {}
    for _, order in ipairs(orders()) do
      local engine <close> = engine_with(model[1], model[2])
      assert.equal("ok", one_step(engine, "start", { text = "p" }))
      local a, b, facts = setup(engine)
      local commands = { a = engine:command(a[1], a[2]), b = engine:command(b[1], b[2]) }
      local of_a, of_b = run(commands, order)
      seen[of_a .. "/" .. of_b] = true
      local stranded = check(engine, of_a, of_b, order, facts) or 0
      assert.equal(stranded, engine:verify(), order)
    end
    assert.is_truthy(next(seen, (next(seen))), "all orders end alike: the commands do not race")
  end)
end

local function one_wins(of_a, of_b, order)
  assert.is_true((of_a == "ok") ~= (of_b == "ok"), ("%s: %s, %s"):format(order, of_a, of_b))
end

local function at_least_one(of_a, of_b, order)
  assert.is_true(of_a == "ok" or of_b == "ok", ("%s: %s, %s"):format(order, of_a, of_b))
end

local function only(list)
  assert.equal(1, #list)
  return list[1]
end

local function job_id(engine) return only(engine:list "jobs").id end
local function instance_id(engine) return only(engine:list "instances").id end

local function value_of(engine, name)
  for _, row in ipairs(engine:list "history_variables") do
    if row.name == name then return row.value end
  end
end

local ASYNC = { '<serviceTask id="t" camunda:class="work" camunda:asyncBefore="true"/><userTask id="u"/>', "s -> t t -> u" }
local USER = { '<userTask id="u"/><endEvent id="e"/>', "s -> u u -> e" }

-- Takes the job for "x" first, as a worker would have it.
local function locked_job(engine)
  local id = job_id(engine)
  assert.equal("ok", one_step(engine, "lock_job", { id = id, text = "x" }))
  return id
end

describe("Races of jobs", function()
  race("two runs of one job: its effect is committed once", ASYNC, function(engine)
    local id = job_id(engine)
    return { "run_job", { id = id } }, { "run_job", { id = id } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.same({ 1, 0, 1 }, { value_of(engine, "n"), #engine:list "jobs", #engine:list "tasks" }, order)
  end)

  race("two acquisitions of one job: one gets it, the other nothing", ASYNC, function(engine)
    local id = job_id(engine)
    return { "lock_job", { id = id, text = "x" } }, { "lock_job", { id = id, text = "y" } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    local job = only(engine:list "jobs")
    assert.is_true(job.lock_owner == "x" and a == "ok" or job.lock_owner == "y" and b == "ok", order)
    assert.equal(3, job.retries)
  end)

  race("a run whose lock has expired and the second owner's: one commits", ASYNC, function(engine)
    local id = locked_job(engine)
    return { "run_job", { id = id, text = "x" } }, { "run_job", { id = id, text = "x" } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.equal(1, value_of(engine, "n"), order)
  end)

  race("suspend and run", ASYNC, function(engine)
    local id = locked_job(engine)
    return { "suspend_job", { id = id, number = 1 } }, { "run_job", { id = id, text = "x" } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.equal(b == "ok" and 1 or nil, value_of(engine, "n"), order)
    if a == "ok" then assert.same({ true, 3 }, { only(engine:list "jobs").suspended, only(engine:list "jobs").retries }) end
  end)

  race("suspend the instance and run", ASYNC, function(engine)
    local id = locked_job(engine)
    return { "suspend_instance", { id = instance_id(engine), number = 1 } }, { "run_job", { id = id, text = "x" } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    assert.equal(b == "ok" and 1 or nil, value_of(engine, "n"), order)
  end)

  race("suspend and acquire: never a suspended job with an owner", ASYNC, function(engine)
    local id = job_id(engine)
    return { "suspend_job", { id = id, number = 1 } }, { "lock_job", { id = id, text = "x" } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    local job = only(engine:list "jobs")
    assert.is_false(job.suspended == true and job.lock_owner ~= nil, order)
    assert.equal(a == "ok", job.suspended, order)
  end)

  race("a new priority while the job runs", ASYNC, function(engine)
    local id = locked_job(engine)
    return { "set_priority", { id = id, number = 9 } }, { "run_job", { id = id, text = "x" } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    if b ~= "ok" then
      assert.same({ 9, 3, "x" }, { only(engine:list "jobs").priority, only(engine:list "jobs").retries,
        only(engine:list "jobs").lock_owner })
    end
  end)

  race("suspend and a new priority: whoever is told ok has its effect", ASYNC, function(engine)
    local id = job_id(engine)
    return { "suspend_job", { id = id, number = 1 } }, { "set_priority", { id = id, number = 9 } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    local job = only(engine:list "jobs")
    assert.same({ a == "ok", b == "ok" and 9 or 0 }, { job.suspended, job.priority }, order)
  end)

  race("delete and run", ASYNC, function(engine)
    local id = job_id(engine)
    return { "delete_job", { id = id } }, { "run_job", { id = id } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.equal(0, #engine:list "jobs", order)
    assert.equal(b == "ok" and 1 or nil, value_of(engine, "n"), order)
    return a == "ok" and 1 or 0
  end)

  race("new retries and run", ASYNC, function(engine)
    local id = locked_job(engine)
    return { "set_retries", { id = id, number = 7 } }, { "run_job", { id = id, text = "x" } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    if b ~= "ok" then assert.equal(7, only(engine:list "jobs").retries, order) end
  end)

  race("the instance is deleted while its job runs", ASYNC, function(engine)
    local id = locked_job(engine)
    return { "delete_instance", { id = instance_id(engine) } }, { "run_job", { id = id, text = "x" } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    assert.equal(a == "ok" and 0 or 1, #engine:list "instances", order)
    if a == "ok" then assert.equal(0, #engine:list "jobs" + #engine:list "tasks", order) end
  end)

  race("suspending the definition and a new job of a start", ASYNC, function()
    return { "suspend_definition", { text = "p", number = 1 } }, { "start", { text = "p" } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    assert.equal(b == "ok" and 2 or 1, #engine:list "instances", order)
    assert.equal(a == "ok", only(engine:list "definitions").suspended, order)
  end)

  local parallel = { '<parallelGateway id="fork"/>' ..
    '<serviceTask id="a" camunda:class="work" camunda:asyncBefore="true" camunda:exclusive="false"/>' ..
    '<serviceTask id="b" camunda:class="work" camunda:asyncBefore="true" camunda:exclusive="false"/><parallelGateway id="join"/>' ..
    '<userTask id="u"/>',
    "s -> fork fork -> a fork -> b a -> join b -> join join -> u" }
  local function two_jobs(engine)
    local jobs = engine:list "jobs"
    assert.equal(2, #jobs)
    return jobs[1].id, jobs[2].id
  end

  race("two jobs that end at one join: the loser keeps its retries and passes later", parallel, function(engine)
    local first, second = two_jobs(engine)
    return { "run_job", { id = first } }, { "run_job", { id = second } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    for _, job in ipairs(engine:list "jobs") do assert.same({ 3, nil }, { job.retries, job.lock_owner }, order) end
    engine:run_jobs()
    assert.same({ 1, 2, 0 }, { #engine:list "tasks", value_of(engine, "n"), engine:verify() }, order)
  end)

  local exclusive = { (parallel[1]:gsub(' camunda:exclusive="false"', "")), parallel[2] }
  race("two owners that acquire exclusive jobs of one instance: one gets its job", exclusive, function(engine)
    local first, second = two_jobs(engine)
    return { "lock_job", { id = first, text = "x" } }, { "lock_job", { id = second, text = "y" } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    local owners = 0
    for _, job in ipairs(engine:list "jobs") do owners = owners + (job.lock_owner and 1 or 0) end
    assert.equal(1, owners, order)
  end)

  local boundaries = { '<userTask id="u"/><boundaryEvent id="x" attachedToRef="u"><timerEventDefinition>'
    .. '<timeDuration>PT1S</timeDuration>' ..
    '</timerEventDefinition></boundaryEvent><boundaryEvent id="y" attachedToRef="u" cancelActivity="false"><timerEventDefinition>' ..
    '<timeDuration>PT1S</timeDuration></timerEventDefinition></boundaryEvent><userTask id="ux"/><userTask id="uy"/>',
    "s -> u x -> ux y -> uy" }
  race("an interrupting and a non-interrupting boundary timer, due together", boundaries, function(engine)
    engine:advance(1000)
    local first, second = two_jobs(engine)
    return { "run_job", { id = first } }, { "run_job", { id = second } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    engine:run_jobs()
    local keys = {}
    for _, task in ipairs(engine:list "tasks") do keys[task.key] = (keys[task.key] or 0) + 1 end
    assert.same({ nil, 1, 0 }, { keys.u, keys.ux, #engine:list "jobs" }, order)
    assert.is_true((keys.uy or 0) <= 1, order)
  end)
end)

describe("Races of tokens", function()
  race("a task is completed twice", USER, function(engine)
    local id = only(engine:list "tasks").id
    return { "complete", { id = id } }, { "complete", { id = id } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.equal(0, #engine:list "instances", order)
  end)

  race("a task is claimed by two users", USER, function(engine)
    local id = only(engine:list "tasks").id
    return { "claim", { id = id, text = "ann" } }, { "claim", { id = id, text = "bob" } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.equal(a == "ok" and "ann" or "bob", only(engine:list "tasks").assignee, order)
  end)

  race("complete and delete the instance", USER, function(engine)
    return { "complete", { id = only(engine:list "tasks").id } }, { "delete_instance", { id = instance_id(engine) } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.equal(a == "ok" and "completed" or "terminated", only(engine:list "history_instances").state, order)
  end)

  race("suspend and complete", USER, function(engine)
    return { "suspend_instance", { id = instance_id(engine), number = 1 } }, { "complete", { id = only(engine:list "tasks").id } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    assert.equal(b == "ok" and 0 or 1, #engine:list "instances", order)
    if b ~= "ok" then assert.is_true(only(engine:list "instances").suspended, order) end
  end)

  local fork = { '<parallelGateway id="fork"/><userTask id="a"/><userTask id="b"/><parallelGateway id="join"/><userTask id="u"/>',
    "s -> fork fork -> a fork -> b a -> join b -> join join -> u" }
  race("the last two tokens reach a join: it opens once, and not without both", fork, function(engine)
    local tasks = engine:list "tasks"
    return { "complete", { id = tasks[1].id } }, { "complete", { id = tasks[2].id } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    assert.equal(1, #engine:list "tasks", order)
    assert.equal(a == "ok" and b == "ok", only(engine:list "tasks").key == "u", order)
  end)

  local ends = { '<parallelGateway id="fork"/><userTask id="a"/><userTask id="b"/><endEvent id="e"/>',
    "s -> fork fork -> a fork -> b a -> e b -> e" }
  race("the last two tokens end: the instance ends with the second", ends, function(engine)
    local tasks = engine:list "tasks"
    return { "complete", { id = tasks[1].id } }, { "complete", { id = tasks[2].id } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    assert.equal(a == "ok" and b == "ok" and 0 or 1, #engine:list "instances", order)
  end)

  local receive = { '<intermediateCatchEvent id="c"><signalEventDefinition signalRef="sig"/></intermediateCatchEvent><userTask id="u"/>',
    "s -> c c -> u" }
  race("two signals to one execution: it goes on once", receive, function()
    return { "signal", { text = "alarm" } }, { "signal", { text = "alarm" } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    assert.equal(1, #engine:list "tasks", order)
  end)
end)

describe("Races of messages", function()
  local receive = { '<receiveTask id="r" messageRef="m"/><serviceTask id="t" camunda:class="work"/><userTask id="u"/>',
    "s -> r r -> t t -> u" }
  race("one message twice: one receiver, one delivery", receive, function(engine)
    local id = instance_id(engine)
    return { "message", { id = id, text = "order" } }, { "message", { id = id, text = "order" } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.same({ 1, 1 }, { #engine:list "tasks", value_of(engine, "n") }, order)
  end)

  race("a message and the end of its receiver", receive, function(engine)
    local id = instance_id(engine)
    return { "message", { id = id, text = "order" } }, { "delete_instance", { id = id } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    assert.equal(b == "ok" and 0 or 1, #engine:list "instances", order)
    if b == "ok" then assert.equal(0, #engine:list "subscriptions" + #engine:list "tasks", order) end
  end)

  local boundary = { '<userTask id="u"/><boundaryEvent id="x" attachedToRef="u"><messageEventDefinition messageRef="m"/></boundaryEvent>'
    .. '<userTask id="v"/>',
    "s -> u x -> v" }
  race("a boundary message and the completion of its activity", boundary, function(engine)
    return { "message", { id = instance_id(engine), text = "order" } }, { "complete", { id = only(engine:list "tasks").id } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.equal(a == "ok" and 1 or 0, #engine:list "tasks", order)
  end)
end)

describe("Races of variables", function()
  race("one variable made twice: its last writer was told ok", USER, function(engine)
    local id = instance_id(engine)
    return { "set_variable", { id = id, text = "v", number = 1 } }, { "set_variable", { id = id, text = "v", number = 2 } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    local value = value_of(engine, "v")
    assert.is_true(value == 1 and a == "ok" or value == 2 and b == "ok", order)
  end)

  race("one variable updated twice", USER, function(engine)
    local id = instance_id(engine)
    assert.equal("ok", one_step(engine, "set_variable", { id = id, text = "v", number = 0 }))
    return { "set_variable", { id = id, text = "v", number = 1 } }, { "set_variable", { id = id, text = "v", number = 2 } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    local value = value_of(engine, "v")
    assert.is_true(value == 1 and a == "ok" or value == 2 and b == "ok", order)
  end)

  race("a task's variable and its completion", USER, function(engine)
    return { "set_variable", { id = instance_id(engine), text = "v", number = 1 } }, { "complete", { id = only(engine:list "tasks").id } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    if b == "ok" then assert.equal(0, #engine:list "instances", order) end
    assert.equal(a == "ok" and 1 or nil, value_of(engine, "v"), order)
  end)

  race("a variable and the deletion of its instance", USER, function(engine)
    local id = instance_id(engine)
    return { "set_variable", { id = id, text = "v", number = 1 } }, { "delete_instance", { id = id } }
  end, function(engine, a, b, order)
    at_least_one(a, b, order)
    if b == "ok" then assert.equal(0, #engine:list "instances", order) end
  end)
end)

describe("Races of external tasks", function()
  local external = { '<serviceTask id="t" camunda:type="external" camunda:topic="orders"/><userTask id="u"/>', "s -> t t -> u" }
  local function task_id(engine) return only(engine:list "external_tasks").id end

  race("two workers lock one task", external, function(engine)
    local id = task_id(engine)
    return { "external_lock", { id = id, text = "w1" } }, { "external_lock", { id = id, text = "w2" } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.equal(a == "ok" and "w1" or "w2", only(engine:list "external_tasks").worker, order)
  end)

  race("one task is completed twice", external, function(engine)
    local id = task_id(engine)
    assert.equal("ok", one_step(engine, "external_lock", { id = id, text = "w1" }))
    return { "external_complete", { id = id, text = "w1" } }, { "external_complete", { id = id, text = "w1" } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.equal(1, #engine:list "tasks", order)
  end)

  race("an expired lock: the new worker's lock and the old one's completion", external, function(engine)
    local id = task_id(engine)
    assert.equal("ok", one_step(engine, "external_lock", { id = id, text = "w1" }))
    engine:advance(60001)
    return { "external_lock", { id = id, text = "w2" } }, { "external_complete", { id = id, text = "w1" } }
  end, function(engine, a, b, order)
    one_wins(a, b, order)
    assert.equal(b == "ok" and 1 or 0, #engine:list "tasks", order)
  end)
end)
