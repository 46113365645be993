-- A task's id that its maker chose: to clients it is the task's only one.
local orrery = require "orrery"
local support = require "spec.server.support"

describe("a task made with an id", function()
  local server

  local function ask(method, path, body, wanted)
    local status, answer = server:ask(method, path, body)
    assert.equal(wanted or 200, status, method .. " " .. path)
    return answer
  end

  local function made(id, more)
    local fields = { id = id, name = "Named " .. id, assignee = "ann" }
    for k, v in pairs(more or {}) do fields[k] = v end
    ask("POST", "/task/create", fields, 204)
    return "/task/" .. id
  end

  -- The ids under `key` of what a list has.
  local function ids(path, key, body)
    local found = {}
    local rows = ask(body and "POST" or "GET", path, body)
    for i, row in ipairs(rows) do found[i] = row[key] end
    table.sort(found)
    return found
  end

  setup(function()
    server = support.serve { files = { conf = 'return { options = { history = "full" } }' },
      arguments = "--config %f/conf" }
  end)
  teardown(function() server:close() end)

  it("answers to it in every operation", function()
    local path = made "mine-1"
    assert.same({ "mine-1", "Named mine-1" }, { ask("GET", path).id, ask("GET", path).name })
    ask("PUT", path, { name = "Renamed", assignee = "ann" }, 204)
    for _, operation in ipairs { "/unclaim", "/claim", "/assignee" } do
      ask("POST", path .. operation, operation ~= "/unclaim" and { userId = "bob" } or nil, 204)
    end
    ask("POST", path .. "/identity-links", { userId = "eve", type = "candidate" }, 204)
    assert.equal(2, #ask("GET", path .. "/identity-links"))
    ask("PUT", path .. "/variables/x", { value = 7, type = "Integer" }, 204)
    assert.equal(7, ask("GET", path .. "/localVariables").x.value)
    assert.equal("mine-1", ask("POST", path .. "/comment/create", { message = "well" }).taskId)
    assert.equal("mine-1", ask("GET", path .. "/comment")[1].taskId)
    ask("GET", path .. "/form")
    ask("POST", path .. "/delegate", { userId = "joe" }, 204)
    ask("POST", path .. "/resolve", {}, 204)
    ask("POST", path .. "/complete", {}, 204)
    ask("GET", path, nil, 404)
    assert.equal("mine-1", ask("GET", "/history/task?taskId=mine-1")[1].id)
    assert.equal("mine-1", ask("GET", path .. "/comment")[1].taskId)
  end)

  it("has it in lists, counts and the rows of others", function()
    made "mine-2"
    made("mine-3", { parentTaskId = "mine-2" })
    made "other"
    ask("PUT", "/task/mine-3/localVariables/y", { value = 1 }, 204)
    local named = { taskIdIn = { "mine-2", "mine-3", "no" } }
    assert.same({ "mine-2", "mine-3" }, ids("/task", "id", named))
    assert.same({ "mine-2", "mine-3" }, ids("/task?taskIdIn=mine-2,mine-3", "id"))
    assert.equal(1, ask("GET", "/task/count?taskId=mine-2").count)
    assert.equal(0, ask("GET", "/task/count?taskId=nobody").count)
    assert.same({ "mine-3" }, ids("/task?parentTaskId=mine-2", "id"))
    assert.equal("mine-2", ask("GET", "/task/mine-3").parentTaskId)
    assert.same({ "mine-3" }, ids("/variable-instance?taskIdIn=mine-3", "taskId"))
    assert.same({ "mine-3" }, ids("/history/task?taskParentTaskId=mine-2", "id"))
    assert.equal("mine-2", ask("GET", "/history/task?taskId=mine-3")[1].parentTaskId)
    assert.equal("mine-3", ask("GET", "/history/identity-link-log?taskId=mine-3")[1].taskId)
  end)

  it("keeps it from others, also when it has ended", function()
    made "taken"
    local refused = ask("POST", "/task/create", { id = "taken" }, 400)
    assert.truthy(refused.message:find('"taken"', 1, true))
    ask("DELETE", "/task/taken", nil, 204)
    ask("POST", "/task/create", { id = "taken" }, 400)
    assert.equal(1, #ask("GET", "/history/task?taskId=taken"))
  end)

  it("of two at once, one gets it", function()
    server:script("race", [[
      for i in 1 2 3 4 5 6 7 8; do
        curl -s -o /dev/null -w '%{http_code}\n' http://127.0.0.1:PORT/engine-rest/task/create \
          -H 'Content-Type: application/json' -d '{"id":"raced"}' >FOLDER/race.$i &
      done
      wait]])
    server:await "race.over"
    local codes = {}
    for i = 1, 8 do codes[#codes + 1] = server:said("race." .. i):match "%d+" end
    table.sort(codes)
    assert.same("204", codes[1])
    for i = 2, 8 do assert.is_true(codes[i] == "400" or codes[i] == "500", codes[i]) end
    assert.equal(1, ask("GET", "/task/count?taskId=raced").count)
  end)

  it("takes no id that the engine might give, and none that is no text", function()
    made "12345"
    assert.equal("12345", ask("GET", "/task/12345").id)
    for _, id in ipairs { "123456789", "", ("x"):rep(256) } do
      ask("POST", "/task/create", { id = id }, 400)
    end
  end)
end)

describe("a task's own id in Lua", function()
  it("is found by it, and refused when another has it", function()
    local engine <close> = orrery.open()
    local task = engine:create_task { own_id = "a", name = "one" }
    assert.equal("a", task.own_id)
    assert.equal(task.id, engine:task({ own_id = "a" }).id)
    assert.has_error(function() engine:create_task { own_id = "a" } end)
    assert.has_error(function() task:update { own_id = "b" } end)
    assert.equal(1, #engine:tasks())
    task:complete()
    assert.equal(task.id, engine:history_tasks({ own_id = "a" })[1].id)
    assert.has_error(function() engine:create_task { own_id = "a" } end)
  end)
end)
