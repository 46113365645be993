-- People with the role "task": what they see, what they may do, and that it is nothing of others.
local orrery = require "orrery"
local support = require "spec.server.support"

local build = os.getenv "ORRERY_BUILD"

local function hash(secret)
  local command = "printf %%s '%s' | %s/orrery serve --hash --token"
  local pipe = assert(io.popen(command:format(secret, build)))
  local text = pipe:read "l"
  pipe:close()
  return text
end

local function process(key, attributes, start, task)
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="people">
    <process id="%s" isExecutable="true" %s><startEvent id="s">%s</startEvent>
    <sequenceFlow id="f" sourceRef="s" targetRef="t"/><userTask id="t" %s/>
    <sequenceFlow id="g" sourceRef="t" targetRef="e"/><endEvent id="e"/></process></definitions>]])
    :format(key, attributes, start, task)
end

local models = {
  ["matter.bpmn"] = process("matter", 'camunda:candidateStarterUsers="boss"', "",
    'name="${title}" camunda:assignee="${who}"'),
  ["pool.bpmn"] = process("pool", "", [[<extensionElements><camunda:formData>
    <camunda:formField id="days" type="long" label="Days">
    <camunda:validation><camunda:constraint name="required"/></camunda:validation>
    </camunda:formField>
    </camunda:formData></extensionElements>]], 'name="Pooled" camunda:candidateGroups="clerks"'),
  ["clerks.bpmn"] = process("clerks", 'camunda:candidateStarterGroups="clerks"', "",
    'camunda:candidateUsers="fozzie"'),
  ["unlisted.bpmn"] = process("unlisted", 'camunda:isStartableInTasklist="false"', "", ""),
}

local users = { kermit = "task %s clerks", gonzo = "task %s clerks,stunts", fozzie = "task %s",
  boss = "operate,deploy %s", ann = "read,task %s" }

describe("the role task", function()
  local server

  setup(function()
    local lines, files, deploys = {}, { conf = 'return { options = { history = "full" } }' }, {}
    for name, role in pairs(users) do
      lines[#lines + 1] = ("user %s %s\n"):format(name, role:format(hash("of-" .. name)))
    end
    files.users = table.concat(lines)
    for name, model in pairs(models) do
      files[name], deploys[#deploys + 1] = model, "--deploy %f/" .. name
    end
    local arguments = "--auth %f/users --config %f/conf " .. table.concat(deploys, " ")
    server = support.serve { files = files, arguments = arguments }
  end)
  teardown(function() server:close() end)

  local function status_of(name, method, path, body)
    return server:ask(method, path, body, ("-u %s:of-%s"):format(name, name))
  end

  local function ask(name, method, path, body, wanted)
    local status, answer = status_of(name, method, path, body)
    local said = type(answer) == "table" and answer.message or ""
    assert.equal(wanted or 200, status, ("%s: %s %s %s"):format(name, method, path, said))
    return answer
  end

  local function start(key, variables, business_key)
    local given = {}
    for name, value in pairs(variables or {}) do given[name] = { value = value } end
    local body = { variables = given, businessKey = business_key }
    return ask("boss", "POST", "/process-definition/key/" .. key .. "/start", body).id
  end

  local function task_of(instance)
    return ask("boss", "GET", "/task?processInstanceId=" .. instance)[1].id
  end

  local function names(name, path)
    local out = {}
    local found = ask(name, "GET", path or "/task?sortBy=name&sortOrder=asc")
    for i, task in ipairs(found) do out[i] = task.name end
    return table.concat(out, ", ")
  end

  -- Ends what a spec has made, so that lists begin empty.
  local function clear()
    for _, instance in ipairs(ask("boss", "GET", "/process-instance")) do
      ask("boss", "DELETE", "/process-instance/" .. instance.id, nil, 204)
    end
  end
  before_each(clear)

  it("sees its own tasks and those that it may take, and counts no others", function()
    start("matter", { who = "kermit", title = "Kermit's" })
    start("matter", { who = "gonzo", title = "Gonzo's" })
    local pooled = task_of(start "pool")
    assert.equal("Kermit's, Pooled", names "kermit")
    assert.equal("Gonzo's, Pooled", names "gonzo")
    assert.equal("", names "fozzie")
    assert.equal("Gonzo's, Kermit's, Pooled", names "ann") -- who may read, too
    assert.equal(2, ask("kermit", "GET", "/task/count").count)
    assert.equal(1, ask("kermit", "POST", "/task/count", { assignee = "kermit" }).count)
    assert.equal(0, ask("kermit", "POST", "/task/count", { assignee = "gonzo" }).count)
    local either = { orQueries = { { assignee = "gonzo", owner = "gonzo" } } }
    assert.equal(0, ask("kermit", "POST", "/task/count", either).count)
    ask("kermit", "POST", "/task/" .. pooled .. "/claim", { userId = "kermit" }, 204)
    assert.equal("Gonzo's", names "gonzo")
    assert.equal(1, ask("gonzo", "GET", "/task/count").count)
  end)

  it("learns nothing of others by what it asks lists for", function()
    local id = task_of(start("matter", { who = "kermit", title = "Done", amount = "s3cret" }))
    ask("kermit", "GET", "/task?processVariables=amount_eq_s3cret&taskId=" .. id)
    ask("kermit", "POST", "/task/" .. id .. "/complete", {}, 204)
    local value = { { name = "amount", operator = "eq", value = "s3cret" } }
    ask("kermit", "GET", "/history/task?processVariables=amount_eq_s3cret", nil, 403)
    ask("kermit", "POST", "/history/task/count", { processVariables = value }, 403)
    ask("kermit", "POST", "/history/task", { orQueries = { { processVariables = value } } }, 403)
    ask("kermit", "GET", "/process-definition?incidentMessageLike=%25a%25", nil, 403)
    ask("boss", "GET", "/process-definition?incidentMessageLike=%25a%25")
  end)

  it("claims for itself, gives back, hands over and gets back, completes its own", function()
    local id = task_of(start "pool")
    local at = "/task/" .. id
    ask("kermit", "POST", at .. "/complete", {}, 403)
    ask("kermit", "POST", at .. "/claim", { userId = "gonzo" }, 403)
    ask("kermit", "POST", at .. "/claim", {}, 403)
    ask("fozzie", "POST", at .. "/claim", { userId = "fozzie" }, 500)
    ask("kermit", "POST", at .. "/assignee", { userId = "kermit" }, 403)
    ask("kermit", "POST", at .. "/claim", { userId = "kermit" }, 204)
    ask("kermit", "POST", at .. "/unclaim", {}, 204)
    ask("gonzo", "POST", at .. "/claim", { userId = "gonzo" }, 204)
    ask("gonzo", "POST", at .. "/delegate", { userId = "fozzie" }, 204)
    assert.equal("PENDING", ask("gonzo", "GET", at).delegationState) -- its owner sees it
    ask("gonzo", "POST", at .. "/resolve", {}, 403)
    ask("fozzie", "POST", at .. "/resolve", { variables = { said = { value = "wocka" } } }, 204)
    ask("fozzie", "GET", at, nil, 404)
    assert.equal("wocka", ask("gonzo", "GET", at .. "/form-variables").said.value)
    ask("gonzo", "POST", at .. "/complete", {}, 204)
    ask("gonzo", "GET", at, nil, 404)
    local ended = "/history/task?finished=true&taskId=" .. id
    assert.equal("Pooled", names("gonzo", ended))
    assert.equal("", names("kermit", ended))
  end)

  it("changes when a task is due, and to be looked at, and nothing else of it", function()
    local id = task_of(start("matter", { who = "kermit", title = "Dated" }))
    local task = ask("kermit", "GET", "/task/" .. id)
    local function put(name, changes, wanted)
      local body = {}
      for key, value in pairs(task) do body[key] = value end
      for key, value in pairs(changes) do body[key] = value end
      ask(name, "PUT", "/task/" .. id, body, wanted)
    end
    local due, later = "2031-01-01T00:00:00.000+0000", "2030-01-01T00:00:00.000+0000"
    put("kermit", { due = due, followUp = later }, 204)
    local dated = ask("kermit", "GET", "/task/" .. id)
    assert.same({ due, later }, { dated.due, dated.followUp })
    for key, value in pairs { assignee = "gonzo", name = "Else", owner = "kermit", priority = 1,
      description = "x", delegationState = "PENDING", parentTaskId = id } do
      put("kermit", { [key] = value }, 403)
    end
    put("gonzo", {}, 404)
    dated.lastUpdated = nil
    local still = ask("kermit", "GET", "/task/" .. id)
    still.lastUpdated = nil
    assert.same(dated, still)
  end)

  it("comments, attaches, and reads what was done with a task that it sees", function()
    local id = task_of(start "pool")
    local at = "/task/" .. id
    ask("kermit", "POST", at .. "/comment/create", { message = "Whose turn?" })
    assert.equal("Whose turn?", ask("gonzo", "GET", at .. "/comment")[1].message)
    ask("fozzie", "GET", at .. "/comment", nil, 404)
    ask("fozzie", "POST", at .. "/comment/create", { message = "Mine?" }, 400)
    local credentials = "-u gonzo:of-gonzo"
    local form = credentials .. " -F attachment-name=Plan -F content=flying"
    local status, made = server:ask("POST", at .. "/attachment/create", nil, form)
    assert.equal(200, status)
    local data = at .. "/attachment/" .. made.id .. "/data"
    assert.equal("flying", ask("kermit", "GET", data))
    ask("fozzie", "GET", data, nil, 404)
    ask("gonzo", "DELETE", at .. "/attachment/" .. made.id, nil, 403)
    ask("gonzo", "POST", at .. "/claim", { userId = "gonzo" }, 204)
    local told = ask("gonzo", "GET", "/history/user-operation?operationType=Claim&taskId=" .. id)
    assert.same({ 1, "gonzo" }, { #told, told[1].userId })
    ask("kermit", "GET", "/history/user-operation?taskId=" .. id, nil, 404)
    ask("kermit", "GET", "/history/user-operation", nil, 400)
  end)

  it("starts the processes that it may, at their beginning", function()
    local function keys(name)
      local out = {}
      local path = "/process-definition?latestVersion=true&sortBy=key&sortOrder=asc"
      for i, d in ipairs(ask(name, "GET", path)) do out[i] = d.key end
      return table.concat(out, " ")
    end
    assert.equal("clerks pool", keys "kermit")
    assert.equal("pool", keys "fozzie")
    assert.equal(1, ask("fozzie", "GET", "/process-definition/count").count)
    local at = "/process-definition/key/"
    for _, key in ipairs { "clerks", "matter", "unlisted", "none" } do
      ask("fozzie", "POST", at .. key .. "/start", {}, 404)
      ask("fozzie", "GET", at .. key .. "/xml", nil, 404)
      ask("fozzie", "GET", at .. key .. "/form-variables", nil, 404)
    end
    local elsewhere = { { type = "startBeforeActivity", activityId = "t" } }
    ask("fozzie", "POST", at .. "pool/start", { startInstructions = elsewhere }, 403)
    ask("fozzie", "POST", at .. "pool/start", { skipCustomListeners = true }, 403)
    ask("fozzie", "POST", at .. "pool/submit-form", { variables = {} }, 400)
    local three = { variables = { days = { value = 3 } } }
    local instance = ask("fozzie", "POST", at .. "pool/submit-form", three).id
    assert.equal(3, ask("boss", "GET", "/process-instance/" .. instance .. "/variables").days.value)
    ask("kermit", "POST", at .. "clerks/start", {})
    -- Not one to start, but one of which there is a task.
    local task = ask("fozzie", "GET", "/task")[1]
    local definition = "/process-definition/" .. task.processDefinitionId
    assert.truthy(ask("fozzie", "GET", definition .. "/xml").bpmn20Xml:find "candidateUsers")
    ask("fozzie", "POST", definition .. "/start", {}, 404)
  end)

  it("knows who it is, and with whom it shares groups", function()
    local session = ask("gonzo", "GET", "/orrery/session")
    assert.same({ "gonzo", { "task" }, { "clerks", "stunts" } },
      { session.user, session.roles, session.groups })
    assert.equal("kermit", ask("gonzo", "GET", "/identity/groups?userId=gonzo").groupUsers[1].id)
    ask("gonzo", "GET", "/identity/groups?userId=kermit", nil, 403)
    ask("gonzo", "GET", "/user", nil, 403)
  end)

  it("hears that tasks have changed, and of nothing else", function()
    ask("kermit", "GET", "/orrery/events?scope=instance:1", nil, 403)
    local stream = server:file "heard"
    local command = "curl -sN -u kermit:of-kermit \z
      '%s/engine-rest/orrery/events?scope=all' > %s & echo $!"
    local pipe = assert(io.popen(command:format(server.url, stream)))
    local pid = pipe:read "n"
    pipe:close()
    local function text() return support.read(stream) or "" end
    support.wait(function() return text():find "hello" end, "the first event")
    start("matter", { who = "gonzo", title = "Gonzo's" })
    local change = "event: change\ndata: ([^\n]+)\n\n"
    local heard = support.wait(function() return text():match(change) end, "a change")
    os.execute("kill " .. pid)
    assert.same({ kinds = { "task" } }, orrery.json.decode(heard))
  end)

  -- Every operation with the ids of what is Kermit's: the answers have nothing of it for Fozzie,
  -- who changes nothing by it either.
  describe("is kept from what is another's", function()
    local SECRETS <const> = { "Kermit's matter", "s3cret", "kermit-17", "between us" }
    local operations = {}
    for _, subject in ipairs(require "server.subjects") do
      for _, op in ipairs(require("server.table." .. subject[1]).operations) do
        local is_own = op[2]:find "events$" or op[2]:find "^/orrery/session"
        if not is_own then operations[#operations + 1] = op end
      end
    end

    local ids
    local function address(op)
      local kind = op[2]:match "^/history/([%w-]+)/{id}" or op[2]:match "^/([%w-]+)/"
      local id = kind == "task" and ids.task or kind == "process-definition" and ids.definition or
        kind == "variable-instance" and ids.variable or ids.instance
      local path = op[2]:gsub("{commentId}", ids.comment):gsub("{varName}", "amount")
      path = path:gsub("{key}", "matter"):gsub("{[^}]+}", id)
      local query = "?processInstanceId=%s&taskId=%s&userId=kermit"
      return path .. query:format(ids.instance, ids.task)
    end

    local function play(name, fits)
      local config, played = {}, {}
      for _, op in ipairs(operations) do
        if fits(op) then
          local n = #played + 1
          played[n] = op
          config[#config + 1] = n > 1 and "next" or ""
          local out = server:file("answer" .. n)
          config[#config + 1] = ('silent\nmax-time = 120\noutput = "%s"'):format(out)
          config[#config + 1] = ('user = "%s:of-%s"\nrequest = "%s"'):format(name, name, op[1])
          config[#config + 1] = ('url = "%s/engine-rest%s"'):format(server.url, address(op))
          if op.multipart then
            config[#config + 1] = 'form = "attachment-name=x"\nform = "content=y"'
          elseif op[1] ~= "GET" and op[1] ~= "DELETE" then
            local body = orrery.json.encode { userId = name, message = "mine now", variables = {} }
            config[#config + 1] = 'header = "Content-Type: application/json"'
            config[#config + 1] = ('data = "%s"'):format(body:gsub('"', '\\"'))
          end
        end
      end
      assert(os.execute("curl -K " .. server:file("calls", table.concat(config, "\n") .. "\n")))
      local telling = {}
      for n, op in ipairs(played) do
        local answer = support.read(server:file("answer" .. n)) or ""
        for _, secret in ipairs(SECRETS) do
          local tells = answer:find(secret, 1, true)
          if tells then telling[#telling + 1] = ("%s %s: %s"):format(op[1], op[2], secret) end
        end
      end
      return telling, #played
    end

    before_each(function()
      local matter = { who = "kermit", title = "Kermit's matter", amount = "s3cret" }
      local instance = start("matter", matter, "kermit-17")
      local task = task_of(instance)
      local said = { message = "between us" }
      local comment = ask("kermit", "POST", "/task/" .. task .. "/comment/create", said)
      local path = "/variable-instance?variableName=amount&processInstanceIdIn=" .. instance
      local variable = ask("boss", "GET", path)[1]
      ids = { instance = instance, task = task, comment = comment.id, variable = variable.id,
        definition = ask("boss", "GET", "/task/" .. task).processDefinitionId }
    end)

    it("whatever it asks, and whatever it tries", function()
      local telling, n = play("fozzie", function() return true end)
      assert.same({}, telling)
      assert.is_true(n > 350)
      local task = ask("kermit", "GET", "/task/" .. ids.task)
      assert.same({ "kermit", "Kermit's matter" }, { task.assignee, task.name })
      local sees = ask("kermit", "GET", "/task/" .. ids.task .. "/form-variables")
      assert.equal("s3cret", sees.amount.value)
      local comments = ask("kermit", "GET", "/task/" .. ids.task .. "/comment")
      assert.same({ 1, "between us" }, { #comments, comments[1].message })
    end)

    it("which the same questions tell others", function()
      local function reads(op) return op[1] == "GET" end
      local boss, kermit = #play("boss", reads), #play("kermit", reads)
      assert.same({ 20, 6 }, { math.min(20, boss), math.min(6, kermit) })
    end)

    it("as if it were not there", function()
      for _, op in ipairs(operations) do
        if op.people and op[2]:find "^/task/{id}" and op[1] == "GET" then
          local path = op[2]:gsub("{commentId}", "1"):gsub("{attachmentId}", "1")
          local hidden, told = status_of("fozzie", "GET", (path:gsub("{id}", ids.task)))
          local absent, other = status_of("fozzie", "GET", (path:gsub("{id}", "999999999")))
          assert.equal(absent, hidden, path)
          assert.equal(other.message:gsub("999999999", ids.task), told.message, path)
        end
      end
    end)
  end)
end)
