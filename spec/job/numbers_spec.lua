-- Jobs of a chain set numbers of their instance aside: no number is dealt twice, and rows of history keep their order.
local inside = require("orrery_inside").store
local orrery = require "orrery"
local postgres = require "spec.support.postgres"
local random = require("spec.support.random")
local support = require "spec.support.process"

local LENGTH = 60

local elements, flows = {}, { "s -> t1" }
for i = 1, LENGTH do
  elements[i] = ('<serviceTask id="t%d" o:class="work" o:asyncBefore="true"/>'):format(i)
  flows[#flows + 1] = ("t%d -> %s"):format(i, i < LENGTH and "t" .. i + 1 or "u")
end
local CHAIN = support.model('<startEvent id="s"/>' .. table.concat(elements) .. '<userTask id="u"/><userTask id="v"/>',
  table.concat(flows, " "))

describe("a chain of jobs", function()
  local engine

  before_each(function()
    engine = orrery.open(nil, { log = "none" })
    engine:register("work", function() end)
    engine:deploy { ["p.bpmn"] = CHAIN }
  end)

  after_each(function() engine:close() end)

  --- Runs the jobs one by one; their ids. `between` is called with the number of each step before it.
  local function play(instance, between)
    local ids, seen = {}, {}
    for i = 1, LENGTH do
      between(i)
      local job = engine:job { instance_id = instance.id }
      assert.is_nil(seen[job.id])
      seen[job.id], ids[i] = true, tonumber(job.id)
      job:execute()
    end
    return ids
  end

  --- The activities of history by their numbers.
  local function activities(instance)
    local rows, keys = engine:history_activities { instance_id = instance.id }, {}
    for i, row in ipairs(rows) do keys[i] = row.activity_id end
    return keys
  end

  it("has ascending ids and its rows of history in order, and takes few numbers that it does not use", function()
    local instance, expected = engine:start "p", { "s" }
    local ids = play(instance, function(i) expected[#expected + 1] = "t" .. i end)
    expected[#expected + 1] = "u"
    for i = 2, #ids do assert.is_true(ids[i] > ids[i - 1]) end
    assert.is_true(ids[#ids] - ids[1] < 2 * LENGTH)
    assert.same(expected, activities(instance))
    assert.same({}, engine:verify())
  end)

  it("keeps its rows in order, whatever else takes numbers between its steps", function()
    local instance, expected, dice = engine:start "p", { "s" }, random.seeded(random.seed())
    local between = {} -- the id of what was made between two steps
    local ids = play(instance, function(i)
      local what = dice(4)
      if what == 1 then engine:add_comment(instance.id, "x") end
      if what == 2 then
        instance:modify { { start_before = "v" } }
        expected[#expected + 1] = "v"
        for _, made in ipairs(engine:executions { instance_id = instance.id }) do
          between[i] = math.max(between[i] or 0, tonumber(made.id))
        end
      end
      if what == 3 then instance:set("x" .. i, i) end
      expected[#expected + 1] = "t" .. i
    end)
    expected[#expected + 1] = "u"
    for i = 1, LENGTH - 1 do assert.is_true(ids[i + 1] > (between[i] or 0)) end
    assert.same(expected, activities(instance))
    assert.same({}, engine:verify())
  end)

  it("hands its numbers on to one job, also where those of another instance come between its own", function()
    local function async(id) return ('<serviceTask id="%s" o:class="work" o:asyncBefore="true"/>'):format(id) end
    engine:deploy {
      ["called.bpmn"] = support.model('<startEvent id="s"/>' .. async "t", "s -> t", { key = "called" }),
      ["fork.bpmn"] = support.model('<startEvent id="s"/>' .. async "t1" .. async "t2" .. async "t3" .. '<parallelGateway id="f"/>'
        .. async "a1" .. async "a2" .. '<callActivity id="c" calledElement="called"/>' .. async "b1" .. async "b2",
        "s -> t1 t1 -> t2 t2 -> t3 t3 -> f f -> a1 a1 -> a2 f -> c f -> b1 b1 -> b2", { key = "fork" }) }
    local instance = engine:start "fork"
    for _ = 1, 3 do engine:job({}):execute() end
    assert.same({ "a1", "b1", "t" }, support.sorted(support.fields(engine:jobs {}, "activity_id")))
    local seen = {}
    for activity in ("a1 b1 a2 b2 t"):gmatch "%S+" do
      local job = engine:job { activity_id = activity }
      assert.is_nil(seen[job.id])
      seen[job.id] = true
      job:execute()
    end
    assert.same({}, engine:verify())
    assert.equal("completed", engine:history_instance(instance.id).state)
    assert.equal(10, engine:count("history_activities", { instance_id = instance.id }))
  end)
end)

describe("a chain of jobs in PostgreSQL", function()
  local it = postgres.with(it, pending)

  --- The layouts of the records of jobs.
  local function layouts(url)
    local store = assert(inside.open { path = url })
    local view, out = assert(store:snapshot()), {}
    for _, entry in ipairs(view:scan { prefix = "W" }) do out[#out + 1] = entry[2]:byte(1) end
    view:close()
    store:close()
    return out
  end

  it("sets numbers aside only where all builds that have the store open can read that", function()
    local url, schema = postgres.shared():schema()
    assert(inside.make_schema(url))
    local function step(level)
      postgres.shared():query(("UPDATE orrery_format SET level = %d"):format(level), { schema = schema })
      do
        local engine <close> = orrery.open(url, { log = "none" })
        engine:register("work", function() end)
        if engine:count "definitions" == 0 then engine:deploy { ["p.bpmn"] = CHAIN } end
        if engine:count "instances" == 0 then engine:start "p" end
        engine:job({}):execute()
      end
      return layouts(url)[1]
    end
    local before = step(2)
    assert.equal(before, step(2))
    assert.is_true(step(3) > before)
  end)
end)
