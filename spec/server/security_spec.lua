-- Who may do what, and what is refused at the door: hostile heads, bodies, names, pages.
local support = require "spec.server.support"

local build = os.getenv "ORRERY_BUILD"

local function hash(secret, token)
  local pipe = assert(io.popen(("printf %%s '%s' | %s/orrery serve --hash %s"):format(secret, build, token and "--token" or "")))
  local text = pipe:read "l"
  pipe:close()
  return text
end

-- Bytes as they are sent, and what comes back until the server closes, or hangs; the second result says
-- which.
local function raw(server, bytes)
  local path = server:file("raw", bytes)
  local pipe = assert(io.popen(([[bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d; cat %s >&3; timeout 120 cat <&3; echo; echo END $?' 2>&1]])
    :format(server.port, path)))
  local text = pipe:read "a"
  pipe:close()
  return text, tonumber(text:match "END (%d+)") == 0
end

local function get(path, headers, version)
  return ("GET %s%s\r\n%s\r\n"):format(path, version or " HTTP/1.1", headers or "Host: localhost\r\nConnection: close\r\n")
end

describe("who may do what", function()
  local server

  setup(function()
    local users = ("user ann operate,deploy %s clerks\nuser eve read %s\nuser wim worker %s\ntoken robot operate %s\n"):format(
      hash "secret", hash "evening", hash "work", hash("token-of-a-robot", true))
    server = support.serve { files = { users = users, ["order.bpmn"] = support.order },
      arguments = "--auth %f/users --deploy %f/order.bpmn" }
  end)

  teardown(function() server:close() end)

  it("is asked by Basic or a token, of everything but health", function()
    assert.equal(200, (server:ask("GET", "/health/ready")))
    for _, path in ipairs { "/engine", "/process-instance", "/metrics", "/task/1/variables" } do
      local status, _, head = server:ask("GET", path)
      assert.equal(401, status, path)
      assert.truthy(head:lower():find("www-authenticate: basic", 1, true))
    end
    for user, status in pairs { ["ann:secret"] = 200, ["ann:wrong"] = 401, ["nobody:secret"] = 401, ["ann:"] = 401 } do
      for _ = 1, 2 do assert.equal(status, (server:ask("GET", "/engine", nil, "-u " .. user)), user) end
    end
    assert.equal(200, (server:ask("GET", "/engine", nil, "-H 'Authorization: Bearer token-of-a-robot'")))
    for _, wrong in ipairs { "Bearer secret", "Bearer ", "Basic !!!", "Basic YW5u", "Digest x", "Bearer " .. ("x"):rep(5000) } do
      assert.equal(401, (server:ask("GET", "/engine", nil, "-H 'Authorization: " .. wrong .. "'")), wrong)
    end
    for given, why in pairs {
      ["-u ann:wrong"] = "The user's name or the password is wrong",
      ["-u nobody:secret"] = "The user's name or the password is wrong",
      ["-H 'Authorization: Bearer secret'"] = "The token is wrong",
      [" "] = "Who asks? A user's name and password, or a token, are expected",
      ["-H 'Authorization: Digest x'"] =
        "Who asks? A user's name and password, or a token, are expected",
    } do
      local _, answer = server:ask("GET", "/engine", nil, given)
      assert.equal(why, answer.message, given)
    end
    for _, page in ipairs { "Sec-Fetch-Mode: cors", "X-Requested-With: Orrery", "Accept: text/event-stream" } do
      local _, _, head = server:ask("GET", "/engine", nil, ("-H '%s'"):format(page))
      assert.falsy(head:lower():find("www-authenticate", 1, true), page)
    end
  end)

  it("follows the roles", function()
    local start = { "POST", "/process-definition/key/order/start", {} }
    local fetch = { "POST", "/external-task/fetchAndLock", { workerId = "w", maxTasks = 0, topics = {} } }
    fetch[3].topics = nil
    for _, case in ipairs {
      { "eve:evening", 200, "GET", "/process-instance" }, { "eve:evening", 403, table.unpack(start) },
      { "eve:evening", 403, table.unpack(fetch) }, { "eve:evening", 403, "DELETE", "/deployment/1" },
      { "wim:work", 403, "GET", "/process-instance" }, { "wim:work", 200, table.unpack(fetch) },
      { "wim:work", 403, table.unpack(start) }, { "ann:secret", 200, table.unpack(start) }, { "ann:secret", 200, table.unpack(fetch) },
    } do
      local status, answer = server:ask(case[3], case[4], case[5], "-u " .. case[1])
      assert.equal(case[2], status, case[1] .. " " .. case[4])
      if status == 403 then assert.equal("AuthorizationException", answer.type) end
    end
    local robot = "-H 'Authorization: Bearer token-of-a-robot'"
    local form = server:file("x.bpmn", support.waiting)
    assert.equal(403, (server:curl(("%s -F 'x.bpmn=@%s' %s/engine-rest/deployment/create"):format(robot, form, server.url))))
    assert.equal(200, (server:curl(("-u ann:secret -F 'x.bpmn=@%s' %s/engine-rest/deployment/create"):format(form, server.url))))
  end)

  it("names the file's users, and takes no new ones", function()
    local _, users = server:ask("GET", "/user", nil, "-u ann:secret")
    assert.same({ "ann", "eve", "wim" }, { users[1].id, users[2].id, users[3].id })
    local _, groups = server:ask("GET", "/identity/groups?userId=ann", nil, "-u ann:secret")
    assert.equal("clerks", groups.groups[1].id)
    assert.equal(403, (server:ask("POST", "/user/create", {}, "-u ann:secret")))
    local status, none = server:ask("GET", "/authorization?userIdIn=ann", nil, "-u ann:secret")
    assert.same({ 200, 0 }, { status, #none })
  end)

  it("keeps a session for the page, which other sites cannot use", function()
    local jar = "-b " .. server.folder .. "/jar"
    assert.equal(401, (server:ask("POST", "/orrery/session", { username = "ann", password = "wrong" })))
    local status, session, head = server:ask("POST", "/orrery/session", { username = "ann", password = "secret" }, "-c " .. server.folder
      .. "/jar")
    assert.same({ 200, "ann" }, { status, session.user })
    assert.truthy(head:find("HttpOnly; SameSite=Strict", 1, true))
    assert.equal(200, (server:ask("GET", "/process-instance", nil, jar)))
    assert.equal(403, (server:ask("POST", "/process-definition/key/order/start", {}, jar)))
    assert.equal(403, (server:ask("POST", "/process-definition/key/order/start", {}, jar .. " -H 'X-XSRF-TOKEN: guess'")))
    assert.equal(200, (server:ask("POST", "/process-definition/key/order/start", {}, jar .. " -H 'X-XSRF-TOKEN: " .. session.xsrfToken
      .. "'")))
    assert.equal(204, (server:ask("DELETE", "/orrery/session", nil, jar)))
    assert.equal(401, (server:ask("GET", "/process-instance", nil, jar)))
    assert.equal(401, (server:ask("GET", "/process-instance", nil, "-b orrery_session=" .. ("0"):rep(32))))
  end)
end)

describe("the door", function()
  local server

  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order,
      conf = "return { head_seconds = 1, idle_seconds = 1, json_max = 4096, multipart_max = 8192 }", ["ui.html"] = "" },
      arguments = "--deploy %f/order.bpmn --config %f/conf --host good.example --cors https://friend.example" }
  end)

  teardown(function() server:close() end)

  it("refuses the lax spellings of HTTP, and reads a line feed alone as a line's end", function()
    local post = "POST /engine-rest/external-task/1/unlock HTTP/1.1\r\n"
    local host = "Host: localhost\r\nConnection: close\r\n"
    for name, bytes in pairs {
      ["length and coding"] = post .. host .. "Content-Type: application/json\r\nContent-Length: 2\r\n\z
        Transfer-Encoding: chunked\r\n\r\n{}",
      ["two lengths"] = post .. host .. "Content-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
      ["space before the colon"] = "GET /engine-rest/version HTTP/1.1\r\nHost : localhost\r\nConnection: close\r\n\r\n",
      ["folded header"] = "GET /engine-rest/version HTTP/1.1\r\n" .. host .. "X-A: b\r\n c\r\n\r\n",
      ["NUL"] = "GET /engine-rest/version HTTP/1.1\r\n" .. host .. "X-A: b\0c\r\n\r\n",
      ["NUL at the end"] = "GET /engine-rest/version HTTP/1.1\r\n" .. "X-A: b\0\r\n" .. host .. "\r\n",
      ["NUL in the last line"] = "GET /engine-rest/version HTTP/1.1\n" .. host:gsub("\r", "") .. "X-A: b\0c\n\n",
      ["bare CR within a line"] = "GET /engine-rest/version HTTP/1.1\r\n" .. host .. "X-A: b\rc\r\n\r\n",
      ["bare CR"] = "GET /engine-rest/version HTTP/1.1\r\n" .. host .. "X-A: b\rX-B: c\r\n\r\n",
      ["no version"] = get("/engine-rest/version", nil, ""),
      ["odd coding"] = post .. host .. "Content-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      ["two hosts"] = get("/engine-rest/version", host .. "Host: localhost\r\n"),
      ["no host"] = get("/engine-rest/version", "Connection: close\r\n"),
    } do
      local text, closed = raw(server, bytes)
      assert.falsy(text:find("HTTP/1.1 2", 1, true), name .. ": " .. text)
      assert.falsy(text:find("HTTP/1.1 404", 1, true), name .. ": " .. text)
      assert.is_true(closed, name)
    end
    for _, good in ipairs { "GET /engine-rest/version HTTP/1.1\nHost: localhost\nConnection: close\n\n",
      "GET /engine-rest/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-A:\r\nX-B:  \r\nX-C: y  \r\nX-D: z \r\n\r\n" } do
      assert.truthy(raw(server, good):find("HTTP/1.1 200", 1, true), good)
    end
  end)

  it("is shut to names that are not its own, and to pages of other sites", function()
    for host, status in pairs { ["localhost:1"] = 200, ["127.0.0.1"] = 200, ["good.example"] = 200, ["evil.example"] = 421,
      ["localhost.evil.example"] = 421, ["127.0.0.1.evil.example"] = 421 } do
      assert.equal(status, (server:ask("GET", "/version", nil, "-H 'Host: " .. host .. "'")), host)
    end
    local body = { workerId = "w" }
    for headers, status in pairs {
      ["-H 'Origin: https://evil.example'"] = 403, ["-H 'Origin: null'"] = 403, ["-H 'Sec-Fetch-Site: cross-site'"] = 403,
      ["-H 'Origin: https://friend.example'"] = 404, [("-H 'Origin: %s'"):format(server.url)] = 404,
      ["-H 'Sec-Fetch-Site: same-origin'"] = 404,
    } do
      assert.equal(status, (server:ask("POST", "/external-task/77/complete", body, headers)), headers)
    end
    local read, _, head = server:ask("GET", "/version", nil, "-H 'Origin: https://evil.example'")
    assert.equal(200, read) -- the browser does not show it
    assert.falsy(head:lower():find("access-control", 1, true))
    _, _, head = server:ask("GET", "/version", nil, "-H 'Origin: https://friend.example'")
    assert.truthy(head:find("Access-Control-Allow-Origin: https://friend.example", 1, true))
    for _, type in ipairs { "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx" } do
      local status = server:ask("POST", "/external-task/77/unlock", nil, "-H 'Content-Type: " .. type .. "' --data-binary '{}'")
      assert.equal(415, status, type)
    end
    for coding, expected in pairs { gzip = 415, identity = 404 } do
      local header = "-H 'Content-Encoding: " .. coding .. "'"
      local status = server:ask("POST", "/external-task/77/unlock", "{}", header)
      assert.equal(expected, status, coding)
    end
  end)

  it("bounds heads, bodies, and how deep they are", function()
    assert.equal(431, (server:ask("GET", "/version", nil, ("-H 'X-%d: y'"):rep(1) .. " " .. ("-H 'X-Long: " .. ("y"):rep(17000) .. "'"))))
    local many = {}
    for i = 1, 101 do many[i] = ("-H 'X-%d: y'"):format(i) end
    assert.equal(431, (server:ask("GET", "/version", nil, table.concat(many, " "))))
    local status = raw(server, "GET /engine-rest/" .. ("a"):rep(20000) .. " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert.falsy(status:find("HTTP/1.1 2", 1, true))
    local big = '{"workerId":"' .. ("x"):rep(5000) .. '"}'
    assert.equal(413, (server:ask("POST", "/external-task/77/complete", big)))
    assert.equal(413, (server:ask("POST", "/external-task/77/complete", big, "-H 'Transfer-Encoding: chunked'")))
    local answer
    status, answer = server:ask("POST", "/external-task/77/complete", '{"variables":' .. ("["):rep(65) .. ("]"):rep(65) .. "}")
    assert.equal(400, status)
    assert.truthy(answer.message:find("deeper than 64", 1, true))
    local file = server:file("big.bpmn", support.order .. (" "):rep(9000))
    assert.equal(413, (server:curl(("-F 'x=@%s' %s/engine-rest/deployment/create"):format(file, server.url))))
  end)

  it("cuts off who takes too long, in all and not from byte to byte", function()
    local drip = ([[bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d
      (printf "GET / HTTP/1.1\r\n"; while printf "X: y\r\n" 2>/dev/null; do sleep 0.1; done) >&3 2>/dev/null &
      timeout 120 cat <&3; echo END $?; kill %%1' 2>/dev/null]]):format(server.port)
    local pipe = assert(io.popen(drip))
    local text = pipe:read "a"
    pipe:close()
    assert.truthy(text:find("END 0", 1, true), text)
    local _, closed = raw(server, "") -- says nothing at all
    assert.is_true(closed)
    assert.truthy(select(2, server:ask("GET", "/metrics")):find "orrery_http_cut_off_total [2-9]")
  end)

  it("serves what a browser must not take for more than data", function()
    local status, _, head = server:ask("GET", "/version")
    assert.equal(200, status)
    assert.truthy(head:find("X-Content-Type-Options: nosniff", 1, true))
    assert.truthy(head:find("Cache-Control: no-cache", 1, true))
    status = server:curl("--path-as-is " .. server.url .. "/../conf")
    assert.equal(404, status)
    local _, text, page = server:curl(server.url .. "/")
    assert.truthy(text:find("Orrery", 1, true))
    assert.truthy(page:find("Content-Security-Policy: default-src 'self'", 1, true))
  end)
end)

describe("connections", function()
  -- How many of `n` connections that are open at once are answered.
  local function answered(server, n)
    local script = ([=[trap "" PIPE; fds=(); for i in $(seq %d); do exec {fd}<>/dev/tcp/127.0.0.1/%d; fds+=($fd); done; n=0
      for fd in ${fds[@]}; do printf "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n" >&$fd 2>/dev/null
      if read -t 20 line <&$fd && [[ $line == *200* ]]; then n=$((n + 1)); fi; done; echo $n]=]):format(n, server.port)
    local pipe = assert(io.popen("bash -c '" .. script .. "' 2>/dev/null"))
    local count = pipe:read "n"
    pipe:close()
    return count
  end

  it("of one address are counted over all loops, and make room again", function()
    local server <close> = support.serve { files = { conf = "return { loops = 4, connections_per_address = 5, head_seconds = 60 }" },
      arguments = "--config %f/conf" }
    assert.equal(5, answered(server, 12))
    support.wait(function() return answered(server, 5) == 5 end, "room for new ones")
  end)

  it("are counted in all, whatever loop they come to", function()
    local server <close> = support.serve { files = { conf = "return { loops = 4, connections_max = 6, head_seconds = 60 }" },
      arguments = "--config %f/conf" }
    assert.equal(6, answered(server, 14))
  end)
end)

describe("where it listens", function()
  local function fails(arguments, message)
    local pipe = assert(io.popen(("%s/orrery serve %s 2>&1; echo EXIT $?"):format(build, arguments)))
    local text = pipe:read "a"
    pipe:close()
    assert.truthy(text:find(message, 1, true), text)
    assert.truthy(text:find "EXIT [12]\n$", text)
  end

  it("is loopback, unless somebody says who may come", function()
    local store = os.tmpname()
    os.remove(store)
    fails(store .. " --listen 0.0.0.0:0", "--auth")
    fails(store .. " --listen nonsense.invalid:0", "no address")
    fails(store .. " --auth /nowhere", "cannot be read")
    fails(store .. " --tls-cert x", "both")
    fails("", "which store?")
    os.execute("rm -rf " .. store)
  end)

  it("may be a Unix socket, which its owner alone may use", function()
    local server <close> = support.serve { arguments = "--socket %f/socket" }
    local status, text = server:curl("--unix-socket " .. server.folder .. "/socket http://any.name/engine-rest/version")
    assert.same({ 200, '{"version":"7.24.0"}' }, { status, text })
    local pipe = io.popen("stat -c %a " .. server.folder .. "/socket")
    assert.equal("600", pipe:read "l")
    pipe:close()
  end)

  it("may be several engines by name", function()
    local server <close> = support.serve { files = { ["order.bpmn"] = support.order },
      arguments = "--engine other=%f/other --deploy %f/order.bpmn" }
    local _, engines = server:ask("GET", "/engine")
    assert.same({ { name = "default" }, { name = "other" } }, engines)
    local function count(path) return select(2, server:ask("GET", path .. "/process-definition/count")).count end
    assert.same({ 1, 1, 0 }, { count "", count "/engine/default", count "/engine/other" })
    assert.equal(404, (server:ask("GET", "/engine/none/process-definition")))
  end)

  it("speaks TLS", function()
    local certificate = support.wait(function()
      local path = os.tmpname()
      local made = os.execute(("openssl req -x509 -newkey rsa:2048 -nodes -keyout %s.key -out %s.pem -days 2 -subj /CN=localhost \z
        >/dev/null 2>&1"):format(path, path))
      return made and path
    end, "openssl")
    local server <close> = support.serve { arguments = ("--tls-cert %s.pem --tls-key %s.key"):format(certificate, certificate) }
    local status, text = server:curl("-k https://127.0.0.1:" .. math.tointeger(server.port) .. "/engine-rest/version")
    assert.same({ 200, '{"version":"7.24.0"}' }, { status, text })
  end)
end)
