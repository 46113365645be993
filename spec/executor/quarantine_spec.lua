-- What takes its process down is given up after three of them, whoever ran it and wherever the store is: also where no file beside the
-- store tells what a process was at when it died, and a lease is renewed too seldom to tell.
-- Marks: load
local orrery = require "orrery"
local inside = require("orrery_inside").store
local postgres = require "spec.support.postgres"
local process = require "spec.support.process"

-- A sanitizer is silent about the deaths, which are meant.
local lua = ('env TSAN_OPTIONS="$TSAN_OPTIONS:%s" ASAN_OPTIONS="$ASAN_OPTIONS:%s" %s')
  :format("handle_segv=0", "handle_segv=0", os.getenv "ORRERY_LUA" or "lua5.4")
local NEIGHBORS = 6

local stores = require "spec.support.stores"(it, pending)

local runners = {
  ["an executor"] = "engine:start_executor { threads = 1 } print(engine:wait_idle(60))",
  ["a thread that runs jobs itself"] = "print(engine:run_jobs() >= 0)", -- which waits until the lease is over
}

for _, kind in ipairs(stores) do
  local where, it, make = table.unpack(kind)

  describe("a job that takes its process down, on a store " .. where, function()
    local path, remove, log, safe, hours
    before_each(function()
      hours = 0
      path, remove = make()
      log, safe = os.tmpname(), os.tmpname()
      os.remove(safe)
    end)
    after_each(function()
      os.remove(log)
      os.remove(safe)
      remove()
    end)

    local function open() return orrery.open(path, { log = "none", clock = "manual", now = 3600 * hours }) end

    --- The instance to die of, among others.
    local function prepare(attributes)
      local engine <close> = open()
      process.single(engine, attributes)
      engine:start("p", { business_key = "deadly", variables = { log = log, safe = safe, deadly = true } })
      for _ = 1, NEIGHBORS do engine:start("p", { variables = { log = log, safe = safe } }) end
    end

    local function count_deaths()
      local file <close> = assert(io.open(log))
      return #file:read "a"
    end

    --- What another process says in the end, an hour after the last one; nil when it has died.
    local function run(how)
      hours = hours + 1
      local name = os.tmpname()
      local file = assert(io.open(name, "w"))
      file:write(([[local engine = require("orrery").open(%q, { log = "none", clock = "manual", now = %d })
        engine:register("work", "spec.executor.quarantine_work")
        %s
        engine:close()]]):format(path, 3600 * hours, how))
      file:close()
      local pipe = assert(io.popen(("%s '%s' 2>/dev/null"):format(lua, name)))
      local said = pipe:read "l"
      pipe:close()
      os.remove(name)
      return said
    end

    for runner, how in pairs(runners) do
      for name, attributes in pairs { exclusive = "", ["not exclusive"] = 'camunda:exclusive="false"' } do
        it(("and is %s: %s dies of it three times, then there is an incident, and its neighbors are done"):format(name, runner), function()
          prepare(attributes)
          for _ = 1, 3 do assert.is_nil(run(how)) end
          assert.equal("true", run(how))
          assert.equal(3, count_deaths())
          local engine <close> = open()
          local incidents = engine:incidents {}
          assert.equal(1, #incidents)
          assert.matches("the process that ran the job was lost", incidents[1].message)
          assert.same({ 1, NEIGHBORS }, { engine:count "instances", engine:count("history_instances", { state = "completed" }) })
          assert.equal("deadly", engine:instance({}).business_key)
          assert.same({}, engine:verify())
          io.open(safe, "w"):close()
          engine:job({}):set_retries(1)
          assert.equal("true", run(how))
          assert.equal(0, engine:count "instances")
        end)
      end
    end

    if where == "in PostgreSQL" then
      it("is put into quarantine only where all builds that have it open can read that", function()
        local function layouts()
          local store = assert(inside.open { path = path })
          local view = assert(store:snapshot())
          local out = {}
          for _, entry in ipairs(view:scan { prefix = "W" }) do out[entry[2]:byte(1)] = true end
          view:close()
          store:close()
          return out
        end
        postgres.shared():query("UPDATE orrery_format SET level = 1", { schema = path:match "search_path%%3D(%w+)" })
        prepare ""
        assert.is_nil(run(runners["an executor"]))
        do
          local engine <close> = open()
          engine:start_executor { threads = 1, priority_min = 1 } -- gives back what the dead had
          engine:wait_idle(60)
        end
        local before = layouts()
        postgres.shared():query("UPDATE orrery_format SET level = 2", { schema = path:match "search_path%%3D(%w+)" })
        assert.is_nil(run(runners["an executor"]))
        do
          local engine <close> = open()
          engine:start_executor { threads = 1, priority_min = 1 }
          engine:wait_idle(60)
        end
        assert.same({ { [6] = true }, { [7] = true } }, { before, layouts() })
      end)
    end

    it("and was given up, has as many deaths before it once it has a try again", function()
      prepare ""
      local how = runners["an executor"]
      for _ = 1, 3 do assert.is_nil(run(how)) end
      assert.equal("true", run(how))
      do
        local engine <close> = open()
        engine:job({}):set_retries(1)
      end
      for _ = 1, 2 do assert.is_nil(run(how)) end
      local engine <close> = open()
      assert.same({ 5, 1, 0 }, { count_deaths(), engine:job({}).retries, engine:count "incidents" })
    end)

    it("and once did not, is trusted again when it fails in good order", function()
      prepare ""
      local how = runners["an executor"]
      for _ = 1, 2 do assert.is_nil(run(how)) end
      do -- it fails twice, and has a try left
        local engine <close> = open()
        engine:register("work", function(execution) if execution:get "deadly" then error "no luck" end end)
        engine:start_executor { threads = 1 }
        assert.is_true(engine:wait_idle(60))
        engine:stop_executor()
        assert.equal(0, engine:job({}).retries)
        engine:job({}):set_retries(1)
      end
      for _ = 1, 2 do assert.is_nil(run(how)) end
      local engine <close> = open()
      assert.equal(4, count_deaths())
      assert.same({}, engine:verify())
      assert.not_matches("was lost", engine:job({}).error or "")
    end)
  end)
end
