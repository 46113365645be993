-- Which version a key means is remembered, and never longer than it is true, whoever changes it.
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"

local function model(task) return support.model(('<startEvent id="s"/><userTask id="%s"/>'):format(task), "s -> " .. task) end

describe("the latest version", function()
  local path, engine

  before_each(function()
    path = folder.make()
    engine = orrery.open(path, { log = "none" })
    engine:deploy { ["p.bpmn"] = model "first" }
    engine:start "p"
  end)

  after_each(function()
    engine:close()
    folder.remove(path)
  end)

  --- `code` runs in another process, with its engine of this store as `engine`.
  local function elsewhere(code) support.elsewhere(path, code) end

  local function started() return engine:task { instance_id = engine:start "p".id }.key end

  it("is the new one once it is deployed, in the same transaction, too", function()
    engine:transaction(function()
      assert.equal("first", started())
      engine:deploy { ["p.bpmn"] = model "second" }
      assert.equal("second", started())
    end)
    assert.equal("second", started())
  end)

  it("is what another process deployed", function()
    elsewhere(('engine:deploy { ["p.bpmn"] = %q }'):format(model "second"))
    assert.equal("second", started())
  end)

  it("is the older one when the newest is undeployed, here or elsewhere", function()
    local second = engine:deploy { ["p.bpmn"] = model "second" }
    local third = engine:deploy { ["p.bpmn"] = model "third" }
    assert.equal("third", started())
    engine:undeploy(third.id, { cascade = true })
    assert.equal("second", started())
    elsewhere(("engine:undeploy(%q, { cascade = true })"):format(second.id))
    assert.equal("first", started())
  end)

  it("starts nothing while it is suspended elsewhere, and goes on afterwards", function()
    local id = engine:definition { key = "p" }.id
    elsewhere(("engine:suspend_definition(%q)"):format(id))
    support.refused("suspended", engine.start, engine, "p")
    elsewhere(("engine:activate_definition(%q)"):format(id))
    assert.equal("first", started())
  end)

  it("is not remembered as an older view showed it", function()
    local id = engine:definition { key = "p" }.id
    local refused = support.refused("conflict", engine.transaction, engine, function()
      engine:definition(id)
      elsewhere(("engine:suspend_definition(%q) engine:activate_definition(%q)"):format(id, id))
      engine:start "p" -- with the record that this transaction has read before
    end)
    assert.matches("definition", refused.message)
    assert.equal("first", started())
  end)

  it("is of the tenant that was named", function()
    engine:deploy({ ["p.bpmn"] = model "tenants" }, { tenant = "t" })
    local function of(tenant) return engine:task { instance_id = engine:start("p", { tenant = tenant }).id }.key end
    for _ = 1, 2 do
      assert.equal("first", of(nil))
      assert.equal("tenants", of "t")
      assert.equal("first", of "")
    end
    support.refused("not_found", engine.start, engine, "p", { tenant = "nobody" })
  end)
end)
