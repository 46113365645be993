-- A job that follows another in one executor lies where that lay: whoever asks for it, or changes it meanwhile, notices nothing but its id.
-- Marks: threads
local orrery = require "orrery"
local folder = require "spec.support.folder"
local inside = require("orrery_inside").store
local postgres = require "spec.support.postgres"
local support = require "spec.support.process"

local LENGTH <const> = 6
local HELD <const> = 4 -- the job of the chain that is looked at

local function chain(attributes)
  local elements, flows = {}, { "s -> t1" }
  for i = 1, LENGTH do
    elements[i] = support.task("t" .. i, attributes)
    flows[#flows + 1] = ("t%d -> %s"):format(i, i < LENGTH and "t" .. i + 1 or "e")
  end
  return support.model('<startEvent id="s"/>' .. table.concat(elements) .. '<userTask id="u"/><endEvent id="e"/>'
    .. '<intermediateCatchEvent id="later">' .. support.timer("Duration", "PT1H") .. "</intermediateCatchEvent>", table.concat(flows, " "))
end

--- The id of the job that came so much before another in its chain.
local function before(job, by) return tostring(math.tointeger(tonumber(job.id)) - by) end

for name, attributes in pairs { exclusive = "", ["not exclusive"] = 'camunda:exclusive="false"' } do
  describe(("a job that lies where those before it lay, and is %s,"):format(name), function()
    local engine, path
    before_each(function()
      path = folder.make()
      engine = orrery.open(nil, { log = "none", history = "full" })
      engine:deploy { ["p.bpmn"] = chain(attributes) }
      --- Notes its job; in the activity `held` it waits, without its thread, until the gate is there, and fails when it is to. What a
      --- job finds changed when it has not waited is a conflict, so it says when it has.
      engine:register("work", function(execution)
        local file <close> = assert(io.open(execution:get "notes", "a"))
        file:write(execution.activity_id, " ", execution.job.id, "\n")
        file:flush()
        if execution.activity_id ~= execution:get "held" then return end
        require("orrery").sleep(0.002)
        assert(io.open(execution:get "gate" .. ".waits", "w")):close()
        while not os.rename(execution:get "gate", execution:get "gate") do require("orrery").sleep(0.002) end
        if execution:get "fails" then error("no luck", 0) end
      end)
    end)
    after_each(function()
      engine:close()
      folder.remove(path)
    end)

    --- Each activity that a delegate was called in, and its job's id, in order.
    local function notes()
      local activities, ids = {}, {}
      for line in (os.rename(path .. "/notes", path .. "/notes") and io.lines(path .. "/notes") or function() end) do
        activities[#activities + 1], ids[#ids + 1] = line:match "^(%S+) (%S+)$"
      end
      return activities, ids
    end

    local function until_true(condition)
      for _ = 1, 60000 do
        if condition() then return end
        orrery.sleep(0.001)
      end
      error("it never came true", 2)
    end

    --- The job HELD of a new instance, which waits in its delegate; and the instance.
    local function hold(variables)
      local all = { held = "t" .. HELD, gate = path .. "/gate", notes = path .. "/notes" }
      for key, value in pairs(variables or {}) do all[key] = value end
      local instance = engine:start("p", { variables = all })
      engine:start_executor { threads = 1 }
      until_true(function() return os.rename(path .. "/gate.waits", path .. "/gate.waits") end)
      local activities, ids = notes()
      assert.equal("t" .. HELD, activities[HELD])
      return engine:job(ids[HELD]), instance
    end

    --- The delegate goes on; everything runs to its end.
    local function let_go()
      folder.write(path .. "/gate", "")
      assert.is_true(engine:wait_idle(60))
      engine:stop_executor()
      assert.same({}, engine:verify())
    end

    --- All activities were begun, once but for those that are told, each by a job of its own: by ids that ascend, by one unless a
    --- job came again.
    local function ran(times)
      local activities, ids = notes()
      local expected = {}
      for i = 1, LENGTH do
        for _ = 1, times and times["t" .. i] or 1 do expected[#expected + 1] = "t" .. i end
      end
      assert.same(expected, activities)
      for i = 2, #ids do
        local step = tonumber(ids[i]) - tonumber(ids[i - 1])
        if activities[i] == activities[i - 1] then assert.equal(0, step) else assert.is_true(step == 1 or times and step > 0) end
      end
    end

    it("is found by its id, as those before it and behind it are not", function()
      local job, instance = hold()
      for by = -1, HELD - 1 do
        local id = before(job, by)
        assert.equal(by == 0 and 1 or 0, #engine:jobs { id = id }, id)
        assert.equal(by == 0 and 1 or 0, #engine:jobs { id_in = { id } }, id)
        assert.equal(by == 0 and 1 or 0, engine:count("jobs", { id = id }), id)
        assert.equal(by == 0, engine:job(id) ~= nil, id)
        if by ~= 0 then
          support.refused("not_found", engine.why, engine, id)
          support.refused("not_found", function() engine.core:job_set_priority(id, 1) end)
        end
      end
      assert.same({ "t" .. HELD, instance.id, 3 }, { job.activity_id, job.instance_id, job.retries })
      assert.equal("running", engine:why(job.id).reason)
      assert.same({}, engine:verify())
      let_go()
      ran()
    end)

    it("has its place in lists among the jobs of its instance and of others, page by page", function()
      local job, instance = hold()
      instance:modify { { start_before = "later" }, { start_before = "later" } }
      local all = support.fields(engine:jobs {}, "id")
      assert.equal(3, #all)
      assert.equal(job.id, all[1])
      for offset = 0, 2 do
        assert.same({ all[offset + 1] }, support.fields(engine:jobs { limit = 1, offset = offset }, "id"))
        local last = engine:jobs { order_by = { { "id", "desc" } }, limit = 1, offset = offset }
        assert.same({ all[3 - offset] }, support.fields(last, "id"))
      end
      let_go()
    end)

    it("keeps its id when it is given a priority, and its run goes on", function()
      local job = hold()
      job:set_priority(7)
      assert.equal(7, engine:job(job.id).priority)
      let_go()
      ran()
    end)

    it("is suspended and activated as any other, and done by its id", function()
      local job, instance = hold()
      instance:suspend()
      assert.is_true(engine:job(job.id).suspended)
      assert.same({}, engine:jobs { id = before(job, HELD - 1) })
      assert.same({}, engine:verify())
      folder.write(path .. "/gate", "")
      assert.is_true(engine:wait_idle(60))
      assert.same({ job.id }, support.fields(engine:jobs {}, "id"))
      instance:activate()
      let_go()
      ran { ["t" .. HELD] = 2 }
    end)

    it("goes with its instance", function()
      local _, instance = hold()
      instance:delete()
      assert.equal(0, engine:count "jobs")
      let_go()
      assert.equal(HELD, #notes())
    end)

    it("cannot be deleted while it runs, which is said by its id", function()
      local job = hold()
      local refused = support.refused("state", job.delete, job)
      assert.matches(("job %s is being run"):format(job.id), refused.message)
      let_go()
      ran()
    end)

    it("goes where a modification cancels its activity, and not where it adds another", function()
      local job, instance = hold()
      instance:modify { { start_before = "u" } }
      assert.equal("t" .. HELD, engine:job(job.id).activity_id)
      instance:modify { { cancel = "t" .. HELD } }
      assert.equal(0, engine:count "jobs")
      let_go()
      assert.equal(HELD, #notes())
    end)

    it("goes on in another definition, under its id", function()
      local job, instance = hold()
      local target = engine:deploy { ["p.bpmn"] = chain(attributes) }.definitions[1]
      local plan = engine:migration_plan(instance.definition_id, target.id)
      engine:migrate(plan, { instances = { instance.id } })
      assert.equal(target.id, engine:job(job.id).definition_id)
      let_go()
      ran { ["t" .. HELD] = 2 }
    end)

    it("fails with its own tries, and its incident and its history name it", function()
      local job, instance = hold { fails = true }
      folder.write(path .. "/gate", "")
      until_true(function() return engine:count "incidents" == 1 end)
      assert.is_true(engine:wait_idle(60))
      local incident = engine:incidents {}[1]
      assert.same({ job.id, 0 }, { incident.job_id, engine:job(job.id).retries })
      assert.same({ job.id }, support.fields(engine:jobs { no_retries = true }, "id"))
      assert.matches("no luck", job:traceback())
      assert.same({}, engine:verify())
      local states = {}
      for _, row in ipairs(engine:history_jobs { job_id = job.id }) do states[#states + 1] = row.state end
      assert.same({ "created", "failed", "failed", "failed" }, states)
      assert.same({ "created", "succeeded" },
        support.fields(engine:history_jobs { job_id = before(job, 1) }, "state"))
      instance:set("fails", false)
      job:set_retries(2)
      let_go()
      ran { ["t" .. HELD] = 4 }
      assert.equal(0, engine:count "incidents")
    end)
  end)
end

local stores = require "spec.support.stores"(it, pending)

for _, kind in ipairs(stores) do
  local where, it, make = table.unpack(kind)

  describe("a job that lies where those before it lay, on a store " .. where, function()
    local path, remove
    before_each(function() path, remove = make() end)
    after_each(function() remove() end)

    --- A process that dies of the job HELD; ends when that is so.
    local function die()
      local script = os.tmpname()
      folder.write(script, ([[local engine = require("orrery").open(%q, { log = "none", clock = "manual", now = 3600 })
        engine:register("work", function(execution) if execution.activity_id == "t%d" then os.execute "kill -KILL $PPID" end end)
        engine:start_executor { threads = 1 }
        engine:wait_idle(60)]]):format(path, HELD))
      os.execute(("%s '%s' 2>/dev/null"):format(os.getenv "ORRERY_LUA" or "lua5.4", script))
      os.remove(script)
    end

    --- Of each job record the local numbers of its key and, in `layout`, how it is written.
    local function records()
      local store = assert(inside.open { path = path })
      local view = assert(store:snapshot())
      local locals, layouts = {}, {}
      for i, entry in ipairs(view:scan { prefix = "W" }) do
        locals[i], layouts[i] = string.unpack(">I8", entry[1], 2) & (1 << 23) - 1, entry[2]:byte(1)
      end
      view:close()
      store:close()
      return locals, layouts
    end

    local function start()
      local engine <close> = orrery.open(path, { log = "none", clock = "manual", now = 3600 })
      engine:deploy { ["p.bpmn"] = chain "" }
      engine:start "p"
      return engine:job({}).id
    end

    it("is given back when its process dies, and runs again under its id", function()
      local first = start()
      die()
      assert.same({ { math.tointeger(tonumber(first)) & (1 << 23) - 1 }, { 9 } }, { records() })
      local engine <close> = orrery.open(path, { log = "none", clock = "manual", now = 2 * 3600 })
      local id, seen = engine:job({}).id, {}
      assert.equal(HELD - 1, tonumber(id) - tonumber(first))
      engine:register("work", function(execution) seen[#seen + 1] = execution.activity_id .. " " .. execution.job.id end)
      assert.same({}, engine:verify())
      engine:run_jobs()
      assert.equal(("t%d %s"):format(HELD, id), seen[1])
      assert.equal(LENGTH - HELD + 1, #seen)
      assert.same({}, engine:verify())
      assert.equal(0, engine:count "instances")
    end)

    if where == "in PostgreSQL" then
      it("does so only where all builds that have it open can read that", function()
        postgres.shared():query("UPDATE orrery_format SET level = 3", { schema = path:match "search_path%%3D(%w+)" })
        local first = start()
        die()
        assert.same({ { (math.tointeger(tonumber(first)) & (1 << 23) - 1) + HELD - 1 }, { 8 } }, { records() })
      end)
    end
  end)
end
