-- Commands whose delegates and scripts await something: the server ends all the same.
-- Marks: threads
local support = require "spec.server.support"

local function model(key, task)
  return support.model([[<startEvent id="s"/>
    <sequenceFlow id="f1" sourceRef="s" targetRef="t"/>]] .. task .. [[
    <sequenceFlow id="f2" sourceRef="t" targetRef="e"/><endEvent id="e"/>]], key)
end

local ASKS <const> = [[curl -s -m 100 -o FOLDER/said -w '%{http_code}' -X POST -d '{}' \
  -H 'Content-Type: application/json' \
  http://127.0.0.1:PORT/engine-rest/process-definition/key/sleepy/start >FOLDER/answered]]

local DELEGATE <const> = [==[return function(engine)
  engine:register("sleeps", function()
    os.rename("FOLDER/free", "FOLDER/begun")
    require "orrery".sleep(1e9)
  end)
end]==]

describe("a command that awaits", function()
  it("ends with drain_seconds, and keeps nothing", function()
    local server <close> = support.serve { files = { free = "",
      ["sleepy.bpmn"] = model("sleepy", '<serviceTask id="t" camunda:class="sleeps"/>'),
      conf = "return { drain_seconds = 0 }",
      ["sleeps.lua"] = function(folder) return (DELEGATE:gsub("FOLDER", folder)) end },
      arguments = "--deploy %f/sleepy.bpmn --config %f/conf --lua %f/sleeps.lua" }
    server:script("asks", ASKS)
    server:await "begun"
    assert.equal(0, server:stop "TERM")
    server:await "asks.over"
    assert.equal("500", server:said "answered")
    assert.matches("the server ends", server:said "said", nil, true)
  end)
end)
