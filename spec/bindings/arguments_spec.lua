-- Bad arguments to every verb of the Lua API: each is refused by its kind, the message names what is wrong, and nothing has changed.
local orrery = require "orrery"
local fixture = require "spec.bindings.fixture"

local LONG = ("n"):rep(256)
local cycle = {}
cycle.again = { cycle }
local deep = {}
for _ = 1, 300 do deep = { deep } end
local callback = { order = { items = { 1, 2, { cb = print } } } }
local NO_ID = "9007199254740993"

-- { what, kind, what the message names, call }; `f` is the fixture: its engine, and one of each thing in it.
local function arg(names, call) return { "argument", names, call } end
local function none(names, call) return { "not_found", names, call } end

local cases = {
  open = {
    ["a path that is no text"] = arg("#1 to 'open'", function() orrery.open(7) end),
    ["a path with a zero byte"] = arg("zero bytes", function() orrery.open "a\0b" end),
    ["options that are no table"] = arg("#2 to 'open'", function() orrery.open(nil, "fast") end),
    ["an unknown option"] = arg('did you mean "durability"', function() orrery.open(nil, { durabilty = "none" }) end),
    ["an option's unknown option"] = arg('did you mean "threads"', function() orrery.open(nil, { executor = { thread = 2 } }) end),
    ["an acquisition's unknown option"] = arg('did you mean "lock_time"', function()
      orrery.open(nil, { acquisition = { locktime = 2 } })
    end),
    ["a sandbox's unknown option"] = arg('did you mean "memory"', function() orrery.open(nil, { sandbox = { memry = 2 } }) end),
    ["an unknown word"] = arg("durability: one of commit, none", function() orrery.open(nil, { durability = "some" }) end),
    ["an unknown history level"] = arg('history: "much"', function() orrery.open(nil, { history = "much" }) end),
    ["an unknown dialect"] = arg('dialect: "klingon"', function() orrery.open(nil, { dialect = "klingon" }) end),
    ["negative retries"] = arg("retries", function() orrery.open(nil, { retries = -1 }) end),
    ["no retries"] = arg("retries: 0 is none; it must be above 0, or nil", function() orrery.open(nil, { retries = 0 }) end),
    ["an acquisition of none"] = arg("queue_size: 0 is none", function() orrery.open(nil, { acquisition = { queue_size = 0 } }) end),
    ["an executor without threads"] = arg("threads: 0 is none", function() orrery.open(nil, { executor = { threads = 0 } }) end),
    ["a shared executor without threads"] = arg("threads: 0 is none", function() orrery.executor { threads = 0 } end),
    ["retries that are no integer"] = arg("retries", function() orrery.open(nil, { retries = 1.5 }) end),
    ["a retry cycle that is none"] = arg("retry_time_cycle", function() orrery.open(nil, { retry_time_cycle = "soon" }) end),
    ["a zone there is not"] = arg("Middle/Earth", function() orrery.open(nil, { time_zone = "Middle/Earth" }) end),
    ["a zone outside its folder"] = arg("../etc", function() orrery.open(nil, { time_zone = "../etc" }) end),
    ["a time that is none"] = arg("now", function() orrery.open(nil, { clock = "manual", now = "2026-13-01" }) end),
    ["a log that is none"] = arg("log", function() orrery.open(nil, { log = "shout" }) end),
    ["a log of a wrong type"] = arg("function expected", function() orrery.open(nil, { log = 3 }) end),
    ["a name of a wrong type"] = arg("name", function() orrery.open(nil, { name = {} }) end),
    ["a flag that is none"] = arg("produce_prioritized_jobs", function() orrery.open(nil, { produce_prioritized_jobs = "yes" }) end),
  },
  times = {
    ["no time"] = arg("2026-13-01", function() orrery.parse_time "2026-13-01" end),
    ["a time of a wrong type"] = arg("parse_time", function() orrery.parse_time {} end),
    ["no duration"] = arg("P1H", function() orrery.parse_duration "P1H" end),
    ["a duration of a wrong type"] = arg("parse_duration", function() orrery.parse_duration() end),
    ["a number that is no time"] = arg("\"now\"", function() orrery.format_time "now" end),
    ["a time out of range"] = arg("range", function() orrery.format_time(1e300) end),
  },
  clock = {
    ["no time"] = arg("2026-02-30", function(f) f.engine:set_time "2026-02-30" end),
    ["a time of a wrong type"] = arg("time expected, got boolean", function(f) f.engine:set_time(true) end),
    ["a time missing"] = arg("set_time", function(f) f.engine:set_time() end),
    ["a time that is no number"] = arg("range", function(f) f.engine:set_time(0 / 0) end),
    ["a time beyond all years"] = arg("9999", function(f) f.engine:set_time(1e12) end),
    ["no duration"] = arg("P1X", function(f) f.engine:advance "P1X" end),
    ["a duration of a wrong type"] = arg("advance", function(f) f.engine:advance {} end),
  },
  ["transaction, as, evaluate"] = {
    ["no function"] = arg("#1 to 'transaction'", function(f) f.engine:transaction() end),
    ["no user"] = arg("#1 to 'as'", function(f) f.engine:as({}, print) end),
    ["no function for a user"] = arg("#2 to 'as'", function(f) f.engine:as "ann" end),
    ["no expression"] = arg("evaluate", function(f) f.engine:evaluate() end),
    ["an unknown option"] = arg('did you mean "variables"', function(f) f.engine:evaluate("${1}", { variable = {} }) end),
    ["variables that are no map"] = arg("variables", function(f) f.engine:evaluate("${a}", { variables = 3 }) end),
    ["an execution there is not"] = none(NO_ID, function(f) f.engine:evaluate("${a}", { execution = NO_ID }) end),
  },
  register = {
    ["no name"] = arg("register", function(f) f.engine:register(nil, print) end),
    ["an empty name"] = arg("name", function(f) f.engine:register("", print) end),
    ["a zero byte"] = arg("zero bytes", function(f) f.engine:register("a\0b", print) end),
    ["a value that is none"] = arg("register", function(f) f.engine:register("n", 42) end),
    ["no task type"] = arg("#1 to 'register_task_type'", function(f) f.engine:register_task_type(nil, print) end),
    ["groups that are no function"] = arg("#1 to 'set_groups'", function(f) f.engine:set_groups {} end),
  },
  deploy = {
    ["no source"] = arg("#1 to 'deploy'", function(f) f.engine:deploy() end),
    ["a file there is not"] = none("no/such.bpmn", function(f) f.engine:deploy "no/such.bpmn" end),
    ["a source of a wrong type"] = arg("#1 to 'deploy'", function(f) f.engine:deploy(7) end),
    ["resources without names"] = arg("resources", function(f) f.engine:deploy { "<xml/>" } end),
    ["a resource that is no text"] = arg("a.bpmn", function(f) f.engine:deploy { ["a.bpmn"] = true } end),
    ["no resources"] = arg("resource", function(f) f.engine:deploy {} end),
    ["options that are no table"] = arg("#2 to 'deploy'", function(f) f.engine:deploy({ ["a.txt"] = "" }, 5) end),
    ["an unknown option"] = arg('did you mean "tenant"', function(f) f.engine:deploy({ ["a.txt"] = "" }, { tennant = "t" }) end),
    ["an unknown way to filter"] = arg("filter_duplicates", function(f)
      f.engine:deploy({ ["a.txt"] = "" }, { filter_duplicates = "some" })
    end),
    ["a time that is none"] = arg("2026-13-01", function(f) f.engine:deploy({ ["a.txt"] = "" }, { activate_at = "2026-13-01" }) end),
    ["a file that is no model"] = { "deployment", "a.bpmn", function(f) f.engine:deploy { ["a.bpmn"] = "no xml" } end },
  },
  repository = {
    ["undeploy without an id"] = arg("undeploy", function(f) f.engine:undeploy() end),
    ["undeploy of a wrong type"] = arg("id expected, got boolean", function(f) f.engine:undeploy(true) end),
    ["undeploy what is not there"] = none(NO_ID, function(f) f.engine:undeploy(NO_ID) end),
    ["undeploy by an id of something else"] = none(nil, function(f) f.engine:undeploy(f.task.id) end),
    ["undeploy with an unknown option"] = arg('did you mean "cascade"', function(f) f.engine:undeploy(NO_ID, { casacde = true }) end),
    ["undeploy with a flag that is none"] = arg("undeploy", function(f) f.engine:undeploy(f.deployment.id, { cascade = 1 }) end),
    ["delete_definition that is not there"] = none(NO_ID, function(f) f.engine:delete_definition(NO_ID) end),
    ["delete_definition with an unknown option"] = arg("cascade", function(f) f.engine:delete_definition(NO_ID, { cascad = true }) end),
    ["a resource of no deployment"] = none(NO_ID, function(f) f.engine:resource(NO_ID, "a") end),
    ["a resource without a name"] = arg("resource", function(f) f.engine:resource(f.deployment.id) end),
    ["a resource there is not"] = none("nope.txt", function(f) f.engine:resource(f.deployment.id, "nope.txt") end),
    ["suspend_definition there is not"] = none("nope", function(f) f.engine:suspend_definition { key = "nope" } end),
    ["suspend_definition of nothing"] = arg("definition", function(f) f.engine:suspend_definition {} end),
    ["suspend_definition by a key alone"] = arg('every version of a key is { key = "p" }', function(f)
      f.engine:suspend_definition "p"
    end),
    ["suspend_definition by an unknown key"] = arg('did you mean "key"', function(f) f.engine:suspend_definition { kye = "p" } end),
    ["suspend_definition with an unknown option"] = arg('did you mean "instances"', function(f)
      f.engine:suspend_definition({ key = "p" }, { instance = true })
    end),
    ["suspend_definition at no time"] = arg("tomorrow", function(f) f.engine:suspend_definition({ key = "p" }, { at = "tomorrow" }) end),
    ["suspend_instances by an unknown key"] = arg("definition_key", function(f) f.engine:suspend_instances { definition_ky = "p" } end),
    ["suspend_instances of none in particular"] = arg("criterion", function(f) f.engine:suspend_instances {} end),
    ["suspend_instances of a key that nothing has"] = none('"nope"', function(f)
      f.engine:suspend_instances { definition_key = "nope" }
    end),
    ["activate_instances of a definition there is not"] = none("no such definition", function(f)
      f.engine:activate_instances { definition_id = tostring(1 << 40) }
    end),
    ["activate_instances of none in particular"] = arg("criterion", function(f) f.engine:activate_instances() end),
    ["suspend_jobs of none in particular"] = arg("criterion", function(f) f.engine:suspend_jobs { job_definition = nil } end),
    ["activate_jobs by an unknown key"] = arg("instance", function(f) f.engine:activate_jobs { instnce = "p" } end),
    ["register_deployment of a wrong type"] = arg("register_deployment", function(f) f.engine:register_deployment {} end),
  },
  start = {
    ["no key"] = arg("#1 to 'start'", function(f) f.engine:start() end),
    ["a key there is not"] = none("nope", function(f) f.engine:start "nope" end),
    ["a key that is too long"] = none("n", function(f) f.engine:start(LONG) end),
    ["a version there is not"] = none("p", function(f) f.engine:start("p", { version = 99 }) end),
    ["version 0"] = arg("version: 0 is none", function(f) f.engine:start("p", { version = 0 }) end),
    ["a decision's version 0"] = arg("version: 0 is none", function(f) f.engine:decide("d", {}, { version = 0 }) end),
    ["a batch in steps of none"] = arg("size: 0 is none", function(f) f.engine:batch { action = "retry", size = 0 } end),
    ["a negative version"] = none("p", function(f) f.engine:start("p", { version = -1 }) end),
    ["a tenant there is not"] = none("t", function(f) f.engine:start("p", { tenant = "t" }) end),
    ["a start event there is not"] = arg("nope", function(f) f.engine:start("p", { start_event = "nope" }) end),
    ["options that are no table"] = arg("#2 to 'start'", function(f) f.engine:start("p", 1) end),
    ["an unknown option"] = arg('did you mean "business_key"', function(f) f.engine:start("p", { bussiness_key = "b" }) end),
    ["a business key of a wrong type"] = arg("business_key", function(f) f.engine:start("p", { business_key = 1 }) end),
    ["variables that are no map"] = arg("variables", function(f) f.engine:start("p", { variables = "a" }) end),
    ["an array of variables"] = arg("variables", function(f) f.engine:start("p", { variables = { 1, 2 } }) end),
    ["a function among the variables"] = arg("order.items[3].cb", function(f) f.engine:start("p", { variables = callback }) end),
    ["a cycle"] = arg("order.again[1]", function(f) f.engine:start("p", { variables = { order = cycle } }) end),
    ["a nesting without an end"] = arg("deep", function(f) f.engine:start("p", { variables = { deep = deep } }) end),
    ["keys of two kinds"] = arg("mixed", function(f) f.engine:start("p", { variables = { mixed = { 1, a = 2 } } }) end),
    ["an array with holes"] = arg("holes", function(f) f.engine:start("p", { variables = { holes = { 1, [5] = 2 } } }) end),
    ["a key that is no text"] = arg("flags", function(f) f.engine:start("p", { variables = { flags = { [true] = 1 } } }) end),
    ["a variable's name that is too long"] = arg("255", function(f) f.engine:start("p", { variables = { [LONG] = 1 } }) end),
    ["a variable without a name"] = arg("name", function(f) f.engine:start("p", { variables = { [""] = 1 } }) end),
    ["a thread among the transient variables"] = arg("transient", function(f)
      f.engine:start("p", { transient = { t = coroutine.create(print) } })
    end),
    ["an instruction that is none"] = arg("instruction 1", function(f) f.engine:start("p", { instructions = { { begin = "x" } } }) end),
    ["a definition there is not"] = none(NO_ID, function(f) f.engine:start_by_id(NO_ID) end),
    ["a definition of a wrong type"] = arg("#1 to 'start_by_id'", function(f) f.engine:start_by_id {} end),
    ["a message nobody starts by"] = { "correlation", "nope", function(f) f.engine:start_by_message "nope" end },
    ["no message"] = arg("#1 to 'start_by_message'", function(f) f.engine:start_by_message() end),
  },
  instance = {
    ["get without a name"] = arg("get", function(f) f.instance:get() end),
    ["set without a name"] = arg("set", function(f) f.instance:set(nil, 1) end),
    ["set a name that is too long"] = arg("255", function(f) f.instance:set(LONG, 1) end),
    ["set a function"] = arg("cb", function(f) f.instance:set("cb", print) end),
    ["set_all of no map"] = arg("#1 to 'set_all'", function(f) f.instance:set_all(3) end),
    ["set_all with a cycle"] = arg("c.again[1]", function(f) f.instance:set_all { c = cycle } end),
    ["remove without a name"] = arg("remove", function(f) f.instance:remove() end),
    ["delete for no reason"] = arg("#1 to 'delete'", function(f) f.instance:delete {} end),
    ["modify by nothing"] = arg("#1 to 'modify'", function(f) f.instance:modify() end),
    ["modify by an unknown instruction"] = arg("cancel", function(f) f.instance:modify { { cancle = "ask" } } end),
    ["modify what is not there"] = arg("nope", function(f) f.instance:modify { { start_before = "nope" } } end),
    ["modify by an instance there is not"] = arg(NO_ID, function(f) f.instance:modify { { cancel_instance = NO_ID } } end),
    ["modify with an unknown option"] = arg('did you mean "skip_listeners"', function(f)
      f.instance:modify({ { cancel = "ask" } }, { skip_listener = true })
    end),
  },
  events = {
    ["message with an unknown option"] = arg('did you mean "business_key"', function(f) f.engine:message("m", { busines_key = "b" }) end),
    ["message to nobody"] = { "correlation", "nope", function(f) f.engine:message "nope" end },
    ["message of a wrong type"] = arg("message", function(f) f.engine:message(3) end),
    ["message that is to start, for an instance"] = arg("start", function(f)
      f.engine:message("m", { start = true, instance = f.instance.id })
    end),
    ["message with a match that is no map"] = arg("match", function(f) f.engine:message("m", { match = 1 }) end),
    ["signal without a name"] = arg("signal", function(f) f.engine:signal() end),
    ["signal with an unknown option"] = arg('did you mean "variables"', function(f) f.engine:signal("s", { variable = {} }) end),
    ["signal to an execution there is not"] = none(NO_ID, function(f) f.engine:signal("s", { execution = NO_ID }) end),
    ["trigger what is not there"] = none(NO_ID, function(f) f.engine:trigger(NO_ID) end),
    ["trigger nothing"] = arg("trigger", function(f) f.engine:trigger() end),
    ["trigger what does not wait for it"] = { "state", nil, function(f) f.engine:trigger(f.task.execution_id) end },
    ["conditions with an unknown option"] = arg('did you mean "variables"', function(f)
      f.engine:evaluate_conditions { variabels = {} }
    end),
  },
  task = {
    ["complete with variables that are no map"] = arg("variables", function(f) f.task:complete(3) end),
    ["complete with a function"] = arg("cb", function(f) f.task:complete { cb = print } end),
    ["complete with an unknown option"] = arg('did you mean "local_variables"', function(f)
      f.task:complete(nil, { local_variable = {} })
    end),
    ["claim for a wrong type"] = arg("claim", function(f) f.task:claim {} end),
    ["assign to a wrong type"] = arg("assign", function(f) f.task:assign(5) end),
    ["delegate to nobody"] = arg("delegate", function(f) f.task:delegate() end),
    ["resolve with no map"] = arg("variables", function(f) f.task:resolve "x" end),
    ["update an unknown field"] = arg('did you mean "priority"', function(f) f.task:update { priorty = 1 } end),
    ["update to a wrong type"] = arg("priority", function(f) f.task:update { priority = "high" } end),
    ["update to no time"] = arg("2026-13-01", function(f) f.task:update { due = "2026-13-01" } end),
    ["add_link of no type"] = arg("add_link", function(f) f.task:add_link(nil, { user = "ann" }) end),
    ["add_link to nobody"] = arg("either user or group", function(f) f.task:add_link("candidate", {}) end),
    ["add_link to both"] = arg("either user or group", function(f) f.task:add_link("candidate", { user = "a", group = "b" }) end),
    ["remove_link by an unknown option"] = arg('did you mean "group"', function(f) f.task:remove_link("candidate", { grup = "b" }) end),
    ["bpmn_error without a code"] = arg("bpmn_error", function(f) f.task:bpmn_error() end),
    ["escalation without a code"] = arg("escalation", function(f) f.task:escalation() end),
    ["delete while its process needs it"] = { "state", nil, function(f) f.task:delete() end },
    ["set a name that is too long"] = arg("255", function(f) f.task:set(LONG, 1) end),
    ["set_local of a function"] = arg("cb", function(f) f.task:set_local("cb", print) end),
  },
  job = {
    ["negative retries"] = arg("retries", function(f) f.job:set_retries(-1) end),
    ["retries of a wrong type"] = arg("set_retries", function(f) f.job:set_retries "many" end),
    ["no retries"] = arg("set_retries", function(f) f.job:set_retries() end),
    ["retries with an unknown option"] = arg('did you mean "due"', function(f) f.job:set_retries(1, { deu = 1 }) end),
    ["a due date that is no time"] = arg("P1H", function(f) f.job:set_due "P1H" end),
    ["a due date with an unknown option"] = arg('did you mean "cascade"', function(f) f.job:set_due(0, { casade = true }) end),
    ["a priority that is none"] = arg("set_priority", function(f) f.job:set_priority(1.5) end),
    ["recalculate_due with an unknown option"] = arg('did you mean "from_creation"', function(f)
      f.job:recalculate_due { from_creaton = true }
    end),
    ["why of nothing"] = arg("#1 to 'why'", function(f) f.engine:why() end),
    ["why of what is not there"] = none(NO_ID, function(f) f.engine:why(NO_ID) end),
    ["a job definition's negative retries"] = arg("retries", function(f) f.job_definition:set_retries(-1) end),
    ["a job definition's unknown option"] = arg('did you mean "jobs"', function(f) f.job_definition:suspend { job = true } end),
    ["a job definition at no time"] = arg("soon", function(f) f.job_definition:suspend { at = "soon" } end),
    ["an annotation that is no text"] = arg("#1 to 'annotate'", function(f) f.incident:annotate {} end),
    ["run_jobs for a wrong limit"] = arg("run_jobs", function(f) f.engine:run_jobs "all" end),
    ["poll for a wrong budget"] = arg("poll", function(f) f.engine:poll "long" end),
    ["wait_idle for a wrong time"] = arg("wait_idle", function(f) f.engine:wait_idle {} end),
  },
  executor = {
    ["an unknown option"] = arg('did you mean "threads"', function(f) f.engine:start_executor { thread = 1 } end),
    ["threads of a wrong type"] = arg("threads", function(f) f.engine:start_executor { threads = "two" } end),
    ["negative threads"] = arg("threads", function(f) f.engine:start_executor { threads = -1 } end),
    ["a lock time that is none"] = arg("lock_time", function(f) f.engine:start_executor { lock_time = {} } end),
    ["a priority that is none"] = arg("priority_min", function(f) f.engine:start_executor { priority_min = "low" } end),
    ["a shared one's unknown option"] = arg('did you mean "queue_size"', function() orrery.executor { queuesize = 2 } end),
    ["a shared one without an engine"] = arg("#1 to 'add'", function() orrery.executor():add(3) end),
  },
  ["external task"] = {
    ["complete without a worker"] = arg("#1 to 'complete'", function(f) f.external:complete() end),
    ["complete by the wrong worker"] = { "state", "w2", function(f) f.external:complete "w2" end },
    ["fail with an unknown option"] = arg("known are message, details, retries", function(f) f.external:fail("w1", { retry = 1 }) end),
    ["fail with negative retries"] = arg("retries", function(f) f.external:fail("w1", { retries = -1 }) end),
    ["bpmn_error without a code"] = arg("bpmn_error", function(f) f.external:bpmn_error "w1" end),
    ["lock for no time"] = arg("#2 to 'lock'", function(f) f.external:lock("w1", "soon") end),
    ["negative retries"] = arg("retries", function(f) f.external:set_retries(-1) end),
    ["fetch_and_lock of nothing"] = arg("#1 to 'fetch_and_lock'", function(f) f.engine:fetch_and_lock() end),
    ["unlock by an unknown option"] = arg('did you mean "worker"', function(f) f.engine:unlock_external_tasks { workr = "w" } end),
  },
  lists = {
    ["a filter that is no table"] = arg("filter", function(f) f.engine:tasks "ann" end),
    ["an unknown key"] = arg("assignee", function(f) f.engine:tasks { asignee = "ann" } end),
    ["a value of a wrong type"] = arg("assignee", function(f) f.engine:tasks { assignee = {} } end),
    ["a negative limit"] = arg("limit", function(f) f.engine:tasks { limit = -1 } end),
    ["a negative offset"] = arg("offset", function(f) f.engine:tasks { offset = -1 } end),
    ["an order by an unknown field"] = arg("hight", function(f) f.engine:tasks { order_by = "hight" } end),
    ["an order in no direction"] = arg("order_by", function(f) f.engine:tasks { order_by = { { "name", "up" } } } end),
    ["a time that is none"] = arg("due_before", function(f) f.engine:tasks { due_before = "2026-13-01" } end),
    ["a set that is none"] = arg("name_in", function(f) f.engine:tasks { name_in = "a" } end),
    ["a list there is not"] = arg('did you mean "tasks"', function(f) f.engine:count "task" end),
    ["a record by nothing"] = arg("#1 to 'task'", function(f) f.engine:task() end),
    ["a record by a wrong type"] = arg("#1 to 'job'", function(f) f.engine:job(true) end),
    ["a clean-up at no time"] = arg("clean_history", function(f) f.engine:clean_history { ended_before = "yesterday" } end),
    ["a clean-up by an unknown option"] = arg('did you mean "ended_before"', function(f) f.engine:clean_history { ended_befor = 1 } end),
  },
}

describe("bad arguments", function()
  local f, before
  before_each(function()
    f = fixture.open()
    before = fixture.dump(f.engine)
  end)
  after_each(function() f.engine:close() end)

  for verb, list in pairs(cases) do
    for what, case in pairs(list) do
      it(("of %s: %s"):format(verb, what), function()
        local kind, names, call = table.unpack(case, 1, 3)
        local ok, err = pcall(call, f)
        assert.is_false(ok, "it was taken")
        assert.equal("table", type(err), tostring(err))
        assert.equal(kind, err.kind, tostring(err))
        if names then assert.truthy(err.message:find(names, 1, true), err.message) end
        assert.same(before, fixture.dump(f.engine))
      end)
    end
  end

  it("are no error where something is only looked up", function()
    local kinds = { "deployment", "definition", "instance", "execution", "task", "job", "job_definition", "incident", "external_task" }
    for _, one in ipairs(kinds) do
      assert.is_nil(f.engine[one](f.engine, NO_ID), one)
      assert.is_nil(f.engine[one](f.engine, "no id"), one)
      assert.is_nil(f.engine[one](f.engine, -1), one)
    end
    assert.same({}, f.engine:tasks { instance = NO_ID })
    assert.is_nil(f.instance:get "nope")
  end)
end)
