-- The HTTP task, field by field, against a server of ours; each kind of failure as a model meets it.
-- Marks: threads
local orrery = require "orrery"
local model = require "spec.tasks.model"
local servers = require "spec.support.servers"

describe("the HTTP task", function()
  if not servers.has "faults" then return pending "the HTTP task: skipped, python3 is not installed" end
  local faults, engine

  setup(function() faults = servers.start "faults" end)
  teardown(function() faults:stop() end)
  before_each(function() engine = orrery.open(nil, { clock = "manual", log = "none" }) end)
  after_each(function() engine:close() end)

  local function fields(path, more)
    local out = { requestMethod = "GET", requestUrl = faults:url(path) }
    for name, value in pairs(more or {}) do out[name] = value end
    return out
  end

  local function run(path, more, options, variables)
    return model.run(engine, model.task("http", fields(path, more), options), variables)
  end

  -- The error that a delegate's failure carries.
  local function cause(path, more, options)
    local _, problem = run(path, more, options)
    return problem and problem.cause
  end

  local fresh = 0
  local function key()
    fresh = fresh + 1
    return "h" .. fresh
  end
  local function count(of) return tonumber(orrery.await(orrery.http(faults:url("/count?of=" .. of))).body) end

  local function sent(instance, name)
    for _, header in ipairs(orrery.json.decode(instance:get "tResponseBody").headers) do
      if header[1]:lower() == name then return header[2] end
    end
  end

  describe("sends", function()
    it("method, URL, headers and body, with their expressions", function()
      local instance = run("/echo?n=${n}", { requestMethod = "${m}", requestHeaders = "X-One: ${n}\n   X-Two:  http://a:80\n\n",
        requestBody = '{"n": ${n}}' }, nil, { n = 7, m = "put" })
      local got = orrery.json.decode(instance:get "tResponseBody")
      assert.same({ "PUT", "n=7", '{"n": 7}' }, { got.method, got.query, got.body })
      assert.same({ "7", "http://a:80", "text/plain; charset=UTF-8" },
        { sent(instance, "x-one"), sent(instance, "x-two"), sent(instance, "content-type") })
    end)

    it("a table as JSON, and a body in the charset that is asked for", function()
      local instance = run("/echo", { requestMethod = "POST", requestBody = "${order}", requestHeaders = "Content-Type: application/json" },
        nil, { order = { id = 1 } })
      assert.same('{"id":1}', orrery.json.decode(instance:get "tResponseBody").body)
      assert.same("application/json", sent(instance, "content-type"))
      instance = run("/echo", { requestMethod = "POST", requestBody = "grün", requestBodyEncoding = "ISO-8859-1" })
      assert.same("5", sent(instance, "content-length") and tostring(tonumber(sent(instance, "content-length")) + 1))
      assert.same("text/plain; charset=ISO-8859-1", sent(instance, "content-type"))
    end)

    it("no Content-Type without a body", function()
      assert.is_nil(sent(run("/echo", { requestMethod = "POST" }), "content-type"))
    end)

    it("parts, given as a list", function()
      local instance = run("/echo", { requestMethod = "POST", requestParts = "${parts}" }, nil,
        { parts = { { name = "note", data = "hello" } } })
      assert.truthy(orrery.json.decode(instance:get "tResponseBody").body:find('name="note"', 1, true))
    end)

    it("a key that stays the same over retries, and is another one for another visit", function()
      local seen = {}
      engine:register("keep", function(execution, request) seen[#seen + 1] = request.idempotency_key end)
      local xml = model.task("http", fields("/status/500", { requestMethod = "POST", failStatusCodes = "5XX" }), { vendor = "flowable",
        attributes = 'o:idempotencyKey="true" v:async="true"', inside = '<v:httpRequestHandler delegateExpression="${keep}"/>' })
      model.run(engine, xml)
      local job = engine:job {}
      assert.is_false(pcall(job.execute, job))
      job = engine:job {}
      assert.is_false(pcall(job.execute, job))
      engine:start "p"
      for _, other in ipairs(engine:jobs {}) do pcall(other.execute, other) end
      assert.truthy(seen[1] ~= nil and seen[1] == seen[2])
      local distinct = {}
      for _, one in ipairs(seen) do distinct[one] = true end
      local n = 0
      for _ in pairs(distinct) do n = n + 1 end
      assert.same(2, n)
    end)
  end)

  describe("keeps", function()
    it("the body in the variable of its prefix, its own id or its own name", function()
      assert.same("slow", run("/slow?ms=0"):get "tResponseBody")
      assert.same("slow", run("/slow?ms=0", { resultVariablePrefix = "x" }):get "xResponseBody")
      assert.same("slow", run("/slow?ms=0", { responseVariableName = "answer" }):get "answer")
    end)

    it("what is asked for of the response", function()
      local instance = run("/status/201", { saveResponseParameters = "true" })
      assert.same({ 201, "HTTP/1.1", "Reason 201" },
        { instance:get "tResponseStatusCode", instance:get "tResponseProtocol", instance:get "tResponseReason" })
      assert.truthy(instance:get("tResponseHeaders"):find("X-Kind: status", 1, true))
      instance = run "/status/201"
      assert.is_nil(instance:get "tResponseStatusCode")
    end)

    it("headers also where there is no content", function()
      local instance = run("/cookies", { saveResponseParameters = "true" })
      assert.same(204, instance:get "tResponseStatusCode")
      assert.truthy(instance:get("tResponseHeaders"):find("Set-Cookie: a=1\nSet-Cookie: b=2", 1, true))
    end)

    it("all of it for the transaction only, when it is transient", function()
      local seen
      engine:register("look", function(execution) seen = execution:get "tResponseBody" end)
      local xml = model.task("http", fields("/slow?ms=0", { saveResponseParametersTransient = "true", saveResponseParameters = "true" }),
        { inside = '<v:executionListener event="end" delegateExpression="${look}"/>' })
      local instance = model.run(engine, xml)
      assert.same("slow", seen)
      assert.same({}, instance:variables())
    end)

    it("JSON as values, an empty body as null", function()
      local instance = run("/json", { saveResponseVariableAsJson = "true" })
      assert.same("kermit", engine:evaluate("${tResponseBody.user.name}", { execution = instance.id }))
      instance = run("/status/204", { saveResponseVariableAsJson = "true" })
      assert.same(orrery.null, instance:variables().tResponseBody)
    end)

    it("the request, but for what is secure", function()
      local instance = run("/echo", { saveRequestVariables = "true", requestHeaders = "X-A: 1", requestSecureHeaders = "X-Key: hidden",
        requestTimeout = "5000", failStatusCodes = "500" })
      local all = instance:variables()
      assert.same({ "GET", faults:url "/echo", "X-A: 1", 5000, false, "500", false, true, false },
        { all.tRequestMethod, all.tRequestUrl, all.tRequestHeaders, all.tRequestTimeout, all.tDisallowRedirects, all.tFailStatusCodes,
          all.tIgnoreException, all.tSaveRequestVariables, all.tSaveResponseParameters })
      assert.same("hidden", sent(instance, "x-key"))
      all.tResponseBody = nil
      for _, value in pairs(all) do assert.is_nil(tostring(value):find("hidden", 1, true)) end
    end)
  end)

  describe("reads a status", function()
    it("and completes, whatever it is, when nothing is said", function()
      assert.same({ "after" }, run("/status/500"):active())
    end)

    it("that fails: HTTP400, with its type", function()
      for _, code in ipairs { 400, 503 } do
        local problem = cause("/status/" .. code, { failStatusCodes = "400, 5XX" })
        assert.same({ "http.status", "HTTP" .. code }, { problem.type, problem.message })
      end
      assert.same({ "after" }, run("/status/404", { failStatusCodes = "400, 5XX" }):active())
    end)

    it("that is handled: a BPMN error, which wins, after the response is kept", function()
      local instance = run("/status/404", { handleStatusCodes = "4XX", failStatusCodes = "404" }, { after = model.boundary "HTTP404" })
      assert.same({ "caught" }, instance:active())
      assert.same("status 404", instance:get "tResponseBody")
    end)

    it("of a redirect only where none is followed", function()
      local handled = { handleStatusCodes = "3XX", disallowRedirects = "true" }
      assert.same({ "caught" }, run("/redirect?to=/echo", handled, { after = model.boundary "HTTP302" }):active())
      assert.same({ "after" }, run("/redirect?to=/echo", { handleStatusCodes = "3XX" }, { after = model.boundary "HTTP302" }):active())
    end)

    it("and retries by failedJobRetryTimeCycle", function()
      local k = key()
      run("/status/500?key=" .. k, { failStatusCodes = "5XX" },
        { attributes = 'v:async="true"', inside = "<v:failedJobRetryTimeCycle>R3/PT5S</v:failedJobRetryTimeCycle>" })
      for _ = 1, 5 do
        engine:run_jobs()
        engine:advance "PT5S"
      end
      assert.same(3, count(k))
      assert.same("HTTP500", engine:incident({}).message)
    end)
  end)

  describe("fails with a type that models can map", function()
    local mapped = '<v:mapException errorCode="gone" includeChildExceptions="true">%s</v:mapException>'

    local function caught(path, class, more)
      local instance, problem = run(path, more, { inside = mapped:format(class), after = model.boundary "gone" })
      return instance and instance:active() or problem
    end

    it("as the Java engines' classes", function()
      assert.same({ "caught" }, caught("/echo", "java.net.UnknownHostException", { requestUrl = "http://nohost.invalid/api" }))
      assert.same({ "caught" }, caught("/echo", "org.flowable.common.engine.api.FlowableException",
        { requestUrl = "http://nohost.invalid/api" }))
      assert.same({ "caught" }, caught("/silent", "java.net.SocketTimeoutException", { requestTimeout = "100" }))
      assert.same({ "caught" }, caught("/reset", "java.io.IOException"))
      assert.same({ "caught" }, caught("/status/500", "http.status", { failStatusCodes = "500" }))
    end)

    it("of ours", function()
      assert.same("http.timeout", cause("/silent", { requestTimeout = "100" }).type)
      assert.same("http.json", cause("/injected", { saveResponseVariableAsJson = "true" }).type)
      assert.same("http.limit", cause("/loop").type)
      assert.same("http.denied", cause("/echo", { requestUrl = "http://169.254.169.254/latest/meta-data" }).type)
    end)

    it("or not at all, when errors are ignored", function()
      local instance = run("/echo", { requestUrl = "http://nohost.invalid:9798/api", ignoreException = "true" })
      assert.same({ "after" }, instance:active())
      assert.truthy(instance:get("tErrorMessage"):find("nohost.invalid", 1, true))
      assert.same("HTTP500", run("/status/500", { failStatusCodes = "500", ignoreException = "true" }):get "tErrorMessage")
      assert.same({ "caught" }, run("/status/500", { handleStatusCodes = "500", ignoreException = "true" },
        { after = model.boundary "HTTP500" }):active())
    end)

    it("when a value injects a header, and nothing is sent", function()
      local k = key()
      for _, field in ipairs { "requestHeaders", "requestSecureHeaders" } do
        local _, problem = run("/echo?key=" .. k, { [field] = "X-Name: ${name}", requestMethod = "POST" }, nil,
          { name = "a\r\nX-Evil: 1" })
        assert.same("http.request", problem.cause.type)
        assert.truthy(problem.message:find(field, 1, true))
      end
      local _, problem = run("/echo?key=" .. k, { requestMethod = "POST", requestHeaders = "${all}" }, nil, { all = "X-A: 1\nX-B: 2" })
      assert.is_nil(problem) -- a field that is one expression may hold several lines
      assert.same(1, count(k))
      _, problem = run("/echo?key=" .. k, { requestUrl = faults:url "/x\r\nX-Evil:1" })
      assert.same("http.request", problem.cause.type)
    end)
  end)

  describe("keeps secrets", function()
    local SECRET = "s3cr3t-value"

    before_each(function()
      engine:close()
      engine = orrery.open(nil, { clock = "manual", log = "none", secrets = { token = SECRET }, history = "full" })
    end)

    local function nowhere(value)
      if type(value) == "table" then
        for key, item in pairs(value) do if key ~= "engine" then nowhere(item) end end
      else
        assert.is_nil(tostring(value):find(SECRET, 1, true))
      end
    end

    it("which arrive, and stand in no variable, log, history or error", function()
      local instance = run("/echo?k=v", { saveRequestVariables = "true", requestMethod = "POST",
        requestBody = "token=${secret.get('token')}",
        requestHeaders = "Authorization: Bearer ${secret.get('token')}\nX-Open: 1" })
      assert.same({ "Bearer " .. SECRET, "1" }, { sent(instance, "authorization"), sent(instance, "x-open") })
      assert.same("token=" .. SECRET, orrery.json.decode(instance:get "tResponseBody").body)
      assert.same({ "***", "***" }, { instance:get "tRequestHeaders", instance:get "tRequestBody" })
      instance:set("tResponseBody", "")
      nowhere(instance:variables())
      nowhere(cause("/x", { requestUrl = "http://127.0.0.1:1/${secret.get('token')}" }))
      nowhere(cause("/x", { requestUrl = "no scheme ${secret.get('token')}" }))
      nowhere(cause("/x", { requestHeaders = "no-colon${secret.get('token')}" }))
    end)

    it("that cannot be read, stored or found by a wrong name", function()
      assert.same("***", engine:evaluate("${secret.get('token').toString()}") or "***")
      local _, problem = pcall(engine.evaluate, engine, "${secret.get('token')}")
      assert.truthy(tostring(problem):find("secret", 1, true))
      nowhere(tostring(problem))
      _, problem = pcall(engine.evaluate, engine, "${secret.get('tokne')}")
      assert.truthy(tostring(problem):find("tokne", 1, true))
      engine:register("store", function(execution) execution:set("x", orrery.secret "abc") end)
      local _, refused = model.run(engine, model.task(nil, {}, { attributes = 'v:class="store"' }))
      assert.truthy(refused.message:find("a secret cannot be stored", 1, true))
    end)

    it("which no redirect takes to another host", function()
      local other = servers.start "faults"
      local to = other:url("/echo"):gsub("[:/]", function(c) return ("%%%02X"):format(c:byte()) end)
      local instance = run("/redirect?to=" .. to, { requestHeaders = "X-Key: ${secret.get('token')}", requestSecureHeaders = "X-Other: o" })
      assert.same({ nil, nil }, { sent(instance, "x-key"), sent(instance, "x-other") })
      other:stop()
    end)

    it("from a function, also in a worker", function()
      engine:close()
      engine = orrery.open(nil, { log = "none", secrets = function(name) return name .. "!" end })
      engine:deploy { ["p.bpmn"] = model.task("http", fields("/echo", { requestHeaders = "X-Key: ${secret.get('k')}" }),
        { attributes = 'v:async="true"' }) }
      local instance = engine:start "p"
      engine:start_executor { threads = 1 }
      assert.is_true(engine:wait_idle(120))
      assert.same("k!", sent(instance, "x-key"))
      engine:stop_executor()
    end)
  end)

  describe("a model may lengthen and shorten", function()
    it("the time, up to the engine's maximum", function()
      engine:close()
      engine = orrery.open(nil, { clock = "manual", log = "none", http = { stall_timeout = 0.1, timeout = 0.1, timeout_max = 60 } })
      assert.same("http.timeout", cause("/slow?ms=60000").type)
      assert.same({ "after" }, run("/slow?ms=250", { requestTimeout = "60000" }):active())
      engine:close()
      engine = orrery.open(nil, { clock = "manual", log = "none", http = { timeout_max = 0.4 } })
      assert.same("http.timeout", cause("/slow?ms=60000", { requestTimeout = "60000" }).type)
    end)
  end)

  describe("hands over", function()
    it("request and response to handlers: functions, Java's methods, scripts", function()
      engine:register("before", function(_, request) request.url = request.url .. "?by=handler" end)
      engine:register("javaLike", { handleHttpResponse = function(_, execution, response)
        execution:set("seen", response:getStatusCode())
        response:setBody(response:getBody():upper())
      end })
      local instance = run("/status/201", nil, { inside = '<v:httpRequestHandler delegateExpression="${before}"/>'
        .. '<v:httpResponseHandler class="javaLike"/>' })
      assert.same({ 201, "STATUS 201" }, { instance:get "seen", instance:get "tResponseBody" })
      instance = run("/echo", nil, { inside = [[<v:httpRequestHandler type="script">
        <v:script language="lua">httpRequest.headers = "X-S: 1"</v:script>
        </v:httpRequestHandler><v:httpResponseHandler type="script"><v:script language="lua">execution:set("code", httpResponse.status)
        </v:script></v:httpResponseHandler>]] })
      assert.same({ "1", 200 }, { sent(instance, "x-s"), instance:get "code" })
    end)

    it("a BPMN error of a handler to the model", function()
      engine:register("refuses", function() orrery.bpmn_error "refused" end)
      assert.same({ "caught" }, run("/echo", nil, { inside = '<v:httpResponseHandler class="refuses"/>',
        after = model.boundary "refused" }):active())
    end)

    it("everything to a delegate of the model's choice", function()
      engine:register("com.shop.MyHttp", function(execution) execution:set("own", execution:field "requestUrl") end)
      assert.same(faults:url "/echo", run("/echo", { httpActivityBehaviorClass = "com.shop.MyHttp" }):get "own")
      assert.same("slow", run("/slow?ms=0", { httpActivityBehaviorClass =
        "org.flowable.engine.impl.bpmn.http.DefaultBpmnHttpActivityDelegate" }):get "tResponseBody")
    end)
  end)

  describe("overlaps", function()
    local function fork(count)
      local parts, meeting = {}, faults:url(("/meet?n=%d&amp;key=%s"):format(count, key()))
      for i = 1, count do
        parts[i] = ([[<sequenceFlow id="a%d" sourceRef="fork" targetRef="h%d"/><serviceTask id="h%d" v:type="http"
          v:parallelInSameTransaction="true"><extensionElements><v:field name="requestMethod" stringValue="GET"/>
          <v:field name="requestUrl" stringValue="%s"/></extensionElements></serviceTask>
          <sequenceFlow id="b%d" sourceRef="h%d" targetRef="join"/>]]):format(i, i, i, meeting, i, i)
      end
      return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:v="http://flowable.org/bpmn" targetNamespace="spec">
        <process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="fork"/>
        <parallelGateway id="fork"/>%s<parallelGateway id="join"/><sequenceFlow id="g" sourceRef="join" targetRef="after"/>
        <userTask id="after"/></process></definitions>]]):format(table.concat(parts))
    end

    it("in parallel branches of one transaction", function()
      assert.same({ "after" }, model.run(engine, fork(20)):active())
    end)

    it("and is given up with its token when the instance ends", function()
      local k = key()
      engine:deploy { ["p.bpmn"] = ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:v="http://flowable.org/bpmn"
        targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="fork"/>
        <parallelGateway id="fork"/><sequenceFlow id="a" sourceRef="fork" targetRef="h"/><serviceTask id="h" v:type="http">
        <extensionElements><v:field name="requestMethod" stringValue="GET"/><v:field name="requestUrl" stringValue="%s"/>
        </extensionElements></serviceTask><sequenceFlow id="b" sourceRef="fork" targetRef="end"/>
        <endEvent id="end"><terminateEventDefinition/></endEvent>
        </process></definitions>]]):format(faults:url("/silent?key=" .. k)) }
      local instance = engine:start "p"
      assert.same("completed", engine:history_instance(instance.id).state)
    end)
  end)

  describe("is refused at deployment", function()
    local function problems(given, options) return model.problems(engine, model.task("http", given, options)) end

    it("without method or URL, with a wrong method, boolean or number", function()
      assert.truthy(problems({ requestUrl = "http://x" }):find('needs the field "requestMethod"', 1, true))
      assert.truthy(problems({ requestMethod = "GET" }):find('needs the field "requestUrl"', 1, true))
      assert.truthy(problems({ requestMethod = "BREW", requestUrl = "http://x" }):find('"requestMethod" must be one of GET', 1, true))
      local bad = problems { requestMethod = "GET", requestUrl = "x", ignoreException = "perhaps", requestTimeout = "soon" }
      assert.truthy(bad:find('"ignoreException" must be true', 1, true))
      assert.truthy(bad:find('"requestTimeout" must be a number', 1, true))
    end)

    it("with a handler of no or two kinds; a field that is unknown is a warning", function()
      assert.truthy(problems({ requestMethod = "GET", requestUrl = "x" }, { inside = "<v:httpRequestHandler/>" })
        :find("httpRequestHandler", 1, true))
      local xml = model.task("http", { requestMethod = "GET", requestUrl = "x", requestTimeOut = "1" })
      local deployment = engine:deploy { ["p.bpmn"] = xml }
      assert.truthy(deployment.warnings[1].message:find("requestTimeout", 1, true))
    end)
  end)

  it("is warned of when it is a POST that would be repeated with its transaction", function()
    local function warnings(given, options)
      local xml = model.task("http", given, options)
      return #engine:deploy({ ["p.bpmn"] = xml }).warnings
    end
    local post = { requestMethod = "POST", requestUrl = "x" }
    assert.same({ 1, 0, 0, 0 }, { warnings(post), warnings(post, { attributes = 'v:async="true"' }),
      warnings(post, { attributes = 'o:idempotencyKey="true"' }), warnings { requestMethod = "GET", requestUrl = "x" } })
  end)

  it("keeps bodies that are large", function()
    assert.same(1000000, #run("/big?bytes=1000000"):get "tResponseBody")
  end)

  it("gives way to a type that the program registers", function()
    engine:register_task_type("http", function(execution) execution:set("mine", true) end)
    assert.is_true(model.run(engine, model.task("http", {})):get "mine")
  end)

  describe("as a job that is tried again", function()
    local cycle = "<v:failedJobRetryTimeCycle>%s</v:failedJobRetryTimeCycle>"
    local function fails(path, more, options, variables)
      options.attributes = 'v:async="true"'
      run(path, more, options, variables)
      engine:run_jobs(1)
      local job = engine:job {}
      return job.due - engine:now(), job
    end

    it("waits as its cycle says, which may be an expression", function()
      assert.same(90, (fails("/status/500", { failStatusCodes = "5XX" }, { inside = cycle:format "${'R3/PT' .. n .. 'S'}" },
        { n = 90 })))
    end)

    it("waits for as long as a service asks by a Retry-After, and for a day at most", function()
      local wait, job = fails("/later?times=1&after=120&key=" .. key(), { failStatusCodes = "503" }, { inside = cycle:format "R3/PT10S" })
      assert.same({ 120, 2 }, { wait, job.retries })
      engine:advance(119)
      assert.same(0, engine:run_jobs())
      engine:advance(1)
      engine:run_jobs()
      assert.same(1, #engine:tasks { key = "after" })
      assert.same(600, (fails("/later?times=9&after=120&key=" .. key(), { failStatusCodes = "503" }, { inside = cycle:format "R3/PT10M" })))
    end)

    it("does not wait longer than a day", function()
      assert.same(86400, (fails("/later?times=9&after=99999999&key=" .. key(), { failStatusCodes = "503" },
        { inside = cycle:format "R3/PT10S" })))
    end)

    it("waits so after any error that says it, of a delegate too", function()
      engine:register("busy", function() error { type = "crm.busy", message = "busy", retry_after = 42.5 } end)
      model.run(engine, model.task(nil, {}, { attributes = 'v:class="busy" v:async="true"' }))
      engine:run_jobs(1)
      assert.same(42.5, engine:job({}).due - engine:now())
    end)
  end)

  it("opens no more connections to a host than the options allow; the others wait", function()
    engine:close()
    engine = orrery.open(nil, { clock = "manual", log = "none", http = { connections_per_host = 2 } })
    local crowd = key()
    engine:register("many", function(execution)
      local calls = {}
      for i = 1, 12 do calls[i] = orrery.http(faults:url("/crowd?key=" .. crowd)) end
      local peak = 0
      for _, call in ipairs(calls) do peak = math.max(peak, tonumber(orrery.await(call).body)) end
      execution:set("peak", peak)
    end)
    assert.same(2, model.run(engine, model.task(nil, {}, { attributes = 'v:class="many"' })):get "peak")
  end)

  it("runs in a worker, which holds others meanwhile", function()
    engine:close()
    engine = orrery.open(nil, { log = "none" })
    engine:deploy { ["p.bpmn"] = model.task("http", fields("/meet?n=50&key=" .. key()), { attributes = 'v:async="true"' }) }
    for _ = 1, 50 do engine:start "p" end
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(60))
    assert.same(50, #engine:tasks { key = "after" })
    engine:stop_executor()
  end)
end)
