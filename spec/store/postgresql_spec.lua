-- A store in PostgreSQL: what is said of servers that cannot serve one, and what becomes of commits whose answer is lost.
local inside = require("orrery_inside").store
local postgres = require "spec.support.postgres"

local ARGUMENT, STATE, STORE = -1, -10, -13
local ABSENT = 0

describe("opening a store in PostgreSQL", function()
  local it = postgres.with(it, pending)
  local server

  setup(function() server = postgres.is_installed() and postgres.shared() end)

  local function refused(code, url, ...)
    local store, message, answer = inside.open { path = url }
    assert.is_nil(store)
    assert.equal(code, answer)
    for _, part in ipairs { ... } do assert.truthy(message:find(part, 1, true), message) end
    assert.is_nil(message:find("s3cret", 1, true), message)
    return message
  end

  it("says of a database without a schema how it gets one, and makes none itself", function()
    local url, name = server:schema()
    refused(STORE, url, "holds no Orrery store", "orrery schema URL")
    assert.equal("0", server:query(("SELECT count(*) FROM pg_class WHERE relnamespace = '%s'::regnamespace"):format(name)))
  end)

  it("says which version of a schema or of records it cannot read, and leaves it alone", function()
    local url, name = server:schema()
    assert(inside.make_schema(url))
    for _, case in ipairs { { "schema = 99", "newer" }, { "schema = 0", "has schema 0", "orrery schema URL" },
      { "schema = 1, records = 99", "has store format 99" } } do
      server:query("UPDATE orrery_format SET " .. case[1], { schema = name })
      refused(STORE, url, table.unpack(case, 2))
      local _, message, code = inside.make_schema(url)
      assert.equal(STORE, code)
      assert.truthy(message:find(case[2], 1, true), message)
    end
  end)

  it("makes a schema once, whole, and again without a change", function()
    local url = server:schema()
    assert(inside.make_schema(url))
    local store = assert(inside.open { path = url })
    assert(store:commit { { { "put", "k", "v", expected = ABSENT, revision = 1 } } })
    store:close()
    assert(inside.make_schema(url))
    store = assert(inside.open { path = url })
    local view = store:snapshot()
    assert.equal("v", (view:get "k"))
    view:close()
    store:close()
    -- what stands in the way of one of its parts leaves none
    local other, taken = server:schema()
    server:query("CREATE TABLE orrery_lane (x int)", { schema = taken })
    assert.is_nil((inside.make_schema(other)))
    assert.equal("orrery_lane", server:query(("SELECT string_agg(relname, ' ') FROM pg_class WHERE relkind = 'r' AND relnamespace ="
      .. " '%s'::regnamespace"):format(taken)))
  end)

  it("gives a role what it needs, and says when that is missing", function()
    local _, name = server:schema()
    server:query(("CREATE ROLE worker LOGIN; GRANT USAGE ON SCHEMA %s TO worker"):format(name))
    assert(inside.make_schema(server:url(name)))
    local url = server:url(name, { user = "worker" })
    refused(STORE, url, "permission denied", "--grant")
    server:query("GRANT SELECT ON orrery_format TO worker", { schema = name })
    refused(STORE, url, "worker lacks rights", "orrery schema URL --grant worker")
    assert(inside.make_schema(server:url(name), "worker"))
    local store = assert(inside.open { path = url })
    assert.equal(0, store:commit({ { { "put", "k", "v" } } })[1].status)
    store:close()
    local _, message = inside.make_schema(url)
    assert.truthy(message:find("the schema was left as it is", 1, true), message)
  end)

  it("names a wrong user, password, database or host for what it is, and never shows the password", function()
    server:query "DROP ROLE IF EXISTS guarded; CREATE ROLE guarded LOGIN PASSWORD 'other'"
    server:query "DROP DATABASE IF EXISTS guarded"
    server:query "CREATE DATABASE guarded OWNER guarded"
    refused(STORE, server:url(nil, { user = "nobody_known" }), "nobody_known", "does not exist")
    refused(STORE, server:url(nil, { user = "guarded:s3cret", database = "guarded" }), "does not let this user in", "PGPASSFILE")
    refused(STORE, server:url(nil, { user = "guarded", database = "guarded" }), "does not let this user in")
    refused(STORE, server:url(nil, { user = "orrery:s3cret", database = "nowhere" }), "nowhere", "does not exist", "create it")
    refused(STORE, server:url(nil, { host = "/nowhere", user = "orrery:s3cret" }), "cannot be reached", "/nowhere")
    refused(STORE, "postgresql://orrery:s3cret@no-such-host.invalid/x", "cannot be reached", "no-such-host.invalid")
    refused(STORE, "service=no_such_service password=s3cret", "no_such_service")
  end)

  it("refuses what is no URL, without repeating it", function()
    for _, url in ipairs { "postgresql://orrery:s3cret@[::1/x", "postgresql://orrery@/x?s3cret=1", "host=a s3cret",
      "postgresql://u:%s3cret@h/d", "postgresql://u@h/d?password=s3cret=2" } do
      refused(ARGUMENT, url, "the store's URL cannot be read")
    end
  end)

  it("says that a server has no connection left", function()
    server:query "CREATE DATABASE narrow CONNECTION LIMIT 0"
    server:query "CREATE ROLE plain LOGIN"
    refused(STORE, server:url(nil, { database = "narrow", user = "plain" }), "no connection left", "max_connections")
  end)

  local with_pooler = postgres.has_pooler() and it or function(what) pending(what .. ": skipped, pgbouncer is not installed") end

  with_pooler("refuses a pooler that pools transactions, and works through one that pools sessions", function()
    server:query "CREATE DATABASE pooled"
    assert(inside.make_schema(server:url(nil, { database = "pooled" })))
    do
      local pooler <close> = server:pooler "transaction"
      refused(STORE, server:url(nil, { database = "pooled", host = pooler.host }), "pools transactions", "pool_mode = session")
    end
    local pooler <close> = server:pooler "session"
    local store = assert(inside.open { path = server:url(nil, { database = "pooled", host = pooler.host }) })
    assert.equal(0, store:hammer(4, 10, 100))
    store:close()
  end)

  it("does as it promises whatever a role's own settings are", function()
    local url, name = server:schema()
    assert(inside.make_schema(url))
    server:query("CREATE ROLE odd LOGIN")
    assert(inside.make_schema(url, "odd"))
    for _, setting in ipairs { "default_transaction_isolation = 'repeatable read'", "default_transaction_read_only = on",
      "synchronous_commit = off", "statement_timeout = 100", "client_encoding = latin1", "bytea_output = escape" } do
      server:query("ALTER ROLE odd SET " .. setting)
    end
    local store = assert(inside.open { path = server:url(name, { user = "odd" }) })
    assert.equal(0, store:hammer(4, 20, 1000))
    assert.equal(81, store:stats().entries)
    store:close()
  end)
end)

describe("a store in PostgreSQL", function()
  local it = postgres.with(it, pending)
  local server, store, name

  before_each(function()
    if not postgres.is_installed() then return end
    server = postgres.shared()
    local url
    url, name = server:schema()
    assert(inside.make_schema(url))
    store = assert(inside.open { path = url })
  end)

  after_each(function()
    if store then assert.equal(0, store:close()) end
  end)

  local function put(key, payload, expected, revision)
    return { "put", key, payload, expected = expected, revision = revision }
  end

  --- Ends the sessions of this store's schema, as an administrator may.
  local terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'orrery'"

  it("answers nothing in a child of the process that opened it, and the parent goes on", function()
    local view = assert(store:snapshot())
    assert.equal(255, store:fork_answers(view))
    view:close()
    assert.equal(0, store:commit({ { put("k", "v") } })[1].status)
  end)

  it("tells what others have committed, and only that", function()
    local other = assert(inside.open { path = server:url(name) })
    local view = assert(store:snapshot())
    local foreign, seen = store:foreign(), view:foreign()
    assert(store:commit { { put("mine", "") } })
    view:renew()
    assert.equal(seen, view:foreign())
    assert(other:commit { { put("a", "") } })
    assert(other:commit { { put("b", "") } })
    assert.equal(seen, view:foreign()) -- of its own moment
    view:renew()
    assert.equal(seen + 2, view:foreign())
    view:close()
    other:close()
    local again = assert(inside.open { path = server:url(name) })
    local after = assert(store:snapshot())
    assert.equal(seen + 2, after:foreign()) -- those of stores that are closed count
    local asked = 0
    while store:foreign() < foreign + 2 and asked < 1e7 do asked = asked + 1 end -- it is looked for every few milliseconds
    assert.equal(foreign + 2, store:foreign())
    after:close()
    again:close()
  end)

  --- How many questions `f` asks; a prefetched that was no longer young in the end says nothing, and it is tried again.
  local function questions_of(fetch, f)
    for _ = 1, 1000 do
      local fetched = fetch()
      local before = store:stats().questions
      f(fetched)
      local asked = store:stats().questions - before - 1 -- that of the statistics
      local young = inside.young(fetched)
      local last = assert(store:snapshot())
      last:use(fetched) -- and lets go of it
      last:close()
      if young then return asked end
    end
    error "nothing stays young for a moment"
  end

  it("answers several views from what was fetched with one question", function()
    assert(store:commit { { put("few/1", "a"), put("few/2", "b"), put("k", "c") } })
    local views = { assert(store:snapshot()), assert(store:snapshot()) }
    local asked = questions_of(function() return store:prefetch({ "few/", "few0" }, { "k" }, { "none" }) end, function(fetched)
      for _, view in ipairs(views) do
        view:use(fetched, true)
        assert.equal("a", (view:get "few/1"))
        assert.equal("c", (view:get "k"))
        assert.is_false(view:get "none")
        assert.is_false(view:get "few/3")
        view:use(nil)
      end
    end)
    assert.equal(0, asked)
    for _, view in ipairs(views) do view:close() end
  end)

  it("shows what others commit as soon as what was fetched before is old", function()
    local other = assert(inside.open { path = server:url(name) })
    local low, first, high = "E\0\0\0\0\0\0\0\0", "E\0\0\0\0\0\0\0\1", "E\0\0\0\0\0\x80\0\0"
    assert(store:commit { { put("k", "1", ABSENT, 1), put(first, "") } })
    local view, fetched = assert(store:snapshot()), store:prefetch({ "k" }, { low, high })
    view:use(fetched, true)
    assert(other:commit { { put("k", "2", 1, 2) } })
    while inside.young(fetched) do end
    assert.equal("2", (view:renew():get "k"))
    assert.equal(1, #view:scan { prefix = low:sub(1, 6), from = low, stop = high })
    view:use(fetched)
    view:close()
    other:close()
  end)

  it("fetches besides what is asked for one by one, again and again", function()
    assert(store:commit { { put("often", "x"), put("k", "y") } })
    local view = assert(store:snapshot())
    for _ = 1, 3 do
      view:use(store:prefetch { "k" })
      view:renew():get "often"
    end
    local asked = questions_of(function() return store:prefetch { "k" } end, function(fetched)
      view:use(fetched, true)
      assert.equal("x", (view:get "often"))
    end)
    assert.equal(0, asked)
    view:close()
  end)

  it("reads ahead, and comes to the same, though sessions have ended at rest", function()
    assert(store:commit { { put("k", "1") } })
    local view = assert(store:snapshot())
    view:release()
    server:query(terminate)
    view:use(store:prefetch { "k" })
    assert.equal("1", (view:renew():get "k"))
    view:close()
  end)

  it("goes on in another session when one has ended at rest, for views and for commits", function()
    assert(store:commit { { put("k", "1", ABSENT, 1) } })
    local view = assert(store:snapshot())
    view:release()
    server:query(terminate)
    view:renew()
    assert.equal("1", (view:get "k"))
    assert.equal(0, store:commit({ { put("k", "2", 1, 2) } })[1].status)
    -- one that has shown something cannot show it any more, until it is renewed
    assert.equal("1", (view:get "k"))
    server:query(terminate)
    local _, message, code = view:get "k"
    assert.equal(STORE, code)
    assert.truthy(message:find("connection", 1, true), message)
    assert.equal("2", (view:renew():get "k"))
    view:close()
  end)

  it("takes another lane when its own was taken for gone", function()
    assert(store:commit { { put("a", "") } })
    local foreign = store:foreign()
    server:query("UPDATE orrery_lane SET seen = now() - interval '2 days' WHERE id <> 0", { schema = name })
    local other = assert(inside.open { path = server:url(name) })
    assert.equal("1", server:query("SELECT count(*) FROM orrery_lane WHERE id <> 0", { schema = name }))
    assert.equal(0, store:commit({ { put("b", "") } })[1].status)
    assert.equal(foreign, store:foreign())
    assert.equal("2", server:query("SELECT sum(sequence) FROM orrery_lane", { schema = name }))
    other:close()
  end)

  it("commits batches that count what earlier ones of the group have written, and all of a group or nothing", function()
    local n = 0
    for i = 1, 20 do
      local statuses = assert(store:commit { { put("x/" .. i, "") }, { { "count", "x/", expected = i }, put("y/" .. i, "") },
        { { "count", "y/", expected = i - 1 }, put("lost", "") }, { { "count", "x/", expected = i }, put("z/" .. i, "") } })
      for j, answer in ipairs(statuses) do n = n + (answer.status == (j == 3 and -7 or 0) and 1 or 0) end
    end
    assert.equal(80, n)
    assert.equal(60, store:stats().entries)
  end)

  it("gives everything back when memory is out, wherever, and goes on", function()
    local n, opened = 0, nil
    repeat
      n = n + 1
      local message, code
      opened, message, code = inside.open { path = server:url(name), fail_at = n } -- leaks raise
      assert.truthy(opened or code == -14, message)
    until opened
    assert.truthy(n > 4)
    for i = 1, 1000 do
      opened:fail_memory(i)
      local view, _, code = opened:snapshot()
      local rows = view and view:scan {}
      if view then view:close() end
      local statuses = opened:commit { { put("k" .. i, ("v"):rep(3000)), { "count", "k", expected = 0 } }, { put("m" .. i, "") } }
      opened:fail_memory(0)
      assert.truthy(view or code == -14)
      if rows and statuses and i > 20 then break end
    end
    local view = assert(opened:snapshot())
    for _, row in ipairs(view:scan {}) do assert.truthy(row[1]:find "^[km]%d+$") end
    view:close()
    assert.equal(0, opened:commit({ { put("after", "") } })[1].status)
    assert.equal(0, opened:close())
  end)

  it("hears of others' commits, and not of its own; and again when its session was ended", function()
    local notify = "SELECT pg_notify('orrery_' || 'orrery_entry'::regclass::oid, '0')"
    local function heard_after(before) repeat until store:heard() > before end
    -- It listens, in the session that it has now: there is no older one, and all that was told has been heard.
    local function listens()
      local before, last = store:heard(), nil
      repeat server:query(notify, { schema = name }) until store:heard() > before
      repeat
        last = store:heard()
        server:query "SELECT 1"
      until store:heard() == last
    end
    listens()
    local other = assert(inside.open { path = server:url(name) })
    for i = 1, 2 do
      local before = store:heard()
      assert(other:commit { { put("k" .. i, "") } })
      heard_after(before)
      assert.equal(i, store:foreign()) -- at once, without a pause between two looks
      server:query((terminate:gsub("%(pid%)", "(pid, 10000)"))) -- when this has answered, they have ended
      listens()
    end
    other:close()
    -- what is its own comes back, before what comes after it
    local before = store:heard()
    assert(store:commit { { put("own", "") } })
    server:query(notify, { schema = name })
    heard_after(before)
    assert.equal(before + 1, (store:heard()))
  end)

  it("goes by the server's clock, however wrong its machine's is, and by a jump when it is certain", function()
    store:close()
    -- the store finds this clock first
    server:query([[CREATE TABLE shift (by interval); INSERT INTO shift VALUES ('1 hour');
      CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        $$ SELECT pg_catalog.clock_timestamp() + by FROM shift $$;]], { schema = name })
    store = assert(inside.open { path = server:url(name):gsub("(csearch_path%%3D%w+)", "%1,pg_catalog") })
    local function shifted(hours) -- true when the store's time is the machine's and so many hours
      return math.abs(store:now() - (os.time() + hours * 3600) * 1000) < 60000
    end
    assert.is_true(shifted(1))
    assert(store:commit { { put("k", "") } }) -- whose session looks at the clock again and again
    server:query("UPDATE shift SET by = '3 hours'", { schema = name })
    local jump
    repeat
      _, jump = store:now()
      assert.is_true(shifted(1) or shifted(3))
    until jump ~= 0
    assert.is_true(math.abs(jump - 2 * 3600 * 1000) < 60000)
    assert.is_true(shifted(1)) -- until it has been seen twice
    repeat _, jump = store:now() until jump == 0
    assert.is_true(shifted(3))
  end)

  it("waits for a server that is started again", function()
    assert(store:commit { { put("k", "1", ABSENT, 1) } })
    server:order "restart"
    assert.equal(0, store:commit({ { put("k", "2", 1, 2) } })[1].status)
    local view = assert(store:snapshot())
    assert.equal("2", (view:get "k"))
    view:close()
  end)
end)
