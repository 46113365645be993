-- Several threads at one queue: none rests while there is something to begin, whatever the delegates of the others do. Delegates hold their
-- threads here until a file is there, which another job makes: were that job left to a thread that is held, both would wait for ever.
-- Marks: threads
local orrery = require "orrery"
local folder = require "spec.support.folder"
local support = require "spec.support.process"

local LOOKS <const> = 60000 -- of a millisecond and more, before a spec gives up

--- What a job does follows from its variables. `sleeps`: its delegate goes on from the loop. `gate`: it holds its thread until the file is
--- there. `waits`: for that file, it waits without holding the thread. `makes` is a file, made before.
local function engine_of(options)
  local engine = support.engine { clock = "system" }
  support.single(engine)
  engine:register("work", function(execution)
    local sleep = require("orrery").sleep
    local function exists(path)
      local file = io.open(path)
      if file then file:close() end
      return file ~= nil
    end
    if execution:get "sleeps" then sleep(0.001) end
    if execution:get "makes" then assert(io.open(execution:get "makes", "w")):close() end
    local till = os.time() + 60
    while execution:get "gate" and not exists(execution:get "gate") do assert(os.time() < till, "nobody opened the gate") end
    while execution:get "waits" and not exists(execution:get "waits") do sleep(0.01) end
  end)
  engine:start_executor(options)
  return engine
end

local function start(engine, variables) engine:start("p", { variables = variables }) end

local function until_true(condition)
  for _ = 1, LOOKS do
    if condition() then return end
    orrery.sleep(0.001) -- wait_idle would have the store asked for jobs
  end
  error("it never came true", 2)
end

local function made(path) until_true(function() return os.rename(path, path) end) end

local function all_done(engine)
  assert.is_true(engine:wait_idle(300))
  assert.equal(0, engine:count "jobs")
end

describe("a job that can be begun is begun by a thread that has nothing to do", function()
  local path
  local function file(name, i) return ("%s/%s%s"):format(path, name, i or "") end
  before_each(function() path = folder.make() end)
  after_each(function() folder.remove(path) end)

  it("though another thread has taken it together with one that holds that thread", function()
    local engine <close> = engine_of { threads = 2 }
    for i = 1, 2 do start(engine, { makes = file("held", i), gate = file("release", i) }) end
    for i = 1, 2 do made(file("held", i)) end
    engine:transaction(function() -- both threads are held, so the first that is not takes all of this
      start(engine, { gate = file "gate" })
      for _ = 1, 20 do start(engine, {}) end
      start(engine, { makes = file "gate" })
    end)
    folder.write(file("release", 1), "")
    folder.write(file("release", 2), "")
    all_done(engine)
  end)

  it("though the one that was woken for it is in a delegate that went on from its loop", function()
    local engine <close> = engine_of { threads = 2 }
    for round = 1, 10 do -- which thread has that delegate is chance
      start(engine, { sleeps = true, makes = file("held", round), gate = file("gate", round) })
      made(file("held", round))
      start(engine, { makes = file("gate", round) })
      all_done(engine)
    end
  end)

  it("though most of the queue waits in delegates: what they leave of it is used", function()
    local engine <close> = engine_of { threads = 1, queue_size = 10 }
    for i = 1, 8 do start(engine, { makes = file("begun", i), waits = file "gate" }) end
    for i = 1, 8 do made(file("begun", i)) end
    engine:transaction(function()
      for _ = 1, 400 do start(engine, {}) end
    end)
    until_true(function() return engine:count "jobs" == 8 end)
    folder.write(file "gate", "")
    all_done(engine)
  end)

  it("though the place of a limit that it waits for came back while that was being counted", function()
    local engine <close> = support.engine { clock = "system" }
    support.single(engine, 'o:limitKey="k"')
    engine:register("work", function() end)
    engine:set_limit({ key = "k" }, { max = 1 })
    engine:start_executor { threads = 4, wait_time = 3600, max_wait = 3600 } -- what nothing wakes waits an hour
    for _ = 1, 1500 do
      for _ = 1, 4 do engine:start "p" end
      until_true(function() return engine:count "jobs" == 0 end)
    end
  end)
end)
