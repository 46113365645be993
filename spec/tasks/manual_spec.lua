-- The examples of docs/integration.md do what it says: each is put into a process, its addresses replaced by servers of ours, and played.
local orrery = require "orrery"
local servers = require "spec.support.servers"
local with = servers.with(it, pending)

local manual = assert(io.open "docs/integration.md"):read "a"

-- The first example of a chapter, as a process of its own.
local function example(chapter, replace)
  local at = assert(manual:find("\n## " .. chapter .. "\n", 1, true), chapter)
  local xml = assert(manual:match("```xml\n(.-)```", at))
  for from, to in pairs(replace or {}) do
    xml = xml:gsub(from:gsub("%p", "%%%0"), (to:gsub("%%", "%%%%")))
  end
  local id = xml:match 'Task id="(%w+)"'
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:orrery="urn:orrery:bpmn" targetNamespace="manual">
    <process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="%s"/>%s
    <sequenceFlow id="g" sourceRef="%s" targetRef="after"/><userTask id="after"/></process></definitions>]]):format(id, xml, id)
end

local function play(options, xml, variables, resources)
  options.log = "none"
  local engine = orrery.open(nil, options)
  resources = resources or {}
  resources["p.bpmn"] = xml
  engine:deploy(resources)
  local instance = engine:start("p", { variables = variables })
  return instance, engine
end

describe("the manual's example", function()
  with("faults", "of the HTTP task", function()
    local server <close> = servers.start "faults"
    local instance, engine = play({}, example("HTTP task", { ["https://shop.example"] = server:url() }), { id = 7 })
    assert.same("kermit", engine:evaluate("${answer.user.name}", { execution = instance.id }))
    engine:close()
  end)

  with("mail", "of the mail task", function()
    local server <close> = servers.start "mail"
    local instance, engine = play({ mail = { host = "127.0.0.1", port = server.port } }, example "Mail task",
      { customer = "k@example.org", order = 7, name = "Kermit", page = "<b>${order}</b>" })
    local mails = orrery.await(orrery.http(("http://127.0.0.1:%d/"):format(server.ports[2]))):json()
    assert.same({ "after" }, instance:active())
    assert.same({ "Your order 7", "<b>7</b>" }, { mails[1].headers.subject, (mails[1].parts[3].text:gsub("%s+$", "")) })
    engine:close()
  end)

  with("faults", "of connectors", function()
    local server <close> = servers.start "faults"
    local instance, engine = play({}, example("Connectors", { ["https://shop.example"] = server:url() }), { id = 7 })
    assert.same("kermit", instance:get "customer")
    engine:close()
  end)

  with("soap", "of the web service task", function()
    local server <close> = servers.start "soap"
    local at = manual:find("\n## Web service task\n", 1, true)
    local around = select(3, manual:find("```xml\n.-```.-```xml\n(.-)```", at)):gsub("https://shop%.example/", server:url "/")
    local xml = example("Web service task"):gsub("<process ", function(tag) return around .. tag end)
    local instance, engine = play({}, xml, { before = "It is ", behind = "." })
    assert.same("It is 7.", instance:get "printed")
    engine:close()
  end)

  it("of the business rule task", function()
    local at = manual:find("\n## Business rule task\n", 1, true)
    local rules = manual:match("```lua\n(.-)```", at)
    local instance, engine = play({}, example "Business rule task", { order = { amount = 200 } }, { ["a.rules.lua"] = rules })
    assert.same({ 5, "cup" }, { instance:get("facts")[1].discount, instance:get("facts")[2].gift })
    engine:close()
  end)

  it("of the camel task", function()
    local at = manual:find("\n## Camel task\n", 1, true)
    local engine = orrery.open(nil, { log = "none" })
    assert(load(manual:match("```lua\n(.-)```", at), "=manual", "t", { engine = engine }))()
    engine:deploy { ["p.bpmn"] = example "Camel task" }
    assert.same("Hello World", engine:start("p", { variables = { input = "Hello" } }):get "camelBody")
    engine:close()
  end)

  it("of the mule task", function()
    local engine = orrery.open(nil, { log = "none" })
    engine:endpoint("vm://in", function(payload) return payload .. "!" end)
    engine:deploy { ["p.bpmn"] = example "Mule task" }
    assert.same("hi Kermit!", engine:start("p", { variables = { name = "Kermit" } }):get "answer")
    engine:close()
  end)

  it("of the shell task", function()
    local instance, engine = play({ allow = { "shell" }, shell = { programs = { ["/bin/echo"] = true } } }, example "Shell task",
      { id = 7 })
    assert.same({ "order 7\n", "0" }, { instance:get "printed", instance:get "code" })
    engine:close()
  end)
end)
