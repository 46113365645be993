-- Answers as gzip for those who take it, the page's files as the build has compressed them, and
-- what browsers ask before a page of another site may send its request.
local folder = require "spec.support.folder"
local support = require "spec.server.support"

local FRIEND <const> = "https://friend.example"
local SCRIPT <const> = ("export const page = 1 // and so on\n"):rep(100)
local TAKES <const> = "-H 'Accept-Encoding: gzip, deflate'"

local function header(head, name)
  local all = {}
  for line in head:gmatch "[^\r\n]+" do
    local is, value = line:match "^([^:]+): *(.*)$"
    if is and is:lower() == name then all[#all + 1] = value end
  end
  return #all > 0 and table.concat(all, ", ") or nil
end

local function write(path, text)
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
end

-- A file of users with one token.
local function users()
  local pipe = assert(io.popen(("printf %%s robot-token | %s/orrery serve --hash --token")
    :format(os.getenv "ORRERY_BUILD")))
  local hash = pipe:read "l"
  pipe:close()
  return "token robot operate " .. hash .. "\n"
end

local function gunzip(bytes)
  local place = folder.make()
  write(place .. "/x.gz", bytes)
  local pipe = assert(io.popen("gzip -dc " .. place .. "/x.gz"))
  local text, ended = pipe:read "a", pipe:close()
  folder.remove(place)
  return ended and text
end

describe("an answer", function()
  local server, page

  local function get(path, more)
    local status, text, head = server:curl(("%s '%s%s'"):format(more or "", server.url, path))
    assert.equal(200, status, path)
    return text, header(head, "content-encoding"), head
  end

  -- It is gzip of what others get.
  local function compressed(path)
    local plain, none, head = get(path)
    assert.is_nil(none)
    assert.equal("Accept-Encoding", header(head, "vary"))
    local text, encoding, short_head = get(path, TAKES)
    assert.same({ "gzip", "Accept-Encoding" }, { encoding, header(short_head, "vary") })
    assert.is_true(#text < #plain / 2, path)
    assert.equal(#text, math.tointeger(tonumber(header(short_head, "content-length"))))
    assert.equal(plain, gunzip(text))
  end

  setup(function()
    page = folder.make()
    write(page .. "/index.html", "<html></html>")
    write(page .. "/page-AB12CD34.js", SCRIPT)
    os.execute("gzip -9 -k -n " .. page .. "/page-AB12CD34.js")
    server = support.serve { files = { ["order.bpmn"] = support.order,
        png = ("\137PNG\r\n"):rep(1000), large = ("<a>0123456789</a>\n"):rep(20000) },
      arguments = "--deploy %f/order.bpmn --cors " .. FRIEND .. " --ui " .. page }
    for _ = 1, 10 do server:ask("POST", "/process-definition/key/order/start", {}) end
    local status = server:curl(("-F 'p.png=@%s;filename=p.png' -F 'l.xml=@%s;filename=l.xml' \z
      %s/engine-rest/deployment/create"):format(server:file "png", server:file "large", server.url))
    assert.equal(200, status)
  end)
  teardown(function()
    server:close()
    folder.remove(page)
  end)

  -- Of the deployment that has the resource.
  local function resource(name)
    for _, deployment in ipairs(select(2, server:ask("GET", "/deployment"))) do
      local path = "/deployment/" .. deployment.id .. "/resources"
      for _, each in ipairs(select(2, server:ask("GET", path))) do
        if each.name == name then return ("/engine-rest%s/%s/data"):format(path, each.id) end
      end
    end
  end

  it("is gzip for a client that takes it", function()
    compressed "/engine-rest/external-task?maxResults=50"
    compressed "/engine-rest/external-task"
    compressed(resource "l.xml")
    local text, encoding = get("/metrics", TAKES)
    assert.equal("gzip", encoding)
    assert.matches("orrery_http_active", gunzip(text))
  end)

  it("of a command is, too", function()
    local path = server:file("poll", '{"workerId":"w","maxTasks":10,\z
      "topics":[{"topicName":"pay","lockDuration":1}]}')
    local text, encoding = get("/engine-rest/external-task/fetchAndLock",
      TAKES .. " -H 'Content-Type: application/json' -d @" .. path)
    assert.equal("gzip", encoding)
    assert.matches('"topicName":"pay"', gunzip(text))
  end)

  it("is as it was written for others", function()
    local path = "/engine-rest/external-task"
    for list, wanted in pairs { ["identity"] = false, ["gzip;q=0"] = false,
      ["gzip; q=0.0, *"] = false, ["br, *"] = "gzip", ["br;q=1, GZIP;q=0.5"] = "gzip", ["gzipped"] = false,
      [""] = false,
      ["*;q=0"] = false, ["deflate,x-gzip"] = "gzip" } do
      local _, encoding = get(path, ("-H 'Accept-Encoding: %s'"):format(list))
      assert.equal(wanted, encoding or false, list)
    end
  end)

  it("that is small, or a picture, stays as it is", function()
    for _, path in ipairs { "/engine-rest/engine", resource "p.png" } do
      local _, encoding, head = get(path, TAKES)
      assert.same({}, { encoding, header(head, "vary") })
    end
  end)

  it("that a page of another site asks for tells nothing by its length", function()
    local path = "/engine-rest/external-task"
    for site, wanted in pairs { ["cross-site"] = false, ["same-site"] = false,
      ["same-origin"] = "gzip", none = "gzip" } do
      local _, encoding = get(path, ("%s -H 'Sec-Fetch-Site: %s'"):format(TAKES, site))
      assert.equal(wanted, encoding or false, site)
    end
    local friend = ("%s -H 'Sec-Fetch-Site: cross-site' -H 'Origin: %s'"):format(TAKES, FRIEND)
    local _, encoding = get(path, friend)
    assert.equal("gzip", encoding)
  end)

  it("of the page is what the build has compressed, and is kept for good", function()
    local plain, none, head = get "/page-AB12CD34.js"
    assert.same({ SCRIPT, nil, "Accept-Encoding", "public, max-age=31536000, immutable" },
      { plain, none, header(head, "vary"), header(head, "cache-control") })
    local short, encoding, short_head = get("/page-AB12CD34.js", TAKES)
    assert.same({ support.read(page .. "/page-AB12CD34.js.gz"), "gzip" }, { short, encoding })
    for _, name in ipairs { "cache-control", "content-type" } do
      assert.equal(header(head, name), header(short_head, name))
    end
    assert.not_equal(header(head, "etag"), header(short_head, "etag"))
    local status = server:curl(("%s -H 'If-None-Match: %s' %s/page-AB12CD34.js")
      :format(TAKES, header(short_head, "etag"), server.url))
    assert.equal(304, status)
    local _, _, first = get("/", TAKES)
    assert.same({ "no-cache" }, { header(first, "cache-control"), header(first, "vary") })
  end)
end)

describe("a preflight", function()
  local server

  setup(function()
    server = support.serve { files = { users = users() },
      arguments = "--auth %f/users --cors " .. FRIEND }
  end)
  teardown(function() server:close() end)

  local function ask(path, origin, more)
    local status, _, head = server:curl(("-X OPTIONS -H 'Origin: %s' %s %s%s")
      :format(origin, more or "-H 'Access-Control-Request-Method: POST'", server.url, path))
    return status, head
  end

  it("is answered 204 without a login", function()
    for _, path in ipairs { "/engine-rest/user", "/engine-rest/task", "/engine-rest/none",
      "/engine-rest/task/1/complete", "/" } do
      local status, head = ask(path, FRIEND)
      assert.equal(204, status, path)
      assert.equal(FRIEND, header(head, "access-control-allow-origin"))
      assert.matches("PUT", header(head, "access-control-allow-methods"))
      assert.matches("Authorization", header(head, "access-control-allow-headers"))
    end
  end)

  it("of a page that is no friend admits nothing", function()
    local status, head = ask("/engine-rest/task", "https://other.example")
    assert.equal(204, status)
    assert.is_nil(header(head, "access-control-allow-origin"))
    assert.is_nil(header(head, "access-control-allow-methods"))
  end)

  it("is no other request", function()
    assert.equal(401, (ask("/engine-rest/user", FRIEND, "")))
    assert.equal(401, (server:ask("GET", "/task", nil,
      "-H 'Access-Control-Request-Method: GET' -H 'Origin: " .. FRIEND .. "'")))
  end)
end)
