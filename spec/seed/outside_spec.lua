-- The guide's examples of tasks that reach outside: HTTP, mail, Mule, Camel; their services are servers on loopback.
local orrery = require "orrery"
local seed = require "spec.seed.support"
local servers = require "spec.support.servers"
local with = servers.with(it, pending)

describe("the guide's tasks that reach outside", function()
  local engine
  before_each(function() engine = seed.engine() end)
  after_each(function() engine:close() end)

  describe("by HTTP", function()
    with("faults", "ask for a page, with headers and a time limit", function()
      local faults <close> = servers.start "faults"
      local address = ("http://localhost:%d/echo"):format(faults.port)
      local pi = seed.run(engine, "http_task_1", "httpGet", { fill = { ["http://flowable.org"] = address },
        process = '<userTask id="u"/>', flows = "httpGet -> u" }, { variables = { requestTimeout = 5000 } })
      local headers = {}
      for _, header in ipairs(orrery.json.decode(pi:get "task7ResponseBody").headers) do headers[header[1]:lower()] = header[2] end
      assert.same({ "text/html", "no-cache" }, { headers.accept, headers["cache-control"] })
    end)

    with("faults", "fail on 400 and 5XX, and are tried again by their cycle", function()
      local faults <close> = servers.start "faults"
      seed.run(engine, "http_task_error_handling_1", "failGet", { fill = { ["localhost:9798/api/fail"] =
        ("localhost:%d/status/503"):format(faults.port) } })
      assert.equal(1, engine:run_jobs())
      local job = engine:job {}
      assert.same({ 2, 5 }, { job.retries, job.due - engine:now() })
      assert.matches("HTTP503", job.error)
    end)

    with("faults", "hand 4XX to a boundary event as an error", function()
      local faults <close> = servers.start "faults"
      seed.run(engine, "http_task_error_handling_2", "handleGet", { root = '<error id="HTTP400" errorCode="HTTP400"/>',
        fill = { ["localhost:9798/api/fail"] = ("localhost:%d/status/400"):format(faults.port) },
        process = '<userTask id="caught"/>', flows = "catch400 -> caught" })
      assert.same({ "caught" }, seed.each(engine:tasks {}, "key"))
    end)

    it("ignore what goes wrong where that is asked for", function()
      local pi = seed.run(engine, "http_task_error_handling_3", "ignoreTask", { fill = { nohost = "nobody.invalid" } })
      assert.is_nil(engine:instance(pi.id))
    end)
  end)

  with("mail", "send the order's mail", function()
    local mail <close> = servers.start("mail", "plain")
    engine:close()
    engine = seed.engine { mail = { host = "127.0.0.1", port = mail.port } }
    seed.run(engine, "email_task_1", "sendMail", {}, { variables = { recipient = "kermit@example.org", orderId = 17, male = true,
      recipientName = "Frog", now = "today" } })
    local kept = orrery.await(orrery.http(("http://127.0.0.1:%d/"):format(mail.ports[2]))):json()[1]
    assert.same({ "order-shipping@thecompany.com", { "kermit@example.org" }, "Your order 17 has been shipped", "text/html" },
      { kept.from, kept.to, kept.headers.subject, kept.parts[1].type })
    assert.matches("Hello Mr%. Frog,", kept.parts[1].text)
    assert.matches("As of today, your order", kept.parts[1].text)
  end)

  it("ask a Mule endpoint", function()
    engine:endpoint("vm://in", function(payload) return payload .. " there" end)
    local fields = seed.text "mule_task_1"
    engine:deploy { ["m.bpmn"] = ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
      xmlns:flowable="http://flowable.org/bpmn" targetNamespace="Examples"><process id="p">%s
      <serviceTask id="sendMule" flowable:type="mule">%s</serviceTask><userTask id="u"/>%s
      </process></definitions>]]):format(seed.ends, fields, seed.flows "s -> sendMule sendMule -> u u -> e") }
    assert.equal("hi there", engine:start("p"):get "theVariable")
  end)

  it("activate a Camel route", function()
    local lines = {}
    engine:close()
    engine = seed.engine { log = function(_, message) lines[#lines + 1] = message end }
    engine:route("flowable:SimpleCamelCallProcess:simpleCall", function(x)
      x.body = "activated"
      x:to "log:org.flowable.camel.examples.SimpleCamelCall"
    end)
    seed.deploy(engine, "camel_task_1", { whole = true })
    engine:start "SimpleCamelCallProcess"
    assert.matches("org.flowable.camel.examples.SimpleCamelCall: activated", table.concat(lines, "\n"), 1, true)
  end)

  it("play ping-pong with Camel", function()
    local output
    engine:route("flowable:PingPongProcess:ping", function(x) x.body = { outputValue = x.properties.input .. " World" } end)
    engine:register("org.flowable.camel.examples.pingPong.SaveOutput", function(execution) output = execution:get "outputValue" end)
    seed.deploy(engine, "camel_task_2", { whole = true })
    engine:start("PingPongProcess", { variables = { input = "Hello" } })
    assert.equal("Hello World", output)
  end)
end)
