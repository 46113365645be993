-- Camunda's connectors, and the tokens of OAuth that calls may carry.
local orrery = require "orrery"
local model = require "spec.tasks.model"
local servers = require "spec.support.servers"

describe("a connector", function()
  if not servers.has "faults" then return pending "connectors: skipped, python3 is not installed" end
  local faults, engine
  setup(function() faults = servers.start "faults" end)
  teardown(function() faults:stop() end)
  before_each(function() engine = orrery.open(nil, { clock = "manual", log = "none", secrets = { token = "s3cr3t" } }) end)
  after_each(function() engine:close() end)

  local function parameters(kind, list)
    local out = {}
    for name, value in pairs(list or {}) do
      out[#out + 1] = ('<camunda:%sParameter name="%s">%s</camunda:%sParameter>'):format(kind, name, value, kind)
    end
    return table.concat(out)
  end

  local function element(id, inputs, outputs)
    return ("<camunda:connector><camunda:inputOutput>%s%s</camunda:inputOutput>%s</camunda:connector>"):format(
      parameters("input", inputs), parameters("output", outputs), id and ("<camunda:connectorId>%s</camunda:connectorId>"):format(id) or "")
  end

  local function xml(id, inputs, outputs, options)
    options = options or {}
    options.vendor, options.inside = "camunda", element(id, inputs, outputs) .. (options.inside or "")
    return model.task(nil, {}, options)
  end

  local function run(id, inputs, outputs, options, variables) return model.run(engine, xml(id, inputs, outputs, options), variables) end

  local function map(entries)
    local out = {}
    for key, value in pairs(entries) do out[#out + 1] = ('<camunda:entry key="%s">%s</camunda:entry>'):format(key, value) end
    return "<camunda:map>" .. table.concat(out) .. "</camunda:map>"
  end

  it("calls HTTP with what its inputs say, and maps what came back", function()
    local instance = run("http-connector", { url = faults:url "/echo?n=${n}", method = "POST", payload = '{"n": ${n}}',
      headers = map { ["Content-Type"] = "application/json", ["X-Key"] = "${secret.get('token')}" } },
      { code = "${statusCode}", body = "${response}", kind = "${headers['Content-Type']}",
        path = "${S(response).prop('path').stringValue()}",
        again = "${connector.getVariable('statusCode')}" }, nil, { n = 7 })
    local got = orrery.json.decode(instance:get "body")
    assert.same({ "POST", "n=7", '{"n": 7}' }, { got.method, got.query, got.body })
    assert.same({ 200, "application/json", "/echo", 200 },
      { instance:get "code", instance:get "kind", instance:get "path", instance:get "again" })
    local key
    for _, header in ipairs(got.headers) do if header[1] == "X-Key" then key = header[2] end end
    assert.same("s3cr3t", key)
    assert.is_nil(instance:get "url") -- inputs are the connector's own
  end)

  it("runs scripts as inputs and outputs", function()
    local instance = run("http-connector", { url = faults:url "/status/201",
      method = '<camunda:script scriptFormat="lua">return "g" .. "et"</camunda:script>' },
      { code = '<camunda:script scriptFormat="lua">return statusCode + connector:getVariable("statusCode")</camunda:script>' })
    assert.same(402, instance:get "code")
  end)

  it("shows outputs what it gave as Camunda's scope does, in scripts with a dot, too", function()
    engine:register_connector("crm", function() return { x = 7, y = "s" } end)
    local function script(code)
      return ('<camunda:script scriptFormat="lua">return %s</camunda:script>'):format(code)
    end
    local instance = run("crm", {}, { expression = "${connector.getVariable('x') + 1}",
      dot = script 'connector.getVariable("x")',
      colon = script 'connector:getVariable("y")', all = script "connector.getVariables().y",
        has = script 'connector.hasVariable("z")',
      names = "${connector.getVariableNames()}", own = "${connector.getVariableLocal('y')}",
        none = "${connector.getVariable('z')}" })
    local got = {}
    for _, name in ipairs { "expression", "dot", "colon", "all", "has",
      "own" } do got[name] = instance:get(name) end
    assert.same({ expression = 8, dot = 7, colon = "s", all = "s", has = false, own = "s" }, got)
    assert.same({ "x", "y" }, instance:get "names")
    assert.is_nil(instance:get "none")
  end)

  it("makes a status an error only when request-config says so", function()
    local inputs = { url = faults:url "/status/404", method = "GET" }
    assert.same({ "after" }, run("http-connector", inputs):active())
    inputs["request-config"] = map { ["throw-http-error"] = "true" }
    local _, problem = run("http-connector", inputs)
    assert.same({ "http.status", "HTTP404" }, { problem.cause.type, problem.cause.message })
  end)

  it("minds the times and redirects of request-config", function()
    local function config(path, entries)
      local _, problem = run("http-connector", { url = faults:url(path), method = "GET", ["request-config"] = map(entries) })
      return problem and problem.cause.type
    end
    assert.same("http.timeout", config("/silent", { ["socket-timeout"] = "100" }))
    assert.same("http.limit", config("/loop", { ["max-redirects"] = "2" }))
    assert.is_nil(config("/loop", { ["redirects-enabled"] = "false" }))
    assert.same("http.request", config("/echo", { ["socket-timeout"] = "${'soon'}" }))
  end)

  it("sends SOAP by POST, and not without an envelope", function()
    local instance = run("soap-http-connector", { url = faults:url "/echo", payload = "&lt;Envelope/&gt;",
      headers = map { SOAPAction = "x" } }, { body = "${response}" })
    local got = orrery.json.decode(instance:get "body")
    assert.same({ "POST", "<Envelope/>" }, { got.method, got.body })
    local _, problem = run("soap-http-connector", { url = faults:url "/echo" })
    assert.same("http.request", problem.cause.type)
  end)

  it("needs url and method", function()
    for _, inputs in ipairs { { url = faults:url "/echo" }, { method = "GET" } } do
      local _, problem = run("http-connector", inputs)
      assert.same("http.request", problem.cause.type)
    end
  end)

  it("may be one that the program registers", function()
    engine:register_connector("add", function(input) return { sum = input.a + input.b[1] + input.c.d } end)
    local instance = run("add", { a = "${1}", b = "<camunda:list><camunda:value>${x}</camunda:value></camunda:list>",
      c = map { d = "${3}" } }, { total = "${sum}" }, nil, { x = 2 })
    assert.same(6, instance:get "total")
    engine:register_connector("http-connector", function() return { response = "mine" } end)
    assert.same("mine", run("http-connector", {}, { r = "${response}" }):get "r")
  end)

  it("stands on send and business rule tasks, and on message throw and end events", function()
    engine:register_connector("mark", function(_, execution) return { at = execution.activity_id } end)
    for _, tag in ipairs { "sendTask", "businessRuleTask" } do
      assert.same("t", run("mark", {}, { at = "${at}" }, { tag = tag }):get "at")
    end
    for _, tag in ipairs { "intermediateThrowEvent", "endEvent" } do
      engine:deploy { ["p.bpmn"] = ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
        xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/>
        <sequenceFlow id="f" sourceRef="s" targetRef="fork"/><parallelGateway id="fork"/>
        <sequenceFlow id="g" sourceRef="fork" targetRef="ask"/><userTask id="ask"/>
        <sequenceFlow id="h" sourceRef="fork" targetRef="e"/><%s id="e"><messageEventDefinition><extensionElements>%s</extensionElements>
        </messageEventDefinition></%s></process></definitions>]]):format(tag, element("mark", {}, { at = "${at}" }), tag) }
      assert.same("e", engine:start("p"):get "at")
    end
  end)

  it("fails when it is reached and nobody knows it", function()
    local _, problem = run "no-such"
    assert.same("connector.unknown", problem.cause.type)
    assert.truthy(problem.message:find("no%-such"))
  end)

  it("is refused without an id, with a wrong key, and told of keys without effect", function()
    assert.truthy(model.problems(engine, xml(nil, {})):find("connectorId", 1, true))
    local problems = model.problems(engine, xml("http-connector", { ["request-config"] = map { ["throw-http-eror"] = "true" } }))
    assert.truthy(problems:find("throw-http-error", 1, true))
    local deployment = engine:deploy { ["p.bpmn"] = xml("http-connector", { ["request-config"] = map { ["cookie-spec"] = "x" } }) }
    assert.truthy(deployment.warnings[1].message:find("cookie-spec", 1, true))
  end)
end)

describe("a token", function()
  if not servers.has "faults" then return pending "tokens: skipped, python3 is not installed" end
  local faults, engine
  before_each(function() faults = servers.start "faults" end)
  after_each(function()
    engine:close()
    faults:stop()
  end)

  local function open(client, more)
    client = client or {}
    client.token_url, client.client_id = faults:url(client.path or "/token"), "id"
    client.path = nil
    if not client.secret then client.client_secret = client.client_secret or "pw" end
    local options = { log = "none", http = { oauth = { crm = client } } }
    for name, value in pairs(more or {}) do options[name] = value end
    engine = orrery.open(nil, options)
  end

  local function task(path, options)
    return model.task("http", { requestMethod = "GET", requestUrl = faults:url(path), requestOAuth = "crm" }, options)
  end

  local function bearer(instance)
    for _, header in ipairs(orrery.json.decode(instance:get "tResponseBody").headers) do
      if header[1] == "Authorization" then return header[2] end
    end
  end

  local function fetched() return tonumber(orrery.await(orrery.http(faults:url "/count?of=token")).body) end

  it("is fetched once, by client credentials, and kept", function()
    open { scope = "read" }
    assert.same("Bearer t1", bearer(model.run(engine, task "/echo")))
    assert.same("Bearer t1", bearer(engine:start "p"))
    assert.same(1, fetched())
  end)

  it("is fetched once however many ask at a time, on all threads", function()
    open()
    engine:deploy { ["p.bpmn"] = task("/slow?ms=50", { attributes = 'v:async="true"' }) }
    for _ = 1, 60 do engine:start "p" end
    engine:start_executor { threads = 3 }
    assert.is_true(engine:wait_idle(120))
    engine:stop_executor()
    assert.same({ 60, 1 }, { #engine:tasks { key = "after" }, fetched() })
  end)

  it("is renewed before it expires", function()
    open { path = "/token?expires=1" }
    model.run(engine, task "/echo")
    local began, token = os.time(), nil
    repeat token = bearer(engine:start "p") until token ~= "Bearer t1" or os.time() - began > 120
    assert.same("Bearer t2", token)
  end)

  it("is fetched anew, once, when the service refuses it", function()
    open()
    assert.same({ "after" }, model.run(engine, task "/status/401"):active())
    assert.same(2, fetched())
  end)

  it("comes by a secret's name, in the body when the server wants it there", function()
    open({ secret = "crm", credentials = "body" }, { secrets = { crm = "pw" } })
    assert.same("Bearer t1", bearer(model.run(engine, task "/echo")))
  end)

  it("comes by a secret's name from a function, in a worker", function()
    open({ secret = "crm" }, { secrets = function(name) return name .. "-pw" end })
    engine:deploy { ["p.bpmn"] = task("/echo", { attributes = 'v:async="true"' }) }
    local instance = engine:start "p"
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(120))
    engine:stop_executor()
    assert.same("Bearer t1", bearer(instance))
  end)

  it("that is not given is a typed error without the credentials", function()
    open { client_secret = "wrong" }
    local _, problem = model.run(engine, task "/echo")
    assert.same("http.oauth", problem.cause.type)
    assert.is_nil(problem.message:find("wrong", 1, true))
    local ok, refused = pcall(orrery.open, nil, { http = { oauth = { x = { token_url = "x" } } } })
    assert.is_false(ok)
    assert.truthy(refused.message:find("client_id", 1, true))
    local _, unknown = model.run(engine, model.task("http", { requestMethod = "GET", requestUrl = "http://x", requestOAuth = "none" }))
    assert.same("http.request", unknown.cause.type)
  end)
end)
