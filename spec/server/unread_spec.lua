-- Answers that nobody reads: what holds them is cut off, and all of them together have a bound.
local support = require "spec.server.support"

local MIB <const> = 1024 * 1024
local BIG <const> = 24 * MIB -- more than the system keeps for a client that does not read

-- A server that has a resource of so many bytes, and where it is.
local function serve(bytes, settings, arguments)
  local server = support.serve { files = { conf = "return { loops = 1, " .. settings .. " }",
    big = ("x"):rep(bytes) }, arguments = "--config %f/conf " .. (arguments or "") }
  local status, text = server:curl(("-F 'big.txt=@%s/big' %s/engine-rest/deployment/create")
    :format(server.folder, server.url))
  assert.equal(200, status, text)
  local deployment = text:match '"id":"(%d+)"'
  local _, resources = server:ask("GET", "/deployment/" .. deployment .. "/resources")
  local path = "/engine-rest/deployment/%s/resources/%s/data"
  return server, path:format(deployment, resources[1].id)
end

-- Asks for it so many times over connections of their own, and reads nothing.
local DEAF <const> = [==[trap "" PIPE
for i in $(seq COUNT); do exec {fd}<>/dev/tcp/127.0.0.1/PORT
  printf 'GET PATH HTTP/1.1\r\nHost: localhost\r\n\r\n' >&$fd; done
touch FOLDER/asked
until [ -e FOLDER/enough ] || ! [ -e FOLDER/port ]; do read -t 0.05 <> <(:); done]==]

local function be_deaf(server, path, count)
  server:script("deaf", (DEAF:gsub("PATH", path):gsub("COUNT", count)))
  server:await "asked"
end

describe("a client that does not read its answer", function()
  it("is cut off, and its answer is let go", function()
    local server <close>, path = serve(BIG, "head_seconds = 86400, idle_seconds = 86400")
    be_deaf(server, path, 3)
    support.wait(function() return server:metric "unread_bytes" >= 3 * BIG end, "the answers")
    support.wait(function() return server:metric "unread_bytes" < BIG end, "their end")
    assert.equal(3, server:metric "cut_off_total")
    assert.equal(1, server:metric "active")
    server:file("enough", "")
    server:await "deaf.over"
  end)

  it("is cut off at a Unix socket, too", function()
    local server <close>, path = serve(BIG, "idle_seconds = 86400", "--socket %f/socket")
    server:script("stopped", ([[curl -s --unix-socket FOLDER/socket --limit-rate 1 \
      http://localhost%s >/dev/null & reader=$! # the substitution below sets it anew
      until [ -e FOLDER/enough ] || ! [ -e FOLDER/port ]; do read -t 0.05 <> <(:); done; kill $reader]])
      :format(path))
    support.wait(function() return server:metric "unread_bytes" >= BIG end, "the answer")
    support.wait(function() return server:metric "unread_bytes" < BIG end, "its end")
    assert.equal(1, server:metric "cut_off_total")
    server:file("enough", "")
    server:await "stopped.over"
  end)

  it("leaves one alone that reads slowly", function()
    local server <close>, path = serve(BIG, "idle_seconds = 86400")
    local status = server:curl("--limit-rate 1M " .. server.url .. path)
    assert.equal(200, status)
    assert.equal(BIG, #server:said "body")
    assert.equal(0, server:metric "cut_off_total")
  end)
end)

describe("all answers that are not read", function()
  it("have a bound, and those who read get theirs", function()
    local server <close>, path = serve(BIG, "idle_seconds = 86400, unread_max = " .. 3 * BIG)
    be_deaf(server, path, 8)
    support.wait(function() return server:metric "unread_bytes" >= 2 * BIG end, "the answers")
    assert.is_true(server:metric "unread_bytes" <= 3 * BIG)
    -- Those that are there make room once they are old enough to show that they do not read.
    support.wait(function() return (server:curl(server.url .. path)) == 200 end, "room")
    assert.equal(BIG, #server:said "body")
    assert.is_true(server:metric "unread_bytes" <= 3 * BIG)
    server:file("enough", "")
    server:await "deaf.over"
    support.wait(function() return server:metric "unread_bytes" < BIG end, "the answers' end")
  end)

  it("are each no larger than that, which is said", function()
    local server <close>, path = serve(MIB, "unread_max = " .. MIB - 1)
    local status, text = server:curl(server.url .. path)
    assert.equal(503, status)
    assert.truthy(text:find("unread_max, which is " .. MIB - 1, 1, true), text)
  end)
end)
