-- What a delegate leaves to be done once its transaction is on disk.
local core = require "orrery.core"
local orrery = require "orrery"

local MODEL <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="spec">
  <process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
  <serviceTask id="t" o:class="work"/><sequenceFlow id="g" sourceRef="t" targetRef="u"/><userTask id="u"/></process></definitions>]]

describe("behind a commit", function()
  local engine, seen
  before_each(function()
    engine, seen = orrery.open(nil, { clock = "manual", log = "none" }), {}
    engine:deploy { ["p.bpmn"] = MODEL }
  end)
  after_each(function() engine:close() end)

  local function note() seen[#seen + 1] = engine:count("tasks", { key = "u" }) end
  local function turn() for _ = 1, 3 do orrery.sleep(0) end end -- of the loop

  it("what was asked for is called, once, and sees it", function()
    engine:register("work", function() assert.is_true(core.after_commit(3600, note)) end)
    engine:start "p"
    assert.same({}, seen)
    turn()
    assert.same({ 1 }, seen)
    engine:start "p"
    turn()
    assert.same({ 1, 2 }, seen)
  end)

  it("of a transaction around it, and not of one that is rolled back", function()
    engine:register("work", function() core.after_commit(3600, note) end)
    pcall(engine.transaction, engine, function()
      engine:start "p"
      error "no"
    end)
    turn()
    assert.same({}, seen)
    engine:transaction(function()
      engine:start "p"
      turn()
      assert.same({}, seen)
    end)
    turn()
    assert.same({ 1 }, seen)
  end)

  it("there is nothing to wait for outside of what the engine runs", function() assert.is_false(core.after_commit(0, note)) end)
end)
