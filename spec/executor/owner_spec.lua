-- Who holds a lock, and whether that process is still there: by machine, boot, namespace of process ids, process and start.
-- Marks: threads
package.path = "spec/job/?.lua;spec/support/?.lua;" .. package.path
local orrery = require "orrery"
local folder = require "folder"
local model = require "model"
local uow = require("orrery_inside").uow

describe("the owner of a lock", function()
  local store
  before_each(function() store = folder.make() end)
  after_each(function() folder.remove(store) end)

  local function open() return orrery.open(store, { log = "none", name = "spec" }) end

  --- The parts of the name under which this process locks, and the id of a job that waits.
  local function own_name()
    local engine <close> = open()
    local owner
    engine:register("d", function(execution) owner = execution.job.lock_owner end)
    engine:deploy(model.async())
    engine:start "p"
    engine:run_jobs()
    local parts = {}
    for part in owner:gmatch "[^:]+" do parts[#parts + 1] = part end
    assert.equal(6, #parts, owner)
    engine:start "p"
    return parts, engine:jobs({})[1].id
  end

  --- Locks the job by this name, as another process would have, and says what an engine thinks of the lock.
  local function verdict(job, parts)
    local source = uow.open(store)
    local unit = source:begin()
    local name = type(parts) == "table" and table.concat(parts, ":") or parts
    local instance, number = unit:get("job", job).instance_id, 1 << 30
    unit:set("job", job, { state = 3, owner = number, exclusive_scope = instance })
    local lock, owner = unit:get("exclusive", { instance }), unit:get("owner", { 0, number })
    unit[lock and "set" or "new"](unit, "exclusive", { instance }, { owner = number, count = 1 })
    unit[owner and "set" or "new"](unit, "owner", { 0, number }, { name = name, expires = 1 << 50 })
    assert(unit:commit())
    source:close()
    local engine <close> = open()
    return not engine:job(job):why().text:find "which is gone"
  end

  local function changed(parts, at, to)
    local out = table.move(parts, 1, #parts, 1, {})
    out[at] = to
    return out
  end

  it("lives while its process does", function()
    local parts, job = own_name()
    assert.is_true(verdict(job, parts))
    assert.is_true(verdict(job, changed(parts, 6, "another engine")))
  end)

  it("is gone when another process has its number now, and when nobody has", function()
    local parts, job = own_name()
    assert.is_false(verdict(job, changed(parts, 5, tostring(math.tointeger(parts[5]) - 1))))
    assert.is_false(verdict(job, changed(parts, 4, "4194305"))) -- more than a kernel gives
  end)

  it("is gone when its process has ended, although the parent has not asked how", function()
    -- the child ends once its parent is a program that asks after no child
    local ends = "until grep -q sleep /proc/$PPID/comm; do :; done"
    local parent <close> = assert(io.popen(("sh -c '%s' & echo $! $$; exec sleep 600"):format(ends)))
    local child, sleeper = parent:read("l"):match "^(%d+) (%d+)$"
    local state, fields
    repeat
      local file <close> = assert(io.open("/proc/" .. child .. "/stat"))
      state, fields = file:read("a"):match "%) (%a)(.*)$"
    until state == "Z"
    local values = {}
    for value in fields:gmatch "%S+" do values[#values + 1] = value end
    local parts, job = own_name()
    local alive = verdict(job, changed(changed(parts, 4, child), 5, values[19]))
    os.execute("kill " .. sleeper)
    assert.is_false(alive)
  end)

  it("is gone when the machine has been started since, though the same number began at the same tick", function()
    local parts, job = own_name()
    assert.is_false(verdict(job, changed(parts, 2, parts[2] == "00000000" and "1" or "00000000")))
  end)

  it("counts as there when nobody can know: of another machine or namespace, or of a name of its own", function()
    local parts, job = own_name()
    assert.is_true(verdict(job, changed(changed(parts, 5, "1"), 1, "elsewhere")))
    assert.is_true(verdict(job, changed(changed(parts, 5, "1"), 3, "1")))
    assert.is_true(verdict(job, "node-1"))
    assert.is_true(verdict(job, ("x"):rep(255)))
  end)

  --- Changes the store as another process has left it.
  local function write(fn)
    local source = uow.open(store)
    local unit = source:begin()
    fn(unit)
    assert(unit:commit())
    source:close()
  end

  local function fenced(name) return { name = name, expires = 1 } end

  it("is told with each job that it has locked, and until when", function()
    local _, job = own_name()
    assert.is_true(verdict(job, "node-1"))
    local engine <close> = open()
    local far = (1 << 50) / 1000
    assert.same({ "node-1", far }, { engine:job(job).lock_owner, engine:job(job).lock_expires })
    assert.same({ 1, 0 }, { engine:count("jobs", { lock_owner = "node-1" }), engine:count("jobs", { lock_owner = "node-2" }) })
    assert.equal(1, engine:count("jobs", { locked = true }))
    assert.same({}, engine:verify())
  end)

  it("that is not there is a finding, for nobody would give its locks back", function()
    local _, job = own_name()
    write(function(unit) unit:set("job", job, { state = 3, owner = 77, exclusive_scope = unit:get("job", job).instance_id }) end)
    local engine <close> = open()
    local found
    for _, finding in ipairs(engine:verify()) do found = found or finding:find("owner 77, which is not there", 1, true) end
    assert.is_truthy(found)
  end)

  it("that was fenced by a process which died then loses its locks in the next round, and goes", function()
    local _, job = own_name()
    write(function(unit)
      local instance = unit:get("job", job).instance_id
      unit:set("job", job, { state = 3, owner = 77, exclusive_scope = instance })
      unit:new("exclusive", { instance }, { owner = 77, count = 1 })
      unit:new("owner", { 1, 77 }, fenced "node-1")
    end)
    local engine <close> = open()
    assert.equal(0, engine:count("jobs", { locked = true }))
    engine:register("d", function() end)
    assert.equal(1, engine:run_jobs())
    engine:close()
    write(function(unit) assert.same({}, { unit:get("owner", { 1, 77 }), unit:get("owner", { 0, 77 }) }) end)
  end)

  it("loses jobs that are not exclusive, suspended ones among them, and an instance lock without a job", function()
    local _, job = own_name()
    local other
    do
      local engine <close> = open()
      engine:start "p"
      for _, each in ipairs(engine:jobs {}) do
        if each.id ~= job then other = each.id end
      end
    end
    write(function(unit)
      local instance = unit:get("job", job).instance_id
      unit:set("job", job, { state = 3, owner = 77, exclusive = false })
      unit:set("job", other, { state = 5, owner = 77, exclusive = false, suspended = true })
      unit:new("exclusive", { instance }, { owner = 77, count = 1 })
      unit:new("owner", { 1, 77 }, fenced "node-1")
    end)
    local engine <close> = open()
    engine:register("d", function() end)
    assert.equal(1, engine:run_jobs())
    assert.is_nil(engine:job(other).lock_owner)
    engine:job(other):activate()
    assert.equal(1, engine:run_jobs())
    assert.same({ 0, {} }, { engine:count("instances", {}), engine:verify() })
  end)

  it("loses what it locked by the hierarchy's lock, in whatever instance of that", function()
    local job
    do
      local engine <close> = open()
      engine:deploy(model.async())
      engine:deploy(model.calling())
      engine:start "calling"
      job = engine:jobs({})[1].id
    end
    local root
    write(function(unit)
      root = unit:get("job", job).root_id
      assert.are_not.equal(root, unit:get("job", job).instance_id)
      unit:set("job", job, { state = 3, owner = 77, exclusive_scope = root })
      unit:new("exclusive", { root }, { owner = 77, count = 1 })
      unit:new("owner", { 0, 77 }, fenced "node-1")
    end)
    local engine <close> = open()
    engine:register("d", function() end)
    assert.equal(1, engine:run_jobs())
    assert.same({ 0, {} }, { engine:count("instances", {}), engine:verify() })
  end)

  it("loses its locks when it is gone, to whoever starts next", function()
    local parts, job = own_name()
    assert.is_false(verdict(job, changed(parts, 5, "1")))
    local engine <close> = open()
    engine:register("d", function() end)
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(120))
    assert.equal(0, engine:count("instances", {}))
    assert.same({}, engine:verify())
  end)
end)
