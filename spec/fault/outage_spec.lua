-- A database that goes away for longer than anybody is kept waiting: what the store says, and that it works again.
-- Marks: load
local inside = require("orrery_inside").store
local orrery = require "orrery"
local postgres = require "spec.support.postgres"
local process = require "spec.support.process"

local STORE <const> = -13

describe("a store whose database", function()
  local with_proxy = postgres.with_proxy(it, pending)
  local it = postgres.with(it, pending)
  local server, url, name

  before_each(function()
    if not postgres.is_installed() then return end
    server = postgres.shared()
    url, name = server:schema()
    assert(inside.make_schema(url))
  end)
  after_each(function() inside.hurry(0) end)

  local function put(store, key) return store:commit { { { "put", key, "v" } } } end

  local function get(store, key)
    local view, message, code, mark = store:snapshot()
    if not view then return nil, message, code, mark end
    local found, why, of, how = view:get(key)
    view:close()
    return found, why, of, how
  end

  it("stays away says so once, answers at once, and works again when it is back", function()
    local store = assert(inside.open { path = url })
    assert.equal(0, put(store, "before")[1].status)
    local view = assert(store:snapshot())
    server:order "stop"
    inside.hurry(5000)
    local _, message, code, mark = view:get "before"
    assert.same({ STORE, "away" }, { code, mark }, message)
    view:close()
    for _ = 1, 3 do
      local answer, _, of, _, how = put(store, "during")
      assert.same({ nil, STORE, "away" }, { answer, of, how })
      _, message, of, how = get(store, "before")
      assert.same({ STORE, "away" }, { of, how }, message)
    end
    assert.same({ "away", 1, 0 }, { store:state() })
    server:order "start"
    repeat until put(store, "after")
    inside.hurry(0)
    assert.same({ "well", 1, 1 }, { store:state() })
    assert.same({ "v", false, "v" }, { (get(store, "before")), (get(store, "during")), (get(store, "after")) })
    store:close()
  end)

  with_proxy("does not tell whether a commit was made leaves that in doubt, and goes on", function()
    server:keep_generation(name)
    local between <close> = server:losing_proxy(name)
    local store = assert(inside.open { path = between.url })
    assert.equal(0, put(store, "first")[1].status)
    for _, key in ipairs { "made", "lost" } do
      local answer, message, code, statuses, mark = put(store, key)
      assert.same({ nil, STORE, STORE, "in doubt" }, { answer, code, statuses[1].status, mark })
      assert.truthy(message:find("whether the commit was made cannot be learned", 1, true), message)
    end
    assert.same({ "v", "v", false }, { (get(store, "first")), (get(store, "made")), (get(store, "lost")) })
    server:query("DROP TRIGGER keep ON orrery_lane", { schema = name })
    assert.equal(0, put(store, "last")[1].status) -- its answer is lost, too, and now the database tells
    assert.same({ "well", 0, 0 }, { store:state() })
    assert.same({ "v", 3 }, { (get(store, "last")), store:stats().commits })
    -- the one that was made in doubt counts as another's, so that what was remembered is read again
    while store:foreign() < 1 do end
    assert.equal(1, store:foreign())
    assert.equal("2", server:query("SELECT count(*) FROM orrery_lane", { schema = name })) -- lane 0, which keeps the count, and its own
    store:close()
  end)

  --- Calls it until what it commits is in doubt; the error.
  local function until_in_doubt(call)
    local ok, e
    repeat
      ok, e = pcall(call)
    until not ok
    return { e.kind, e.in_doubt, e.away }
  end

  with_proxy("does not tell whether a commit was made is told apart by a field, whoever commits", function()
    local engine = orrery.open(url, { log = "none" })
    process.single(engine)
    engine:close()
    server:keep_generation(name)
    local between <close> = server:losing_proxy(name)
    engine = orrery.open(between.url, { log = "none" })
    local _ <close> = engine
    local in_doubt = { "store", true, nil }
    assert.same(in_doubt, until_in_doubt(function() engine:start "p" end))
    assert.same(in_doubt, until_in_doubt(function()
      engine:transaction(function() engine:start "p" end)
    end))
  end)

  local JOBS <const> = 6
  local MODEL <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:o="urn:orrery:bpmn" targetNamespace="fault">
    <process id="once" isExecutable="true" o:historyTimeToLive="P30D"><startEvent id="s"/>
    <sequenceFlow id="f" sourceRef="s" targetRef="t"/>
    <scriptTask id="t" scriptFormat="lua" o:asyncBefore="true">
      <script>execution:set("n", (execution:get "n" or 0) + 1)</script></scriptTask>
    <sequenceFlow id="g" sourceRef="t" targetRef="e"/><endEvent id="e"/></process></definitions>]]

  --- An engine beside the proxy that has jobs to be run, and tells what became of them.
  local function witness()
    local engine = orrery.open(url, { log = "none" })
    engine:deploy { ["once.bpmn"] = MODEL }
    for _ = 1, JOBS do engine:start "once" end
    return engine
  end

  local function assert_done_once(engine)
    assert.equal(JOBS, engine:count("history_instances", { state = "completed" }))
    for _, variable in ipairs(engine:history_variables {}) do assert.equal(1, variable.value) end
    assert.equal(0, engine:count "incidents")
  end

  with_proxy("tells one commit in three lets an executor do all of its jobs once", function()
    local watching <close> = witness()
    local between <close> = server:losing_proxy(name, 3)
    local working <close> = orrery.open(between.url, { log = "none" })
    repeat until pcall(working.start_executor, working, { threads = 2 })
    server:keep_generation(name)
    repeat working:wait_idle(1) until watching:count "jobs" == 0
    assert_done_once(watching)
    working:stop_executor()
  end)

  with_proxy("tells of no commit has an executor wait, and stop, and go on when it does", function()
    local watching <close> = witness()
    local between <close> = server:losing_proxy(name)
    local working <close> = orrery.open(between.url, { log = "none" })
    local function start() repeat until pcall(working.start_executor, working, { threads = 2 }) end
    start()
    server:keep_generation(name)
    working:stop_executor() -- ends, though nothing that it writes is told
    server:query("DROP TRIGGER keep ON orrery_lane", { schema = name })
    start()
    repeat working:wait_idle(1) until watching:count "jobs" == 0
    assert_done_once(watching)
    working:stop_executor()
  end)
end)
