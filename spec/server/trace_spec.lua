-- Traces: from a request through jobs and calls to a worker, hours and processes apart; and a collector that is down, slow, or has enough.
-- Marks: threads
local folder = require "spec.support.folder"
local json = require "orrery".json
local orrery = require "orrery"
local servers = require "spec.support.servers"
local settings = require "orrery.cli.traces".settings
local support = require "spec.server.support"

local with_collector = servers.with(it, pending)

local TRACE <const>, PARENT <const> = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
local TRACEPARENT <const> = "00-" .. TRACE .. "-" .. PARENT .. "-01"

local Collector = {}
Collector.__index = Collector

function Collector:mode(text)
  local f = assert(io.open(self.folder .. "/mode.new", "w"))
  f:write(text)
  f:close()
  assert(os.rename(self.folder .. "/mode.new", self.folder .. "/mode"))
end

--- Every request so far, as the collector has written it down.
function Collector:requests()
  local out = {}
  local f = io.open(self.folder .. "/requests")
  for line in f and f:lines() or function() end do
    out[#out + 1] = json.decode(line)
    assert.equal("", out[#out].wrong)
  end
  if f then f:close() end
  return out
end

--- The spans of what it took, attributes by name.
function Collector:spans()
  local out = {}
  for _, request in ipairs(self:requests()) do
    if request.mode:find "^200" then
      for _, span in ipairs(request.body.resourceSpans[1].scopeSpans[1].spans) do
        span.is = {}
        for _, a in ipairs(span.attributes) do span.is[a.key] = a.value.stringValue or math.tointeger(tonumber(a.value.intValue)) end
        out[#out + 1] = span
      end
    end
  end
  return out
end

--- Waits until a span of this name is there (and `fits`), and gives it.
function Collector:span(name, fits)
  return support.wait(function()
    for _, span in ipairs(self:spans()) do
      if span.name == name and (not fits or fits(span)) then return span end
    end
  end, "the span " .. name)
end

function Collector:stop() self.server:stop() end

Collector.__close = function(self)
  self.server:stop()
  folder.remove(self.folder)
end

local function collector(port)
  local self = setmetatable({ folder = folder.make() }, Collector)
  self.server = servers.start("collector", self.folder, port or 0)
  self.url = self.server:url()
  return self
end

local model = support.model([[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="call"/>
  <serviceTask id="call" camunda:class="call" camunda:asyncBefore="true"/><sequenceFlow id="f2" sourceRef="call" targetRef="pay"/>
  <serviceTask id="pay" camunda:type="external" camunda:topic="pay"/><sequenceFlow id="f3" sourceRef="pay" targetRef="after"/>
  <scriptTask id="after" scriptFormat="lua" camunda:asyncBefore="true"><script>x = 1</script></scriptTask>
  <sequenceFlow id="f4" sourceRef="after" targetRef="wait"/><receiveTask id="wait" messageRef="m"/>
  <sequenceFlow id="f5" sourceRef="wait" targetRef="last"/>
  <scriptTask id="last" scriptFormat="lua" camunda:asyncBefore="true"><script>x = 2</script></scriptTask>
  <sequenceFlow id="f6" sourceRef="last" targetRef="e"/><endEvent id="e"/>]], "order")

-- A service is called with a secret in its query and its user; what it was told of the trace becomes a variable.
local delegates = [[
return { setup = function(engine)
  engine:register("call", function(execution)
    local orrery = require "orrery"
    local url = execution:get "service"
    local answer = orrery.await(orrery.http { url = (url:gsub("://", "://tom:hidden@")) .. "/stock?key=hidden" })
    execution:set("seen", answer:json().traceparent)
    execution:set("state", answer:json().tracestate)
  end)
end }]]

local FAST <const> = "OTEL_BSP_SCHEDULE_DELAY=20"

local function serve(c, more)
  more = more or {}
  return support.serve { files = { ["order.bpmn"] = model, ["delegates.lua"] = delegates }, store = more.store,
    environment = ("OTEL_EXPORTER_OTLP_ENDPOINT=%s %s %s"):format(c.url, FAST, more.environment or ""),
    arguments = "--deploy %f/order.bpmn --lua %f/delegates.lua " .. (more.arguments or "") }
end

local function start(server, c, header)
  local status, instance = server:ask("POST", "/process-definition/key/order/start",
    { businessKey = "secret-customer", variables = { service = { value = c.url, type = "String" } } }, header or "")
  assert.equal(200, status)
  return instance.id
end

local function fetch(server)
  return support.wait(function()
    local _, tasks = server:ask("POST", "/external-task/fetchAndLock",
      { workerId = "w", maxTasks = 1, asyncResponseTimeout = 2000, topics = { { topicName = "pay", lockDuration = 60000 } } })
    return tasks[1]
  end, "the task")
end

local function metric(server, outcome)
  local _, text = server:ask("GET", "/metrics")
  return math.tointeger(tonumber(text:match('orrery_trace_spans_total{outcome="' .. outcome .. '"} (%d+)')))
end

local function waits_for_metric(server, outcome, least)
  return support.wait(function() return metric(server, outcome) >= least end, least .. " spans " .. outcome)
end

describe("A trace", function()
  with_collector("collector", "goes through start, job, call, worker and message, each span below what caused it", function()
    local c <close> = collector()
    local server <close> = serve(c)
    local instance = start(server, c, ("-H 'traceparent: %s' -H 'tracestate: a=1, b=2'"):format(TRACEPARENT))
    local task = fetch(server)
    assert.equal(204, (server:ask("POST", "/external-task/" .. task.id .. "/complete", { workerId = "w" })))
    local paid = { messageName = "paid", processInstanceId = instance }
    support.wait(function() return server:ask("POST", "/message", paid) == 204 end, "the receiver")

    local request = c:span "POST /engine-rest/process-definition/key/{key}/start"
    local command, job, call = c:span "instance_start", c:span "async-before call", c:span "GET"
    local complete = c:span "external task complete pay"
    local after, last = c:span "async-before after", c:span "async-before last"
    local message, fetched = c:span "message paid", c:span "external task fetch pay"
    for _, span in ipairs { request, command, job, call, complete, after, last, message, fetched } do
      assert.equal(TRACE, span.traceId, span.name)
      assert.equal("a=1,b=2", span.traceState, span.name)
    end
    assert.same({ PARENT, request.spanId, command.spanId, job.spanId }, { request.parentSpanId, command.parentSpanId, job.parentSpanId,
      call.parentSpanId })
    assert.same({ job.spanId, job.spanId, complete.spanId, message.spanId }, { complete.parentSpanId, fetched.parentSpanId,
      after.parentSpanId, last.parentSpanId })
    assert.equal(command.spanId, message.parentSpanId)
    assert.same({ 2, 1, 5, 3 }, { request.kind, command.kind, job.kind, call.kind })
    assert.same({ "POST", 200, "/engine-rest/process-definition/key/{key}/start" }, { request.is["http.request.method"],
      request.is["http.response.status_code"], request.is["http.route"] })
    assert.same({ "order", "call", instance }, { job.is["orrery.process.key"], job.is["orrery.activity.id"], job.is["orrery.instance.id"] })

    -- The worker's requests, which came without a trace, have each their own, and the instance's spans name them.
    local completing = c:span "external_complete"
    assert.not_equal(TRACE, completing.traceId)
    assert.same({ { traceId = completing.traceId, spanId = completing.spanId } }, complete.links)

    -- What the service was told is the call's span.
    local _, seen = server:ask("GET", "/history/variable-instance?variableName=seen")
    assert.equal(("00-%s-%s-01"):format(TRACE, call.spanId), seen[1].value)
    local _, state = server:ask("GET", "/history/variable-instance?variableName=state")
    assert.equal("a=1,b=2", state[1].value)
    assert.same({ "127.0.0.1", c.server.port, 200 }, { call.is["server.address"], call.is["server.port"],
      call.is["http.response.status_code"] })
    assert.equal(c.url .. "/stock", call.is["url.full"])
    for _, request_of in ipairs(c:requests()) do assert.is_nil(json.encode(request_of.body):find "hidden\"?") end
    for _, span in ipairs(c:spans()) do
      for _, value in pairs(span.is) do assert.is_nil(tostring(value):find("secret-customer", 1, true)) end
    end
  end)

  with_collector("collector", "goes through a message that starts an instance by a job", function()
    local c <close> = collector()
    local by_message = support.model([[<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent>
      <sequenceFlow id="f1" sourceRef="s" targetRef="t"/><userTask id="t"/>]], "by_message")
    local server <close> = support.serve { files = { ["m.bpmn"] = by_message }, environment = FAST,
      arguments = "--deploy %f/m.bpmn --traces " .. c.url }
    local header = "-H 'traceparent: " .. TRACEPARENT .. "'"
    assert.equal(204, (server:ask("POST", "/message", { messageName = "paid" }, header)))
    local task = support.wait(function() return select(2, server:ask("GET", "/task"))[1] end, "the task")
    assert.equal(204, (server:ask("POST", "/task/" .. task.id .. "/complete", {})))
    local message, complete = c:span "message", c:span "task complete t"
    assert.same({ TRACE, TRACE, message.spanId }, { message.traceId, complete.traceId, complete.parentSpanId })
  end)

  with_collector("collector", "that meets another instance goes on in its own, and the other in the other's", function()
    local c <close> = collector()
    local thrower = support.model([[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="throw"/>
      <intermediateThrowEvent id="throw" camunda:asyncBefore="true"><signalEventDefinition signalRef="sig"/></intermediateThrowEvent>
      <sequenceFlow id="f2" sourceRef="throw" targetRef="call"/><serviceTask id="call" camunda:class="call"/>
      <sequenceFlow id="f3" sourceRef="call" targetRef="own"/><userTask id="own" camunda:asyncBefore="true"/>]], "thrower")
    local waits = support.model([[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="catch"/>
      <intermediateCatchEvent id="catch"><signalEventDefinition signalRef="sig"/></intermediateCatchEvent>
      <sequenceFlow id="f2" sourceRef="catch" targetRef="other"/><userTask id="other" camunda:asyncBefore="true"/>]], "waits")
    local server <close> = support.serve { files = { ["thrower.bpmn"] = thrower, ["waits.bpmn"] = waits, ["delegates.lua"] = delegates },
      environment = FAST, arguments = "--deploy %f/thrower.bpmn --deploy %f/waits.bpmn --lua %f/delegates.lua --traces " .. c.url }
    local OTHER <const> = "1" .. TRACE:sub(2)
    assert.equal(200, (server:ask("POST", "/process-definition/key/waits/start", {},
      "-H 'traceparent: " .. TRACEPARENT:gsub(TRACE, OTHER) .. "'")))
    assert.equal(200, (server:ask("POST", "/process-definition/key/thrower/start",
      { variables = { service = { value = c.url, type = "String" } } }, "-H 'traceparent: " .. TRACEPARENT .. "'")))
    local job, call, own = c:span "async-before throw", c:span "GET", c:span "async-before own"
    local signal, other = c:span "signal all", c:span "async-before other"
    assert.same({ TRACE, job.spanId }, { call.traceId, call.parentSpanId })
    assert.same({ TRACE, job.spanId }, { own.traceId, own.parentSpanId })
    assert.same({ OTHER, { { traceId = TRACE, spanId = job.spanId } } }, { signal.traceId, signal.links })
    assert.same({ OTHER, signal.spanId }, { other.traceId, other.parentSpanId })
  end)

  with_collector("collector", "is kept by the store: another process goes on in it", function()
    local c <close> = collector()
    local first = serve(c, { arguments = "--no-executor" })
    start(first, c, "-H 'traceparent: " .. TRACEPARENT .. "'")
    assert.equal(0, first:stop())
    local work = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=%s/v1/traces OTEL_SERVICE_NAME=night-shift %s/orrery work %s --lua %s/delegates.lua \z
      --until-idle --log none --metrics %s/metrics >/dev/null 2>&1"):format(c.url, os.getenv "ORRERY_BUILD", first.store, first.folder,
      first.folder)
    assert.is_true(os.execute(work))
    local job = c:span "async-before call"
    assert.equal(TRACE, job.traceId)
    assert.equal(c:span "instance_start".spanId, job.parentSpanId)
    local names = {}
    for _, request in ipairs(c:requests()) do
      for _, a in ipairs(request.body.resourceSpans[1].resource.attributes) do
        if a.key == "service.name" then names[a.value.stringValue] = true end
      end
    end
    assert.same({ orrery = true, ["night-shift"] = true }, names)
    local metrics = assert(io.open(first.folder .. "/metrics")):read "a"
    assert.truthy(metrics:find 'orrery_trace_spans_total{outcome="exported"} %d')
    local engine = orrery.open(first.store, { log = "none" })
    assert.same({}, engine:verify())
    engine:close()
    first:close()
  end)

  with_collector("collector", "that its caller does not record is passed on, and not recorded here", function()
    local c <close> = collector()
    local server <close> = serve(c)
    start(server, c, "-H 'traceparent: " .. TRACEPARENT:gsub("01$", "00") .. "'")
    fetch(server)
    local _, seen = server:ask("GET", "/history/variable-instance?variableName=seen")
    assert.equal(("00-%s-%s-00"):format(TRACE, PARENT), seen[1].value)
    c:span "externals_fetch_and_lock" -- the worker's own request is recorded
    for _, span in ipairs(c:spans()) do assert.not_equal(TRACE, span.traceId) end
  end)

  with_collector("collector", "begins anew where traceparent is malformed, and does not where none is to begin", function()
    local c <close> = collector()
    local server <close> = serve(c)
    local upper, longer = TRACEPARENT:upper(), TRACEPARENT .. "-00"
    for _, bad in ipairs { "", "00", upper, longer, TRACEPARENT:gsub("^00", "ff"), TRACEPARENT:gsub("-01$", ""),
      TRACEPARENT:gsub(TRACE, ("0"):rep(32)),
      TRACEPARENT:gsub(PARENT, ("0"):rep(16)), TRACEPARENT:gsub("^00%-", "0-"), TRACEPARENT:gsub("01$", "0g"),
      TRACEPARENT .. "' -H 'traceparent: " .. TRACEPARENT } do
      assert.equal(200, (server:ask("GET", "/engine", nil, "-H 'traceparent: " .. bad .. "'")))
    end
    local next_version = "-H 'traceparent: cc" .. TRACEPARENT:sub(3) .. "-what-comes-later' -H 'tracestate: A=1'"
    assert.equal(200, (server:ask("GET", "/version", nil, next_version)))
    local later = c:span "GET /engine-rest/version"
    assert.same({ TRACE, PARENT }, { later.traceId, later.parentSpanId })
    assert.is_nil(later.traceState)
    local traces = {}
    for _, span in ipairs(c:spans()) do
      if span.name == "GET /engine-rest/engine" then
        assert.is_nil(span.parentSpanId)
        assert.is_nil(traces[span.traceId])
        traces[span.traceId] = true
      end
    end
    assert.is_nil(traces[TRACE])
    local silent <close> = serve(c, { environment = "OTEL_TRACES_SAMPLER=parentbased_always_off OTEL_SERVICE_NAME=silent" })
    start(silent, c)
    fetch(silent)
    local _, seen = silent:ask("GET", "/history/variable-instance?variableName=seen")
    assert.equal(orrery.null, seen[1].value)
    assert.equal(0, metric(silent, "exported"))
  end)
end)

describe("A collector", function()
  with_collector("collector", "that is down costs spans, which are counted, and nothing else; when it is back it gets the next", function()
    local c = collector()
    local port = c.server.port
    c:stop()
    local server <close> = serve(c, {
      environment = "OTEL_BSP_MAX_QUEUE_SIZE=8 OTEL_BSP_MAX_EXPORT_BATCH_SIZE=4 OTEL_BSP_EXPORT_TIMEOUT=1" })
    for _ = 1, 40 do assert.equal(200, (server:ask("GET", "/version"))) end
    waits_for_metric(server, "dropped", 1)
    waits_for_metric(server, "failed", 4)
    assert.truthy(server:log():find("traces cannot be sent", 1, true))
    local back <close> = collector(port)
    support.wait(function()
      server:ask("GET", "/engine")
      return #back:requests() > 0
    end, "the collector's first batch")
    waits_for_metric(server, "exported", 1)
    support.wait(function() return server:log():find("traces are sent again", 1, true) end, "the good news")
    folder.remove(c.folder)
  end)

  with_collector("collector", "that answers 429 or 503 gets the same batch again, not before it said", function()
    local c <close> = collector()
    c:mode "429 1"
    local server <close> = support.serve { environment = FAST, arguments = "--traces " .. c.url }
    server:ask("GET", "/version")
    local function tried(mode)
      support.wait(function()
        local all = c:requests()
        return #all > 0 and all[#all].mode == mode
      end, "a try that is answered " .. mode)
    end
    tried "429 1"
    c:mode "503 1"
    tried "503 1"
    c:mode "200"
    tried "200"
    local all = c:requests()
    for i, request in ipairs(all) do
      local spans = request.body.resourceSpans[1].scopeSpans[1].spans
      assert.same({ 1, all[1].body.resourceSpans[1].scopeSpans[1].spans[1].spanId }, { #spans, spans[1].spanId })
      assert.is_true(i == 1 or request.at - all[i - 1].at >= 0.99) -- what Retry-After said, less what the clocks round
    end
    waits_for_metric(server, "exported", 1)
    assert.equal(0, metric(server, "failed"))
  end)

  with_collector("collector", "that refuses for good, or takes a part, is believed", function()
    local c <close> = collector()
    c:mode "401"
    local server <close> = support.serve { environment = FAST, arguments = "--traces " .. c.url }
    server:ask("GET", "/version")
    waits_for_metric(server, "failed", 1)
    assert.equal(1, #c:requests())
    c:mode "200 partial 1"
    server:ask("GET", "/version")
    waits_for_metric(server, "rejected", 1)
    assert.equal(0, metric(server, "exported"))
  end)

  with_collector("collector", "that does not answer holds up neither requests nor jobs nor the end", function()
    local c <close> = collector()
    c:mode "hold"
    local server <close> = serve(c, {
      environment = "OTEL_EXPORTER_OTLP_TIMEOUT=300 OTEL_BSP_MAX_QUEUE_SIZE=4 OTEL_BSP_MAX_EXPORT_BATCH_SIZE=2" })
    start(server, c)
    fetch(server)
    for _ = 1, 10 do assert.equal(200, (server:ask("GET", "/version"))) end
    waits_for_metric(server, "dropped", 1)
    assert.equal(0, server:stop())
  end)

  with_collector("collector", "gets what is left when the server ends, with the headers that were set", function()
    local c <close> = collector()
    local server <close> = support.serve {
      environment = "OTEL_EXPORTER_OTLP_HEADERS='api-key=a%20b,other=c' OTEL_RESOURCE_ATTRIBUTES=zone=north",
      arguments = "--traces " .. c.url }
    server:ask("GET", "/version")
    assert.equal(0, server:stop())
    local request = c:requests()[1]
    assert.same({ "a b", "c" }, { request.headers["api-key"], request.headers.other })
    assert.equal("GET /engine-rest/version", request.body.resourceSpans[1].scopeSpans[1].spans[1].name)
    assert.truthy(json.encode(request.body.resourceSpans[1].resource):find("north", 1, true))
  end)
end)

describe("Settings of traces", function()
  local function refused(environment, config)
    local at = folder.make()
    local f = assert(io.open(at .. "/config", "w"))
    f:write(config or "return {}")
    f:close()
    local command = "%s timeout 120 %s/orrery serve %s/store --config %s/config --listen 127.0.0.1:0 2>&1; echo $?"
    local pipe = assert(io.popen(command:format(environment, os.getenv "ORRERY_BUILD", at, at)))
    local said = pipe:read "a"
    pipe:close()
    folder.remove(at)
    return said
  end

  it("that make no sense are refused with what would", function()
    for environment, said in pairs { ["OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318"] = "no address of http",
      ["OTEL_EXPORTER_OTLP_ENDPOINT=http://x OTEL_TRACES_SAMPLER=jaeger_remote"] = "no sampler",
      ["OTEL_EXPORTER_OTLP_ENDPOINT=http://x OTEL_EXPORTER_OTLP_PROTOCOL=grpc"] = "4318",
      ["OTEL_EXPORTER_OTLP_ENDPOINT=http://x OTEL_TRACES_EXPORTER=zipkin"] = "otlp and none",
      ["OTEL_EXPORTER_OTLP_ENDPOINT=http://x OTEL_BSP_SCHEDULE_DELAY=soon"] = "a number expected" } do
      local text = refused(environment)
      assert.truthy(text:find(said, 1, true), text)
      assert.truthy(text:find "2\n$", text)
    end
    assert.truthy(refused("", 'return { traces = { endpont = "http://x" } }'):find('no setting "endpont"', 1, true))
    assert.truthy(refused("", 'return { traces = { endpoint = 7 } }'):find("endpoint must be a string", 1, true))
  end)

  it("stand in the manual", function()
    local manual = assert(io.open "docs/server.md"):read "a"
    for _, setting in ipairs(settings) do
      local row = ("| `%s` | `%s` | %s | %s |"):format(setting[1], table.concat(setting[3], "`, `"),
        setting[4] == nil and "" or "`" .. tostring(setting[4]) .. "`", setting[5])
      assert.truthy(manual:find(row, 1, true), "docs/server.md has no row\n" .. row)
    end
  end)
end)
