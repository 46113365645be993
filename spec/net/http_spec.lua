-- orrery.http against real servers on loopback: what goes out, what comes back, and every way in which it fails.
-- Marks: threads
local orrery = require "orrery"
local folder = require "spec.support.folder"
local servers = require "spec.support.servers"
local with = servers.with(it, pending)

local faults

local function get(path, request)
  request = request or {}
  request.url = faults:url(path)
  return orrery.await(orrery.http(request))
end

-- The error of a request that must fail.
local function failure(path, request)
  local ok, problem = pcall(get, path, request)
  assert.is_false(ok)
  return problem
end

local function echo(request) return get("/echo", request):json() end

local function sent(request, name)
  local values = {}
  for _, header in ipairs(echo(request).headers) do
    if header[1]:lower() == name then values[#values + 1] = header[2] end
  end
  return values
end

local fresh = 0
local function key()
  fresh = fresh + 1
  return "k" .. fresh
end

local function count(of) return tonumber(get("/count?of=" .. of).body) end

-- With an engine's options, inside one of its delegates.
local function as_engine(options, f)
  local engine <close> = orrery.open(nil, options)
  local result
  engine:register("call", function() result = table.pack(pcall(f)) end)
  engine:deploy { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn"
    targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
    <serviceTask id="t" o:class="call"/></process></definitions>]] }
  engine:start "p"
  return table.unpack(result, 1, result.n)
end

local function under(options, path, request)
  local ok, answer = as_engine({ http = options }, function() return get(path, request) end)
  return ok and answer.status or answer.type, answer
end

describe("a request", function()
  if not servers.has "faults" then return pending "orrery.http: skipped, python3 is not installed" end
  setup(function() faults = servers.start "faults" end)
  teardown(function() faults:stop() end)

  it("goes out with its method, headers and body", function()
    local got = echo { method = "PUT", headers = { ["X-One"] = "1", "X-Two: 2" }, body = "text" }
    assert.same("PUT", got.method)
    assert.same("text", got.body)
    assert.same({ "1" }, sent({ headers = { ["X-One"] = "1" } }, "x-one"))
    assert.same({ "a", "b" }, sent({ headers = { ["X-One"] = { "a", "b" } } }, "x-one"))
  end)

  for _, method in ipairs { "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS" } do
    it("may be a " .. method, function() assert.same(method, echo { method = method:lower() }.method) end)
  end

  it("may be a HEAD, which has headers and no body", function()
    local answer = get("/echo", { method = "HEAD" })
    assert.same({ 200, "" }, { answer.status, answer.body })
    assert.same("application/json", answer.headers["content-type"])
  end)

  it("has a Content-Type only with a body", function()
    assert.same({}, sent({}, "content-type"))
    assert.same({}, sent({ method = "POST" }, "content-type"))
    assert.same({ "text/plain; charset=UTF-8" }, sent({ method = "POST", body = "x" }, "content-type"))
    assert.same({ "text/csv" }, sent({ method = "POST", body = "x", headers = { ["Content-Type"] = "text/csv" } }, "content-type"))
    assert.same({ "application/json" }, sent({ method = "POST", json = { a = 1 } }, "content-type"))
  end)

  it("keeps an empty header, and one whose value holds a colon", function()
    assert.same({ "" }, sent({ headers = { ["X-Empty"] = "" } }, "x-empty"))
    assert.same({ "http://a:80/b" }, sent({ headers = { "Origin: http://a:80/b" } }, "origin"))
  end)

  it("sends JSON, forms and parts", function()
    assert.same('{"a":[1,2]}', echo { method = "POST", json = { a = { 1, 2 } } }.body)
    assert.same("a=1&b=x%20%26%20y", echo { method = "POST", form = { b = "x & y", a = 1 } }.body)
    local body = echo { method = "POST", parts = { { name = "note", data = "hello" },
      { name = "scan", file = "s.png", type = "image/png", data = "\1\2" } } }.body
    assert.truthy(body:find('name="note"', 1, true))
    assert.truthy(body:find('filename="s.png"', 1, true))
    assert.truthy(body:find("Content-Type: image/png", 1, true))
  end)

  it("logs in by basic authentication", function()
    assert.same({ "Basic a2VybWl0OnNlY3JldA==" }, sent({ user = "kermit", password = "secret" }, "authorization"))
  end)

  it("refuses a header that holds a line's end, and sends nothing", function()
    local k = key()
    for _, bad in ipairs { "a\r\nX-Evil: 1", "a\nb", "a\rb" } do
      local problem = failure("/echo?key=" .. k, { headers = { ["X-One"] = bad } })
      assert.same("http.request", problem.type)
      assert.truthy(problem.message:find("X-One", 1, true))
    end
    assert.same(0, count(k))
    assert.same("http.request", failure("/a\r\nHost: evil").type)
    assert.same("http.request", failure("/echo", { headers = { "no colon" } }).type)
    assert.same("http.request", failure("/echo", { method = "BREW" }).type)
  end)
end)

describe("an answer", function()
  if not servers.has "faults" then return pending "answers: skipped, python3 is not installed" end
  setup(function() faults = servers.start "faults" end)
  teardown(function() faults:stop() end)

  it("has status, protocol, reason, headers and body, whatever the status", function()
    local answer = get "/status/404"
    assert.same({ 404, "HTTP/1.1", "Reason 404", "status 404", "status" },
      { answer.status, answer.protocol, answer.reason, answer.body, answer.headers["x-kind"] })
  end)

  it("keeps repeated headers, also where there is no content", function()
    local answer = get "/cookies"
    assert.same(204, answer.status)
    assert.same("a=1\nb=2", answer.headers["set-cookie"])
    assert.same({ { "Set-Cookie", "a=1" }, { "Set-Cookie", "b=2" }, { "X-Empty", "" } }, answer.header_list)
  end)

  it("needs no Content-Type to be read", function()
    local answer = get '/status/200?body=%7B"a":1%7D'
    assert.is_nil(answer.headers["content-type"])
    assert.same({ '{"a":1}', 1 }, { answer.body, answer:json().a })
  end)

  it("is read as JSON, or is not JSON", function()
    assert.same("kermit", get("/json"):json().user.name)
    assert.is_nil(get("/status/204"):json())
    local ok, problem = pcall(function() return get("/injected"):json() end)
    assert.is_false(ok)
    assert.same("http.json", problem.type)
  end)
end)

describe("a redirect", function()
  if not servers.has "faults" then return pending "redirects: skipped, python3 is not installed" end
  local other
  setup(function() faults, other = servers.start "faults", servers.start "faults" end)
  teardown(function()
    faults:stop()
    other:stop()
  end)

  local function redirect(code, to, request)
    return get(("/redirect?code=%d&to=%s"):format(code, to:gsub("[%?&=]", function(c) return ("%%%02X"):format(c:byte()) end)), request)
  end

  it("is followed, by the rules of each status", function()
    local body = { method = "POST", body = "x" }
    local got = redirect(303, "/echo", body):json()
    assert.same({ "GET", "" }, { got.method, got.body })
    assert.same("GET", redirect(302, "/echo", { method = "POST", body = "x" }):json().method)
    local kept = redirect(307, "/echo", { method = "POST", body = "x" }):json()
    assert.same({ "POST", "x" }, { kept.method, kept.body })
    assert.same("PUT", redirect(302, "/echo", { method = "PUT", body = "x" }):json().method)
  end)

  it("is not followed when none is wanted", function()
    assert.same(302, redirect(302, "/echo", { redirects = 0 }).status)
  end)

  it("takes no credentials to another host", function()
    local headers = { Authorization = "Bearer x", Cookie = "a=1", ["X-Plain"] = "p" }
    local names = {}
    for _, header in ipairs(redirect(302, other:url "/echo", { headers = headers }):json().headers) do names[header[1]:lower()] = true end
    assert.same({ nil, nil, true }, { names.authorization, names.cookie, names["x-plain"] })
    local same = {}
    for _, header in ipairs(redirect(302, "/echo", { headers = headers }):json().headers) do same[header[1]:lower()] = true end
    assert.same({ true, true }, { same.authorization, same.cookie })
  end)

  it("ends in a loop at the bound", function()
    local k = key()
    local problem = failure("/loop?key=" .. k, { redirects = 4 })
    assert.same("http.limit", problem.type)
    assert.same(5, count(k))
  end)

  it("to what is no web address is an error", function()
    local ok, problem = pcall(redirect, 302, "file:///etc/passwd")
    assert.is_false(ok)
    assert.same("http.protocol", problem.type)
  end)
end)

describe("what fails", function()
  if not servers.has "faults" then return pending "failures: skipped, python3 is not installed" end
  setup(function() faults = servers.start "faults" end)
  teardown(function() faults:stop() end)

  it("has a type, its parents and a message that says where", function()
    local ok, problem = pcall(orrery.await, orrery.http { url = "http://nobody.invalid/x?secret=1" })
    assert.is_false(ok)
    assert.same("http.resolve", problem.type)
    local parents = table.concat(problem.parents, " ")
    assert.truthy(parents:find("java.net.UnknownHostException", 1, true))
    assert.truthy(parents:find("org.flowable.common.engine.api.FlowableException", 1, true))
    assert.truthy(problem.message:find("nobody.invalid", 1, true))
    assert.is_nil(problem.message:find("secret", 1, true))
  end)

  it("is http.connect where nothing listens", function()
    local ok, problem = pcall(orrery.await, orrery.http { url = ("http://127.0.0.1:%d/"):format(servers.closed_port()) })
    assert.is_false(ok)
    assert.same("http.connect", problem.type)
  end)

  it("is http.timeout when all of it takes too long, drop by drop", function()
    assert.same("http.timeout", failure("/drip?every=0.02", { timeout = 0.2 }).type)
  end)

  it("is http.timeout when the server is silent, also before its first byte", function()
    local problem = failure("/silent", { stall_timeout = 0.1 })
    assert.same("http.timeout", problem.type)
    assert.truthy(problem.message:find("silent", 1, true))
  end)

  it("is no time-out while something still comes", function()
    assert.same("http.limit", failure("/drip?every=0.01", { stall_timeout = 60, timeout = 120, body_max = 30 }).type)
  end)

  it("is http.protocol when the connection breaks in the middle, or the server speaks otherwise", function()
    for _, path in ipairs { "/reset", "/truncated", "/garbage" } do assert.same("http.protocol", failure(path).type, path) end
  end)

  it("is answered where the connection breaks behind the answer", function()
    for _ = 1, 30 do
      local answer = get("/refuse", { method = "POST", body = "{", retries = 0 })
      assert.same({ 413, "too much" }, { answer.status, answer.body })
    end
  end)

  it("is http.limit for a body, headers or a bomb above the bound", function()
    assert.same("http.limit", failure("/big?bytes=20000", { body_max = 10000 }).type)
    assert.same(10000, #get("/big?bytes=10000", { body_max = 10000 }).body)
    assert.same("http.limit", failure("/stream").type)
    assert.same("http.limit", failure("/bomb").type)
    assert.same("http.limit", failure("/headers").type)
  end)

  it("leaves the thread fit for the next call", function()
    failure "/reset"
    assert.same(200, get("/echo").status)
  end)
end)

describe("a repetition", function()
  if not servers.has "faults" then return pending "repetitions: skipped, python3 is not installed" end
  setup(function() faults = servers.start "faults" end)
  teardown(function() faults:stop() end)

  it("follows a connection that broke before the answer", function()
    local k = key()
    assert.same("at last", get(("/drop?times=2&key=%s"):format(k)).body)
    assert.same(3, count(k))
  end)

  it("follows a server that asks for it and says when", function()
    local k = key()
    assert.same("now", get(("/later?times=1&key=%s"):format(k)).body)
    assert.same(503, get(("/later?times=1&after=60&key=%s"):format(key())).status)
  end)

  local function asked(after, date)
    local function quoted(text) return (text:gsub(" ", "%%20")) end
    local response = get(("/later?times=9&key=%s&after=%s%s"):format(key(), quoted(after), date and "&date=" .. quoted(date) or ""),
      { retries = 0 })
    return response.retry_after
  end

  it("tells when to come again: in seconds, or by a date beside the server's own", function()
    local date = "Sun, 06 Nov 1994 08:49:37 GMT"
    assert.same(120.0, asked "120")
    assert.same(90.0, asked("Sun, 06 Nov 1994 08:51:07 GMT", date))
    assert.same(90.0, asked("Sunday, 06-Nov-94 08:51:07 GMT", date))
    assert.same(90.0, asked("Sun Nov  6 08:51:07 1994", date))
    assert.same(0.0, asked("Sun, 06 Nov 1994 08:00:00 GMT", date)) -- has passed
    assert.is_nil(asked "Sun, 06 Nov 1994 08:51:07 GMT") -- beside which clock?
    for _, bad in ipairs { "soon", "-5", "1.5", "12 minutes", "0x10" } do assert.is_nil(asked(bad, date)) end
    assert.same(2147483.647, asked "99999999999999999999999")
  end)

  it("comes again by a date that is near", function()
    local date = "Sun,%2006%20Nov%201994%2008:49:37%20GMT"
    assert.same("now", get(("/later?times=1&key=%s&after=%s&date=%s"):format(key(), date, date)).body)
  end)

  it("ends with the number that is wanted", function()
    local kept = faults
    faults = servers.start "faults" -- to which no connection was kept: libcurl tries those that were closed once more by itself
    assert.same("http.protocol", failure("/drop?times=9&key=two", { retries = 2 }).type)
    assert.same("http.protocol", failure("/drop?times=9&key=none", { retries = 0 }).type)
    assert.same({ 3, 1 }, { count "two", count "none" })
    faults:stop()
    faults = kept
  end)

  for _, method in ipairs { "POST", "PATCH" } do
    it("never is one of " .. method .. ", on fresh connections and on kept ones", function()
      local k, bare = key(), key()
      get "/echo"
      assert.same("http.protocol", failure("/drop?times=9&key=" .. k, { method = method, body = "once" }).type)
      get "/echo"
      assert.same("http.protocol", failure("/drop?times=9&key=" .. bare, { method = method }).type)
      assert.same({ 1, 1 }, { count(k), count(bare) })
      assert.same(503, get("/later?times=1&key=" .. key(), { method = method, body = "once" }).status)
    end)
  end
end)

describe("the guard", function()
  if not servers.has "faults" then return pending "the guard: skipped, python3 is not installed" end
  setup(function() faults = servers.start "faults" end)
  teardown(function() faults:stop() end)

  it("lets an embedded engine call any address but link-local ones", function()
    assert.same(200, under({}, "/echo"))
    for _, host in ipairs { "169.254.169.254", "0xa9fea9fe", "2852039166", "[fe80::1]", "[::ffff:169.254.169.254]", "[fd00:ec2::254]" } do
      local ok, problem = pcall(orrery.await, orrery.http { url = "http://" .. host .. "/", connect_timeout = 1 })
      assert.is_false(ok)
      assert.same("http.denied", problem.type, host)
      assert.truthy(problem.message:find("http.hosts", 1, true))
    end
  end)

  it("lets a served one call public addresses and listed ones, however they are spelled", function()
    local port = faults.port
    assert.same("http.denied", under({ addresses = "public" }, "/echo"))
    assert.same(200, under({ addresses = "public", hosts = { "127.0.0.0/8" } }, "/echo"))
    assert.same(200, under({ addresses = "public", hosts = { "127.0.0.1:" .. port } }, "/echo"))
    assert.same("http.denied", under({ addresses = "public", hosts = { "127.0.0.1:1" } }, "/echo"))
    for _, host in ipairs { "0x7f000001", "2130706433", "127.1", "localhost", "[::1]", "[::ffff:127.0.0.1]",
      "[64:ff9b::7f00:1]", "10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "[fc00::1]", "0.0.0.0" } do
      local ok, problem = as_engine({ http = { addresses = "public" } }, function()
        return orrery.await(orrery.http { url = ("http://%s:%d/echo"):format(host, port), connect_timeout = 1 })
      end)
      assert.is_false(ok)
      assert.same("http.denied", problem.type, host)
    end
  end)

  it("lets one call nothing but listed addresses, when there are to be none", function()
    local port = faults.port
    assert.same("http.denied", under({ addresses = "none" }, "/echo"))
    assert.same(200, under({ addresses = "none", hosts = { "127.0.0.1:" .. port } }, "/echo"))
    for _, options in ipairs { {}, { proxy = "http://127.0.0.1:1" } } do
      options.addresses = "none"
      for _, host in ipairs { "192.0.2.1", "1.1.1.1", "[2606:4700::1111]", "localhost", "[::1]" } do
        local ok, problem = as_engine({ http = options }, function()
          local url = ("http://%s:%d/echo"):format(host, port)
          return orrery.await(orrery.http { url = url, connect_timeout = 1 })
        end)
        assert.is_false(ok)
        assert.same("http.denied", problem.type, host)
      end
    end
    local ok, problem = pcall(orrery.open, nil, { http = { addresses = "some" } })
    assert.is_false(ok)
    assert.matches("http.addresses: one of any, public, none expected, got some", tostring(problem))
  end)

  it("looks at every hop", function()
    local k = key()
    local to = ("http://127.0.0.2:%d/echo?key=%s"):format(faults.port, k):gsub("[%?&=]", function(c) return ("%%%02X"):format(c:byte()) end)
    assert.same("http.denied", under({ addresses = "public", hosts = { "127.0.0.1/32" } }, "/redirect?to=" .. to))
    assert.same(0, count(k))
  end)

  it("refuses a rule that it does not understand", function()
    local ok, problem = as_engine({ http = { hosts = { "10.0.0.0/99" } } }, function() return get "/echo" end)
    assert.is_false(ok)
    assert.truthy(tostring(problem):find("10.0.0.0/99", 1, true))
    for _, rule in ipairs { "[::1", "[::1]", "[::1]:", "[::1]:0", "[]:80", "::1]:80", "a:70000" } do
      ok = as_engine({ http = { hosts = { rule } } }, function() return get "/echo" end)
      assert.is_false(ok, rule)
    end
  end)
end)

describe("a proxy", function()
  local proxy
  setup(function()
    faults = servers.has "faults" and servers.start "faults"
    proxy = servers.has "tinyproxy" and servers.start "tinyproxy"
  end)
  teardown(function()
    if faults then faults:stop() end
    if proxy then proxy:stop() end
  end)

  local function via(options)
    options.proxy = ("http://127.0.0.1:%d"):format(proxy.port)
    local status, answer = under(options, "/echo")
    local seen = false
    for _, header in ipairs(status == 200 and answer:json().headers or {}) do seen = seen or header[1]:lower() == "via" end
    return status, seen
  end

  with("faults tinyproxy", "is used when options name one, and left out for no_proxy", function()
    assert.same({ 200, true }, { via {} })
    assert.same({ 200, false }, { via { no_proxy = "example.org,127.0.0.1" } })
    assert.same({ 200, false }, { via { no_proxy = "127.0.0.0/8" } })
  end)

  with("faults tinyproxy", "does not get past the guard: hosts must be listed", function()
    assert.same("http.denied", (via { addresses = "public" }))
    assert.same({ 200, true }, { via { addresses = "public", hosts = { "127.0.0.1" } } })
  end)

  with("faults", "is never taken from the environment", function()
    local code = ([[local o = require 'orrery' print(o.await(o.http '%s').status)]]):format(faults:url "/echo")
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write(code)
    file:close()
    local pipe = io.popen(("http_proxy=http://127.0.0.1:1 all_proxy=http://127.0.0.1:1 %s %s")
      :format(os.getenv "ORRERY_LUA" or "lua5.4", script))
    assert.same("200", pipe:read "l")
    pipe:close()
    os.remove(script)
  end)
end)

describe("TLS", function()
  local own, folder_name, good = nil, nil, nil
  setup(function()
    folder_name = folder.make()
    if servers.has "certificates" and servers.has "faults" then
      servers.certificates(folder_name)
      own = {}
      for _, name in ipairs { "good", "expired", "wrong", "foreign" } do
        own[name] = servers.start("faults", ("%s/%s.pem"):format(folder_name, name))
      end
      good = ("https://127.0.0.1:%d/echo"):format(own.good.port)
    end
  end)
  teardown(function()
    for _, server in pairs(own or {}) do server:stop() end
    folder.remove(folder_name)
  end)

  local function ask(name, options)
    options.ca_file = options.ca_file or folder_name .. "/ca.crt"
    local url = ("https://127.0.0.1:%d/echo"):format(own[name].port)
    local ok, answer = as_engine({ http = options }, function() return orrery.await(orrery.http { url = url }) end)
    return ok and answer.status or answer.type
  end

  with("faults certificates", "trusts the CA that the options name", function()
    assert.same(200, ask("good", {}))
    local ok, problem = pcall(orrery.await, orrery.http { url = good })
    assert.is_false(ok)
    assert.same("http.tls", problem.type)
  end)

  for _, name in ipairs { "expired", "wrong", "foreign" } do
    with("faults certificates", "refuses a certificate that is " .. name, function() assert.same("http.tls", ask(name, {})) end)
  end

  with("faults certificates", "looks away only when told to", function() assert.same(200, ask("foreign", { verify = false })) end)
end)

describe("a future of a call", function()
  if not servers.has "faults" then return pending "futures of calls: skipped, python3 is not installed" end
  setup(function() faults = servers.start "faults" end)
  teardown(function() faults:stop() end)

  it("overlaps with others", function()
    local futures = {}
    for i = 1, 200 do futures[i] = orrery.http { url = faults:url "/meet?n=200&key=futures" } end
    for _, future in ipairs(futures) do assert.same("met", orrery.await(future).body) end
  end)

  it("is canceled, and its connection with it", function()
    local future = orrery.http { url = faults:url "/silent" }
    assert.is_true(future:cancel())
    assert.is_false(future:cancel())
    local ok, problem = pcall(orrery.await, future)
    assert.is_false(ok)
    assert.same("canceled", problem.type)
  end)

  it("goes with the engine that closes", function()
    local engine = orrery.open(nil, {})
    local future
    engine:register("call", function() future = orrery.http { url = faults:url "/silent" } end)
    engine:deploy { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn"
      targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
      <serviceTask id="t" o:class="call"/></process></definitions>]] }
    engine:start "p"
    engine:close()
    assert.is_false(pcall(orrery.await, future))
  end)
end)

describe("real servers", function()
  local nginx, bin, root
  setup(function()
    root = folder.make()
    local file = assert(io.open(root .. "/a.txt", "w"))
    file:write "from nginx"
    file:close()
    os.execute("chmod 755 " .. root)
    nginx = servers.has "nginx" and servers.start("nginx", root)
    bin = servers.has "httpbin" and servers.start "httpbin"
  end)
  teardown(function()
    if nginx then nginx:stop() end
    if bin then bin:stop() end
    folder.remove(root)
  end)

  local function ask(server, path, request)
    request = request or {}
    request.url = server:url(path)
    return orrery.await(orrery.http(request))
  end

  with("nginx", "nginx serves a file, an empty answer, a redirect and a refusal", function()
    assert.same("from nginx", ask(nginx, "/a.txt").body)
    assert.same(204, ask(nginx, "/empty").status)
    assert.same("here", ask(nginx, "/moved").body)
    assert.same(403, ask(nginx, "/only-get", { method = "DELETE" }).status)
    assert.same(404, ask(nginx, "/none").status)
  end)

  with("httpbin", "httpbin answers in gzip, deflate and UTF-8, and takes what is sent", function()
    assert.is_true(ask(bin, "/gzip"):json().gzipped)
    assert.is_true(ask(bin, "/deflate"):json().deflated)
    assert.truthy(utf8.len(ask(bin, "/encoding/utf8").body))
    assert.same({ a = 1 }, ask(bin, "/post", { method = "POST", json = { a = 1 } }):json().json)
    assert.same("1", ask(bin, "/post", { method = "POST", form = { a = 1 } }):json().form.a)
    assert.same("x", ask(bin, "/post", { method = "POST", parts = { { name = "f", file = "f.txt", data = "x" } } }):json().files.f)
    assert.same(200, ask(bin, "/basic-auth/kermit/pw", { user = "kermit", password = "pw" }).status)
    assert.same(401, ask(bin, "/basic-auth/kermit/pw", { user = "kermit", password = "no" }).status)
    assert.same(200, ask(bin, "/redirect/5").status)
    assert.same(418, ask(bin, "/status/418").status)
  end)
end)
