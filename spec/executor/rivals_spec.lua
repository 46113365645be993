-- How an executor acquires beside other processes at its store: a pure function of what its rounds met, and what it comes to with another
-- process.
-- Marks: load
local job = require("orrery_inside").job
local orrery = require "orrery"
local folder = require "spec.support.folder"
local model = require "spec.job.model"

local SECOND = 1000000000

--- Plays rounds { committed, lost, first } one second apart; for each whether it staked, and whether it was wary.
local function play(rounds, state)
  local stakes, wary = {}, {}
  for i, round in ipairs(rounds) do
    stakes[i], wary[i] = job.rivals(state or {}, round.committed, round, i * SECOND)
  end
  return stakes, wary
end

local function times(n, round)
  local all = {}
  for i = 1, n do all[i] = round end
  return all
end

describe("an executor beside other processes", function()
  it("stakes nothing as long as nobody else commits", function()
    local stakes, wary = play(times(3, {}), {})
    assert.same({ false, false, false }, stakes)
    assert.same({ false, false, false }, wary)
  end)

  it("stakes as soon as somebody does, and for 64 rounds after the last commit", function()
    local rounds = times(66, {})
    rounds[1] = { committed = true }
    local stakes, wary = play(rounds, {})
    for i = 1, 64 do assert.is_true(stakes[i], i) end
    assert.is_false(stakes[65])
    for i = 1, 66 do assert.is_false(wary[i], i) end
  end)

  it("is wary where it loses in spite of its stakes, until it has not for 64 rounds", function()
    local rounds = times(67, { committed = true })
    rounds[1] = { committed = true, lost = true }
    local stakes, wary = play(rounds, {})
    assert.is_false(wary[1])
    for i = 2, 65 do assert.is_true(wary[i], i) end
    assert.is_false(wary[66])
    assert.is_true(stakes[67])
  end)

  it("takes what another has staked for three seconds without taking it, once, and then leaves it again", function()
    local rounds = times(9, { committed = true, first = 7 })
    rounds[5] = { committed = true }
    local stakes, wary = play(rounds, {})
    assert.same({ true, true, true, true, false, true, true, true, true }, stakes)
    assert.same({ false, false, false, false, true, false, false, false, false }, wary)
  end)

  it("leaves alone what others stake one after another, however long", function()
    local rounds = {}
    for i = 1, 20 do rounds[i] = { committed = true, first = i } end
    for i, staked in ipairs((play(rounds, {}))) do assert.is_true(staked, i) end
  end)

  it("takes others to be there as long as it meets their stakes", function()
    local rounds = times(130, {})
    rounds[1], rounds[60] = { committed = true }, { first = 7 }
    local stakes = play(rounds, {})
    for i = 1, 123 do assert.is_true(stakes[i], i) end
    assert.is_false(stakes[125])
  end)

  it("does not take a loss for heedlessness that it has brought upon itself", function()
    local rounds = times(6, { committed = true, first = 7 })
    rounds[5] = { committed = true, lost = true }
    local _, wary = play(rounds, {})
    assert.same({ false, false, false, false, true, false }, wary)
  end)
end)

describe("jobs that another process has staked", function()
  local it = folder.only(it, pending, "it has no stakes")
  local lua = os.getenv "ORRERY_LUA" or "lua5.4"
  local room, store
  before_each(function()
    room = folder.make()
    store = room .. "/store"
  end)
  after_each(function() folder.remove(room) end)

  local function open() return orrery.open(store, { log = "none", package_path = "spec/job/?.lua;" .. package.path }) end

  --- Another process that has staked these jobs; it does nothing more, as if it were stopped, until it is killed.
  local function staker(ids)
    local script = ([[local store = assert(require("orrery_inside").store.open { path = %q })
      for _, id in ipairs { %s } do assert(store:stake(id, id)) end
      io.write("staked\n") io.flush() io.read()]]):format(store, table.concat(ids, ","))
    folder.write(room .. "/staker.lua", script)
    local fifo = room .. "/in"
    assert(os.execute(("mkfifo '%s'"):format(fifo)))
    local pipe = assert(io.popen(("echo $$; exec %s '%s/staker.lua' <'%s'"):format(lua, room, fifo)))
    local pid = math.tointeger(tonumber(pipe:read "l"))
    local input = assert(io.open(fifo, "w"))
    assert.equal("staked", pipe:read "l")
    return setmetatable({}, { __close = function()
      os.execute(("kill -9 %d 2>/dev/null"):format(pid))
      input:close()
      pipe:close()
    end })
  end

  --- Starts processes of these numbers, each with a task of its own; the ids of their jobs. What another handle did looks like another
  --- process.
  local function start(numbers, priorities)
    local engine <close> = open()
    local ids, deployed = {}, {}
    local xml = model.task('camunda:asyncBefore="true" camunda:class="delegates.note" camunda:jobPriority="${priority}"')["p.bpmn"]
    for i, number in ipairs(numbers) do
      if not deployed[number] then
        deployed[number] = true
        engine:deploy { ["p.bpmn"] = xml:gsub('"p"', ('"p%d"'):format(number)):gsub('"t"', ('"t%d"'):format(number)) }
      end
      local variables = { notes = room .. "/notes", priority = priorities and priorities[i] or 0 }
      ids[i] = engine:job { instance_id = engine:start("p" .. number, { variables = variables }).id }.id
    end
    return ids
  end

  local function run(options)
    local engine <close> = open()
    options.threads = 1
    engine:start_executor(options)
    assert.is_true(engine:wait_idle(60))
    assert.same({}, engine:verify())
    return folder.read(room .. "/notes")
  end

  it("are taken after the others, and soon, though that process has stopped", function()
    local ids = start { 1, 2, 3, 4 }
    local other <close> = staker { ids[1], ids[2] }
    assert.equal("t3 t4 t1 t2 ", run {})
  end)

  it("are passed over, however many there are and wherever they lie", function()
    local numbers, theirs = {}, {}
    for i = 1, 100 do numbers[i] = i % 2 + 1 end
    local ids = start(numbers)
    for i = 2, 100, 2 do theirs[#theirs + 1] = ids[i] end
    local other <close> = staker(theirs)
    assert.equal(("t2 "):rep(50) .. ("t1 "):rep(50), run {})
  end)

  it("do not keep a round from looking behind those that it may not take itself", function()
    local numbers, priorities = {}, {}
    for i = 1, 12 do numbers[i], priorities[i] = i, i == 6 and 60 or i == 12 and 70 or 0 end
    local ids = start(numbers, priorities)
    local other <close> = staker { ids[3], ids[9] }
    assert.equal("t6 t12 ", run { priority_min = 50, max_jobs_per_acquisition = 2 })
  end)
end)
