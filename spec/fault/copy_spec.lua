-- Copies of a store that a loaded executor works on, made by its own process and by another, while that process is killed again and
-- again. Every folder that has a copy's name is a sound store with all that was acknowledged before, and can go on from there.
-- ORRERY_KILLS sets how often; the seed is printed.
local folder = require "spec.support.folder"
local orrery = require "orrery"

local STEPS = 2 -- delegates that each instance runs

local function names(path)
  local pipe = assert(io.popen(("ls -A '%s'"):format(path)))
  local out = {}
  for name in pipe:lines() do out[#out + 1] = name end
  pipe:close()
  return out
end

--- Notes what the victim says: an id that it started, or a copy with how many starts were acknowledged before it.
local function note(line, acked, copied)
  local word, what = line:match "^(%a+) (.+)$"
  if word == "started" then acked[#acked + 1] = what
  elseif word == "copied" then copied[what] = #acked end
end

--- Lets the victim run until it has said `n` things, copies its store from here, kills it, and notes what it had said.
local function run_copy_and_kill(store, copies, n, seed, acked, copied)
  local lua = os.getenv "ORRERY_LUA" or "lua5.4"
  local victim = assert(io.popen(("echo $$; exec %s spec/fault/copy_child.lua '%s' '%s' %d 2>/dev/null"):format(lua, store, copies, seed)))
  local pid = victim:read "l"
  assert.equal("ready", victim:read "l", "the victim did not come up")
  for _ = 1, n do note(victim:read "l", acked, copied) end
  local target = ("%s/other-%d"):format(copies, seed)
  local before = #acked
  do
    local engine <close> = orrery.open(store, { log = "none" })
    engine:copy_to(target, { compact = seed % 2 == 0 })
  end
  copied[target] = before
  os.execute("kill -9 " .. pid)
  for line in victim:lines "L" do
    if line:sub(-1) == "\n" then note(line:sub(1, -2), acked, copied) end -- the last line may be cut
  end
  victim:close()
end

--- Of a copy: sound, has what was acknowledged before it, and brings every instance to its end.
local function assert_whole(path, acked, count, seed)
  local engine <close> = orrery.open(path, { history = "audit", log = "none", durability = "none" })
  assert.same({}, engine:verify(), "seed " .. seed)
  for i = 1, count do assert.truthy(engine:history_instance(acked[i]), ("%s lacks an instance; seed %d"):format(path, seed)) end
  engine:register("step", function(execution) execution:set("n", execution:get "n" + 1) end)
  engine:start_executor { threads = 2 }
  assert.is_true(engine:wait_idle(60), "work is left over; seed " .. seed)
  engine:stop_executor()
  assert.same({}, engine:instances { limit = 1 }, "an instance is stuck; seed " .. seed)
  for _, row in ipairs(engine:history_variables { name = "n" }) do assert.equal(STEPS, row.value, "seed " .. seed) end
  assert.same({}, engine:verify(), "seed " .. seed)
end

describe("copies of a busy store", function()
  it("are whole, whoever makes them and whenever the busy process dies", function()
    local rounds = math.max(3, (tonumber(os.getenv "ORRERY_KILLS") or 500) // 40)
    local first = tonumber(os.getenv "ORRERY_SEED") or os.time()
    print(("copy_spec: %d rounds, seed %d"):format(rounds, first))
    math.randomseed(first)
    local room = folder.make()
    finally(function() folder.remove(room) end)
    local store, copies = room .. "/store", room .. "/copies"
    assert(os.execute(("mkdir '%s'"):format(copies)))
    local acked, checked = {}, 0
    for round = 1, rounds do
      local seed, copied = first + round, {}
      run_copy_and_kill(store, copies, math.random(0, 30), seed, acked, copied)
      for _, name in ipairs(names(copies)) do
        local path = copies .. "/" .. name
        if not name:find ".copying-" then -- what a kill leaves has no copy's name
          assert_whole(path, acked, copied[path] or 0, seed)
          copied[path], checked = nil, checked + 1
        end
        folder.remove(path)
      end
      assert.same({}, copied, "an acknowledged copy is not there; seed " .. seed)
    end
    assert.is_true(checked > rounds, "hardly a copy was made: this run shows nothing")
    local engine <close> = orrery.open(store, { log = "none" })
    assert.same({}, engine:verify())
  end)
end)
