-- Workers on other machines: ours in Lua, and Camunda's client for JavaScript as it is.
-- Marks: threads
local orrery = require "orrery"
local support = require "spec.server.support"

local function counts(server)
  return select(2, server:ask("GET", "/history/process-instance/count?finished=true")).count,
    select(2, server:ask("GET", "/process-instance/count")).count
end

local model = support.model([[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="pay"/>
  <serviceTask id="pay" camunda:type="external" camunda:topic="pay"/><sequenceFlow id="f2" sourceRef="pay" targetRef="e"/><endEvent id="e"/>
  <boundaryEvent id="b" attachedToRef="pay"><errorEventDefinition errorRef="declined"/></boundaryEvent>
  <sequenceFlow id="f3" sourceRef="b" targetRef="ask"/><userTask id="ask"/>]], "order"):gsub("<message ",
  '<error id="declined" errorCode="declined"/><message ')

local function server_with(arguments, options)
  options = options or {}
  options.files = options.files or {}
  options.files["order.bpmn"] = model
  options.arguments = "--deploy %f/order.bpmn " .. (arguments or "")
  return support.serve(options)
end

describe("orrery.worker", function()
  it("completes, fails and raises BPMN errors", function()
    local server <close> = server_with()
    for i, amount in ipairs { 1, 2, 3 } do
      assert.equal(200, (server:ask("POST", "/process-definition/key/order/start", { businessKey = "k" .. i, variables = {
        amount = { value = amount, type = "Integer" }, list = { value = "[1,2]", type = "Json" } } })))
    end
    local seen = {}
    local worker = orrery.worker { url = server.url .. "/engine-rest", topic = "pay", worker = "lua", max = 3, wait = 1,
      handler = function(task)
        seen[#seen + 1] = task.business_key .. " " .. task.variables.list[2]
        if task.variables.amount == 2 then error "no money" end
        if task.variables.amount == 3 then orrery.bpmn_error("declined", "not today", { why = "limit" }) end
        return { paid = true, receipt = { number = 7 } }
      end }
    assert.equal(3, worker:run(3))
    table.sort(seen)
    assert.same({ "k1 2", "k2 2", "k3 2" }, seen)
    local ended, running = counts(server)
    assert.same({ 1, 2 }, { ended, running })
    local _, variables = server:ask("GET", "/history/variable-instance?variableName=receipt")
    assert.same({ "Json", '{"number":7}' }, { variables[1].type, variables[1].value })
    local _, failed = server:ask("GET", "/external-task?noRetriesLeft=false&withRetriesLeft=true")
    assert.equal(2, failed[1].retries)
    assert.truthy(failed[1].errorMessage:find("no money", 1, true))
    assert.equal(1, select(2, server:ask("GET", "/task?taskDefinitionKey=ask")) and #select(2, server:ask("GET", "/task")))
  end)

  -- A store in which this many tasks wait.
  local function seeded(n)
    local path = os.tmpname()
    os.remove(path)
    local engine <close> = orrery.open(path, { log = "none" })
    engine:deploy { ["order.bpmn"] = model }
    engine:transaction(function()
      for i = 1, n do engine:start("order", { business_key = "k" .. i }) end
    end)
    return path
  end

  it("goes on when the server is killed and comes back, and nothing is lost or done twice", function()
    local n = tonumber(os.getenv "ORRERY_WORKER_TASKS") or 300
    local store = seeded(n)
    local first = server_with("", { store = store })
    local script = first:file("worker.lua", ([[local orrery = require "orrery"
      local out = io.open(arg[2], "a")
      out:setvbuf "line"
      orrery.worker { url = arg[1], topic = "pay", max = 3, wait = 2, lock = 2, handler = function(task)
        out:write(task.business_key, "\n") return { paid = true } end }:run() ]]))
    local port, log = math.tointeger(first.port), first:file "done"
    os.execute(("%s %s %s/engine-rest %s >/dev/null 2>&1 & echo $! > %s/worker"):format(os.getenv "ORRERY_LUA", script, first.url, log,
      first.folder))
    support.wait(function()
      local f = io.open(log)
      return f and f:read "a" ~= ""
    end, "the worker's first task")
    first:signal "KILL"
    support.wait(function() return not first:alive() end, "the end")
    local second <close> = server_with("", { store = store, port = port })
    local ended_before
    repeat -- as long as it goes on
      ended_before = counts(second)
      if ended_before < n then support.wait(function() return (counts(second)) > ended_before end, "the next ones") end
    until ended_before == n
    os.execute(("kill -9 $(cat %s/worker)"):format(first.folder))
    local ended, running = counts(second)
    assert.same({ n, 0 }, { ended, running })
    local _, starts = second:ask("GET", "/history/variable-instance/count?variableName=paid")
    assert.equal(n, starts.count)
    second:stop()
    first:close()
    os.execute("rm -rf " .. store)
  end)
end)

local installed = "examples/worker-js/node_modules/camunda-external-task-client-js/package.json"
local node = os.execute "command -v node >/dev/null 2>&1" and io.open(installed) -- npm ci in examples/worker-js

describe("Camunda's client for JavaScript", function()
  (node and it or pending)("works as it is, with a login", function()
    local build = os.getenv "ORRERY_BUILD"
    local pipe = assert(io.popen(("printf demo | %s/orrery serve --hash"):format(build)))
    local users = "user demo operate,deploy " .. pipe:read "l" .. "\n"
    pipe:close()
    local server <close> = server_with("--auth %f/users", { files = { users = users } })
    server.arguments = "-u demo:demo"
    for i = 1, 25 do
      assert.equal(200, (server:ask("POST", "/process-definition/key/order/start", { businessKey = "k" .. i,
        variables = { amount = { value = i, type = "Integer" } } }, "-u demo:demo")))
    end
    assert.is_true(os.execute(("ORRERY_URL=%s/engine-rest TOPIC=pay LIMIT=25 ORRERY_USER=demo ORRERY_PASSWORD=demo timeout 120 \z
      node examples/worker-js/worker.js > %s/js.log 2>&1"):format(server.url, server.folder)))
    support.wait(function() return select(2, server:ask("GET", "/process-instance/count")).count == 0 end, "the last one")
    local _, amounts = server:ask("GET", "/history/variable-instance?variableName=amount&variableValue=26")
    assert.equal(0, #amounts) -- the parameter compares as a text, as Camunda's does
    _, amounts = server:ask("POST", "/history/variable-instance", { variableName = "amount", variableValue = 26 })
    assert.equal(1, #amounts)
  end)
end)
