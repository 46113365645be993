-- Camel tasks: routes in Lua, every way in and back of the guide, and processes that routes start and signal. Mule tasks beside them.
local orrery = require "orrery"
local model = require "spec.tasks.model"
local servers = require "spec.support.servers"
local with = servers.with(it, pending)

local engine

local function open(options)
  if engine then engine:close() end
  options = options or { clock = "manual" }
  options.log = options.log or "none"
  engine = orrery.open(nil, options)
end

local function camel(options, variables, fields, start)
  engine:deploy { ["p.bpmn"] = model.task("camel", fields, options) }
  start = start or {}
  start.variables = variables
  local ok, result = pcall(engine.start, engine, "p", start)
  if ok then return result end
  return nil, result
end

local function until_true(f)
  local began = os.time()
  while not f() do
    assert(os.time() - began < 60, "it never happened")
    engine:poll(0.02)
  end
end

describe("the camel task", function()
  before_each(function() open() end)
  after_each(function()
    engine:close()
    engine = nil
  end)

  it("runs the route that begins at it; variables come as properties", function()
    local seen
    engine:route("flowable:p:t", function(x)
      seen = x
      x.body = x.properties.input .. " World"
    end)
    local instance = camel(nil, { input = "Hello" }, nil, { business_key = "k1" })
    assert.same("Hello World", instance:get "camelBody")
    assert.same({ instance.id, "k1" }, { seen.properties.PROCESS_ID_PROPERTY, seen.properties.PROCESS_KEY_PROPERTY })
  end)

  describe("takes variables in", function()
    local function body_and_properties(uri, class)
      local seen
      engine:route(uri, function(x)
        seen = { body = x.body, a = x.properties.a, b = x.properties.b }
        x.body = nil
      end)
      camel(nil, { a = 1, b = 2, camelBody = "the body" }, { camelBehaviorClass = class })
      return seen
    end

    it("by the behavior's class", function()
      assert.same({ a = 1, b = 2 }, body_and_properties("flowable:p:t", "org.flowable.camel.impl.CamelBehaviorDefaultImpl"))
      assert.same({ body = "the body" }, body_and_properties("flowable:p:t", "org.flowable.camel.impl.CamelBehaviorCamelBodyImpl"))
      assert.same({ body = { a = 1, b = 2, camelBody = "the body" } },
        body_and_properties("flowable:p:t", "org.flowable.camel.impl.CamelBehaviorBodyAsMapImpl"))
    end)

    it("by the route's URL, which decides before the class", function()
      assert.same({ body = "the body" }, body_and_properties("flowable:p:t?copyCamelBodyToBody=true",
        "org.flowable.camel.impl.CamelBehaviorBodyAsMapImpl"))
      assert.same({ a = 1, b = 2 }, body_and_properties "flowable:p:t?copyVariablesToProperties=true")
      assert.same({ a = 1 }, body_and_properties "flowable:p:t?copyVariablesToProperties=a.*")
      assert.same({ body = { b = 2 } }, body_and_properties "flowable:p:t?copyVariablesToBodyAsMap=b")
    end)
  end)

  describe("gives back", function()
    local function back(uri, f)
      engine:route(uri, f)
      return camel():variables()
    end

    it("a map's members, or the whole body", function()
      assert.same({ x = 1, y = "z" }, back("flowable:p:t", function(x) x.body = { x = 1, y = "z" } end))
      assert.same({ camelBody = 7 }, back("flowable:p:t", function() return 7 end))
      assert.same({}, back("flowable:p:t", function() end))
    end)

    it("properties and headers, all or those of a pattern", function()
      local function fill(x) x.properties.p1, x.properties.q = 1, 2 x.headers.h1, x.headers.i = 3, 4 end
      assert.same({ p1 = 1, q = 2 }, back("flowable:p:t?copyVariablesFromProperties=true", fill))
      assert.same({ p1 = 1 }, back("flowable:p:t?copyVariablesFromProperties=p.*", fill))
      assert.same({ h1 = 3, i = 4 }, back("flowable:p:t?copyVariablesFromHeader=true", fill))
      assert.same({ h1 = 3 }, back("flowable:p:t?copyVariablesFromHeader=h1", fill))
    end)

    it("a body as text", function()
      assert.same({ camelBody = "7" }, back("flowable:p:t?copyCamelBodyToBodyAsString=true", function() return 7 end))
      assert.same({ camelBody = "[1,2]" }, back("flowable:p:t?copyCamelBodyToBodyAsString=true", function() return { 1, 2 } end))
    end)
  end)

  it("finds its routes in the context that it names", function()
    engine:route("flowable:p:t", function() return "usual" end)
    engine:route("flowable:p:t", function() return "custom" end, { context = "customCamelContext" })
    assert.same("usual", camel():get "camelBody")
    assert.same("custom", camel(nil, nil, { camelContext = "customCamelContext" }):get "camelBody")
  end)

  it("goes from endpoint to endpoint: direct, seda, mock, log", function()
    local lines = {}
    open { clock = "manual", log = function(_, message) lines[#lines + 1] = message end }
    engine:route("flowable:p:t", function(x) x:to("direct:second"):to("mock:result"):to("seda:later"):to "log:shop.orders" end)
    engine:route("direct:second", function(x) x.body = "second" end)
    engine:route("seda:later", function(x)
      orrery.await(orrery.spawn { arguments = { "/bin/true" } })
      x.body = x.body .. ", later"
      x:to "mock:later"
    end)
    local instance = camel()
    assert.same({ "second", "second" }, { instance:get "camelBody", engine:received("mock:result")[1].body })
    until_true(function() return #engine:received "mock:later" == 1 end)
    assert.same("second, later", engine:received("mock:later")[1].body)
    assert.truthy(table.concat(lines, "\n"):find("shop.orders: second", 1, true))
  end)

  it("signals a receive task once the transaction that leads there has committed", function()
    engine:route("flowable:p:t", function(x)
      x.body = "pong"
      x:to "flowable:p:wait"
    end)
    engine:deploy { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:v="http://flowable.org/bpmn"
      targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="a" sourceRef="s" targetRef="t"/>
      <serviceTask id="t" v:type="camel" v:async="true"/><sequenceFlow id="b" sourceRef="t" targetRef="wait"/><receiveTask id="wait"/>
      <sequenceFlow id="c" sourceRef="wait" targetRef="after"/><userTask id="after"/></process></definitions>]] }
    local instance = engine:start "p"
    engine:run_jobs()
    until_true(function() return instance:active()[1] == "after" end)
    assert.same("pong", instance:get "camelBody")
  end)

  it("starts processes from routes, with variables, an initiator, and variables that come back", function()
    engine:deploy { ["q.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:v="http://flowable.org/bpmn"
      targetNamespace="spec"><process id="q" isExecutable="true"><startEvent id="s" v:initiator="who"/>
      <sequenceFlow id="a" sourceRef="s" targetRef="t"/><serviceTask id="t" v:expression="${execution.setVariable('out', given + 1)}"/>
      <sequenceFlow id="b" sourceRef="t" targetRef="u"/><userTask id="u"/></process></definitions>]] }
    engine:route("direct:start", function(x) x:to "flowable:q?var.return.out&processInitiatorHeaderName=CamelProcessInitiatorHeader" end)
    local x = engine:send("direct:start", { body = { given = 6 }, headers = { CamelProcessInitiatorHeader = "kermit" },
      properties = { PROCESS_KEY_PROPERTY = "order-1" } })
    local instance = engine:instance(x.properties.PROCESS_ID_PROPERTY)
    assert.same({ 7, "kermit", "order-1" }, { x.properties.out, instance:get "who", instance.business_key })
    assert.is_false(pcall(engine.send, engine, "flowable:q:u", { properties = { PROCESS_KEY_PROPERTY = "order-2" } }))
    local ok, problem = pcall(engine.send, engine, "flowable:q?processInitiatorHeaderName=None", { body = { given = 1 } })
    assert.is_false(ok)
    assert.same("camel.endpoint", problem.type)
  end)

  with("faults", "really calls http endpoints", function()
    local faults <close> = servers.start "faults"
    local url = faults:url "/echo?x=1"
    engine:route("flowable:p:t", function(x)
      x.headers["X-Key"] = "k"
      x.body = { a = 1 }
      x:to(url)
    end)
    local got = orrery.json.decode(camel():get "camelBody")
    assert.same({ "POST", '{"a":1}', "x=1" }, { got.method, got.body, got.query })
    local bad = faults:url "/status/500"
    engine:route("flowable:p:t", function(x) x:to(bad) end)
    local _, problem = camel()
    assert.same("camel.http", problem.cause.type)
  end)

  it("says what is missing or unknown", function()
    local _, problem = camel()
    assert.same("camel.endpoint", problem.cause.type)
    assert.truthy(problem.message:find("flowable:p:t", 1, true))
    engine:route("flowable:p:t", function(x) x:to "jms:queue:a" end)
    _, problem = camel()
    assert.truthy(problem.message:find("flowable, direct, seda, log, mock, http and https", 1, true))
    engine:route("flowable:p:t", function(x) x:to "direct:none" end)
    _, problem = camel()
    assert.truthy(problem.message:find("direct:none", 1, true))
    engine:route("direct:a", function(x) x:to "direct:a" end)
    engine:route("flowable:p:t", function(x) x:to "direct:a" end)
    _, problem = camel()
    assert.same("camel.limit", problem.cause.type)
    engine:route("flowable:p:t", function() end)
    _, problem = camel(nil, nil, { camelBehaviorClass = "com.shop.Mine" })
    assert.same("camel.behavior", problem.cause.type)
    assert.is_false(pcall(engine.route, engine, "flowable:p:t?copyVariables=true", function() end))
    assert.is_false(pcall(engine.route, engine, "nonsense", function() end))
  end)

  it("runs routes without upvalues in workers", function()
    open {}
    engine:route("flowable:p:t", function(x) return x.properties.n * 2 end)
    engine:deploy { ["p.bpmn"] = model.task("camel", {}, { attributes = 'v:async="true"' }) }
    local instance = engine:start("p", { variables = { n = 21 } })
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(120))
    engine:stop_executor()
    assert.same(42, instance:get "camelBody")
  end)
end)

describe("the mule task", function()
  before_each(function() open() end)
  after_each(function()
    engine:close()
    engine = nil
  end)

  local function mule(fields, variables)
    local given = { endpointUrl = "vm://in", language = "juel", payloadExpression = '"hi"', resultVariable = "theVariable" }
    for name, value in pairs(fields or {}) do given[name] = value end
    return model.run(engine, model.task("mule", given), variables)
  end

  it("sends its payload to an endpoint, and keeps the answer", function()
    engine:endpoint("vm://in", function(payload) return payload .. " there" end)
    assert.same("hi there", mule():get "theVariable")
    assert.same("5 there", mule({ payloadExpression = "n + 2" }, { n = 3 }):get "theVariable")
    assert.same("6 there", mule({ payloadExpression = "n * 2", language = "lua" }, { n = 3 }):get "theVariable")
    assert.same("yes there", mule({ payloadExpression = "if n then return 'yes' end", language = "lua" }, { n = 3 }):get "theVariable")
  end)

  with("faults", "posts to http addresses", function()
    local faults <close> = servers.start "faults"
    local got = orrery.json.decode(mule({ endpointUrl = faults:url "/echo" }):get "theVariable")
    assert.same({ "POST", "hi" }, { got.method, got.body })
    local _, problem = mule { endpointUrl = faults:url "/status/500" }
    assert.same("mule.status", problem.cause.type)
    _, problem = mule { payloadExpression = "1 +", language = "lua" }
    assert.same("mule.request", problem.cause.type)
  end)

  it("says what is missing or wrong", function()
    local _, problem = mule()
    assert.same("mule.endpoint", problem.cause.type)
    local problems = model.problems(engine, model.task("mule", { language = "groovy" }))
    for _, expected in ipairs { "endpointUrl", "payloadExpression", "language" } do
      assert.truthy(problems:find(expected, 1, true))
    end
  end)
end)
