-- Builds of several levels on one store in PostgreSQL: what the oldest of them cannot read is not written, and when the store has moved on,
-- who stayed behind is refused by name.
local inside = require("orrery_inside").store
local postgres = require "spec.support.postgres"

local STORE = -13

describe("builds of several levels on a store in PostgreSQL", function()
  local it = postgres.with(it, pending)
  local server, url, name

  before_each(function()
    if not postgres.is_installed() then return end
    server = postgres.shared()
    url, name = server:schema()
    assert(inside.make_schema(url, nil, 1))
  end)

  local function open(level) return assert(inside.open { path = url, level = level }) end
  local function commit(store, key) return store:commit { { { "put", key, "v" } } } end
  local function rest() server:query("UPDATE orrery_lane SET seen = now() - interval '61 seconds'", { schema = name }) end

  local function refused(message, code)
    assert.equal(STORE, code)
    assert.matches("has moved on to level 2, which this version does not know, only 1", message, 1, true)
  end

  it("work beside each other, and write what the oldest reads", function()
    local old, new = open(1), open(2)
    assert.same({ 1, 1 }, { old:level(), new:level() })
    for i, store in ipairs { old, new, old } do assert.equal(0, commit(store, "k" .. i)[1].status) end
    local view = old:snapshot()
    assert.equal("v", (view:get "k2"))
    view:close()
    old:close()
    new:close()
  end)

  it("stay there as long as an older one is at work, which is said, and move on when it has ended", function()
    local old, new = open(1), open(2)
    commit(old, "k")
    local done, message, code = inside.make_schema(url, nil, 2)
    assert.same({ nil, STORE }, { done, code })
    assert.matches("an older version is at work on it, of 1 open stores, and committed [0-9] s ago", message)
    assert.equal("1", server:query("SELECT level FROM orrery_format", { schema = name }))
    old:close()
    assert(inside.make_schema(url, nil, 2))
    repeat commit(new, "k") until new:level() == 2 -- it asks once a second
    local none
    none, message, code = inside.open { path = url, level = 1 }
    assert.is_nil(none)
    refused(message, code)
    none, message, code = inside.make_schema(url, nil, 1)
    assert.is_nil(none)
    refused(message, code)
    new:close()
  end)

  it("move on though PostgreSQL breaks a deadlock with what works on the store by ending the move", function()
    local session <close> = server:session(name)
    session:say "\\set ON_ERROR_STOP 0" -- it may as well be the one that is ended
    session:say "BEGIN; UPDATE orrery_lane SET seen = seen;"
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write(("print(require('orrery_inside').store.make_schema(%q, nil, 2))"):format(url))
    file:close()
    local move = assert(io.popen(("%s %s 2>&1"):format(os.getenv "ORRERY_LUA" or "lua5.4", script)))
    local waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'orrery_lane'::regclass"
    repeat until server:query(waits, { schema = name }) == "1"
    session:say "SELECT level FROM orrery_format;"
    session:say "COMMIT;"
    assert.matches("^true", move:read "a")
    move:close()
    os.remove(script)
    assert.equal("2", server:query("SELECT level FROM orrery_format", { schema = name }))
  end)

  it("shut out one that rested while the store moved on: its next commit has no effect", function()
    local old = open(1)
    commit(old, "k")
    rest()
    assert(inside.make_schema(url, nil, 2))
    for _ = 1, 2 do
      local answer, message, code = commit(old, "late")
      assert.is_nil(answer)
      refused(message, code)
    end
    old:close()
    local new = open(2)
    local view = new:snapshot()
    assert.same({ "v", false }, { (view:get "k"), (view:get "late") })
    view:close()
    new:close()
  end)

  it("keep out one that does not say its level, too", function()
    assert(inside.make_schema(url, nil, 2))
    local insert = "INSERT INTO orrery_lane (generation, sequence, seen) VALUES (0, 0, now())"
    local ok, said = pcall(server.query, server, insert, { schema = name })
    assert.is_false(ok)
    assert.matches("needs_a_newer_orrery", said)
  end)

  it("do not mind one that moves the store to the level it has", function()
    local new = open(2)
    assert(inside.make_schema(url, nil, 2))
    assert.equal(0, commit(new, "k")[1].status)
    assert(inside.make_schema(url, nil, 2))
    assert.equal(0, commit(new, "k")[1].status)
    new:close()
  end)

  it("take tables from before there were levels for those of the first", function()
    server:query("ALTER TABLE orrery_format DROP COLUMN level; ALTER TABLE orrery_lane DROP COLUMN level", { schema = name })
    local new = open(2)
    assert.equal(0, commit(new, "k")[1].status)
    assert.equal(1, new:level())
    assert.is_nil((inside.make_schema(url, nil, 2))) -- its lane does not say what it knows
    new:close()
    assert(inside.make_schema(url, nil, 2))
    new = open(2)
    assert.equal(2, new:level())
    new:close()
  end)
end)
