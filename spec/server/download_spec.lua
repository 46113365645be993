-- Files come back with the type and the name that they were saved with; no browser shows them.
local json = require "orrery".json
local support = require "spec.server.support"

local user = support.model([[<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
  <userTask id="t" camunda:formKey="embedded:deployment:look.html"/>]], "user")
local STREAM <const> = "application/octet-stream"

local function header(head, name)
  for line in head:gmatch "[^\r\n]+" do
    local is, value = line:match "^([^:]+): *(.*)$"
    if is and is:lower() == name then return value end
  end
end

describe("a download", function()
  local server, instance

  local function ask(method, path, body, wanted)
    local status, answer, head = server:ask(method, path, body)
    assert.equal(wanted or 200, status, method .. " " .. path)
    return answer, head
  end

  -- Type, name and bytes; and it is no page.
  local function headers_of(path)
    local _, text, head = server:curl(server.url .. "/engine-rest" .. path)
    assert.equal("nosniff", header(head, "x-content-type-options"))
    assert.equal("sandbox; default-src 'none'", header(head, "content-security-policy"))
    return header(head, "content-type"), header(head, "content-disposition"), text
  end

  -- The same of a variable that is set first.
  local function variable(type_name, value, info)
    local path = "/process-instance/" .. instance .. "/variables/v"
    ask("PUT", path, { value = value, type = type_name, valueInfo = info }, 204)
    return headers_of(path .. "/data")
  end
  local function file(info) return variable("File", "aGk=", info) end

  local function task() return ask("GET", "/task?processInstanceId=" .. instance)[1].id end

  setup(function()
    server = support.serve { files = { ["user.bpmn"] = user, odd = "what", page = "<form/>" } }
    local parts = {}
    for name, path in pairs { ["user.bpmn"] = "user.bpmn", ["notes.TXT"] = "odd", odd = "odd",
      ["look.html"] = "page" } do
      parts[#parts + 1] = ("-F '%s=@%s;filename=%s'"):format(name, server:file(path), name)
    end
    local status, answer = server:curl(("%s %s/engine-rest/deployment/create")
      :format(table.concat(parts, " "), server.url))
    assert.equal(200, status, answer)
    instance = ask("POST", "/process-definition/key/user/start", {}).id
  end)
  teardown(function() server:close() end)

  it("of a variable has its saved type and name", function()
    local type_name, name, text = file { filename = "Prüfung – €.txt", mimetype = "text/plain",
      encoding = "UTF-8" }
    assert.same({ "text/plain; charset=UTF-8", "hi" }, { type_name, text })
    assert.equal('attachment; filename="Pr_fung _ _.txt"; '
      .. "filename*=UTF-8''Pr%C3%BCfung%20%E2%80%93%20%E2%82%AC.txt", name)
    assert.same({ "application/pdf", 'attachment; filename="a b.pdf"', "hi" },
      { file { filename = "a b.pdf", mimetype = "application/pdf" } })
  end)

  it("has no header that the name or the type ends", function()
    for _, bad in ipairs { "text/plain\r\nSet-Cookie: a=b", "text", "/plain", "text/",
      "text/plain x", "text/ä", ("a/"):rep(300) } do
      assert.equal(STREAM, (file { filename = "a", mimetype = bad }), bad)
    end
    local info = { filename = "a", mimetype = "text/plain", encoding = "U\r\nA: b" }
    assert.equal("text/plain", (file(info)))
    local _, name = file { filename = 'a"; b\\\r\nX: y%41' }
    assert.equal('attachment; filename="a__ b___X: y_41"; '
      .. "filename*=UTF-8''a%22%3B%20b%5C%0D%0AX%3A%20y%2541", name)
    _, name = file { filename = "../../etc/passwd" }
    assert.equal('attachment; filename="passwd"', name)
    _, name = file { filename = ("ä"):rep(1000) }
    assert.equal(("%C3%A4"):rep(200), name:match "''(.*)$")
  end)

  it("of bytes, and of a file without a type, is a stream of bytes", function()
    assert.equal(STREAM, (file { filename = "a.html" }))
    assert.same({ STREAM, "attachment", "hi" }, { variable("Bytes", "aGk=") })
  end)

  it("that is empty has its type, too", function()
    assert.same({ "text/csv", 'attachment; filename="none.csv"', "" },
      { variable("File", "", { filename = "none.csv", mimetype = "text/csv" }) })
  end)

  it("of a deployment's resource has the type of its name", function()
    local deployment = ask("GET", "/deployment")[1].id
    local types = {}
    for _, resource in ipairs(ask("GET", "/deployment/" .. deployment .. "/resources")) do
      local path = ("/deployment/%s/resources/%s/data"):format(deployment, resource.id)
      local type_name, name = headers_of(path)
      assert.equal(('attachment; filename="%s"'):format(resource.name), name)
      types[resource.name] = type_name
    end
    assert.same({ ["user.bpmn"] = "application/xml", ["notes.TXT"] = "text/plain", odd = STREAM,
      ["look.html"] = "text/html" }, types)
  end)

  it("of a deployed form has the type that Camunda's has", function()
    assert.same({ "application/xhtml+xml", 'attachment; filename="look.html"', "<form/>" },
      { headers_of("/task/" .. task() .. "/deployed-form") })
  end)

  it("of an attachment has its name, and its type where that is one", function()
    local path = "/task/" .. task() .. "/attachment"
    local function attached(name, kind)
      local form = "-F attachment-name='%s' -F attachment-type='%s' \z
        -F content=@%s %s/engine-rest%s/create"
      local _, answer = server:curl(form:format(name, kind, server:file "odd", server.url, path))
      return headers_of(path .. "/" .. json.decode(answer).id .. "/data")
    end
    assert.same({ "image/png", 'attachment; filename="p.png"', "what" },
      { attached("p.png", "image/png") })
    assert.equal(STREAM, (attached("p.png", "a picture")))
  end)

  it("that is not there is an error like others", function()
    local path = "/process-instance/" .. instance .. "/variables/none/data"
    local _, head = ask("GET", path, nil, 404)
    assert.is_nil(header(head, "content-disposition"))
    assert.equal("application/json", header(head, "content-type"))
  end)
end)
