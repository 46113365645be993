-- kill -9 at each point of a commit that callers share: what was acknowledged is there, what was
-- not written is not, and a group is there as a whole or not at all.
-- Marks: load
local inside = require("orrery_inside").callers
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"

local lua = os.getenv "ORRERY_LUA" or "lua5.4"

--- What the victim says before it dies, and the business keys of the instances that it leaves.
local function die_at(store, point)
  do
    local engine <close> = orrery.open(store, { log = "none" })
    support.deploy(engine, '<startEvent id="s"/><userTask id="a"/>', "s -> a")
  end
  local command = "exec %s spec/fault/callers_child.lua '%s' %s 2>&1"
  local victim = assert(io.popen(command:format(lua, store, point)))
  local said, left = victim:read "a", {}
  assert.same({ "signal", 9 }, { select(2, victim:close()) }, said)
  local engine <close> = orrery.open(store, { log = "none" })
  assert.same({}, engine:verify())
  for _, instance in ipairs(engine:instances {}) do left[#left + 1] = instance.business_key end
  table.sort(left)
  return said, table.concat(left, " ")
end

describe("A child of fork", function()
  it("is refused its parent's transaction, though a caller of the parent's was committing", function()
    local path = folder.make()
    finally(function() folder.remove(path) end)
    local engine <close> = inside.open(path .. "/store")
    local model = support.model('<startEvent id="s"/><userTask id="a"/>', "s -> a")
    assert(engine:call("deploy", { resources = { ["p.bpmn"] = model } }))
    assert(engine:call("start", { key = "p" }))
    engine:stop "taken"
    local first = engine:begin("start", "first")
    engine:stopped()
    assert.equal("state", engine:commit_in_child("start", { key = "p" }))
    engine:release()
    assert.equal("ok", (engine:answer(first)))
    assert.equal(2, #engine:call("list", { verb = "instances" }))
  end)
end)

describe("Callers that share a commit, killed", function()
  local room
  before_each(function() room = folder.make() end)
  after_each(function() folder.remove(room) end)

  for _, point in ipairs { "waiting", "taken" } do
    it(("when it is %s, leave nothing of it"):format(point), function()
      local said, left = die_at(room .. "/store", point)
      assert.same({ "first\n", "before first" }, { said, left })
    end)
  end

  it("when it is written and nobody knows of it, leave all of it", function()
    local said, left = die_at(room .. "/store", "written")
    assert.same({ "first\n", "before first k1 k2 k3 k4 k5 k6 k7 k8" }, { said, left })
  end)

  it("in the commit behind it, leave what they were told of", function()
    local said, left = die_at(room .. "/store", "told")
    assert.equal("first\nk1\nk2\nk3\nk4\nk5\nk6\nk7\nk8\n", said)
    assert.equal("before first k1 k2 k3 k4 k5 k6 k7 k8", left)
  end)
end)
