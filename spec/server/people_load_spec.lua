-- Ten people work on a thousand tasks at once: nobody sees or does what is not theirs, and nothing
-- is lost or done twice.
-- Marks: load
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.server.support"

local build = os.getenv "ORRERY_BUILD"
local TASKS <const>, PEOPLE <const>, GROUPS <const> = 1000, 10, 5

local function line_of(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read "l"
end

-- Two share each group, and race for what waits for it; each has tasks that are theirs alone, too.
local people = {}
for i = 1, PEOPLE do people[i] = { name = "p" .. i, group = "g" .. (i - 1) % GROUPS + 1 } end

local function model(key, name, task)
  return support.model(([[<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
    <userTask id="t" name="%s" %s/>]]):format(name, task), key)
end

-- One person: takes and does what it sees until there is nothing, and says what it saw and did.
local CLIENT <const> = [==[
local orrery = require "orrery"
local url, name, group, credentials, out = table.unpack(arg)
local json = orrery.json
local function ask(method, path, body)
  local headers = { "Content-Type: application/json", "Authorization: Basic " .. credentials }
  local answer = orrery.await(orrery.http { url = url .. "/engine-rest" .. path, method = method,
    body = body and json.encode(body), headers = headers, timeout = 60, retries = 0 })
  return answer.status, answer.body ~= "" and json.decode(answer.body) or nil
end
local log <close> = assert(io.open(out, "w"))
local function say(...) log:write(table.concat({ ... }, " "), "\n") end
local function of_name(task) return task.name == "of " .. name or task.name == "of " .. group end
while true do
  local status, seen = ask("GET", "/task?maxResults=20")
  assert(status == 200, status)
  for _, task in ipairs(seen) do
    local free = task.assignee == nil or task.assignee == json.null or task.assignee == orrery.null
    if not of_name(task) or not free and task.assignee ~= name then say("saw", task.id) end
    local mine = not free or ask("POST", "/task/" .. task.id .. "/claim", { userId = name }) == 204
    if not mine then say("late", task.id)
    else
      local done = ask("POST", "/task/" .. task.id .. "/complete", {})
      say(done == 204 and "did" or "failed", task.id)
    end
  end
  if #seen == 0 then break end
end
say "end"
]==]

describe("ten people at once", function()
  local server, store

  setup(function()
    local lines = {}
    local hash = line_of(("printf %%s secret | %s/orrery serve --hash --token"):format(build))
    for i, p in ipairs(people) do
      lines[i] = ("user %s task %s %s\n"):format(p.name, hash, p.group)
    end
    store = folder.make() .. "/store"
    local engine <close> = orrery.open(store, { history = "full" })
    engine:deploy { ["own.bpmn"] = model("own", "of ${who}", 'camunda:assignee="${who}"'),
      ["pool.bpmn"] = model("pool", "of ${group}", 'camunda:candidateGroups="${group}"') }
    engine:transaction(function()
      for i = 1, TASKS do
        local p = people[(i - 1) // 2 % PEOPLE + 1]
        local variables = { who = p.name, group = p.group }
        engine:start(i % 2 == 0 and "own" or "pool", { variables = variables })
      end
    end)
    local conf = 'return { options = { history = "full" } }'
    server = support.serve { store = store,
      files = { users = table.concat(lines), ["client.lua"] = CLIENT, conf = conf },
      arguments = "--auth %f/users --config %f/conf --no-executor" }
  end)
  teardown(function()
    server:close()
    folder.remove((store:gsub("/store$", "")))
  end)

  it("do a thousand tasks, each once, and see none that is another's", function()
    local script = {}
    for _, p in ipairs(people) do
      local credentials = line_of(("printf %%s %s:secret | base64"):format(p.name))
      local line = "%s/orrery lua FOLDER/client.lua http://127.0.0.1:PORT %s %s %s \z
        FOLDER/%s.log &\n"
      script[#script + 1] = line:format(build, p.name, p.group, credentials, p.name)
    end
    server:script("work", table.concat(script) .. "wait\n")
    server:await "work.over"
    local did, n = {}, 0
    for _, p in ipairs(people) do
      local log = server:said(p.name .. ".log") or ""
      assert.truthy(log:find "end\n$", p.name .. ": " .. log:sub(-200))
      for what, id in log:gmatch "(%a+) (%d+)\n" do
        assert.is_true(what == "did" or what == "late", p.name .. " " .. what .. " " .. id)
        if what == "did" then
          assert.is_nil(did[id], id .. " was done twice")
          did[id], n = p.name, n + 1
        end
      end
    end
    assert.equal(TASKS, n)
    assert.equal(0, server:stop())
    local engine <close> = orrery.open(store, { history = "full" })
    assert.equal(0, engine:count("tasks", {}))
    local ended = engine:history_tasks {}
    assert.equal(TASKS, #ended)
    for _, task in ipairs(ended) do assert.equal(did[tostring(task.id)], task.assignee, task.id) end
    assert.equal(TASKS, engine:count("history_instances", { state = "completed" }))
  end)
end)
