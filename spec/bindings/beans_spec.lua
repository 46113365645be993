-- Modules that expressions ask methods of: `${bean.method(x)}`.
package.path = "spec/bindings/?.lua;" .. package.path
local core = require "orrery.core"
local folder = require "spec.support.folder"
local model = require "model"
local orrery = require "orrery"

local task = '<serviceTask id="t" %s camunda:expression="%s" camunda:resultVariable="r"/>'
local function send(attributes) return task:format(attributes, "${mailer.send(to)}") end
local mailer = "return { host = 'here', "
  .. "send = function(self, to) return self.host .. ' to ' .. to end }"

--- A folder for Lua modules, gone at its end.
local function modules(text)
  local path = folder.make()
  if text then folder.write(path .. "/mailer.lua", text) end
  return setmetatable({ path = path }, { __close = function() folder.remove(path) end })
end

local function open(path) return orrery.open(nil, { clock = "manual", log = "none",
  package_path = path and path .. "/?.lua" }) end

local function with(resources, name, text)
  resources[name] = text
  return resources
end

describe("the bean of an expression", function()
  before_each(function() package.loaded.mailer = nil end)

  it("is a module of the deployment, or of package_path; its methods may await", function()
    local awaits = "return { send = function(_, to) require('orrery').sleep(0.001); "
      .. "return 'awaited by ' .. to end }"
    local dir <close> = modules(awaits)
    local engine <close> = open(dir.path)
    engine:deploy(model.around(send ""))
    assert.equal("awaited by kermit", engine:start("p", { variables = { to = "kermit" } }):get "r")
    engine:deploy(with(model.around(send ""), "mailer.lua", mailer))
    assert.equal("here to kermit", engine:start("p", { variables = { to = "kermit" } }):get "r")
  end)

  it("comes after variables and registered names", function()
    local engine <close> = open()
    engine:register("mailer", { send = function() return "registered" end })
    engine:deploy(with(model.around(send ""), "mailer.lua", mailer))
    assert.equal("registered", engine:start("p", { variables = { to = "x" } }):get "r")
    local ok, e = pcall(engine.start, engine, "p", { variables = { to = "x", mailer = "a text" } })
    assert.is_false(ok)
    assert.matches("Cannot find method 'send' with 1 argument in 'a text'", e.message)
  end)

  it("is found by listeners, mappings and conditions, too, and in delegateExpression", function()
    local engine <close> = open()
    local said = "return { yes = function() return true end, of = function(_, x) return x * 2 end, "
      .. "note = function(_, execution) execution:set('noted', true) end, "
      .. "make = function() return function(execution) execution:set('made', true) end end }"
    local resources = model.around [[<serviceTask id="t"
      camunda:delegateExpression="${beans.make()}"><extensionElements>
      <camunda:executionListener event="start" expression="${beans.note(execution)}"/>
      <camunda:inputOutput><camunda:outputParameter
        name="twice">${beans.of(n)}</camunda:outputParameter></camunda:inputOutput>
      </extensionElements></serviceTask>]]
    resources["p.bpmn"] = resources["p.bpmn"]:gsub('(<sequenceFlow id="f2"[^>]*)/>',
      '%1><conditionExpression>${beans.yes()}</conditionExpression></sequenceFlow>')
    engine:deploy(with(resources, "beans.lua", said))
    local values = engine:start("p", { variables = { n = 4 } }):variables()
    assert.same({ n = 4, noted = true, made = true, twice = 8 }, values)
  end)

  it("is waited for by its job, which loses no try, and runs once the module is there", function()
    local dir <close> = modules()
    local engine <close> = open(dir.path)
    engine:deploy(model.around(send 'camunda:asyncBefore="true"'))
    local instance = engine:start("p", { variables = { to = "kermit" } })
    engine:run_jobs()
    local job = engine:job {}
    assert.equal(3, job.retries)
    assert.equal("delegate_missing", job:why().reason)
    assert.matches('"mailer", and there is no module of this name; the job keeps its 3 tries',
      job:why().text)
    folder.write(dir.path .. "/mailer.lua", mailer)
    engine:register("another", function() end) -- what is missing is looked for again
    engine:run_jobs()
    assert.equal("here to kermit", instance:get "r")
  end)

  it("that is missing in a condition or a mapping is a wrong expression", function()
    local engine <close> = open()
    engine:deploy(model.around [[<serviceTask id="t" camunda:expression="1"
      camunda:asyncBefore="true"><extensionElements>
      <camunda:inputOutput><camunda:inputParameter
        name="r">${mailer.send(1)}</camunda:inputParameter></camunda:inputOutput>
      </extensionElements></serviceTask>]])
    engine:start "p"
    engine:run_jobs(1)
    assert.equal(2, engine:job({}).retries)
    assert.matches("cannot resolve identifier 'mailer'", engine:job({}).error)
  end)

  it("is read only, has no privileged names, and no library of the machine is one", function()
    local dir <close> = modules()
    folder.write(dir.path .. "/beside.lua", "return { m = function() return 1 end }")
    local engine <close> = open(core.installed_path .. ";" .. dir.path)
    package.loaded.secret_of_the_program = { m = function() return "told" end }
    local function run(expression)
      local resources = model.around(task:format("", expression))
      engine:deploy(with(resources, "mailer.lua", mailer))
      return pcall(engine.start, engine, "p")
    end
    for _, name in ipairs { "os", "io", "debug", "package", "secret_of_the_program" } do
      local ok, e = run(("${%s.m()}"):format(name))
      assert.is_false(ok, name)
      assert.matches("there is no module of this name", e.message)
    end
    package.loaded.secret_of_the_program = nil
    local ok, e = run "${mailer.setHost('elsewhere')}"
    assert.is_false(ok)
    assert.matches("read%-only", e.message)
    assert.equal(1, select(2, run "${beside.m()}"):get "r")
    if package.searchpath("busted", core.installed_path) then
      ok, e = run "${busted.m()}"
      assert.same({ false, "expression" }, { ok, e.kind })
      assert.matches('"busted" is a library that is installed for all programs, and no bean',
        e.message)
    end
  end)
end)
