-- A database that does not answer: who asks whether the server lives does not wait for it, nor does
-- what serves other engines.
-- Marks: threads
local inside = require("orrery_inside").store
local json = require("orrery").json
local postgres = require "spec.support.postgres"
local support = require "spec.server.support"

local THREADS <const> = 8 -- that run what is asked of one engine
local READS <const> = 12
local FAR <const> = "/engine/far"
local LIST <const> = "/engine-rest/engine/far/process-instance?maxResults=2"
local EVENTS <const> = "/engine-rest/engine/far/orrery/events"
local WAIT <const> = "FROM pg_stat_activity WHERE wait_event_type = 'Lock'"

describe("A server whose database does not answer", function()
  local with_proxy = postgres.with_proxy(it, pending)
  local it = postgres.with(it, pending)
  local database, url, name, server

  --- Serves a store of its own, and the database as `far`.
  local function serve(far)
    local config = ("return { loops = 1, threads = %d }"):format(THREADS)
    local also = ("--engine 'far=%s'"):format(far)
    return support.serve { files = { ["waiting.bpmn"] = support.waiting, conf = config },
      arguments = "--config %f/conf --no-executor --deploy %f/waiting.bpmn " .. also }
  end

  local function start(path)
    return server:ask("POST", path .. "/process-definition/key/waiting/start", {})
  end

  before_each(function()
    if not postgres.is_installed() then return end
    database = postgres.shared()
    url, name = database:schema()
    assert(inside.make_schema(url))
    server = serve(url)
    local file = ("-F data=@%s/waiting.bpmn"):format(server.folder)
    assert.equal(200, (server:ask("POST", FAR .. "/deployment/create", nil, file)))
  end)
  after_each(function()
    if server then server:close() end
    server = nil
  end)

  --- Asks beside the spec.
  local function ask_aside(file, path)
    server:script(file, (([[
      curl -s -m 600 -o FOLDER/FILE.body -w '%{http_code}' \
        'http://127.0.0.1:PORTPATH' >FOLDER/FILE.new
      mv FOLDER/FILE.new FOLDER/FILE.status]]):gsub("FILE", file):gsub("PATH", path)))
  end
  --- The status that it was answered with; nil: it was not.
  local function said(file) return server:said(file .. ".status") end
  local function answer(file) return support.wait(function() return said(file) end, file) end

  --- Follows what changes, beside the spec.
  local function follow(file)
    local command = "curl -sN -m 600 'http://127.0.0.1:PORT%s' >FOLDER/%s.said"
    server:script(file, command:format(EVENTS, file))
  end
  local function hears(file, what)
    local function heard() return (server:said(file .. ".said") or ""):find(what, 1, true) end
    support.wait(heard, what)
  end

  --- Nothing of these tables of the far store can be read until it commits.
  local function hold(tables)
    local session = database:session(name)
    session:say(("BEGIN; LOCK TABLE %s IN ACCESS EXCLUSIVE MODE;"):format(tables))
    return session
  end
  local function await_held(n)
    local held = "SELECT count(*) " .. WAIT
    support.wait(function() return tonumber(database:query(held)) >= n end, "sessions that wait")
  end

  it("says that it lives, and serves the others, whatever is asked of that one", function()
    follow "early"
    hears("early", "hello")
    local session <close> = hold "orrery_entry, orrery_page, orrery_lane"
    for n = 1, READS do
      ask_aside("list" .. n, LIST)
      ask_aside("ready" .. n, "/health/ready")
    end
    ask_aside("metrics", "/metrics")
    await_held(THREADS)
    follow "late"
    hears("late", "hello")

    for _ = 1, 3 do
      for _, path in ipairs { "/health/live", "/process-instance?maxResults=2",
        "/process-instance/count", FAR .. "/orrery/session" } do
        assert.equal(200, (server:ask("GET", path)))
      end
      assert.equal(200, (start ""))
    end
    for n = 1, READS do assert.same({}, { said("list" .. n), said("ready" .. n) }) end
    assert.is_nil(said "metrics")

    session:say "COMMIT;"
    for n = 1, READS do
      assert.same({ "200", "200" }, { answer("list" .. n), answer("ready" .. n) })
    end
    assert.equal('{"status":"ready"}', server:said "ready1.body")
    assert.equal("200", answer "metrics")
    local metrics = server:said "metrics.body"
    assert.truthy(metrics:find('engine="default"', 1, true))
    assert.truthy(metrics:find('engine="far"', 1, true))
    assert.equal(1, select(2, metrics:gsub("# TYPE orrery_http_active ", "")))
    assert.equal(200, (start(FAR)))
    hears("early", "event: change")
    hears("late", "event: change")
    assert.equal(0, server:stop "TERM")
  end)

  it("tells by `away` that nothing was done, when its session ends in the middle", function()
    assert.equal(200, (start(FAR)))
    local session <close> = hold "orrery_page" -- what it has found in the other table lies there
    ask_aside("list", LIST)
    await_held(1)
    database:query("SELECT pg_terminate_backend(pid) " .. WAIT)
    assert.equal("503", answer "list")
    local e = json.decode(server:said "list.body")
    assert.same({ "ProcessEngineException", true, nil }, { e.type, e.away, e.inDoubt })
    session:say "COMMIT;"
    support.wait(function() return server:ask("GET", "/health/ready") == 200 end, "readiness")
  end)

  with_proxy("tells by `inDoubt` that a command may have been done", function()
    database:keep_generation(name)
    server:close()
    local between <close> = database:losing_proxy(name)
    server = serve(between.url)
    local status, e
    support.wait(function()
      status, e = start(FAR)
      return status ~= 200
    end, "a commit in doubt")
    assert.same({ 500, "ProcessEngineException", true, nil }, { status, e.type, e.inDoubt, e.away })
    server:close()
    server = nil
  end)
end)
