-- What a host program does besides: signals interrupt it, it forks, it closes an engine whose delegates wait.
local orrery = require "orrery"
local core = require "orrery.core"
local folder = require "spec.support.folder"
local interrupts = require("orrery_inside").store.interrupts

local MODEL <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="fault">
  <process id="p" isExecutable="true">
  <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
  <serviceTask id="t" o:class="work" o:asyncBefore="true"/><sequenceFlow id="g" sourceRef="t" targetRef="e"/><endEvent id="e"/>
  </process></definitions>]]

local store
before_each(function() store = folder.make() end)
after_each(function()
  interrupts(0)
  folder.remove(store)
end)

local function open(work, options)
  local engine = orrery.open(store, { log = "none" })
  engine:register("work", work)
  engine:deploy { ["p.bpmn"] = MODEL }
  engine:start_executor(options or { threads = 2, lock_time = 1 })
  return engine
end

describe("a host", function()
  it("whose system calls are interrupted a thousand times a second loses no wake-up and no commit", function()
    interrupts(1000)
    local engine <close> = open(function() require("orrery").sleep(0.002) end)
    for i = 1, 200 do
      engine:start "p"
      if i % 50 == 0 then assert.is_true(engine:wait_idle(60)) end
    end
    assert.is_true(engine:wait_idle(60))
    assert.equal(200, engine:count("history_instances", { state = "completed" }))
    engine:stop_executor()
    assert.same({}, engine:verify())
  end)

  it("that forks has a child whose calls are refused and end, and goes on itself", function()
    local engine <close> = open(function() end)
    engine:start "p"
    assert.is_true(engine:wait_idle(60))
    local code, signal = core.in_child(function()
      local calls = { function() engine:start "p" end, function() engine:wait_idle() end, function() engine:stop_executor() end,
        function() engine:start_executor {} end, function() engine:jobs {} end }
      for _, call in ipairs(calls) do
        local ok, failure = pcall(call)
        if ok or failure.kind ~= "state" then return 1 end
      end
      engine:close()
      return 0
    end)
    assert.same({ 0, nil }, { code, signal })
    engine:start "p"
    assert.is_true(engine:wait_idle(60))
    assert.equal(2, engine:count("history_instances", { state = "completed" }))
    assert.same({}, engine:verify())
  end)

  it("without standard streams prints into nothing, and never into its store", function()
    local script = store .. "/print.lua"
    local file <close> = assert(io.open(script, "w"))
    file:write(([[
      local engine = require("orrery").open(%q)
      engine:deploy { ["p.bpmn"] = %q }
      for _ = 1, 1000 do print "on standard output" io.stderr:write "on standard error" end
      io.stdout:flush()
      engine:start "p"
      engine:close()
    ]]):format(store .. "/printed", MODEL))
    file:close()
    assert.is_true(os.execute(("%s %s <&- >&- 2>&-"):format(os.getenv "ORRERY_LUA", script)))
    local printed <close> = orrery.open(store .. "/printed", { log = "none" })
    assert.equal(1, printed:count("instances", {}))
    assert.same({}, printed:verify())
  end)

  it("that closes an engine while a delegate awaits leaves the job to who opens it next", function()
    local engine = open(function() require("orrery").sleep(3600) end, { threads = 1, drain_time = 0.01 })
    engine:start "p"
    repeat until #engine:running() == 1
    engine:close()
    local again <close> = open(function() end)
    assert.is_true(again:wait_idle(60))
    assert.equal(0, again:count("instances", {}))
    assert.equal(0, again:count("incidents", {}))
  end)
end)
