-- A history checker that shares no code with the engine: clients add to random pairs of groups while their server fails, and afterwards
-- what was acknowledged, what is stored and what history tells are compared by SQL alone. A group's revision is how often it was added to.
-- Marks: load
local inside = require("orrery_inside").store
local folder = require "spec.support.folder"
local postgres = require "spec.support.postgres"

local CLIENTS = 4

local function start_clients(url, rounds)
  local seed = require("spec.support.random").seed()
  local clients = {}
  for i = 1, CLIENTS do
    local command = "exec %s spec/fault/history_client.lua '%s' c%d %d %d 2>&1"
    clients[i] = assert(io.popen(command:format(os.getenv "ORRERY_LUA" or "lua5.4", url, i, rounds, seed + i)))
  end
  for _, pipe in ipairs(clients) do assert.equal("open", pipe:read "l") end
  return clients
end

--- What they were told is made, by its key, and how often they were told nothing.
local function acknowledged(clients)
  local made, count, unknown = {}, 0, 0
  for _, pipe in ipairs(clients) do
    for line in pipe:lines() do
      if line:find "^h/" then made[line], count = true, count + 1
      elseif line == "unknown" then unknown = unknown + 1
      else assert.equal("end", line) end
    end
    pipe:close()
  end
  return made, count, unknown
end

--- Keys as text, since the clients' are.
local function rows(server, sql, schema)
  local out = {}
  for line in server:query(sql, { schema = schema }):gmatch "[^\n]+" do out[#out + 1] = line end
  return out
end

-- Of those that lie in pages: each is a head of 6 bytes, a key of 9 and a value of 8, in which a checksum comes first.
local packed = "SELECT 'g/' || get_byte(v, 14 + 23 * i) || ' ' || encode(substring(v FROM 20 + 23 * i FOR 4), 'hex')"
  .. " FROM orrery_page, generate_series(0, length(v) / 23 - 1) AS i"

local function check(server, name, clients, rounds)
  local made, count, unknown = acknowledged(clients)
  assert.equal(CLIENTS * rounds, count + unknown)
  local told, groups = {}, {}
  for _, key in ipairs(rows(server, "SELECT convert_from(k, 'UTF8') FROM orrery_entry WHERE k >= 'h/' AND k < 'h0'", name)) do
    local a, b = key:match "^h/c%d/%d+/(%d)/(%d)$"
    assert(a, key)
    told[key] = true
    groups[a], groups[b] = (groups[a] or 0) + 1, (groups[b] or 0) + 1
  end
  for key in pairs(made) do assert.is_true(told[key], key .. " was acknowledged, and is not there") end
  local more = 0
  for key in pairs(told) do more = more + (made[key] and 0 or 1) end
  assert.is_true(more <= unknown, ("%d are there that nobody was told of, and %d outcomes were unknown"):format(more, unknown))
  for _, row in ipairs(rows(server, "SELECT convert_from(k, 'UTF8') || ' ' || encode(substring(v FROM 5 FOR 4), 'hex') FROM orrery_entry"
    .. " WHERE k >= 'g/' AND k < 'g0' UNION ALL " .. packed, name)) do
    local group, revision = row:match "^g/(%d) (%x+)$"
    revision = string.unpack("=I4", (revision:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end)))
    assert.equal(groups[group], revision, "group " .. group)
    groups[group] = nil
  end
  assert.same({}, groups)
  return count, unknown
end

describe("additions to pairs of groups are stored as they were acknowledged", function()
  local it = postgres.with(it, pending)

  it("while sessions are ended and the server starts again and again", function()
    local server, rounds = postgres.shared(), 150
    local url, name = server:schema()
    assert(inside.make_schema(url))
    local clients = start_clients(url, rounds)
    local terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'orrery'"
    for i = 1, 24 do
      if i % 8 == 0 then server:order "restart" else server:query(terminate) end
    end
    local count, unknown = check(server, name, clients, rounds)
    assert.same({ CLIENTS * rounds, 0 }, { count, unknown }) -- each outcome is asked for, as long as the server comes back
  end)

  it("while the server is stopped and goes on", function()
    local server, rounds = postgres.shared(), 60
    local url, name = server:schema()
    assert(inside.make_schema(url))
    local clients = start_clients(url, rounds)
    for _ = 1, 3 do
      local pids = rows(server, "SELECT pid FROM pg_stat_activity WHERE application_name = 'orrery'")
      os.execute("kill -STOP " .. table.concat(pids, " ") .. " 2>/dev/null")
      server:try "SELECT 1" -- for as long as others are tried: a session may have been stopped with a lock that all need
      os.execute("kill -CONT " .. table.concat(pids, " ") .. " 2>/dev/null")
    end
    local count = check(server, name, clients, rounds)
    assert.equal(CLIENTS * rounds, count)
  end)

  it("while all of the server's processes are stopped, so that nobody can connect, and go on", function()
    local server <close> = postgres.start()
    local rounds = 60
    local url, name = server:schema()
    assert(inside.make_schema(url))
    local clients = start_clients(url, rounds)
    for _ = 1, 2 do
      repeat until tonumber(server:query("SELECT count(*) FROM orrery_entry", { schema = name })) > 10
      local all = ("%s $(pgrep -P %s)"):format(server.pid, server.pid)
      os.execute("kill -STOP " .. all)
      local refused, message = inside.open { path = url .. "&connect_timeout=2" }
      os.execute(("kill -CONT %s $(pgrep -P %s)"):format(all, server.pid))
      assert.is_nil(refused)
      assert.truthy(message:find("cannot be reached", 1, true), message)
    end
    local count, unknown = check(server, name, clients, rounds)
    assert.same({ CLIENTS * rounds, 0 }, { count, unknown })
  end)

  it("while a synchronous standby takes over from a primary that is killed", function()
    local rounds = 150
    local server <close> = postgres.start()
    local url, name = server:schema()
    assert(inside.make_schema(url))
    local standby <close> = server:standby()
    local alone = server:url(name, { host = standby.folder })
    local refused, message = inside.open { path = alone }
    assert.is_nil(refused)
    assert.truthy(message:find("is a standby, which can only be read", 1, true), message)
    server:query "ALTER SYSTEM SET synchronous_standby_names = '*'"
    server:query "SELECT pg_reload_conf()"
    repeat until server:query "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'" == "1"
    local both = server:url(name, { host = server.folder .. "," .. standby.folder }) .. "&target_session_attrs=read-write"
    local clients = start_clients(both, rounds)
    repeat until tonumber(server:query("SELECT count(*) FROM orrery_entry", { schema = name })) > 40
    server:order "stop"
    standby:promote()
    local count, unknown = check(standby, name, clients, rounds)
    assert.same({ CLIENTS * rounds, 0 }, { count, unknown })
  end)
end)
