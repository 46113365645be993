-- What Camunda Modeler sends, head by head, and what it makes of the answers: by Basic and by Bearer.
local support = require "spec.server.support"
local shapes = require "spec.server.shapes"

local function hash(secret, token)
  local pipe = assert(io.popen(("printf '%%s' '%s' | %s/orrery serve --hash %s"):format(secret, os.getenv "ORRERY_BUILD", token or "")))
  local line = pipe:read "l"
  pipe:close()
  return line
end

local sound = support.model([[<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/><userTask id="t"/>]], "drawn")
-- A flow that leads nowhere, and so a task that is never reached.
local broken = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec">
  <process id="broken" isExecutable="true">
    <startEvent id="s"/>
    <sequenceFlow id="f" sourceRef="s" targetRef="nowhere"/>
    <userTask id="t"/>
  </process>
</definitions>]]

describe("Camunda Modeler", function()
  local server

  setup(function()
    local users = table.concat({ "user demo operate,deploy " .. hash "demo", "token bot deploy,operate " .. hash("tok", "--token"),
      "user reader read " .. hash "reader" }, "\n") .. "\n"
    server = support.serve { files = { users = users, ["order.bpmn"] = sound, ["broken.bpmn"] = broken, ["f.form"] = "{}" },
      arguments = "--no-executor --auth %f/users" }
  end)

  teardown(function() server:close() end)

  local logins = { Basic = "Basic ZGVtbzpkZW1v", Bearer = "Bearer tok" }

  --- As undici sends it for the Modeler.
  local function heads(login)
    return ("--compressed -H 'authorization: %s' -H 'accept: application/json' -H 'accept-language: *' -H 'sec-fetch-mode: cors' -A node")
      :format(login)
  end

  local function deploy(login, file, more)
    local parts = { "deployment-name=order", "deployment-source='Camunda Modeler'", "enable-duplicate-filtering=true",
      ("%s=@%s/%s"):format(file, server.folder, file), more }
    local form = {}
    for i, part in ipairs(parts) do form[i] = "-F " .. part end
    local status, text, head = server:curl(("%s %s %s/engine-rest/deployment/create"):format(heads(login), table.concat(form, " "),
      server.url))
    assert.truthy(head:lower():find("content%-type: application/json"))
    return status, require "orrery".json.decode(text)
  end

  for kind, login in pairs(logins) do
    it("finds the server, deploys a diagram and starts it, by " .. kind, function()
      local status, none = server:ask("GET", "/deployment?maxResults=0", nil, heads(login))
      assert.same({ 200, 0 }, { status, #none })
      local version
      status, version = server:ask("GET", "/version", nil, heads(login))
      assert.equal(200, status)
      assert.truthy(version.version:find "^7%.%d+")

      local made
      status, made = deploy(login, "order.bpmn", ("f.form=@%s/f.form"):format(server.folder))
      assert.equal(200, status)
      assert.same({}, shapes.problems("create", "DeploymentWithDefinitionsDto", made))
      assert.same({ "order", "Camunda Modeler" }, { made.name, made.source })
      local _, definitions = server:ask("GET", "/process-definition?key=drawn&latestVersion=true", nil, heads(login))
      local instance
      status, instance = server:ask("POST", "/process-definition/" .. definitions[1].id .. "/start",
        { businessKey = "bk-" .. kind, variables = { a = { value = 1, type = "Integer" } } }, heads(login))
      assert.equal(200, status)
      assert.equal("bk-" .. kind, instance.businessKey)

      -- Unchanged, it is deployed once.
      local again
      status, again = deploy(login, "order.bpmn", ("f.form=@%s/f.form"):format(server.folder))
      assert.equal(200, status)
      assert.equal(made.id, again.id)
    end)

    it("is told what is wrong with a diagram, resource by resource, by " .. kind, function()
      local before = select(2, server:ask("GET", "/deployment/count", nil, heads(login))).count
      local status, refusal = deploy(login, "broken.bpmn", ("order.bpmn=@%s/order.bpmn"):format(server.folder))
      assert.same({ 400, "ParseException" }, { status, refusal.type })
      assert.equal("ENGINE-09005 Could not parse BPMN process. Errors: ", refusal.message:match "^[^\n]*")
      assert.truthy(refusal.message:find("resource broken.bpmn | line 4 | column ", 1, true), refusal.message)
      assert.same({}, shapes.problems("refusal", "ParseExceptionDto", refusal))
      local names = {}
      for name in pairs(refusal.details) do names[#names + 1] = name end
      assert.same({ "broken.bpmn" }, names) -- nothing is said of the one that is sound
      local report = refusal.details["broken.bpmn"]
      assert.same({ 1, 1 }, { #report.errors, #report.warnings })
      local wrong, odd = report.errors[1], report.warnings[1]
      assert.same({ 4, "number", "f", { "f" } }, { wrong.line, type(wrong.column), wrong.mainElementId, wrong.elementIds })
      assert.truthy(wrong.message:find("nowhere", 1, true))
      assert.same({ 5, "t" }, { odd.line, odd.mainElementId })
      assert.is_nil(refusal.message:find("\n.*\n")) -- the one error alone
      assert.equal(before, select(2, server:ask("GET", "/deployment/count", nil, heads(login))).count)
    end)
  end

  it("is told that a login is wrong, and that one may not deploy", function()
    for _, wrong in ipairs { "Basic ZGVtbzp3cm9uZw==", "Bearer other", "Basic ?", "Bearer" } do
      assert.equal(401, (server:ask("GET", "/deployment?maxResults=0", nil, heads(wrong))), wrong)
    end
    local status, refusal = deploy("Basic cmVhZGVyOnJlYWRlcg==", "order.bpmn")
    assert.equal(403, status)
    assert.truthy(refusal.message)
  end)
end)
