-- The time zone belongs to the store: whoever works on it counts by the same clocks.
local folder = require "spec.support.folder"
local support = require "spec.support.process"
local orrery = require "orrery"

local BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"

local every_morning = [[<startEvent id="s"><timerEventDefinition><timeCycle>0 0 8 * * ?</timeCycle></timerEventDefinition></startEvent>]]

describe("A store's time zone", function()
  local path
  before_each(function()
    path = folder.make()
    folder.remove(path)
  end)
  after_each(function() folder.remove(path) end)

  local function open(options)
    local all = { clock = "manual", now = orrery.parse_time "2026-06-01T00:00:00Z", log = "none", durability = "none" }
    for key, value in pairs(options or {}) do all[key] = value end
    return orrery.open(path, all)
  end

  --- What an engine that is opened so says that the zone is.
  local function zone_with(option)
    local engine <close> = open { time_zone = option }
    return engine:time_zone()
  end

  local function is_refused(option, stored)
    local err = support.refused("argument", open, { time_zone = option })
    assert.truthy(err.message:find(option, 1, true) and err.message:find(stored, 1, true), err.message)
    assert.equal(stored, zone_with(nil))
  end

  it("is the option of the engine that makes it, and stays", function()
    assert.equal(BERLIN, zone_with(BERLIN))
    assert.equal(BERLIN, zone_with(nil))
    assert.equal(BERLIN, zone_with(BERLIN))
    is_refused(NEW_YORK, BERLIN)
    is_refused("UTC", BERLIN)
  end)

  it("is UTC where the engine that makes it has no option", function()
    assert.equal("UTC", zone_with(nil))
    is_refused(BERLIN, "UTC")
    assert.equal("UTC", zone_with "UTC")
  end)

  it("is not made by an engine whose option is no zone", function()
    local err = support.refused("argument", open, { time_zone = "Europe/Atlantis" })
    assert.matches('there is no time zone "Europe/Atlantis"', err.message, 1, true)
    assert.equal(NEW_YORK, zone_with(NEW_YORK))
  end)

  it("of a store from before is that of the first engine with the option", function()
    assert(os.execute(("mkdir -p '%s' && gunzip -c spec/engine/stores/format2.mdb.gz > '%s/data.mdb'"):format(path, path)))
    orrery.upgrade(path)
    assert.equal("UTC", zone_with(nil))
    assert.equal(BERLIN, zone_with(BERLIN))
    assert.equal(BERLIN, zone_with(nil))
    is_refused(NEW_YORK, BERLIN)
    local engine <close> = open()
    assert.same({}, engine:verify())
  end)

  it("goes with a copy, and with an upgrade", function()
    local copy = path .. "-copy"
    do
      local engine <close> = open { time_zone = BERLIN }
      engine:copy_to(copy)
    end
    local engine <close> = orrery.open(copy, { clock = "manual", log = "none" })
    assert.equal(BERLIN, engine:time_zone())
    engine:close()
    folder.remove(copy)
  end)

  it("of a private store is the option's, or UTC, and goes with its copy", function()
    do
      local engine <close> = support.engine()
      assert.equal("UTC", engine:time_zone())
    end
    do
      local engine <close> = support.engine { time_zone = BERLIN }
      assert.equal(BERLIN, engine:time_zone())
      engine:copy_to(path)
    end
    is_refused(NEW_YORK, BERLIN)
  end)

  for _, dialect in ipairs { "camunda", "flowable", "orrery" } do
    for zone, hours in pairs { [BERLIN] = { 6, 7 }, [NEW_YORK] = { 12, 13 }, ["Asia/Kolkata"] = { 2.5, 2.5 } } do
      it(("is what any engine counts by: %s, in the dialect of %s"):format(zone, dialect), function()
        for i, day in ipairs { "2026-06-01", "2026-12-01" } do
          local midnight = orrery.parse_time(day)
          do
            local engine <close> = open { time_zone = zone, now = midnight - 86400 * 2, dialect = dialect }
            support.deploy(engine, every_morning, "")
            engine:set_time(midnight)
            engine:run_jobs()
          end
          local engine <close> = open { now = midnight, dialect = dialect } -- knows of no zone
          local job = engine:job { type = "timer" }
          assert.equal(midnight + hours[i] * 3600, job.due)
          engine:set_time(job.due)
          engine:run_jobs()
          assert.equal(midnight + 86400 + hours[i] * 3600, engine:job({ type = "timer" }).due)
          engine:close()
          folder.remove(path)
        end
      end)
    end
  end

  it("is changed by an engine; what is due stays due, what comes next goes by the new one", function()
    do
      local engine <close> = open()
      support.deploy(engine, every_morning, "")
      engine:set_time_zone(BERLIN)
      assert.equal(BERLIN, engine:time_zone())
      assert.equal("2026-06-01T08:00:00Z", orrery.format_time(engine:job({ type = "timer" }).due))
      engine:set_time(engine:job({ type = "timer" }).due)
      engine:run_jobs()
      assert.equal("2026-06-02T06:00:00Z", orrery.format_time(engine:job({ type = "timer" }).due))
      assert.equal("argument", support.refused("argument", engine.set_time_zone, engine, "Europe/Atlantis").kind)
      support.refused("state", engine.transaction, engine, function() engine:set_time_zone(NEW_YORK) end)
      assert.equal(BERLIN, engine:time_zone())
    end
    is_refused("UTC", BERLIN)
  end)

  it("that another process changes is noticed within a second", function()
    local engine <close> = open()
    support.deploy(engine, every_morning, "")
    local program = os.tmpname()
    folder.write(program, ([[local engine <close> = require "orrery".open(%q, { log = "none" })
      engine:set_time_zone(%q)]]):format(path, BERLIN))
    assert(os.execute(("%s %s"):format(os.getenv "ORRERY_LUA" or "lua5.4", program)))
    os.remove(program)
    engine:set_time(engine:job({ type = "timer" }).due)
    engine:run_jobs()
    assert.equal("2026-06-02T06:00:00Z", orrery.format_time(engine:job({ type = "timer" }).due))
    support.deploy(engine, [[<startEvent id="s"/><userTask id="u" camunda:dueDate="2026-07-01T08:00:00"
      camunda:followUpDate="${dateTime().withTimeAtStartOfDay()}"/>]], "s -> u", { key = "q" })
    engine:start "q"
    local task = engine:task { key = "u" }
    assert.same({ "2026-07-01T06:00:00Z", "2026-05-31T22:00:00Z" },
      { orrery.format_time(task.due), orrery.format_time(task.follow_up) })
  end)
end)
