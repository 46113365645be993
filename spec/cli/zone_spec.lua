-- Marks: commands
-- The store's time zone, for the command.
local command = require "spec.cli.command"
local orrery = require "orrery"

local model = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec">
  <process id="p" isExecutable="true"><startEvent id="s"><timerEventDefinition><timeCycle>0 0 8 * * ?</timeCycle>
  </timerEventDefinition></startEvent></process></definitions>]]

--- The time of day at which the store's timer is due, in Berlin.
local function due(store)
  local engine <close> = orrery.open(store, { log = "none" })
  return orrery.format_time(engine:job({ type = "timer" }).due, "Europe/Berlin"):sub(12, 16)
end

describe("orrery zone", function()
  it("shows the store's zone, and gives it another", function()
    local dir <close> = command.folder()
    local store, file = dir.path .. "/store", dir.file("p.bpmn", model)
    assert.equal(0, (command.run { "deploy", store, file, "--create" }))
    assert.same({ 0, "UTC\n", "" }, { command.run { "zone", store } })
    local code, out = command.run { "zone", store, "Europe/Berlin" }
    assert.equal(0, code)
    assert.matches("^Europe/Berlin %(was UTC%)", out)
    assert.same({ 0, "Europe/Berlin\n", "" }, { command.run { "zone", store } })
    local _, events = command.events { "zone", store, "--json" }
    assert.same({ { event = "zone", zone = "Europe/Berlin" } }, events)
    local failed, _, err = command.run { "zone", store, "Europe/Atlantis" }
    assert.equal(1, failed)
    assert.matches('there is no time zone "Europe/Atlantis"', err, 1, true)
    assert.equal("Europe/Berlin\n", select(2, command.run { "zone", store }))
    assert.equal(2, (command.run { "zone", dir.path .. "/nowhere" }))
  end)

  it("is what a deployment counts by, in a store that it makes and in one that is there", function()
    local dir <close> = command.folder()
    local store, file = dir.path .. "/store", dir.file("p.bpmn", model)
    assert.equal(0, (command.run { "deploy", store, file, "--create", "--time-zone", "Europe/Berlin" }))
    assert.equal("08:00", due(store))
    assert.equal(0, (command.run { "deploy", store, file }))
    assert.equal("08:00", due(store))
    local code, _, err = command.run { "deploy", store, file, "--time-zone", "America/New_York" }
    assert.equal(1, code)
    assert.truthy(err:find("Europe/Berlin", 1, true) and err:find("America/New_York", 1, true), err)
  end)
end)
