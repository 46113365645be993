-- What a thread of the executor is at, down to the line: where a delegate computes, and where it
-- called what blocks.
local gates = require "spec.executor.gate"
local orrery = require "orrery"
local support = require "spec.support.process"

describe("the line of a delegate", function()
  local gate
  before_each(function() gate = gates.make() end)
  after_each(function()
    gate:open()
    getmetatable(gate).__close(gate)
  end)

  --- The only thread comes to be at what the pattern says, inside a delegate of these lines.
  local function comes_to(pattern, lines)
    local engine <close> = support.engine { clock = "system" }
    local head = "return function(execution)\n  local path = execution:get 'path'\n"
    local task = '<serviceTask id="t" camunda:class="d" camunda:asyncBefore="true"/>'
    engine:deploy { ["d.lua"] = head .. lines .. "\nend",
      ["p.bpmn"] = support.model('<startEvent id="s"/>' .. task, "s -> t") }
    engine:start("p", { variables = { path = gate.path } })
    engine:start_executor { threads = 1 }
    gate:fills(1)
    local running
    gates.until_true(function()
      running = engine:running(0.2)
      return running[1] and (running[1].traceback or ""):find(pattern)
    end)
    gate:open()
    assert.is_true(engine:wait_idle(60))
    assert.equal(0, engine:count "jobs")
    assert.equal(1, #running)
  end

  local inside = "  io.open(path .. '/inside', 'a'):write('.'):close()\n"

  local waits = "\"until [ -e '%s/open-all' ]; do sleep 0.05; done\""

  it("is told where it computes", function()
    comes_to("d.lua:5:", inside .. [[
  local open, n = path .. '/open-all', 0
  repeat n = n + 1 until n % 1000 == 0 and os.rename(open, open)]])
  end)

  it("is told where it blocks in C, with the time since when", function()
    local lines = inside .. "  os.execute((" .. waits .. "):format(path))"
    comes_to("d.lua:4: in C since %d+%-%d%d%-%d%dT", lines)
  end)

  it("is told where it reads what does not come", function()
    local pipe = "  local pipe = io.popen((" .. waits .. "):format(path))\n"
    comes_to("d.lua:5: in C since", inside .. pipe .. "  pipe:read 'a'")
  end)

  it("is not asked for by a signal that the program forbids", function()
    assert.is_false(orrery.trace_by_signal(false))
    local engine <close> = support.engine { clock = "system" }
    engine:register("work", function(execution)
      local path = execution:get "gate"
      local file <close> = assert(io.open(path .. "/inside", "a"))
      file:write ".":flush()
      while not io.open(path .. "/open-all") do end
    end)
    support.single(engine)
    engine:start("p", { variables = { gate = gate.path } })
    engine:start_executor { threads = 1 }
    gate:fills(1)
    for _ = 1, 20 do assert.is_nil((engine:running(0.01)[1].traceback or ""):find "stack traceback") end
    gate:open()
    assert.is_true(engine:wait_idle(120))
    assert.is_true(orrery.trace_by_signal(true))
  end)

  it("leaves nothing behind: a delegate that was asked runs without a hook again", function()
    local engine <close> = support.engine { clock = "system" }
    engine:register("work", function(execution)
      local path = execution:get "gate"
      local file = assert(io.open(path .. "/inside", "a"))
      file:write ".":close()
      while not os.rename(path .. "/open-all", path .. "/open-all") do end
      execution:set("hook", debug.gethook() ~= nil)
    end)
    local tasks = support.task "a" .. '<userTask id="u"/>'
    support.deploy(engine, '<startEvent id="s"/>' .. tasks, "s -> a a -> u")
    engine:start("p", { variables = { gate = gate.path } })
    engine:start_executor { threads = 1 }
    gate:fills(1)
    for _ = 1, 20 do engine:running(0.01) end
    gate:open()
    assert.is_true(engine:wait_idle(60))
    assert.is_false(engine:instances({})[1]:get "hook")
  end)
end)
