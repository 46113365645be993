-- How executors of one database divide its jobs: as a pure function, and several of them at work.
-- Marks: load
local inside = require "orrery_inside"
local orrery = require "orrery"
local postgres = require "spec.support.postgres"
local support = require "spec.support.process"

local OWN, SECOND, ALL = 0, 1, 2
local PAGE, RUN = 1000, 64 << 23 -- ids of a run of 64 instances

--- The node itself first, as it asks.
local function first(nodes, node)
  local all = { node }
  for _, other in ipairs(nodes) do if other ~= node then all[#all + 1] = other end end
  return all
end

local function wants(nodes, node, scope, run)
  local id = run * RUN + 5
  return inside.pool.share(first(nodes, node), scope, PAGE, 0, id) == id
end

describe("the shares of executors", function()
  local nodes = { 7, 8, 1041, 70000, 70001 }

  it("give each run of instances to one of them, and about as many to each", function()
    local count = {}
    for run = 1, 1000 do
      local owners = 0
      for _, node in ipairs(nodes) do
        if wants(nodes, node, OWN, run) then
          owners, count[node] = owners + 1, (count[node] or 0) + 1
        end
      end
      assert.equal(1, owners)
    end
    for _, node in ipairs(nodes) do assert.is_true(count[node] > 140 and count[node] < 260, node .. " has " .. count[node]) end
  end)

  it("change only by what one has that comes or goes", function()
    local fewer = { 7, 8, 70000, 70001 }
    for run = 1, 300 do
      for _, node in ipairs(fewer) do
        if wants(nodes, node, OWN, run) then assert.is_true(wants(fewer, node, OWN, run)) end
      end
    end
  end)

  it("lead from a foreign run to the first of the next own one", function()
    for run = 1, 300 do
      local next = inside.pool.share(first(nodes, 8), OWN, PAGE, 0, run * RUN + 5)
      for between = run, next // RUN - 1 do assert.is_false(wants(nodes, 8, OWN, between)) end
      assert.is_true(wants(nodes, 8, OWN, next // RUN))
    end
  end)

  it("have one helper a run, who begins beyond what the others take next", function()
    for run = 1000, 1300 do
      local helpers = 0
      for _, node in ipairs(nodes) do
        if wants(nodes, node, SECOND, run) then
          helpers = helpers + 1
          assert.is_false(wants(nodes, node, OWN, run))
        end
      end
      assert.equal(1, helpers)
    end
    local next = inside.pool.share(first(nodes, 8), SECOND, PAGE, 10 * RUN, 10 * RUN)
    assert.is_true(next >= (10 + PAGE // 64 * #nodes) * RUN)
  end)

  it("are passed over by who takes all", function()
    for run = 1, 100 do assert.is_true(wants(nodes, 8, ALL, run)) end
  end)
end)

describe("executors of one database", function()
  local it = postgres.with(it, pending)
  local function open(url) return orrery.open(url, { log = "none" }) end

  it("take what another leaves that cannot run it", function()
    local url = postgres.shared():schema()
    assert(inside.store.make_schema(url))
    local engine <close> = open(url)
    local other <close> = open(url)
    engine:deploy { ["work.lua"] = "return { execute = function() end }",
      ["p.bpmn"] = support.model('<startEvent id="s"/>' .. support.task "a" .. '<endEvent id="e"/>', "s -> a a -> e") }
    other:start_executor { threads = 1, priority_min = 100 } -- half of the runs is its, and none of the jobs
    engine:start_executor { threads = 1 }
    assert(other:wait_idle(60))
    for _ = 1, 4 do engine:transaction(function() for _ = 1, 200 do engine:start "p" end end) end
    assert(engine:wait_idle(60))
    assert.equal(0, #engine:instances {})
    assert.equal(0, other:metrics()["job-successful"])
  end)

  it("begin with few jobs, as they do not know yet of each other, and ask for twice as many each time", function()
    local url = postgres.shared():schema()
    assert(inside.store.make_schema(url))
    local asked = {}
    local engine <close> = orrery.open(url, { log = function(_, _, fields)
      if fields and fields.event == "jobs acquired" then asked[#asked + 1] = fields.asked end
    end })
    engine:deploy { ["work.lua"] = "return { execute = function() end }",
      ["p.bpmn"] = support.model('<startEvent id="s"/>' .. support.task "a" .. '<endEvent id="e"/>', "s -> a a -> e") }
    engine:transaction(function() for _ = 1, 120 do engine:start "p" end end) -- of many more the first lines of the log are lost
    engine:start_executor { threads = 1 }
    assert(engine:wait_idle(60))
    engine:stop_executor() -- with whose line those of its threads come
    assert.equal(16, asked[1])
    for i, n in ipairs(asked) do assert.is_true(n <= 16 << (i - 1), ("%d in round %d"):format(n, i)) end
    assert.is_true(math.max(table.unpack(asked)) > 16)
  end)
end)
