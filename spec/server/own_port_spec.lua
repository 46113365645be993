-- A model does not reach the server that runs it, unless the options name that very port.
-- Marks: threads
local orrery = require "orrery"
local servers = require "spec.support.servers"
local support = require "spec.server.support"

local TRIES <const> = 3

-- A model of one node, at whose end the instance waits, so that its variables can be asked for.
local function around(node, key)
  return support.model(([==[<startEvent id="s"/>
    <sequenceFlow id="f1" sourceRef="s" targetRef="call"/>%s
    <sequenceFlow id="f2" sourceRef="call" targetRef="u"/><userTask id="u"/>]==]):format(node), key)
end

local function script(text, key)
  return around(([==[<scriptTask id="call" scriptFormat="lua">
    <script><![CDATA[%s]]></script></scriptTask>]==]):format(text), key)
end

-- Calls what `url` says, and keeps the status or the error's type.
local caller = script([==[
  local request = { url = execution:get "url", connect_timeout = 5 }
  local ok, answer = pcall(orrery.await, orrery.http(request))
  execution:set("result", ok and answer.status or answer.type)
  if not ok then execution:set("message", answer.message) end]==], "caller")

-- Deploys a delegate, which has no sandbox.
local escape = script([==[
  local ok, answer = pcall(orrery.await, orrery.http { method = "POST", url = execution:get "url",
    parts = { { name = "deployment-name", data = "escape" },
      { name = "f", data = "return function() end", file_name = "evil.lua" } } })
  execution:set("result", ok and answer.status or answer.type)]==], "escape")

local http_task = around([==[<serviceTask id="call" xmlns:flowable="http://flowable.org/bpmn"
  flowable:type="http"><extensionElements>
    <flowable:field name="requestMethod"><flowable:string>GET</flowable:string></flowable:field>
    <flowable:field name="requestUrl">
      <flowable:expression>${url}</flowable:expression></flowable:field>
  </extensionElements></serviceTask>]==], "httpTask")

local files = { ["caller.bpmn"] = caller, ["escape.bpmn"] = escape, ["task.bpmn"] = http_task }

local function serve(conf, port)
  files.conf = "return { options = { http = {" .. (conf or "") .. "} } }"
  return support.serve { files = files, port = port, arguments = "--no-executor --config %f/conf \z
    --deploy %f/caller.bpmn --deploy %f/escape.bpmn --deploy %f/task.bpmn" }
end

local function run(server, key, url)
  return server:ask("POST", ("/process-definition/key/%s/start"):format(key),
    { withVariablesInReturn = true, variables = { url = { value = url } } })
end

-- The status or the type of the error, and what the error says.
local function call(server, url)
  local status, answer = run(server, "caller", url)
  assert.equal(200, status, answer.message)
  return answer.variables.result.value, answer.variables.message and answer.variables.message.value
end

local function at(server, host, path)
  return ("http://%s:%d%s"):format(host, server.port, path or "/engine-rest/engine")
end

-- Addresses of this machine beside loopback's.
local function of_the_machine()
  local pipe, out = assert(io.popen "hostname -I 2>/dev/null"), {}
  for address in pipe:read "a":gmatch "%S+" do
    out[#out + 1] = address:find ":" and "[" .. address .. "]" or address
  end
  pipe:close()
  return out
end

describe("a model's call", function()
  local server
  setup(function() server = serve() end)
  teardown(function() server:close() end)

  it("does not reach the port of its own process, however that is spelled", function()
    local hosts = { "127.0.0.1", "localhost", "LocalHost", "127.1", "0x7f000001", "127.0.0.2",
      "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
      table.unpack(of_the_machine()) }
    for _, host in ipairs(hosts) do
      local result, message = call(server, at(server, host))
      assert.equal("http.denied", result, host)
      assert.truthy(message:find("this process itself serves there", 1, true), message)
    end
    local _, message = call(server, at(server, "127.0.0.1"))
    local cure = ('"127.0.0.1:%d" in the option http.hosts'):format(server.port)
    assert.truthy(message:find(cure, 1, true), message)
  end)

  it("does not deploy there what has no sandbox", function()
    local _, before = server:ask("GET", "/deployment/count")
    local url = at(server, "127.0.0.1", "/engine-rest/deployment/create")
    local _, answer = run(server, "escape", url)
    assert.equal("http.denied", answer.variables.result.value)
    assert.same(before, select(2, server:ask("GET", "/deployment/count")))
  end)

  it("is not led there by an HTTP task", function()
    local status, answer = run(server, "httpTask", at(server, "localhost"))
    assert.equal(500, status)
    assert.truthy(answer.message:find("this process itself serves there", 1, true), answer.message)
  end)

  local function redirects()
    local faults = servers.start "faults"
    local to = at(server, "127.0.0.1"):gsub("[:/]", { [":"] = "%3A", ["/"] = "%2F" })
    local redirected = call(server, faults:url("/redirect?to=" .. to))
    local echoed = call(server, faults:url "/echo")
    faults:stop()
    return redirected, echoed
  end

  servers.with(it, pending)("faults", "is not led there by a redirect, and reaches other ports",
    function() assert.same({ "http.denied", 200 }, { redirects() }) end)
end)

describe("the option http.hosts", function()
  -- The rule has the port in it, which is known only of a server that ran.
  local function again(conf)
    for _ = 1, TRIES do -- another program may take the port in between
      local first = serve()
      local port = math.tointeger(first.port)
      first:close()
      local ok, server = pcall(serve, conf:gsub("PORT", port), port)
      if ok then return server end
    end
    error "no port stayed free"
  end

  it("opens the own port to models where it names that, and not by a name or a range", function()
    local server <close> = again [[hosts = { "127.0.0.1:PORT", "[::1]:PORT", "localhost",
      "127.0.0.0/8", "0.0.0.0" }]]
    assert.equal(200, (call(server, at(server, "127.0.0.1"))))
    assert.equal("http.connect", (call(server, at(server, "[::1]")))) -- nobody listens there
    for _, host in ipairs { "localhost", "127.0.0.2", "0.0.0.0" } do
      assert.equal("http.denied", (call(server, at(server, host))), host)
    end
  end)

  it("does so through a proxy, too", function()
    local server <close> = again 'proxy = "http://127.0.0.1:1", hosts = { "127.0.0.1:PORT" }'
    for _, host in ipairs { "localhost", "LocalHost.", "shop.localhost", "127.0.0.2", "[::1]",
      "0.0.0.0" } do
      assert.equal("http.denied", (call(server, at(server, host))), host)
    end
    -- The proxy is asked, and is not there.
    for _, host in ipairs { "127.0.0.1", "shop.example", "192.0.2.1" } do
      assert.equal("http.connect", (call(server, at(server, host))), host)
    end
  end)
end)

describe("a port that nobody here serves at", function()
  it("is any other program's", function()
    local request = { url = "http://127.0.0.1:1/", connect_timeout = 5 }
    local ok, problem = pcall(orrery.await, orrery.http(request))
    assert.is_false(ok)
    assert.equal("http.connect", problem.type)
  end)
end)
