-- Who holds a lock, and whether that process is still there: by machine, boot, namespace of process ids, process and start.
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
    local owner = type(parts) == "table" and table.concat(parts, ":") or parts
    local instance = unit:get("job", job).instance_id
    unit:set("job", job, { state = 3, lock_owner = owner, lock_expires = 1 << 50, exclusive_scope = instance })
    local lock = unit:get("exclusive", { instance })
    unit[lock and "set" or "new"](unit, "exclusive", { instance }, { owner = owner, count = 1 })
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

  it("loses its locks when it is gone, to whoever starts next", function()
    local parts, job = own_name()
    assert.is_false(verdict(job, changed(parts, 5, "1")))
    local engine <close> = open()
    engine:register("d", function() end)
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(20))
    assert.equal(0, engine:count("instances", {}))
    assert.same({}, engine:verify())
  end)
end)
