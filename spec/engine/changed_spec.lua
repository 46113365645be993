-- Deploying a part: what goes with what changed, and what is said of files that no process sees.
local support = require "spec.support.process"

local function task(class, key)
  return support.model('<startEvent id="s"/><serviceTask id="work" camunda:class="' .. class
    .. '"/><endEvent id="e"/>', "s -> work work -> e", { key = key })
end

local function says(text) return ("return function(e) e:set('said', %q) end"):format(text) end

local function with(resources, more)
  local out = {}
  for _, from in ipairs { resources, more } do
    for name, text in pairs(from) do out[name] = text end
  end
  return out
end

local function messages(deployment)
  local out = {}
  for i, w in ipairs(deployment.warnings) do
    assert.is_true(w.warning)
    out[i] = w.resource .. ": " .. w.message
  end
  return out
end

describe("a deployment of what changed", function()
  local engine
  before_each(function() engine = support.engine() end)
  after_each(function() engine:close() end)

  local function deploy(resources)
    return engine:deploy(resources, { name = "n", filter_duplicates = "changed" })
  end

  local function said(key)
    return engine:history_variables({ instance_id = engine:start(key).id, name = "said" })[1].value
  end

  local function all()
    return {
      ["a.bpmn"] = task("com.acme.A", "a"), ["b.bpmn"] = task("b", "b"),
      ["com/acme/A.lua"] = says "a1", ["b.lua"] = says "b1", ["form.html"] = "<form/>",
    }
  end

  it("takes what lies beside a model with the model", function()
    deploy(all())
    local second = deploy(with(all(), { ["a.bpmn"] = task("com.acme.A", "a") .. "<!-- 2 -->" }))
    assert.same({ "a.bpmn", "b.lua", "com/acme/A.lua", "form.html" }, second.resources)
    assert.same({ {}, "a1" }, { second.warnings, said "a" })
    assert.equal(1, engine:definition({ key = "b", latest = true }).version)
  end)

  it("takes every process with a changed module, and none with a changed text", function()
    deploy(all())
    local second = deploy(with(all(), { ["com/acme/A.lua"] = says "a2" }))
    assert.same({ "a.bpmn", "b.bpmn", "b.lua", "com/acme/A.lua", "form.html" }, second.resources)
    assert.same({ "a2", "b1" }, { said "a", said "b" })
    local third = deploy(with(all(), { ["com/acme/A.lua"] = says "a2", ["form.html"] = "<p/>" }))
    assert.same({ {}, { "form.html" } }, { third.warnings, third.resources })
    assert.equal(third.id, deploy(with(all(), { ["com/acme/A.lua"] = says "a2",
      ["form.html"] = "<p/>" })).id)
  end)

  it("takes all with a model that is bound to its deployment", function()
    local caller = support.model('<startEvent id="s"/><callActivity id="c" calledElement="b" \z
      camunda:calledElementBinding="deployment"/><endEvent id="e"/>', "s -> c c -> e", { key = "a" })
    local resources = { ["a.bpmn"] = caller, ["b.bpmn"] = task("b", "b"), ["b.lua"] = says "b1" }
    deploy(resources)
    local second = deploy(with(resources, { ["a.bpmn"] = caller .. "<!-- 2 -->" }))
    assert.same({ "a.bpmn", "b.bpmn", "b.lua" }, second.resources)
    assert.equal("completed", engine:history_instance(engine:start("a").id).state)
  end)

  it("takes decision models together when one may import another", function()
    local function dmn(key, body)
      return ([[<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="%s" name="%s"
        namespace="urn:%s">%s<decision id="%s" name="%s"><literalExpression><text>1</text>
        </literalExpression></decision></definitions>]]):format(key, key, key, body or "", key, key)
    end
    local import = '<import name="base" namespace="urn:base" \z
      importType="https://www.omg.org/spec/DMN/20191111/MODEL/"/>'
    local resources = { ["base.dmn"] = dmn "base", ["main.dmn"] = dmn("main", import) }
    deploy(resources)
    assert.same({ "base.dmn", "main.dmn" },
      deploy(with(resources, { ["main.dmn"] = dmn("main", import .. "<!-- 2 -->") })).resources)
  end)
end)

describe("a deployment of a part", function()
  local logged, engine
  before_each(function()
    logged = {}
    engine = support.engine { log = function(level, message)
      if level == "warning" then logged[#logged + 1] = message end
    end }
  end)
  after_each(function() engine:close() end)

  local function deploy(resources) return engine:deploy(resources, { name = "n" }) end

  it("says that a module by itself changes nothing, and which processes keep their own", function()
    deploy { ["a.bpmn"] = task("work", "a"), ["b.bpmn"] = task("work", "b"), ["work.lua"] = says "1" }
    deploy { ["a.bpmn"] = task("work", "a"), ["work.lua"] = says "2" }
    assert.same({}, logged)
    local alone = deploy { ["work.lua"] = says "3" }
    assert.same({ 'work.lua: no process is deployed with it, so nothing changes: process "a" version 2 \z
      and 1 more keep the work.lua of their own deployments; deploy the models with it' },
      messages(alone))
    assert.same({ ("deployment %s: %s"):format(alone.id, messages(alone)[1]) }, logged)
  end)

  it("says that no process finds a module which is deployed without one", function()
    assert.same({ "work.lua: no process is deployed with it, and a process finds modules in its own \z
      deployment alone: deploy the model with it" }, messages(deploy { ["work.lua"] = says "1" }))
    assert.same({}, deploy { ["notes.txt"] = "work" }.warnings)
  end)

  it("says of other files only where a model names them", function()
    local form = support.model('<startEvent id="s" camunda:formKey="deployment:forms/x.html"/>\z
      <userTask id="t"/>', "s -> t", { key = "a" })
    deploy { ["a.bpmn"] = form, ["forms/x.html"] = "1", ["notes.txt"] = "1" }
    assert.same({ 'forms/x.html: no process is deployed with it, so nothing changes: process "a" \z
      version 1 keeps the forms/x.html of its own deployment; deploy the model with it' },
      messages(deploy { ["forms/x.html"] = "2", ["notes.txt"] = "2" }))
  end)

  it("says that a model came without the modules that the version before had", function()
    local model = task("com.acme.Pay", "a")
    deploy { ["a.bpmn"] = model, ["com/acme/Pay.lua"] = says "1", ["other.lua"] = says "1" }
    local alone = deploy { ["a.bpmn"] = model }
    assert.same({ 'a.bpmn: version 1 of process "a" had com/acme/Pay.lua deployed with it, this one \z
      has not: jobs wait for "com.acme.Pay" where it is not found elsewhere' }, messages(alone))
    assert.equal(1, #logged)
    assert.same({}, deploy({ ["a.bpmn"] = model }).warnings)
  end)

  it("is logged when it is committed, and only then", function()
    pcall(engine.transaction, engine, function()
      deploy { ["work.lua"] = says "1" }
      error "no"
    end)
    assert.same({}, logged)
  end)
end)
