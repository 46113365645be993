-- What the thread that wakes parked polls finds of a topic, however the time falls.
local topics = require("orrery_inside").topics
local support = require "spec.server.support"

local MODEL <const> = support.model([==[<startEvent id="s"/>
  <sequenceFlow id="f1" sourceRef="s" targetRef="pay"/>
  <serviceTask id="pay" camunda:type="external" camunda:topic="pay"/>]==], "p")
local LOCK_S <const> = 1
local LOCK_MS <const> = LOCK_S * 1000

describe("a look at a topic", function()
  local engine
  local function open()
    engine = topics.open()
    assert(engine:call("deploy", { resources = { ["p.bpmn"] = MODEL } }))
  end
  before_each(open)

  local function start() assert(engine:call("start", { key = "p" })) end
  local function lock()
    local topic = { name = "pay", lock = LOCK_S }
    local request = { worker = "w", max = 1, topics = { topic } }
    local tasks = assert(engine:call("fetch_and_lock", { request = request }))
    assert.equal(1, #tasks)
  end

  it("finds nothing where no task is", function()
    assert.same({ 0, false, 1000, false }, { engine:look("pay", 2) })
  end)

  it("finds what is free, and when the next lock ends", function()
    start()
    lock()
    assert.same({ 0, true, LOCK_MS, false }, { engine:look("pay", 2) })
    start()
    assert.same({ 1, true, LOCK_MS, false }, { engine:look("pay", 2) })
  end)

  it("misses no task whose lock ends while it looks, wherever in the look that is", function()
    local found = { [0] = 0, 0 }
    for step_ms = 10, LOCK_MS, 10 do
      open()
      start()
      lock()
      local free, waits = engine:look("pay", 1, step_ms)
      assert.is_true(waits, step_ms)
      found[free] = found[free] + 1
    end
    assert.is_true(found[0] > 0 and found[1] > 0)
  end)

  it("says that there may be some where memory runs out", function()
    start()
    lock()
    local n, failed = 0, true
    while failed do
      n = n + 1
      local _, waits
      _, waits, _, failed = engine:look("pay", 1, 0, n)
      assert.is_true(waits, n)
    end
    assert.is_true(n > 1)
  end)
end)
