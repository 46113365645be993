-- One SIGINT or SIGTERM ends a command, whatever its delegates are in the middle of.
-- Marks: commands
local command = require "spec.cli.command"
local orrery = require "orrery"
local server_support = require "spec.server.support"
local terminal = require "spec.cli.terminal"

local SECONDS_MAX = 60 -- a command that lives on hangs

local model = command.one_node '<serviceTask id="t" camunda:class="%s" camunda:asyncBefore="true"/>'

--- What a delegate is in the middle of. It says so when it begins.
local middles = {
  await = "require 'orrery'.sleep(1000)",
  ["await that it catches"] = "while true do pcall(require 'orrery'.sleep, 1000) end",
  loop = "while true do end",
  ["loop in a coroutine"] = "coroutine.wrap(function() while true do end end)()",
  ["sync await"] = "require 'orrery'.sleep(1000)",
}

local function delegate(middle)
  return ("return function() io.stdout:write 'begins\\n' io.stdout:flush() %s end"):format(middle)
end

--- Runs a program until one of its lines says that something begins, and sends the signal. Gives
--- how it ended and what it said.
local function interrupted(signal, line)
  local shell = "timeout -k 1 %d env --default-signal=INT,TERM "
    .. "sh -c 'echo $$; exec %s' 2>&1; echo rc $?"
  local process = io.popen(shell:format(SECONDS_MAX, line), "r")
  local pid, said = process:read "l", {}
  for text in process:lines() do
    said[#said + 1] = text
    if text:find "begins" then break end
  end
  os.execute(("kill -%s %s"):format(signal, pid))
  local rest = process:read "a"
  process:close()
  return tonumber(rest:match "rc (%d+)\n$"), table.concat(said, "\n") .. "\n" .. rest
end

--- The job of a store is free, and has all of its tries.
local function is_free(path)
  local engine <close> = orrery.open(path, { log = "none" })
  local job = engine:job {}
  assert.same({ 3, nil, nil }, { job.retries, job.error, job.lock_owner })
end

local codes = { INT = 130, TERM = 143 }

describe("a signal", function()
  for name, middle in pairs(middles) do
    it("ends orrery lua, and costs its job no try: " .. name, function()
      local dir <close> = command.folder()
      local sync = name:find "sync" ~= nil
      dir.file("p.bpmn", (model:format "work"):gsub('asyncBefore="true"',
        ('asyncBefore="%s"'):format(not sync)))
      local script = dir.file("x.lua", ([[local orrery = require "orrery"
        local engine <close> = orrery.open(arg[1], { log = "none" })
        engine:deploy { ["p.bpmn"] = io.open("%s/p.bpmn"):read "a", ["work.lua"] = [=[%s]=] }
        engine:start "p"
        engine:run_jobs()]]):format(dir.path, delegate(middle)))
      local line = ("%s lua %s %s/store"):format(command.path, script, dir.path)
      local code, said = interrupted("TERM", line)
      assert.equal(codes.TERM, code, said)
      assert.matches("interrupted by SIGTERM", said)
      if not sync then is_free(dir.path .. "/store") end
    end)
  end

  for signal, code in pairs(codes) do
    it("ends orrery run: " .. signal, function()
      local dir <close> = command.folder()
      dir.file("work.lua", delegate(middles.await))
      local line = ("%s run %s"):format(command.path, dir.file("p.bpmn", model:format "work"))
      local ended, said = interrupted(signal, line)
      assert.equal(code, ended, said)
      assert.matches("orrery run: .*interrupted by SIG" .. signal, said)
    end)
  end

  it("ends the program lua, too, at SIGINT", function()
    if os.execute "lua5.4 -e 'require \"orrery\"' >/dev/null 2>&1" ~= true then
      return pending "lua5.4 does not load this build's module: skipped"
    end
    local dir <close> = command.folder()
    local script = dir.file("x.lua", ([[local orrery = require "orrery"
      local engine <close> = orrery.open(nil, { log = "none" })
      engine:deploy { ["p.bpmn"] = [=[%s]=], ["work.lua"] = [=[%s]=] }
      engine:start "p"
      engine:run_jobs()]]):format(model:format "work", delegate(middles.await)))
    local code, said = interrupted("INT", "lua5.4 " .. script)
    assert.equal(1, code, said)
    assert.matches("interrupted by a signal", said)
  end)

  it("ends orrery work, whose own thread's job has had its time to drain", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    local registers = dir.file("r.lua", ([[local work = (function() %s end)()
      return function(engine) engine:register("work", function() work() end) end]])
      :format(delegate(middles.await)))
    assert.equal(0, (command.run { "deploy", path, dir.file("p.bpmn", model:format "work"),
      "--create" }))
    assert.equal(0, (command.run { "start", path, "p" }))
    local line = ("%s work %s --lua %s --drain 0"):format(command.path, path, registers)
    local code, said = interrupted("TERM", line)
    assert.equal(0, code, said)
    assert.matches("ended in good order", said)
    is_free(path)
  end)

  it("ends a worker of orrery.worker, which gives back what it has not done", function()
    local server <close> = server_support.serve {
      files = { ["p.bpmn"] = command.one_node
        '<serviceTask id="t" camunda:type="external" camunda:topic="x"/>' },
      arguments = "--deploy %f/p.bpmn" }
    for _ = 1, 2 do
      assert.equal(200, (server:ask("POST", "/process-definition/key/p/start", { variables = {} })))
    end
    local script = server:file("w.lua", ([[local orrery = require "orrery"
      orrery.worker { url = "%s/engine-rest", topic = "x", max = 2, wait = 1, handler = function()
        io.stdout:write "begins\n" io.stdout:flush() orrery.sleep(1000) end }:run()]])
      :format(server.url))
    local code, said = interrupted("TERM", ("%s lua %s"):format(command.path, script))
    assert.equal(codes.TERM, code, said)
    assert.equal(0, select(2, server:ask("GET", "/external-task/count?locked=true")).count)
    assert.equal(2, select(2, server:ask("GET", "/external-task/count?withRetriesLeft=true")).count)
  end)

  it("ends a call at the prompt, which goes on", function()
    if not terminal.there() then return pending "script(1) is not here" end
    local p <close> = terminal.open "repl"
    p.sees "orrery> "
    p.types(('engine:deploy { ["p.bpmn"] = [[%s]] }\n'):format(model:format "work"):gsub("\n(.)",
      " %1"))
    p.sees "orrery> "
    p.types 'engine:register("work", function() print("beg".."ins") orrery.sleep(1000) end)\n'
    p.sees "orrery> "
    p.types 'engine:start "p" engine:run_jobs()\n'
    p.sees "begins"
    p.types "\3"
    p.sees "interrupted by SIGINT"
    p.sees "orrery> "
    p.types 'print("tri".."es left: " .. engine:job({}).retries)\n'
    p.sees "tries left: 3"
    p.types "\4"
    assert.equal(0, p.ends())
  end)
end)
