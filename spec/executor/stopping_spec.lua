-- An executor that stops begins nothing more: what runs comes to its end, and what was not begun
-- goes back to the store at once.
local folder = require "spec.support.folder"
local gates = require "spec.executor.gate"
local orrery = require "orrery"
local stores = require "spec.support.stores"(it, pending)
local support = require "spec.support.process"

local THREADS <const>, JOBS <const> = 2, 50

--- Another process waits until no more jobs than `held` are locked, and then opens the gate; it
--- gives up after a minute.
local watcher = [[
local store, path, held = %q, %q, %d
local orrery = require "orrery"
local engine <close> = orrery.open(store, { log = "none" })
local function locked()
  local n = 0
  for _, job in ipairs(engine:jobs {}) do n = n + (job.lock_owner and 1 or 0) end
  return n
end
local till = os.time() + 60
while locked() > held and os.time() < till do orrery.sleep(0.01) end
assert(io.open(path .. (locked() > held and "/given-up" or "/open-all"), "w")):close()
]]

local function watch(gate, store, held)
  local script = gate.path .. "/watch.lua"
  folder.write(script, watcher:format(store, gate.path, held))
  assert(os.execute(("%s '%s' &"):format(os.getenv "ORRERY_LUA" or "lua5.4", script)))
end

describe("an executor that stops", function()
  local gate, engine
  before_each(function() gate = gates.make() end)
  after_each(function()
    gate:open()
    if engine then engine:close() end
    getmetatable(gate).__close(gate)
  end)

  local function open(path)
    engine = orrery.open(path, { log = "none" })
    gate:register(engine)
  end

  local function start(n, how)
    engine:transaction(function()
      for _ = 1, n do engine:start("p", { variables = gate:variables(how) }) end
    end)
  end

  for _, kind in ipairs(stores) do
    local where, declare, make = table.unpack(kind)
    for _, how in ipairs { "blocks", "computes" } do
      local name = "gives back at once what is queued behind delegates that %s, %s"
      declare(name:format(how:gsub("s$", ""), where), function()
        local path, remove = make()
        open(path)
        support.single(engine)
        start(JOBS, how)
        engine:start_executor { threads = THREADS }
        gate:fills(THREADS)
        watch(gate, path, THREADS)
        engine:stop_executor() -- returns when the gate is open
        assert.equal(THREADS, gate:left())
        assert.equal(JOBS - THREADS, engine:count "jobs")
        assert.equal(0, engine:count("jobs", { with_error = true }))
        assert.is_nil(folder.read(gate.path .. "/inside"):match "^%.%.%.")
        engine:close()
        engine = nil
        remove()
      end)
    end
  end

  it("gives an exclusive job back as soon as the one before it has ended", function()
    local path = folder.make()
    open(path)
    local tasks = '<parallelGateway id="fork"/>' .. support.task "a" .. support.task "b"
    support.deploy(engine, '<startEvent id="s"/>' .. tasks, "s -> fork fork -> a fork -> b")
    engine:start_executor { threads = THREADS }
    local first = { gate_a = "first", gate_b = "first" }
    engine:start("p", { variables = gate:variables("blocks", first) })
    engine:start("p", { variables = gate:variables "blocks" })
    gate:fills(2)
    watch(gate, path, 2) -- the one that runs, and the one behind it
    os.execute(("(sleep 0.1; touch '%s/open-first') &"):format(gate.path))
    engine:stop_executor()
    assert.equal(2, gate:left())
    assert.equal(2, engine:count "jobs")
    engine:close()
    engine = nil
    folder.remove(path)
  end)
end)
