-- The server as a client sees it: a round through an order, errors, its end.
-- Marks: threads
local support = require "spec.server.support"

local begun = support.model([[<startEvent id="s"><messageEventDefinition messageRef="b"/>
  </startEvent>
  <sequenceFlow id="f" sourceRef="s" targetRef="w"/><receiveTask id="w" messageRef="m"/>]], "begun")
  :gsub("<message ", '<message id="b" name="begin"/><message ', 1)

describe("orrery serve", function()
  local server

  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order, ["failing.bpmn"] = support.failing,
      ["waiting.bpmn"] = support.waiting, ["begun.bpmn"] = begun },
        arguments = "--deploy %f/order.bpmn \z
      --deploy %f/failing.bpmn --deploy %f/waiting.bpmn --deploy %f/begun.bpmn" }
  end)

  teardown(function() server:close() end)

  local function start(key, body)
    local status, started = server:ask("POST", "/process-definition/key/" .. key .. "/start", body or {})
    assert.equal(200, status)
    return started.id
  end

  local function fetch(more)
    local body = { workerId = "w", maxTasks = 1, topics = { { topicName = "pay", lockDuration = 60000 } } }
    for key, value in pairs(more or {}) do body[key] = value end
    return server:ask("POST", "/external-task/fetchAndLock", body)
  end

  it("plays an order from its start to its end", function()
    local id = start("order", { businessKey = "o-1", variables = { amount = { value = 7, type = "Integer" } } })
    local status, tasks = fetch()
    assert.equal(200, status)
    assert.same({ "pay", "pay", "w", id, "o-1" }, { tasks[1].topicName, tasks[1].activityId, tasks[1].workerId,
      tasks[1].processInstanceId, tasks[1].businessKey })
    assert.same({ type = "Integer", value = 7, valueInfo = {} }, tasks[1].variables.amount)
    assert.equal(204, (server:ask("POST", "/external-task/" .. tasks[1].id .. "/complete", { workerId = "w",
      variables = { paid = { value = true, type = "Boolean" } } })))
    local _, user_tasks = server:ask("GET", "/task?processInstanceId=" .. id)
    assert.same({ 1, "Look", "ann", "look" }, { #user_tasks, user_tasks[1].name, user_tasks[1].assignee, user_tasks[1].taskDefinitionKey })
    assert.equal(204, (server:ask("POST", "/task/" .. user_tasks[1].id .. "/complete", {})))
    assert.equal(404, (server:ask("GET", "/process-instance/" .. id)))
    local _, past = server:ask("GET", "/history/process-instance/" .. id)
    assert.same({ "COMPLETED", "o-1" }, { past.state, past.businessKey })
    local _, variables = server:ask("GET", "/history/variable-instance?processInstanceId=" .. id .. "&sortBy=variableName&sortOrder=asc")
    assert.same({ "amount", "paid" }, { variables[1].name, variables[2].name })
  end)

  it("answers in Camunda's words what there is not", function()
    local status, answer = server:ask("GET", "/process-instance/77")
    assert.equal(404, status)
    assert.same({ type = "InvalidRequestException", message = "Process instance with id 77 does not exist", code = 0 }, answer)
    status, answer = server:ask("POST", "/task/77/complete", {})
    assert.same({ 500, "Cannot find task with id 77: task is null" }, { status, answer.message })
    status, answer = server:ask("POST", "/external-task/77/unlock")
    assert.same({ 404, "External task with id 77 does not exist" }, { status, answer.message })
    assert.equal(404, (server:ask("GET", "/nothing")))
    assert.equal(405, (server:ask("PUT", "/version", {})))
    status, answer = server:ask("GET", "/schema/log")
    assert.equal(501, status)
    assert.truthy(answer.message:find("not built", 1, true))
  end)

  it("refuses what it does not understand, and writes nothing", function()
    local function count() return select(2, server:ask("GET", "/history/process-instance/count")).count end
    local before = count()
    for _, body in ipairs { "{", "[1]", '"text"', '{"variables":[]}', '{"variables":{"a":1}}',
      '{"businessKey":[5]}',
      '{"variables":{"a":{"value":"x","type":"Integer"}}}', '{"caseInstanceId":"c"}', ("["):rep(100) .. ("]"):rep(100) } do
      local status, answer = server:ask("POST", "/process-definition/key/order/start", body)
      assert.same({ 400, "InvalidRequestException" }, { status, answer.type }, body)
    end
    assert.equal(before, count())
    for _, query in ipairs { "sortBy=instanceId", "sortBy=nonsense&sortOrder=asc", "sortBy=instanceId&sortOrder=up", "maxResults=x",
      "firstResult=-1", "suspended=maybe", "caseInstanceId=1", "variables=a", "%ZZ", "a=%00" } do
      assert.same({ 400, query }, { server:ask("GET", "/process-instance?" .. query), query })
    end
  end)

  it("keeps variables in their types", function()
    local id = start "order"
    local path = "/process-instance/" .. id .. "/variables"
    local values = { s = { value = "ä", type = "String" }, n = { type = "Null" }, d = { value = 1.5, type = "Double" },
      l = { value = 1099511627776, type = "Long" }, date = { value = "2026-01-31T12:00:00.250+0100", type = "Date" },
      j = { value = '{"a":[1]}', type = "json" }, x = { value = "<a/>", type = "Xml" }, bytes = { value = "aGk=", type = "Bytes" },
      f = { value = "aGk=", type = "File", valueInfo = { filename = "a.txt", mimetype = "text/plain" } } }
    assert.equal(204, (server:ask("POST", path, { modifications = values, deletions = { "none" } })))
    local _, all = server:ask("GET", path)
    assert.same({ type = "Date", value = "2026-01-31T11:00:00.250+0000", valueInfo = {} }, all.date)
    assert.same({ "String", "Null", "Double", "Long", "Json", "Xml", "Bytes", "File" }, { all.s.type, all.n.type, all.d.type, all.l.type,
      all.j.type, all.x.type, all.bytes.type, all.f.type })
    assert.same({ "ä", 1099511627776, '{"a":[1]}', "aGk=", "a.txt" }, { all.s.value, all.l.value, all.j.value, all.bytes.value,
      all.f.valueInfo.filename })
    local status, text, head = server:ask("GET", path .. "/f/data")
    assert.same({ 200, "hi" }, { status, text })
    assert.truthy(head:find('filename="a.txt"', 1, true))
    assert.equal(400, (server:ask("PUT", path .. "/z", { value = 1, type = "Nonsense" })))
    assert.equal(204, (server:ask("DELETE", path .. "/s")))
    assert.equal(404, (server:ask("GET", path .. "/s")))
  end)

  it("tells of a failed job, and runs it again", function()
    local id = start "failing"
    local job = support.wait(function()
      local _, jobs = server:ask("GET", "/job?processInstanceId=" .. id .. "&noRetriesLeft=true")
      return jobs[1]
    end, "the job's failures")
    assert.truthy(job.exceptionMessage:find("broken", 1, true))
    local _, trace = server:ask("GET", "/job/" .. job.id .. "/stacktrace")
    assert.truthy(trace:find("traceback", 1, true))
    local _, incidents = server:ask("GET", "/incident?processInstanceId=" .. id)
    assert.same({ "failedJob", job.id, job.jobDefinitionId }, { incidents[1].incidentType, incidents[1].configuration,
      incidents[1].jobDefinitionId })
    local status, answer = server:ask("POST", "/job/" .. job.id .. "/execute")
    assert.equal(500, status)
    assert.truthy(answer.message:find("broken", 1, true))
    assert.equal(204, (server:ask("PUT", "/job/" .. job.id .. "/retries", { retries = 2 })))
    -- The executor may be at the job meanwhile: that is a conflict, which the client settles by asking again.
    support.wait(function() return server:ask("DELETE", "/process-instance/" .. id) == 204 end, "the deletion")
  end)

  it("starts by a message with keys what no execution waits for", function()
    local function count() return select(2, server:ask("GET",
      "/process-instance/count?processDefinitionKey=begun")).count end
    local keys = { order = { value = 17 } }
    assert.equal(204, (server:ask("POST", "/message", { messageName = "begin",
      correlationKeys = keys, processVariables = keys })))
    assert.equal(204, (server:ask("POST", "/message", { messageName = "begin",
      correlationKeys = keys, all = true })))
    local status, made = server:ask("POST", "/message", { messageName = "begin",
      localCorrelationKeys = keys, resultEnabled = true })
    assert.same({ 200, "ProcessDefinition" }, { status, made[1].resultType })
    assert.equal(3, count())
    assert.equal(400, (server:ask("POST", "/message", { messageName = "unheard",
      correlationKeys = keys })))
    assert.equal(204, (server:ask("POST", "/message", { messageName = "paid",
      correlationKeys = keys })))
    assert.equal(2, count())
  end)

  it("correlates messages", function()
    local id = start("waiting", { businessKey = "w-1" })
    local status, results = server:ask("POST", "/message", { messageName = "paid", businessKey = "w-1", resultEnabled = true })
    assert.same({ 200, "Execution", id }, { status, results[1].resultType, results[1].execution.processInstanceId })
    local answer
    status, answer = server:ask("POST", "/message", { messageName = "paid", businessKey = "w-1" })
    assert.same({ 400, "RestException" }, { status, answer.type })
  end)

  it("wakes a parked poll when its task comes, and answers [] in time", function()
    fetch { maxTasks = 100 } -- those of other specs
    local out = server.folder .. "/parked"
    server:file("poll", '{"workerId":"p","maxTasks":1,"asyncResponseTimeout":60000,"topics":[{"topicName":"pay","lockDuration":60000}]}')
    os.execute(("curl -s -m 60 -H 'Content-Type: application/json' -d @%s/poll %s/engine-rest/external-task/fetchAndLock >%s.new && mv \z
      %s.new %s &"):format(server.folder, server.url, out, out, out))
    support.wait(function() return select(2, server:ask("GET", "/metrics")):find "orrery_http_parked 1\n" end, "the poll")
    local id = start "order"
    local text = support.wait(function()
      local f = io.open(out)
      return f and f:read "a"
    end, "the answer")
    assert.truthy(text:find(id, 1, true))
    local status, none = fetch { topics = { { topicName = "none", lockDuration = 1000 } }, asyncResponseTimeout = 50 }
    assert.same({ 200, 0 }, { status, #none })
  end)

  it("says how it is", function()
    assert.equal(200, (server:ask("GET", "/health/live")))
    assert.equal(200, (server:ask("GET", "/health/ready")))
    assert.truthy(select(2, server:ask("GET", "/metrics")):find "orrery_http_requests_total{status=\"2xx\"}")
  end)
end)

describe("the server's end", function()
  it("answers polls that wait, and leaves with 0", function()
    local server <close> = support.serve { files = { ["order.bpmn"] = support.order }, arguments = "--deploy %f/order.bpmn" }
    server:file("poll", '{"workerId":"p","maxTasks":1,"asyncResponseTimeout":600000,"topics":[{"topicName":"pay","lockDuration":60000}]}')
    local out = server.folder .. "/parked"
    os.execute(("(curl -s -m 60 -H 'Content-Type: application/json' -d @%s/poll %s/engine-rest/external-task/fetchAndLock >%s.new; mv \z
      %s.new %s) &"):format(server.folder, server.url, out, out, out))
    support.wait(function() return select(2, server:ask("GET", "/metrics")):find "orrery_http_parked 1\n" end, "the poll")
    assert.equal(0, server:stop())
    assert.equal("[]", support.wait(function()
      local f = io.open(out)
      return f and f:read "a"
    end, "the answer"))
  end)
end)

describe("commands that run at once", function()
  it("share commits, without an executor, too", function()
    local server <close> = support.serve { files = { ["order.bpmn"] = support.order }, arguments = "--no-executor --deploy %f/order.bpmn" }
    -- The number of commits that the store has seen, as an event's id tells it.
    local function commits()
      local events = server:file "events"
      local pipe = assert(io.popen(("curl -sN %s/engine-rest/orrery/events >%s & echo $!"):format(server.url, events)))
      local pid = pipe:read "n"
      pipe:close()
      local id = support.wait(function() return (support.read(events) or ""):match "id: (%d+)\n" end, "the first event")
      os.execute("kill " .. pid)
      os.remove(events)
      return tonumber(id)
    end
    local before, n = commits(), 256
    local target = ("url = \"%s/engine-rest/process-definition/key/order/start\"\noutput = /dev/null\n"):format(server.url)
    server:file("starts", target:rep(n))
    local all = "curl -sf -Z --parallel-max 64 -H 'Content-Type: application/json' -d '{}' -K %s 2>/dev/null"
    assert(os.execute(all:format(server:file "starts")))
    assert.equal(n, select(2, server:ask("GET", "/process-instance/count")).count)
    local made = commits() - before
    assert.is_true(made < n, made .. " commits for " .. n .. " starts")
  end)
end)

describe("reads that may walk all there is", function()
  it("do not keep a loop from others: they run where commands run", function()
    local held = support.model([[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="hold"/>
      <serviceTask id="hold" camunda:class="hold"/>]], "held")
    local server <close> = support.serve { files = { ["held.bpmn"] = held, conf = "return { loops = 1, threads = 1 }",
      ["delegates.lua"] = [[return { setup = function(engine)
        engine:register("hold", function(execution)
          local path = execution:get "path"
          io.open(path .. ".begun", "w"):close()
          while not io.open(path) do end
        end)
      end }]] }, arguments = "--config %f/conf --lua %f/delegates.lua --deploy %f/held.bpmn" }
    local path = server:file "go"
    server:file("start", require "orrery".json.encode { variables = { path = { value = path } } })
    os.execute(("curl -s -m 60 -o /dev/null -H 'Content-Type: application/json' -d @%s %s/engine-rest/process-definition/key/held/start &")
      :format(server:file "start", server.url))
    support.wait(function() return support.read(path .. ".begun") end, "the command that holds the pool's one thread")
    local function counts() return (server:curl("--max-time 1 " .. server.url .. "/engine-rest/process-instance/count")) == 200 end
    assert.equal(200, (server:ask("GET", "/process-instance?maxResults=5")))
    assert.equal(200, (server:ask("GET", "/health/live")))
    assert.is_false(counts())
    server:file("go", "now")
    support.wait(counts, "the command's end")
  end)
end)

describe("a command that loses a race", function()
  -- While an instance is deleted its end listener has another client change what the deletion relies on, the first time.
  it("is tried again where that does no harm, and else the client is told", function()
    local racing = support.model([[<extensionElements><camunda:executionListener event="end" class="race"/></extensionElements>
      <startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="t"/><userTask id="t"/>
      <sequenceFlow id="f2" sourceRef="t" targetRef="e"/><endEvent id="e"/>]], "racing")
    local server <close> = support.serve { files = { ["racing.bpmn"] = racing, ["delegates.lua"] = [[return { setup = function(engine)
      engine:register("race", function(execution)
        local ask = execution:get "ask"
        if not ask or io.open(ask .. ".asked") then return end
        io.open(ask .. ".asked", "w"):close()
        os.execute("sh " .. ask)
      end)
    end }]] }, arguments = "--no-executor --lua %f/delegates.lua --deploy %f/racing.bpmn" }
    local function instance(name)
      local path = server:file(name)
      local _, started = server:ask("POST", "/process-definition/key/racing/start", { variables = { ask = { value = path } } })
      server:file(name, ("curl -s -m 60 -X PUT -H 'Content-Type: application/json' -d '{\"value\": \"%s\"}' \z
        %s/engine-rest/process-instance/%s/variables/ask"):format(path, server.url, started.id))
      return started.id
    end
    assert.equal(204, (server:ask("DELETE", "/process-instance/" .. instance "first")))
    local second = instance "second"
    local _, tasks = server:ask("GET", "/task?processInstanceId=" .. second)
    local status, answer = server:ask("POST", "/task/" .. tasks[1].id .. "/complete", {})
    assert.same({ 500, "OptimisticLockingException" }, { status, answer.type })
    assert.equal(204, (server:ask("POST", "/task/" .. tasks[1].id .. "/complete", {})))
  end)
end)
