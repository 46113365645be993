-- kill -9 at random points of a running executor (reliability F1, P1-P3): nothing that was acknowledged is lost, no instance is stuck, no
-- result of a delegate is committed twice. ORRERY_KILLS sets how often.
-- Marks: load
local orrery = require "orrery"
local folder = require "spec.support.folder"

local STEPS = 4 -- delegates that each instance runs

-- Lets the victim run until it has acknowledged `n` starts, kills it, and adds what it acknowledged to `acked`.
local function run_and_kill(store, n, acked)
  local lua = os.getenv "ORRERY_LUA" or "lua5.4"
  local victim = assert(io.popen(("echo $$; exec %s spec/fault/kill_child.lua '%s' 2>/dev/null"):format(lua, store), "r"))
  local pid = victim:read "l"
  assert.equal("ready", victim:read "l", "the victim did not come up")
  for _ = 1, n do
    local id = victim:read "l"
    if id then acked[#acked + 1] = id end
  end
  os.execute("kill -9 " .. pid)
  -- What it had written before it died counts too; the last line may be cut.
  for line in victim:lines "L" do
    if line:sub(-1) == "\n" then acked[#acked + 1] = line:sub(1, -2) end
  end
  victim:close()
end

local function assert_sound(engine, seed)
  local findings = engine:verify()
  assert.same({}, findings, "seed " .. seed)
end

-- Kills so many victims at one store, lets an executor end what they left, and holds that against what they acknowledged.
local function kill_and_check(kills, seed)
  local store = folder.make()
  finally(function() folder.remove(store) end)
  local acked = {}
  for _ = 1, kills do run_and_kill(store, math.random(0, 40), acked) end

  local engine <close> = orrery.open(store, { history = "audit", log = "none" })
  assert_sound(engine, seed)
  engine:register("step", function(execution) execution:set("n", execution:get "n" + 1) end)
  engine:start_executor { threads = 2 }
  assert.is_true(engine:wait_idle(120), "work is left over; seed " .. seed)
  engine:stop_executor()
  assert_sound(engine, seed)
  assert.same({}, engine:instances { limit = 1 }, "an instance is stuck; seed " .. seed)
  assert.same({}, engine:incidents { limit = 1 }, "seed " .. seed)

  assert.is_true(#acked > kills, "hardly anything was acknowledged: this run shows nothing")
  local states, results = {}, {}
  for _, row in ipairs(engine:history_instances {}) do states[row.id] = row.state end
  for _, row in ipairs(engine:history_variables { name = "n" }) do results[row.instance_id] = row.value end
  for _, id in ipairs(acked) do assert.equal("completed", states[id], "an acknowledged instance is lost; seed " .. seed) end
  for id in pairs(states) do assert.equal(STEPS, results[id], "a delegate's result was lost or doubled; seed " .. seed) end
end

local KILLS_OF_ONE_STORE <const> = 50

describe("killed at any instant", function()
  local left, first = tonumber(os.getenv "ORRERY_KILLS") or 500, require("spec.support.random").seed()
  local seed = first
  while left > 0 do
    local kills, of_this = math.min(left, KILLS_OF_ONE_STORE), seed
    it(("continues where it was, having lost nothing it acknowledged: %d kills, seed %d"):format(kills, of_this), function()
      math.randomseed(of_this)
      kill_and_check(kills, of_this)
    end)
    left, seed = left - kills, seed + 1
  end
end)
