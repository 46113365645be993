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
    for _, case in ipairs { { "schema = 99", "newer" }, { "schema = 0", "has schema 0" },
      { "schema = 2, records = 99", "has store format 99" } } do
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

  it("brings a store of schema 1 to this version's, which it was refused as before", function()
    local url, name = server:schema()
    assert(inside.make_schema(url))
    local store = assert(inside.open { path = url })
    local big = ("0123456789"):rep(10000)
    local function id(group, number) return string.pack(">I8", group << 23 | number) end
    assert(store:commit { { { "put", "k", "v", expected = ABSENT, revision = 258 }, { "put", "big", big, expected = ABSENT, revision = 7 },
      { "put", "row", "" }, { "put", "E", "" }, { "put", "E" .. id(1, 0):gsub("\0+$", ""), "" }, { "put", "I" .. id(1, 1), big },
      { "put", "E" .. id(1, 2), "e", expected = ABSENT, revision = 3 }, { "put", "W" .. id(1, 31), "w" }, { "put", "W" .. id(1, 32), "x" },
      { "put", "D" .. id(1, 1), "d" }, { "put", "X" .. id(1, 1), "d" }, { "put", "W" .. id(0x1FFFFFFFFFF, 0x7FFFFF) .. "more", "" } } })
    local view = store:snapshot()
    local before = view:digest()
    view:close()
    store:close()
    -- as it was made by then
    server:query([[DO $$
      DECLARE page record; at int; key int; value int;
      BEGIN
        FOR page IN SELECT v FROM orrery_page LOOP
          at := 1;
          WHILE at <= length(page.v) LOOP
            key := (get_byte(page.v, at - 1) << 8) + get_byte(page.v, at);
            value := (get_byte(page.v, at + 1) << 24) + (get_byte(page.v, at + 2) << 16) + (get_byte(page.v, at + 3) << 8)
              + get_byte(page.v, at + 4);
            INSERT INTO orrery_entry VALUES (substring(page.v FROM at + 6 FOR key), substring(page.v FROM at + 6 + key FOR value));
            at := at + 6 + key + value;
          END LOOP;
        END LOOP;
      END $$;
      DROP TABLE orrery_page;
      DROP FUNCTION orrery_page_keys;
      ALTER TABLE orrery_entry ADD COLUMN r bigint NOT NULL DEFAULT 0;
      UPDATE orrery_entry SET r = get_byte(v, 4) + 256 * get_byte(v, 5) WHERE length(v) > 8;
      DROP FUNCTION orrery_commit;
      CREATE FUNCTION orrery_commit(bigint, bigint, bigint, bytea[], bigint[], bytea[], bytea[], bigint[], bytea[], bigint[], bytea[],
        bytea[]) RETURNS bigint[] LANGUAGE sql AS $$ SELECT '{}'::bigint[] $$;
      UPDATE orrery_format SET schema = 1]], { schema = name })
    assert.equal("12", server:query("SELECT count(*) FROM orrery_entry", { schema = name }))
    refused(STORE, url, "has schema 1", "this version needs", "orrery schema URL")
    server:query("CREATE ROLE later LOGIN")
    assert(inside.make_schema(url, "later"))
    store = assert(inside.open { path = server:url(name, { user = "later" }) })
    view = store:snapshot()
    assert.equal(before, view:digest())
    assert.equal(12, store:stats().entries)
    assert.equal("5", server:query("SELECT count(*) FROM orrery_entry", { schema = name })) -- the rest lies in pages
    local statuses = store:commit { { { "put", "k", "w", expected = 257, revision = 258 } },
      { { "put", "k", "w", expected = 258, revision = 259 }, { "delete", "big", expected = 7 } },
      { { "put", "E" .. id(1, 2), "lost", expected = 2, revision = 4 } }, { { "put", "E" .. id(1, 2), "f", expected = 3, revision = 4 } } }
    assert.same({ -7, 0, -7, 0 }, { statuses[1].status, statuses[2].status, statuses[3].status, statuses[4].status })
    assert.same({ "f", 4 }, { view:renew():get("E" .. id(1, 2)) })
    assert.equal(big, (view:get("I" .. id(1, 1))))
    view:close()
    store:close()
    assert.equal("1", server:query("SELECT count(*) FROM pg_proc WHERE proname = 'orrery_commit' AND pronamespace = current_schema()"
      .. "::regnamespace", { schema = name }))
  end)

  it("brings the locks of instances, which schema 3 had as rows, into their pages; who goes on with that loses", function()
    local url, name = server:schema()
    assert(inside.make_schema(url))
    local store = assert(inside.open { path = url })
    local function key(tag, group, number) return tag .. string.pack(">I8", group << 23 | number) end
    local function count(table) return server:query("SELECT count(*) FROM orrery_" .. table, { schema = name }) end
    assert(store:commit { { { "put", key("E", 1, 2), "e" }, { "put", key("I", 1, 1), "i" }, { "put", key("W", 1, 3), "w" },
      { "put", key("I", 2, 1), "i" }, { "put", key("W", 3, 1), "w" }, { "put", key("K", 1, 1), "k", expected = ABSENT, revision = 3 },
      { "put", key("K", 1, 5), "l" }, { "put", key("K", 2, 1), "" }, { "put", key("K", 3, 1), "k" }, { "put", key("K", 4, 1), "k" },
      { "put", "K" .. key("", 5, 0):gsub("\0+$", ""), "short" }, { "put", key("L", 1, 1), "other" } } })
    local view = store:snapshot()
    local before = view:digest()
    view:close()
    assert.equal("1", count "entry")
    -- as it was made by then
    server:query([[DO $$
      DECLARE page record; at int; from_at int; size int; key bytea;
      BEGIN
        FOR page IN SELECT p, v, tags FROM orrery_page WHERE tags & 8 <> 0 LOOP
          at := 0;
          WHILE at < length(page.v) LOOP
            size := (get_byte(page.v, at) << 8) + get_byte(page.v, at + 1);
            key := substring(page.v FROM at + 7 FOR size);
            from_at := at;
            at := at + 6 + size + (get_byte(page.v, at + 4) << 8) + get_byte(page.v, at + 5);
            IF get_byte(key, 0) = 75 THEN
              INSERT INTO orrery_entry VALUES (key, substring(page.v FROM from_at + 7 + size FOR at - from_at - 6 - size));
              page.v := substring(page.v FOR from_at) || substring(page.v FROM at + 1);
              at := from_at;
              UPDATE orrery_page SET v = page.v, n = n - 1, tags = tags & 7, r = r + 1 WHERE p = page.p;
            END IF;
          END LOOP;
        END LOOP;
        DELETE FROM orrery_page WHERE n = 0;
      END $$;
      UPDATE orrery_format SET schema = 3]], { schema = name })
    assert.same({ "7", "3" }, { count "entry", count "page" })
    refused(STORE, url, "has schema 3", "this version needs 4", "orrery schema URL")
    assert(inside.make_schema(url))
    assert.same({ "1", "5" }, { count "entry", count "page" })
    assert.equal("0", count "page WHERE n <> (SELECT count(*) FROM orrery_page_keys(v))")
    assert.equal("8 8 10 12 15", server:query("SELECT string_agg(tags::text, ' ' ORDER BY tags) FROM orrery_page", { schema = name }))
    assert.equal(1, tonumber(server:query("SELECT min(generation) FROM orrery_lane WHERE id <> 0", { schema = name })))
    local fresh = assert(inside.open { path = url })
    view = fresh:snapshot()
    assert.equal(before, view:digest())
    assert.same({ "k", 3 }, { view:get(key("K", 1, 1)) })
    view:close()
    local changes = { { "put", key("K", 1, 1), "m", expected = 3, revision = 4 }, { "delete", key("K", 1, 5) } }
    assert.equal(0, fresh:commit({ changes })[1].status)
    fresh:close()
    store:close()
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

describe("pages of a store in PostgreSQL", function()
  it("hold the types that their tags are of, which nothing but an id tells apart", function()
    local file <close> = assert(io.open "store/postgresql/packed.h")
    local tags, found = file:read("a"):match '#define POSTGRES_PACKED_TAGS "(%u+)"', {}
    for _, record in ipairs(dofile "runtime/record/records.lua") do
      if tags:find(record.tag, 1, true) then
        found[#found + 1] = record.name
        local key = record.key or { { "id", "id" } }
        assert.same({ 1, "id" }, { #key, key[1][2] }, record.name)
      end
    end
    assert.same({ "instance", "execution", "job", "exclusive" }, found)
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

  it("shows which transactions of whatever program hold back that old rows are cleaned up, to any role", function()
    server:query(("DROP ROLE IF EXISTS onlooker; CREATE ROLE onlooker LOGIN"))
    assert(inside.make_schema(server:url(name), "onlooker"))
    local onlooker = assert(inside.open { path = server:url(name, { user = "onlooker" }) })
    local look, pids = inside.watch_readers(), {}
    local function told(seconds)
      local found = {}
      for _, view in ipairs(look(onlooker, seconds)) do
        if pids[view.process] then found[#found + 1] = { pids[view.process], view.held, view.ended, view.behind > 0 } end
      end
      table.sort(found, function(a, b) return a[1] < b[1] end)
      return found
    end
    local reads <close> = server:session(name)
    local writes <close> = server:session(name)
    reads:say("SET application_name = 'reads'; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM orrery_entry;")
    writes:say("SET application_name = 'writes'; BEGIN; CREATE TEMP TABLE mine (x int);")
    for line in server:query("SELECT pid, application_name FROM pg_stat_activity WHERE application_name IN ('reads', 'writes')")
      :gmatch "[^\n]+" do
      local pid, what = line:match "^(%d+)|(.*)$"
      pids[tonumber(pid)] = what
    end
    for i = 1, 3 do assert(store:commit { { put("k", tostring(i)) } }) end
    assert.same({}, told(100))
    assert.same({}, told(109))
    assert.same({ { "reads", 10, false, true }, { "writes", 10, false, true } }, told(110))
    writes:say "COMMIT;"
    assert.same({ { "writes", 11, true, true } }, told(111))
    reads:say "COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM orrery_entry;"
    assert.same({ { "reads", 12, true, true } }, told(112))
    onlooker:close()
  end)

  it("asks for as many rows at once as a walk was told to take, whatever it finds", function()
    local puts = {}
    for i = 1, 100 do puts[i] = put(("row/%03d"):format(i), "") end
    assert(store:commit { puts })
    local view = assert(store:snapshot())
    for rows, questions in pairs { [101] = 1, [100] = 2, [40] = 3, [0] = 3 } do -- who is told nothing asks for 16, 64, 256
      local before = store:stats().questions
      assert.equal(100, #view:scan { prefix = "row/", rows = rows })
      assert.equal(questions, store:stats().questions - before - 1)
    end
    view:close()
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

  it("answers who looks for the greatest key up to another in a group that was fetched, and asks nothing", function()
    local function id(group, number) return "W" .. string.pack(">I8", group << 23 | number) end
    assert(store:commit { { put(id(7, 3), "a"), put(id(7, 40), "b"), put(id(8, 1), "c") } })
    local view = assert(store:snapshot())
    local asked = questions_of(function() return store:prefetch { id(7, 0), id(8, 0) } end, function(fetched)
      view:use(fetched, true)
      for number, found in pairs { [3] = 3, [4] = 3, [39] = 3, [40] = 40, [90000] = 40 } do
        local rows = view:scan { prefix = "W", from = id(7, number), stop = id(7, 0), backwards = true }
        assert.equal(id(7, found), rows[1][1])
      end
      assert.same({}, view:scan { prefix = "W", from = id(7, 2), stop = id(7, 0), backwards = true })
      view:use(nil)
    end)
    assert.equal(0, asked)
    view:close()
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

  it("sends a commit again with care when others have changed what it writes, and names what lost", function()
    local other = assert(inside.open { path = server:url(name) })
    assert(store:commit { { put("a", "1", ABSENT, 1), put("b", "1", ABSENT, 1), put("c", "1", ABSENT, 1) } })
    for i = 1, 3 do
      assert(other:commit { { put("b", "theirs", i, i + 1), put("new" .. i, "", ABSENT, 1), { "delete", "c" }, put("row" .. i, "") } })
      local statuses = store:commit {
        { put("a", "mine", i, i + 1), put("row" .. i, "") }, -- a row that is there already
        { put("lost", ""), put("b", "mine", i, i + 1) },
        { put("lost", ""), put("new" .. i, "mine", ABSENT, 1) },
        { put("lost", ""), { "delete", "c", expected = 1 } },
        { put("b", "after", i + 1, i + 2), put("gone", "", ABSENT, 1) }, { { "delete", "gone", expected = 1 } } }
      local answers = {}
      for j, answer in ipairs(statuses) do answers[j] = answer.status == 0 and "won" or "lost by " .. answer.lost end
      assert.same({ "won", "lost by 2", "lost by 2", "lost by 2", "won", "won" }, answers)
      assert(store:commit { { put("b", "back", i + 2, i + 1) } })
    end
    local view = assert(store:snapshot())
    local keys = {}
    for j, row in ipairs(view:scan {}) do keys[j] = row[1] end
    assert.equal("a b new1 new2 new3 row1 row2 row3", table.concat(keys, " "))
    assert.same({ "mine", 4 }, { view:get "a" })
    view:close()
    other:close()
  end)

  it("finds out that another has changed a page, whatever of it is its own, and loses nothing", function()
    local function id(tag, number) return tag .. string.pack(">I8", 1 << 23 | number) end
    local other = assert(inside.open { path = server:url(name) })
    local first, second = id("E", 2), id("W", 3)
    assert(store:commit { { put(first, "1", ABSENT, 1), put(second, "1", ABSENT, 1) } })
    for i = 1, 3 do
      -- two of one page, neither of which knows of the other's; and a third one that both want
      assert.equal(0, other:commit({ { put(first, "theirs", i, i + 1), put(id("I", 10 + i), "", ABSENT, 1) } })[1].status)
      local statuses = store:commit { { put(second, "mine", i, i + 1) }, { put(id("I", 10 + i), "lost", ABSENT, 1) },
        { { "check", first, expected = i } }, { { "count", first, expected = 1 }, { "count", id("I", 20), expected = 0 } } }
      local answers = {}
      for j, answer in ipairs(statuses) do answers[j] = answer.status end
      assert.same({ 0, -7, -7, 0 }, answers)
    end
    assert.equal("1", server:query("SELECT count(*) FROM orrery_page", { schema = name }))
    local view = assert(store:snapshot())
    assert.same({ "theirs", 4 }, { view:get(first) })
    assert.same({ "mine", 4 }, { view:get(second) })
    view:close()
    -- one that is gone, and comes again
    assert(other:commit { { { "delete", first }, { "delete", second }, { "delete", id("I", 11) }, { "delete", id("I", 12) },
      { "delete", id("I", 13) } } })
    assert.equal("0", server:query("SELECT count(*) FROM orrery_page", { schema = name }))
    assert.equal(-7, store:commit({ { put(second, "lost", 4, 5) } })[1].status)
    assert.equal(0, store:commit({ { put(second, "again", ABSENT, 1) } })[1].status)
    assert.equal(-7, other:commit({ { put(id("I", 32 + 1), "", ABSENT, 1), put(second, "lost", ABSENT, 1) } })[1].status)
    other:close()
  end)

  it("finds out that another has changed a page of which it writes nothing", function()
    local function id(tag, number) return tag .. string.pack(">I8", 1 << 23 | number) end
    local other = assert(inside.open { path = server:url(name) })
    local first, fresh = id("E", 2), id("I", 32 + 1)
    assert(store:commit { { put(first, "1", ABSENT, 1) } })
    local function status(...) return store:commit({ { put("row", ""), ... } })[1].status end
    for i = 1, 3 do
      assert(other:commit { { put(first, "theirs", i, i + 1), put(id("E", 10 + i), "", ABSENT, 1) } })
      assert.equal(-7, status { "check", first, expected = i })
      assert.equal(0, status { "check", first, expected = i + 1 })
      assert(other:commit { { { "delete", id("E", 10 + i), expected = 1 } } })
      assert.equal(-7, status { "count", id("E", 10 + i), expected = 1 })
      assert.equal(0, status { "count", id("E", 10 + i), expected = 0 })
    end
    -- what comes and goes within a group comes to nothing, but only where nothing was
    assert(other:commit { { put(fresh, "theirs", ABSENT, 5) } })
    local answers = store:commit { { put(fresh, "mine", ABSENT, 1) }, { { "delete", fresh, expected = 1 } } }
    assert.same({ -7, -7 }, { answers[1].status, answers[2].status })
    other:close()
  end)

  it("says that a page is damaged, and writes nothing over it", function()
    local key = "E" .. string.pack(">I8", 1 << 23 | 2)
    assert(store:commit { { put(key, "1", ABSENT, 1) } })
    server:query("UPDATE orrery_page SET v = substring(v FROM 1 FOR length(v) - 1), r = 7", { schema = name })
    local view = assert(store:snapshot())
    for _, read in ipairs { function() return view:get(key) end, function() return view:scan { prefix = "E" } end } do
      local _, message, code = read()
      assert.equal(STORE, code)
      assert.truthy(message:find("a page of records is damaged", 1, true), message)
    end
    view:close()
    local _, message, code = store:commit { { put(key, "2", 1, 2) } }
    assert.equal(STORE, code)
    assert.truthy(message:find("a page of records is damaged", 1, true), message)
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

  it("fetches nothing ahead from a server that is away, so that who reads waits for it once", function()
    server:order "stop"
    local began = os.time()
    for _ = 1, 9 do assert.is_nil(store:prefetch { "k" }) end
    assert.is_true(os.time() - began < 120, "it waited") -- who reads waits for 20 s each time
    server:order "start"
    local fetched = store:prefetch { "k" }
    assert.truthy(fetched)
    local view = assert(store:snapshot())
    view:use(fetched) -- which frees it
    view:close()
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
