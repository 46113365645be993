-- Ids come to an end (base/limits.h): of an instance, and of the whole store. What lies beyond is refused with an error that tells, and
-- everything that is there goes on. No store gets that old in a spec, so the counters are set.
local orrery = require "orrery"
local folder = require "spec.support.folder"
local support = require "spec.support.process"
local uow = require("orrery_inside").uow

local LOCAL_MAX <const>, GROUP_MAX <const>, GROUP_BLOCK <const> = (1 << 23) - 1, (1 << 40) - 1, 4096
local MODEL <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="limit">
  <process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="a"/>
  <userTask id="a"/><sequenceFlow id="f2" sourceRef="a" targetRef="b"/><userTask id="b"/></process></definitions>]]

describe("ids", function()
  local store, engine
  before_each(function()
    store = folder.make()
    engine = orrery.open(store, { clock = "manual", log = "none", durability = "none" })
    engine:deploy { ["p.bpmn"] = MODEL }
  end)
  after_each(function()
    assert.same({}, engine:verify())
    engine:close()
    folder.remove(store)
  end)

  --- Closes the engine, lets `change` see a unit on its store, and opens it again.
  local function behind_its_back(change)
    engine:close()
    local source = uow.open(store)
    local unit = source:begin()
    local result = change(unit)
    assert(unit:commit())
    source:close()
    engine = orrery.open(store, { clock = "manual", log = "none", durability = "none" })
    return result
  end

  local function refused(pattern, call, ...)
    local ok, err = pcall(call, ...)
    assert.is_false(ok, "nothing was raised")
    assert.equal("limit", err.kind)
    assert.matches(pattern, err.message)
  end

  local function group_of(instance) return math.tointeger(instance.id) >> 23 end

  it("of an instance: it has had as many records as it can", function()
    local instance = engine:start "p"
    behind_its_back(function(unit) unit:set("instance", instance.id, { next_local = LOCAL_MAX }) end)
    engine:task({}):complete() -- its last id
    assert.same({ "b" }, engine:instance(instance.id):active())
    assert.equal(tostring(math.tointeger(instance.id) | LOCAL_MAX), engine:task({}).id)
    local other = engine:start "p"
    behind_its_back(function(unit) unit:set("instance", other.id, { next_local = LOCAL_MAX + 1 }) end)
    refused(tostring(LOCAL_MAX), function() engine:task({ instance = other.id }):complete() end)
    assert.same({ "a" }, engine:instance(other.id):active())
    engine:task({ instance = instance.id }):complete()
    engine:instance(other.id):delete "it is too old"
    assert.equal(0, engine:count("instances", {}))
  end)

  it("of an instance whose jobs set ids aside: each has one of its own, to the last", function()
    local tasks, flows = {}, { "s -> t1" }
    for i = 1, 6 do
      tasks[i] = support.task("t" .. i)
      flows[#flows + 1] = ("t%d -> %s"):format(i, i < 6 and "t" .. i + 1 or "e")
    end
    support.deploy(engine, '<startEvent id="s"/><endEvent id="e"/>' .. table.concat(tasks), table.concat(flows, " "), { key = "chain" })
    local instance = engine:start "chain"
    behind_its_back(function(unit) unit:set("instance", instance.id, { next_local = LOCAL_MAX - 2 }) end)
    engine:register("work", function() end)
    for i = 1, 3 do
      engine:job({}):execute()
      assert.equal(tostring(math.tointeger(instance.id) - 1 + LOCAL_MAX - 3 + i), engine:job({}).id)
    end
    refused(tostring(LOCAL_MAX), function() engine:job({}):execute() end)
    assert.same({ "t4" }, engine:instance(instance.id):active())
  end)

  it("of the store: one block of instances more, and then none", function()
    local old = engine:start "p"
    behind_its_back(function(unit) unit:set("meta", { "groups" }, { value = GROUP_MAX - GROUP_BLOCK }) end)
    engine:transaction(function()
      for _ = 1, GROUP_BLOCK do engine:start "p" end
    end)
    local last = 0
    for _, instance in ipairs(engine:instances {}) do last = math.max(last, group_of(instance)) end
    assert.equal(GROUP_MAX - 1, last)
    refused("no ids left", engine.start, engine, "p")
    refused("no ids left", engine.deploy, engine, { ["p.bpmn"] = MODEL:gsub("<userTask", '<userTask name="n"') })
    assert.equal(GROUP_BLOCK + 1, engine:count("instances", {}))
    engine:task({ instance = old.id }):complete()
    assert.same({ "b" }, engine:instance(old.id):active())
  end)

  it("are taken from the store in blocks, and none comes twice", function()
    local function counter()
      return behind_its_back(function(unit) return unit:get("meta", { "groups" }).value end)
    end
    local first, seen = counter(), {}
    for _ = 1, 3 do
      local instance = engine:start "p"
      assert.is_nil(seen[instance.id])
      seen[instance.id] = true
      first = first + GROUP_BLOCK
      assert.equal(first, counter())
    end
  end)
end)

describe("texts in indexes", function()
  it("are cut, and found whole", function()
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none" })
    engine:deploy { ["p.bpmn"] = MODEL }
    local TEXT <const> = 96
    local keys = {}
    for _, size in ipairs { TEXT - 1, TEXT, TEXT + 1, 255 } do
      for _, last in ipairs { "a", "b" } do keys[#keys + 1] = ("k"):rep(size - 1) .. last end
    end
    for _, key in ipairs(keys) do engine:start("p", { business_key = key }) end
    for _, key in ipairs(keys) do
      local found = engine:instances { business_key = key }
      assert.equal(1, #found)
      assert.equal(key, found[1].business_key)
    end
    assert.same({}, engine:instances { business_key = ("k"):rep(TEXT) })
    assert.same({}, engine:verify())
  end)
end)

describe("definitions", function()
  it("are more than are kept in memory: those not used for long are read again", function()
    local KEPT <const> = 1000
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none", durability = "none" })
    local resources = {}
    for i = 1, KEPT + 10 do
      local model = MODEL:gsub('process id="p"', ('process id="p%d"'):format(i)):gsub('="a"', ('="a%d"'):format(i))
      resources[("p%d.bpmn"):format(i)] = model
    end
    engine:deploy(resources)
    for _ = 1, 2 do
      for i = 1, KEPT + 10 do assert.same({ "a" .. i }, engine:start("p" .. i):active()) end
    end
    assert.same({}, engine:verify())
  end)
end)
