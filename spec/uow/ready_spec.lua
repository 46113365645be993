local uow = require("orrery_inside").uow

local ROOT, READY, LOCKED, ASYNC, TIMER = 8388609, 2, 3, 1, 4
local BY_PRIORITY, TIMERS_FIRST, BY_DUE, AGING = 1, 2, 4, 8
local STATE = -10
local TAU = 1000

local source
before_each(function() source = uow.open() end)
after_each(function() source:close() end)

local function commit(fill)
  local unit = source:begin()
  fill(unit)
  assert(unit:commit())
end

local function scan(order, limit)
  local unit = source:begin()
  local ids, message, code = unit:ready(order, limit)
  unit:close()
  return ids, message, code
end

--- What an order sorts by, its age apart.
local function rank(job, order)
  if order == AGING then return { job.created - job.priority * TAU } end
  return {
    order & BY_PRIORITY ~= 0 and -job.priority or 0,
    order & TIMERS_FIRST ~= 0 and (job.kind == TIMER and 0 or 1) or 0,
    order & BY_DUE ~= 0 and (job.due == 0 and math.mininteger or job.due) or 0,
  }
end

--- -1, 0 or 1
local function compare(a, b, order)
  a, b = rank(a, order), rank(b, order)
  for i = 1, #a do
    if a[i] ~= b[i] then return a[i] < b[i] and -1 or 1 end
  end
  return 0
end

local function expected(jobs, order)
  local ready = {}
  for _, job in pairs(jobs) do
    if job.state == READY then table.insert(ready, job) end
  end
  table.sort(ready, function(a, b)
    local compared = compare(a, b, order)
    return compared < 0 or (compared == 0 and a.id < b.id)
  end)
  local ids = {}
  for i, job in ipairs(ready) do ids[i] = job.id end
  return ids
end

local function random_job(id)
  return {
    id = id, kind = math.random() < 0.5 and ASYNC or TIMER, state = math.random() < 0.7 and READY or LOCKED,
    priority = math.random(-2, 2), due = math.random(0, 3), created = math.random(1, 5000),
  }
end

local function check(jobs, orders)
  for _, order in ipairs(orders) do assert.same(expected(jobs, order), scan(order), "order " .. order) end
  assert.same({}, (source:verify()))
end

describe("ready orders", function()
  it("hold the ready jobs, each in its own order, through any changes", function()
    math.randomseed(7)
    local jobs, orders = {}, { 0, 1, 2, 3, 4, 5, 6, 7, AGING }
    for _, order in ipairs(orders) do assert(source:activate(order, TAU)) end
    for round = 1, 20 do
      commit(function(unit)
        for i = 1, 10 do
          local id = ROOT + round * 10 + i
          jobs[id] = random_job(id)
          unit:new("job", id, jobs[id])
        end
        for id in pairs(jobs) do
          local dice = math.random(10)
          if dice == 1 then
            unit:delete("job", id)
            jobs[id] = nil
          elseif dice == 2 then
            jobs[id] = random_job(id)
            unit:set("job", id, jobs[id])
          end
        end
      end)
      check(jobs, orders)
    end
  end)

  it("are built for the jobs that are there already", function()
    local jobs = {}
    commit(function(unit)
      for i = 1, 1234 do
        local id = ROOT + i
        jobs[id] = random_job(id)
        unit:new("job", id, jobs[id])
      end
    end)
    assert(source:activate(BY_PRIORITY | BY_DUE))
    check(jobs, { 0, BY_PRIORITY | BY_DUE })
    source:reopen()
    check(jobs, { 0, BY_PRIORITY | BY_DUE })
  end)

  it("are not scanned before they are built", function()
    assert.equal(STATE, select(3, scan(BY_DUE)))
  end)

  it("are walked on from a place, whatever became of the job there", function()
    math.randomseed(11)
    local jobs, orders = {}, { 0, 1, 2, 3, 4, 5, 6, 7, AGING }
    for _, order in ipairs(orders) do assert(source:activate(order, TAU)) end
    commit(function(unit)
      for i = 1, 40 do
        local id = ROOT + i
        jobs[id] = random_job(id)
        unit:new("job", id, jobs[id])
      end
    end)
    for _, order in ipairs(orders) do
      local whole, unit = expected(jobs, order), source:begin()
      local first, place = unit:ready(order, 7)
      local rest = unit:ready(order, nil, place)
      unit:close()
      assert.same({ table.unpack(whole, 1, 7) }, first)
      assert.same({ table.unpack(whole, 8) }, rest)
      local gone = whole[7]
      jobs[gone].state = LOCKED
      commit(function(changing) changing:set("job", gone, { state = LOCKED }) end)
      unit = source:begin()
      assert.same(rest, (unit:ready(order, nil, place)))
      unit:close()
    end
  end)

  it("tell whether any job there stands before a new one; of equals none does", function()
    math.randomseed(13)
    local orders = { 0, 1, 2, 3, 4, 5, 6, 7, AGING }
    for _, order in ipairs(orders) do assert(source:activate(order, TAU)) end
    local jobs, led = {}, 0
    for i = 1, 60 do
      local id = ROOT + 100 - i
      local job = random_job(id)
      job.state = READY
      local unit = source:begin()
      unit:new("job", id, job)
      for _, order in ipairs(orders) do
        local leads = true
        for _, other in pairs(jobs) do leads = leads and compare(job, other, order) <= 0 end
        assert.equal(leads, unit:leads("job", id, order, TAU), "order " .. order)
        led = led + (leads and 1 or 0)
      end
      assert(unit:commit())
      jobs[id] = job
    end
    assert.is_true(led > 60 and led < 60 * #orders) -- both happened
  end)

  it("stop at the limit", function()
    commit(function(unit) for i = 1, 5 do unit:new("job", ROOT + i, { kind = ASYNC, state = READY }) end end)
    assert.same({ ROOT + 1, ROOT + 2 }, scan(0, 2))
  end)

  it("survive numbers too large to weigh", function()
    assert(source:activate(AGING, TAU))
    commit(function(unit)
      unit:new("job", ROOT + 1, { kind = ASYNC, state = READY, priority = math.mininteger, created = 1 })
      unit:new("job", ROOT + 2, { kind = ASYNC, state = READY, priority = math.maxinteger, created = 1 })
    end)
    assert.same({ ROOT + 2, ROOT + 1 }, scan(AGING))
  end)

  it("are guarded: a unit that did not know a new order conflicts and is run again", function()
    local late = source:begin()
    late:new("job", ROOT + 1, { kind = ASYNC, state = READY, priority = 5 })
    assert(source:activate(BY_PRIORITY))
    assert.equal(-7, select(3, late:commit()))
    commit(function(again) again:new("job", ROOT + 1, { kind = ASYNC, state = READY, priority = 5 }) end)
    assert.same({ ROOT + 1 }, scan(BY_PRIORITY))
  end)

  it("refuse another tau for aging than the one that their rows are sorted by", function()
    commit(function(unit) unit:new("job", ROOT + 1, { kind = ASYNC, state = READY }) end)
    assert(source:activate(AGING, TAU))
    assert.equal(STATE, select(3, source:activate(AGING, TAU + 1)))
    assert(source:activate(AGING, TAU))
    assert.same({ ROOT + 1 }, scan(AGING))
    assert.same({}, (source:verify()))
  end)
end)
