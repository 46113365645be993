-- Wrong passwords: who tries many waits behind itself, and keeps nobody else from logging in.
-- Marks: threads
local support = require "spec.server.support"

local build = os.getenv "ORRERY_BUILD"

local function hash(secret, token)
  local pipe = assert(io.popen(("printf %%s '%s' | %s/orrery serve --hash %s")
    :format(secret, build, token and "--token" or "")))
  local text = pipe:read "l"
  pipe:close()
  return text
end

local FLOOD <const> = 60 -- requests that wait at once
local SOON <const> = 20 -- of them may be answered before who comes behind; in turn some 4 are

local ROBOT <const> = "-H 'Authorization: Bearer token-of-a-robot'"

local function users()
  local line = "user %s operate %s\n"
  return line:format("ann", hash "right") .. line:format("bob", hash "other")
    .. ("token robot operate %s\n"):format(hash("token-of-a-robot", true))
end

-- One request of a flood, as curl's file of settings has it: the N-th tries a wrong password.
local ways <const> = {
  session = function(user, n)
    return ([[url = "http://127.0.0.1:PORT/engine-rest/orrery/session"
header = "Content-Type: application/json"
data = "{\"username\": \"%s\", \"password\": \"wrong%d\"}"]]):format(user, n)
  end,
  basic = function(user, n)
    return ([[url = "http://127.0.0.1:PORT/engine-rest/engine"
user = "%s:wrong%d"]]):format(user, n)
  end,
}

-- Begins a flood and waits until all of it is with the server; returns how many of it are answered.
local function flood(server, way, user, from)
  local requests = {}
  for n = 1, FLOOD do
    local name = type(user) == "function" and user(n) or user
    requests[n] = way(name, n) .. '\noutput = "/dev/null"\nwrite-out = "%{http_code}\\n"'
    requests[n] = requests[n] .. ('\ninterface = "%s"'):format(from or "127.0.0.1")
  end
  local all = table.concat(requests, "\nnext\n")
  server:file("requests", (all:gsub("PORT", math.tointeger(server.port))))
  server:script("flood", ("stdbuf -oL curl -s -Z --parallel-max %d -K FOLDER/requests \z
    >FOLDER/flooded"):format(FLOOD))
  support.wait(function()
    local _, text = server:ask("GET", "/metrics", nil, ROBOT)
    local answered = select(2, (server:said "flooded" or ""):gsub("\n", ""))
    return tonumber(text:match "\norrery_http_active (%d+)") + answered > FLOOD * 3 // 4
  end, "the flood")
  return function() return select(2, (server:said "flooded" or ""):gsub("\n", "")) end
end

local function serve()
  local server = support.serve { files = { users = users() }, arguments = "--auth %f/users" }
  server:ask("GET", "/engine", nil, ROBOT) -- known from now on
  return server
end

local function log_in(server)
  local status = server:ask("POST", "/orrery/session", { username = "ann", password = "right" },
    "--interface 127.0.0.1")
  return status
end

describe("wrong passwords", function()
  it("by some clients, all the time, leave room for right ones", function()
    local server <close> = serve()
    for n = 1, 6 do
      server:script("wrong" .. n, [[until [ -e FOLDER/enough ] || ! [ -e FOLDER/port ]; do
        curl -s -m 50 -o /dev/null -w '%{http_code}\n' -H 'Content-Type: application/json' \
        -d '{"username":"ann","password":"wrong"}' http://127.0.0.1:PORT/engine-rest/orrery/session
        done >>FOLDER/answers]])
    end
    support.wait(function() return (server:said "answers" or "") ~= "" end, "wrong ones")
    for n = 1, 10 do assert.equal(200, log_in(server), n) end
    server:file("enough", "")
    for n = 1, 6 do
      server:await("wrong" .. n .. ".over")
    end
    assert.equal("", (server:said "answers":gsub("401\n", "")))
  end)

  for name, way in pairs(ways) do
    it("for one user's name by " .. name .. " do not hold up another user", function()
      local server <close> = serve()
      local answered = flood(server, way, "bob")
      local before = answered()
      assert.equal(200, log_in(server))
      assert.is_true(answered() - before <= SOON, answered() - before)
      server:await "flood.over"
      assert.equal("", (server:said "flooded":gsub("401\n", "")))
    end)
  end

  it("for names that nobody has do not hold up those who have one", function()
    local server <close> = serve()
    local answered = flood(server, ways.session, function(n) return "nobody" .. n end)
    local before = answered()
    assert.equal(200, log_in(server))
    assert.is_true(answered() - before <= SOON, answered() - before)
    server:await "flood.over"
  end)

  it("for a user's name from one address do not hold up that user at another", function()
    local server <close> = serve()
    local answered = flood(server, ways.session, "ann", "127.0.0.2")
    local before = answered()
    assert.equal(200, log_in(server))
    assert.is_true(answered() - before <= SOON, answered() - before)
    server:await "flood.over"
  end)

  it("that wait are refused when the server ends, and do not hold it up", function()
    local server <close> = support.serve { files = { users = users(),
      conf = "return { drain_seconds = 0 }" }, arguments = "--auth %f/users --config %f/conf" }
    server:ask("GET", "/engine", nil, ROBOT)
    flood(server, ways.session, "ann")
    local code = server:stop "TERM"
    assert.equal(0, code, server:log())
    server:await "flood.over"
    assert.equal("", (server:said "flooded":gsub("401\n", ""):gsub("503\n", "")))
  end)
end)
