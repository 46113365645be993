-- What a DELETE and a batch leave out: listeners, mappings, called instances.
local support = require "spec.server.support"

local LISTENS <const> = [[execution:set("heard", true)]]
local PARTS <const> = [[<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="wait"/>
  <userTask id="wait"><extensionElements><camunda:executionListener event="end">
  <camunda:script scriptFormat="lua">LISTENS</camunda:script></camunda:executionListener>
  <camunda:inputOutput><camunda:outputParameter name="mapped">yes</camunda:outputParameter>
  </camunda:inputOutput></extensionElements></userTask>]]
local listens = support.model(PARTS:gsub("LISTENS", LISTENS), "listens")
local calls = support.model([[<startEvent id="s"/>
  <sequenceFlow id="f" sourceRef="s" targetRef="call"/>
  <callActivity id="call" calledElement="listens"/>]], "calls")

describe("a deletion", function()
  local server

  local function ask(method, path, body, wanted)
    local status, answer = server:ask(method, path, body)
    local told = type(answer) == "table" and answer.message or answer
    assert.equal(wanted or 200, status, method .. " " .. path .. " " .. tostring(told))
    return answer
  end
  local function start(key) return ask("POST", "/process-definition/key/" .. key .. "/start",
    {}).id end

  -- What its end has left in history.
  local function left(id)
    local out = {}
    for _, name in ipairs { "heard", "mapped" } do
      local path = "/history/variable-instance/count?variableName=" .. name .. "&processInstanceId="
        .. id
      if ask("GET", path).count > 0 then out[#out + 1] = name end
    end
    return table.concat(out, " ")
  end
  local function called_by(id) return ask("GET", "/process-instance?superProcessInstance="
    .. id)[1].id end
  local function runs(id) return (server:ask("GET", "/process-instance/" .. id)) == 200 end

  before_each(function()
    server = support.serve { files = { ["listens.bpmn"] = listens, ["calls.bpmn"] = calls },
      arguments = "--deploy %f/listens.bpmn --deploy %f/calls.bpmn" }
  end)
  after_each(function() server:close() end)

  local ways = { [""] = "heard mapped", ["skipCustomListeners=true"] = "mapped",
    ["skipIoMappings=true"] = "heard",
    ["skipCustomListeners=true&skipIoMappings=true"] = "",
      ["skipCustomListeners=false&skipIoMappings=false"] = "heard mapped" }

  it("of an instance leaves out what it is told to, in what it has called, too", function()
    for way, wanted in pairs(ways) do
      local id, outer = start "listens", start "calls"
      local inner = called_by(outer)
      ask("DELETE", "/process-instance/" .. id .. "?" .. way, nil, 204)
      ask("DELETE", "/process-instance/" .. outer .. "?" .. way, nil, 204)
      assert.same({ wanted, wanted }, { left(id), left(inner) }, way)
    end
    ask("DELETE", "/process-instance/" .. start "listens" .. "?skipIoMappings=perhaps", nil, 400)
  end)

  it("of an instance lets what it has called go on", function()
    local outer = start "calls"
    local inner = called_by(outer)
    ask("DELETE", "/process-instance/" .. outer .. "?skipSubprocesses=true", nil, 204)
    assert.same({ false, true }, { runs(outer), runs(inner) })
    assert.equal(1, ask("GET", "/process-instance/count?rootProcessInstances=true").count)
    local history = ask("GET", "/history/process-instance/" .. inner)
    assert.same({ inner, require "orrery".null }, { history.rootProcessInstanceId,
      history.superProcessInstanceId })
    ask("POST", "/task/" .. ask("GET", "/task?processInstanceId=" .. inner)[1].id .. "/complete",
      {}, 204)
    assert.equal("COMPLETED", ask("GET", "/history/process-instance/" .. inner).state)
    ask("DELETE", "/process-instance/" .. start "listens" .. "?skipSubprocesses=true", nil, 204)
  end)

  it("by a batch does all of that", function()
    local id, outer = start "listens", start "calls"
    local inner = called_by(outer)
    ask("POST", "/process-instance/delete", { processInstanceIds = { id, outer },
      skipCustomListeners = true,
      skipIoMappings = true, skipSubprocesses = true })
    support.wait(function() return not runs(id) and not runs(outer) end, "the batch")
    assert.same({ "", "", true }, { left(id), left(inner), runs(inner) })
  end)

  it("of a definition or a deployment lets listeners hear of it, or not", function()
    for _, way in ipairs { "", "&skipCustomListeners=true&skipIoMappings=true" } do
      for _, what in ipairs { "/process-definition/key/listens", "/process-definition/",
        "/deployment/" } do
        local model = PARTS:gsub("LISTENS", "error 'told'")
        server:file("listens.bpmn", support.model(model, "listens"))
        local form = ("-F deployment-name=l -F 'listens.bpmn=@%s/listens.bpmn' \z
          %s/engine-rest/deployment/create"):format(server.folder, server.url)
        local deployed = require "orrery".json.decode((select(2, server:curl(form))))
        start "listens"
        local _, definition = next(deployed.deployedProcessDefinitions)
        local id = what == "/deployment/" and deployed.id or what:find "key" and "" or definition.id
        ask("DELETE", what .. id .. "?cascade=true" .. way, nil, 204)
        local _, told = server:log():gsub("told", "")
        if way == "" then assert.is_true(told > 0, what) end
        server.told = server.told or {}
        server.told[#server.told + 1] = told
      end
    end
    assert.equal(server.told[3], server.told[6]) -- the quiet ones added nothing
  end)
end)
