-- The change feed: what is committed is told to who watches it, once, and nothing is lost between a look and a wait.
-- Marks: threads
package.path = "spec/support/?.lua;" .. package.path
local orrery = require "orrery"
local folder = require "folder"
local support = require "spec.support.process"

local function deploy(engine)
  support.deploy(engine, [[<startEvent id="s" camunda:asyncAfter="true"/><endEvent id="e"/>
    <serviceTask id="t" camunda:type="external" camunda:topic="${topic}"/>]], "s -> t t -> e")
end

describe("a feed", function()
  local engine
  before_each(function()
    engine = support.engine()
    deploy(engine)
  end)
  after_each(function() engine:close() end)

  local function start(topic)
    local instance = engine:start("p", { variables = { topic = topic } })
    engine:run_jobs()
    return instance
  end

  it("tells of external tasks of the topics that it watches, once", function()
    local feed <close> = engine:feed { topics = { "a", "b" } }
    assert.same({}, feed:take())
    start "c"
    assert.same({}, feed:take())
    start "b"
    start "a"
    start "b"
    assert.same({ { topic = "b" }, { topic = "a" } }, feed:take())
    assert.same({}, feed:take())
    feed:unwatch { topic = "a" }
    feed:unwatch { topic = "nothing" }
    start "a"
    assert.same({}, feed:take())
    feed:watch { topic = "a" }
    assert.same({}, feed:take())
    start "a"
    assert.same({ { topic = "a" } }, feed:take())
  end)

  -- They begin while commits are being made, which are known once the disk has them.
  it("takes no commit of its own engine for another process's, whenever it begins", function()
    local path = folder.make()
    local busy = orrery.open(path, { log = "error" })
    finally(function()
      busy:close()
      folder.remove(path)
    end)
    support.deploy(busy, [[<startEvent id="s"/><endEvent id="e"/><serviceTask id="t" camunda:expression="${1}">
      <multiInstanceLoopCharacteristics isSequential="true" camunda:asyncBefore="true"><loopCardinality>300</loopCardinality>
      </multiInstanceLoopCharacteristics></serviceTask>]], "s -> t -> e")
    busy:start "p"
    busy:start_executor { threads = 2 }
    local feeds, begun, unknown = {}, 0, 0
    repeat
      local at = begun % 8 + 1
      if feeds[at] then feeds[at]:close() end
      feeds[at] = busy:feed()
      feeds[at]:watch { all = true }
      begun = begun + 1
      for _, feed in ipairs(feeds) do
        for _, change in ipairs(feed:take()) do unknown = unknown + (change.kind and 0 or 1) end
      end
    until busy:wait_idle(0)
    busy:stop_executor()
    assert.truthy(begun > 8)
    assert.equal(0, unknown)
  end)

  it("tells of a task that is free again, and not of one that is gone", function()
    start "a"
    local task = engine:fetch_and_lock({ worker = "w", max = 1, topics = { { name = "a", lock = 60 } } })[1]
    local feed <close> = engine:feed { topics = { "a" } }
    task:fail("w", { message = "later", retries = 2, retry_timeout = 0 })
    assert.same({ { topic = "a" } }, feed:take())
    engine:fetch_and_lock { worker = "w", max = 1, topics = { { name = "a", lock = 60 } } }
    feed:take()
    engine:external_task(task.id):unlock()
    assert.same({ { topic = "a" } }, feed:take())
    engine:fetch_and_lock({ worker = "w", max = 1, topics = { { name = "a", lock = 60 } } })[1]:complete "w"
    feed:take()
    assert.equal(0, engine:count("instances", {}))
  end)

  it("of everything tells which kinds of records changed, and whose they are", function()
    local feed <close> = engine:feed { all = true }
    local one = start "a"
    local seen = {}
    for _, change in ipairs(feed:take()) do seen[change.kind .. " " .. change.id] = (seen[change.kind .. " " .. change.id] or 0) + 1 end
    for _, kind in ipairs { "instance", "external_task", "variable", "history_instance", "history_activity" } do
      assert.equal(1, seen[kind .. " " .. one.id], kind)
    end
    assert.same({}, feed:take())
    one:set("topic", "other")
    local kinds = {}
    for _, change in ipairs(feed:take()) do
      assert.equal(one.id, change.id)
      kinds[change.kind] = true
    end
    assert.is_true(kinds.variable and not kinds.external_task)
    engine:create_task { name = "alone" }
    local own = feed:take()
    assert.same({ "task", 0 }, { own[1].kind, engine:count("history_instances", { id = own[1].id }) })
    deploy(engine)
    kinds = {}
    for _, change in ipairs(feed:take()) do kinds[change.kind] = true end
    assert.is_true(kinds.definition and kinds.deployment)
    feed:unwatch { all = true }
    start "a"
    assert.same({}, feed:take())
    assert.has_error(function() feed:watch { all = false } end)
    assert.has_error(function() feed:watch { all = true, topic = "a" } end)
  end)

  it("of everything tells no more than 256 changes one by one", function()
    local feed <close> = engine:feed { all = true }
    for _ = 1, 300 do engine:create_task { name = "one of many" } end
    assert.is_true(feed:wait(0))
    assert.same({ { all = true } }, feed:take())
    assert.is_false(feed:wait(0))
    engine:create_task { name = "and one more" }
    assert.equal("task", feed:take()[1].kind)
  end)

  it("tells of instances, whatever of them changes, and of no other", function()
    local one, other = start "a", start "b"
    local feed <close> = engine:feed { instances = { one.id } }
    other:set("x", 1)
    assert.same({}, feed:take())
    one:set("x", 1)
    assert.same({ { instance_id = one.id } }, feed:take())
    one:suspend()
    one:set("y", 2)
    assert.same({ { instance_id = one.id } }, feed:take())
    engine:external_task({ instance = one.id }) -- a look is no change
    assert.same({}, feed:take())
    pcall(engine.transaction, engine, function()
      one:set("x", 3)
      error "no"
    end)
    assert.same({}, feed:take())
    one:delete()
    assert.same({ { instance_id = one.id } }, feed:take())
  end)

  it("waits, and forgets what is not watched any more", function()
    local feed <close> = engine:feed()
    assert.is_false(feed:wait(0))
    local one = start "a"
    feed:watch { instance = one.id }
    feed:watch { instance = one.id }
    feed:watch { topic = "a" }
    one:set("x", 1)
    assert.is_true(feed:wait(0))
    feed:unwatch { instance = one.id }
    assert.is_false(feed:wait(0))
    start "a"
    assert.is_true(feed:wait(0))
    assert.same({ { topic = "a" } }, feed:take())
    assert.is_true(feed:descriptor() > 0)
  end)

  it("refuses what it cannot watch, and ends with its engine", function()
    local feed <close> = engine:feed()
    support.refused("argument", feed.watch, feed, {})
    support.refused("argument", feed.watch, feed, { topic = "a", instance = "1" })
    support.refused("argument", feed.watch, feed, { instance = "x" })
    support.refused("argument", feed.watch, feed, { topics = "x" })
    support.refused("argument", engine.feed, engine, { topic = "x" })
    engine:close()
    support.refused("state", feed.take, feed)
    support.refused("state", feed.watch, feed, { topic = "a" })
    support.refused("state", feed.wait, feed, 1)
    engine = support.engine()
  end)

  it("loses nothing between a look and a wait, while threads commit", function()
    local many <close> = orrery.open(nil, { log = "none", executor = { threads = 2 } })
    deploy(many)
    local feed <close> = many:feed { topics = { "a" } }
    local got = 0
    for _ = 1, 200 do many:start("p", { variables = { topic = "a" } }) end
    while got < 200 do
      local tasks = many:fetch_and_lock { worker = "w", max = 7, topics = { { name = "a", lock = 600 } } }
      got = got + #tasks
      if #tasks == 0 then
        assert.is_true(feed:wait(30), got)
        feed:take()
      end
    end
  end)
end)

describe("a feed over processes", function()
  local store
  before_each(function() store = folder.make() end)
  after_each(function() folder.remove(store) end)

  it("tells of everything it watches when another process has committed", function()
    local lua = os.getenv "ORRERY_LUA" or "lua5.4"
    local here <close> = orrery.open(store, { log = "none" })
    deploy(here)
    local feed <close> = here:feed { topics = { "a" }, instances = { "8388609" } }
    assert.same({}, feed:take())
    local other = [[local engine = require("orrery").open("%s", { log = "none" })
      engine:start("p", { variables = { topic = "a" } }) engine:run_jobs() engine:close()]]
    local script = os.tmpname()
    do
      local file <close> = assert(io.open(script, "w"))
      file:write(other:format(store))
    end
    assert(os.execute(("%s '%s'"):format(lua, script)))
    os.remove(script)
    assert.is_true(feed:wait(10))
    local told = {}
    for _, event in ipairs(feed:take()) do told[event.topic or event.instance_id] = true end
    assert.same({ a = true, ["8388609"] = true }, told)
    assert.equal(1, #here:fetch_and_lock { worker = "w", max = 5, topics = { { name = "a", lock = 60 } } })
  end)
end)
