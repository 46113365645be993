-- A store as 1.0 wrote it (spec/stability/stores/README.md) opens in every 1.x as it is, and goes
-- on where it was.
local folder = require "spec.support.folder"
local orrery = require "orrery"

describe("a store of 1.0", function()
  local path
  before_each(function()
    path = folder.make()
    assert(os.execute(("gunzip -c spec/stability/stores/1.0.mdb.gz > '%s/data.mdb'"):format(path)))
  end)
  after_each(function() folder.remove(path) end)

  local function open() return orrery.open(path, { clock = "manual", now = 1700000001,
    log = "none" }) end

  it("opens without an upgrade, and every record is whole", function()
    local engine <close> = open()
    assert.same({}, engine:verify())
    assert.same({ 4, 2, 2, 1, 1 }, { engine:count("instances", {}), engine:count("tasks", {}),
      engine:count("jobs", {}),
      engine:count("incidents", {}), engine:count("history_instances", { state = "completed" }) })
    local instance = engine:instance { business_key = "k1" }
    assert.same({ "kermit", 7, 2.5, true }, { instance:get "name", instance:get "n",
      instance:get "ratio", instance:get "fine" })
    assert.same({ list = { 1, 2, 3 } }, instance:get "data")
    assert.equal("Europe/Berlin", engine:time_zone())
  end)

  it("goes on where it was", function()
    local engine <close> = open()
    engine:register("fails", function() end)
    engine:task({ business_key = "k1" }):complete { answer = "yes" }
    engine:message("paid", { business_key = "k3" })
    for _, job in ipairs(engine:jobs { no_retries = true }) do job:set_retries(1) end
    engine:run_jobs()
    engine:advance(2 * 86400)
    engine:run_jobs()
    assert.same({ 0, 0, 0 }, { engine:count("instances", {}), engine:count("jobs", {}),
      engine:count("incidents", {}) })
    assert.equal(5, engine:count("history_instances", { state = "completed" }))
    assert.same({}, engine:verify())
  end)
end)
