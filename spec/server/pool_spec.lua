-- Threads that run commands: few at once, and more where those hang.
-- Marks: threads
local json = require "orrery".json
local support = require "spec.server.support"

local HANGING = 12 -- more than a test's machine has cores, fewer than there are threads

local model = support.model([[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="hang"/>
  <serviceTask id="hang" camunda:class="hang"/><sequenceFlow id="f2" sourceRef="hang" targetRef="e"/><endEvent id="e"/>]], "hanging")

-- Each tells that it has begun; then it opens a FIFO, which waits for the other end, and nobody else can see that it does.
local delegates = [[return { setup = function(engine)
  engine:register("hang", function(execution)
    local path = execution:get "path"
    io.open(path .. "." .. execution:get "number", "w"):close()
    io.open(path):close()
  end)
end }]]

describe("Commands that hang in their delegates", function()
  it("hold up no others, and come to their ends", function()
    local server <close> = support.serve {
      files = { ["hanging.bpmn"] = model, ["waiting.bpmn"] = support.waiting, ["delegates.lua"] = delegates },
      arguments = "--threads 32 --no-executor --lua %f/delegates.lua --deploy %f/hanging.bpmn --deploy %f/waiting.bpmn",
    }
    local fifo = server.folder .. "/fifo"
    assert(os.execute("mkfifo " .. fifo))
    for n = 1, HANGING do
      local body = server:file("hang" .. n, json.encode { variables = { path = { value = fifo }, number = { value = n } } })
      os.execute(("curl -s -m 60 -o %s/over%d -H 'Content-Type: application/json' -d @%s \z
        %s/engine-rest/process-definition/key/hanging/start &"):format(server.folder, n, body, server.url))
    end
    for n = 1, HANGING do support.wait(function() return io.open(fifo .. "." .. n) end, "command " .. n) end
    assert.equal(200, (server:ask("POST", "/process-definition/key/waiting/start", {})))
    local function ended()
      local _, instances = server:ask("GET", "/history/process-instance/count?processDefinitionKey=hanging&finished=true")
      return instances.count
    end
    assert.equal(0, ended())
    local writer = assert(io.open(fifo, "w")) -- lets go of all that wait
    support.wait(function() return ended() == HANGING end, "their ends")
    writer:close()
  end)
end)

describe("A pool that ends while every place is taken", function()
  it("runs what waits beside that, and comes to its end", function()
    local pool = require("orrery_inside").server_pool
    for _ = 1, 200 do assert.is_true(pool.end_while_full()) end
  end)
end)
