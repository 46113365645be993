-- The disk is full in the middle of a commit, at any page of the file or inside of one: the command says so and has done nothing, reading
-- goes on, and so does writing as soon as there is room. Nothing acknowledged is lost. (A limit of the files' size stands for the disk.)
local orrery = require "orrery"
local folder = require "spec.support.folder"
local file_limit = require("orrery_inside").store.file_limit

local PAGE <const> = 4096
local MODEL <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="fault">
  <process id="p" isExecutable="true">
  <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="u"/><userTask id="u"/></process></definitions>]]

describe("the disk is full", function()
  local store, engine, acked
  local function open() engine = orrery.open(store, { clock = "manual", log = "none" }) end
  local function reopen()
    engine:close()
    open()
  end
  before_each(function()
    store, acked = folder.make(), {}
    open()
    engine:deploy { ["p.bpmn"] = MODEL }
  end)
  after_each(function()
    file_limit(nil)
    engine:close()
    folder.remove(store)
  end)

  local function start(bytes)
    local instance = engine:start("p", { variables = { text = ("x"):rep(bytes) } })
    acked[instance.id] = bytes
  end

  --- Starts with room for so many bytes of the file; the error, or nil.
  local function start_within(limit, bytes)
    file_limit(limit)
    local ok, err = pcall(start, bytes)
    file_limit(nil)
    if not ok then return err end
  end

  local function assert_as_acked()
    assert.same({}, engine:verify())
    local found = {}
    for _, instance in ipairs(engine:instances {}) do found[instance.id] = #instance:get "text" end
    assert.same(acked, found)
  end

  -- LMDB writes its lock file through a map, which ends the process by SIGBUS where there are no blocks.
  it("when it is opened: its lock file has all of its room by then", function()
    local pipe <close> = assert(io.popen(("stat -c '%%b %%B %%s' '%s/lock.mdb'"):format(store)))
    local blocks, unit, size = pipe:read("a"):match "(%d+) (%d+) (%d+)"
    assert.is_true(tonumber(size) > 0 and blocks * unit >= tonumber(size), ("%s blocks of %s bytes for %s"):format(blocks, unit, size))
  end)

  it("at any place behind the file's head", function()
    start(30 * PAGE) -- of some age when the others come
    local failures, limit, err = 0, 2 * PAGE
    repeat
      err = start_within(limit, 30 * PAGE)
      if err then
        assert.equal("store", err.kind)
        local full = err.message:find "File too large" or err.message:find "No space left" -- the latter when a part could be written
        assert.is_truthy(full, err.message)
        assert_as_acked()
        failures, limit = failures + 1, limit + PAGE // 2
      end
    until not err
    assert.is_true(failures > 60, "only " .. failures .. " commits failed")
    assert_as_acked()
    reopen()
    assert_as_acked()
  end)

  it("when the file has to grow", function()
    local map <const> = 16 * 1024 * 1024
    for round = 1, 5 do
      assert.equal("store", start_within(map, map).kind)
      assert_as_acked()
      start(10 * round)
    end
    reopen()
    assert_as_acked()
    assert.is_nil(start_within(nil, map))
    assert_as_acked()
  end)

  it("when a job commits, which an executor then tries again, and which loses no try by that", function()
    engine:close()
    engine = orrery.open(store, { log = "none" }) -- by the system's clock
    engine:deploy { ["q.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn"
      targetNamespace="fault"><process id="q" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="n"/>
      <scriptTask id="n" scriptFormat="lua" o:asyncBefore="true"><script>execution:set("x", ("x"):rep(2000000))</script></scriptTask>
      <sequenceFlow id="g" sourceRef="n" targetRef="u"/><userTask id="u"/></process></definitions>]] }
    local instance = engine:start "q"
    local job = engine:job { instance = instance.id }
    file_limit(100 * PAGE)
    engine:start_executor { threads = 1 }
    repeat engine:wait_idle(0.05) until job:why().reason == "commit_failed"
    assert.equal(3, job:reload().retries)
    file_limit(nil)
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.same({ "u" }, instance:active())
    assert.same({}, engine:verify())
  end)

  it("or its head cannot be written: then the store says that it has to be opened again, and nothing acknowledged is lost", function()
    for _ = 1, 5 do start(100) end
    local failed
    for limit = 2 * PAGE, 0, -PAGE // 2 do failed = start_within(limit, 100) or failed end
    assert.equal("store", failed.kind)
    local ok, err = pcall(start, 100)
    if not ok then
      assert.equal("store", err.kind)
      assert.matches("has to be opened again", err.message)
    end
    reopen()
    assert_as_acked()
    start(100)
    assert_as_acked()
  end)
end)
