-- orrery work as a service manager runs it: it logs, drains at a signal, and ends at once at the second.
-- Marks: commands
local command = require "spec.cli.command"
local orrery = require "orrery"

local SECONDS_MAX = 120 -- for all of it, under whatever load

local model = command.one_node '<serviceTask id="work" camunda:asyncBefore="true" camunda:class="work"/>'

local function write(dir, lua)
  local path = dir.path .. "/store"
  local engine <close> = orrery.open(path, { log = "none" })
  engine:deploy { ["p.bpmn"] = model }
  engine:start "p"
  return path, dir.file("work.lua", lua)
end

--- A worker in the background, whose standard error can be waited for.
local function worker(dir, ...)
  local words = { command.path, "work", ... }
  for i, word in ipairs(words) do words[i] = ("'%s'"):format(word) end
  local pipe = assert(io.popen(("exec 3>&1; { sh -c 'echo $$ >&3; exec \"$@\"' sh %s >%s/out 2>%s/err; echo $? >&3; }"):format(
    table.concat(words, " "), dir.path, dir.path)))
  local self = { pid = pipe:read "l" }
  function self.text(name)
    local file <close> = io.open(dir.path .. "/" .. name, "rb")
    return file and file:read "a" or ""
  end
  --- Waits until a text is in a file of the folder.
  function self.sees(text, name)
    local till = os.time() + SECONDS_MAX
    while not self.text(name or "err"):find(text, 1, true) do
      if os.time() > till then error(("never seen: %s in %s"):format(text, self.text(name or "err"))) end
      orrery.sleep(0.01)
    end
  end
  function self.signal(name) assert(os.execute(("kill -%s %s"):format(name, self.pid))) end
  --- Its exit code.
  function self.ends()
    self.code = self.code or pipe:read "l"
    return tonumber(self.code)
  end
  return setmetatable(self, { __close = function()
    if not self.code then self.signal "KILL" end
    pipe:close()
  end })
end

describe("orrery work", function()
  it("works until a signal, brings what runs to its end, and exits with 0", function()
    for _, signal in ipairs { "TERM", "INT" } do
      local dir <close> = command.folder()
      local path, lua = write(dir, ([[return function(engine)
          engine:register("work", function(e)
            local orrery = require "orrery"
            io.open("%s/begun", "w"):write "begun":close()
            while not io.open "%s/go" do orrery.sleep(0.01) end
            e:set("worked", true)
          end)
        end]]):format(dir.path, dir.path))
      local w <close> = worker(dir, path, "--lua", lua, "--threads", "1")
      w.sees("begun", "begun")
      w.signal(signal)
      w.sees("SIG" .. signal .. ": what runs comes to its end")
      dir.file("go", "")
      assert.equal(0, w.ends(), w.text "err")
      assert.matches("executor started", w.text "err")
      assert.matches("orrery work: 1 job done, 0 failed, 1 instance ended\n", w.text "err")
      assert.matches("ended in good order", w.text "err")
      local engine <close> = orrery.open(path, { log = "none" })
      assert.same({ 0, 0 }, { engine:count "jobs", engine:count "instances" })
    end
  end)

  it("ends at once at the second signal, and loses nothing", function()
    local dir <close> = command.folder()
    local path, lua = write(dir, ([[return function(engine)
        engine:register("work", function()
          local orrery = require "orrery"
          io.open("%s/begun", "w"):write "begun":close()
          while true do orrery.sleep(1) end
        end)
      end]]):format(dir.path))
    local w <close> = worker(dir, path, "--lua", lua, "--drain", "PT1H")
    w.sees("begun", "begun")
    w.signal "TERM"
    w.sees "what runs comes to its end"
    w.signal "TERM"
    assert.equal(128 + 15, w.ends())
    local line = "\n%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%dZ orrery work: ended at once by a second \z
      signal; what ran keeps its locks until another executor takes them back\n"
    assert.matches(line, w.text "err")
    local engine <close> = orrery.open(path, { log = "none" })
    engine:register("work", function() end)
    engine:start_executor { threads = 1 } -- takes the lock back
    assert.is_true(engine:wait_idle(120))
    assert.equal(0, engine:count "instances")
  end)

  it("ends by itself with --until-idle, by the scenario's clock", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    do
      local engine <close> = orrery.open(path, { log = "none", clock = "manual", now = "2030-01-01T00:00:00Z" })
      engine:deploy { ["p.bpmn"] = command.one_node [[<intermediateCatchEvent id="later"><timerEventDefinition>
        <timeDuration>P1D</timeDuration></timerEventDefinition></intermediateCatchEvent>]] }
      engine:start "p"
    end
    local function works_at(time)
      local lua = dir.file("clock.lua", ('return { options = { clock = "manual", now = "%s" } }'):format(time))
      local code, _, err = command.run { "work", path, "--until-idle", "--lua", lua }
      assert.equal(0, code, err)
      assert.matches("ended: nothing is due", err)
      local _, events = command.events { "instances", path, "--json" }
      return #events
    end
    assert.equal(1, works_at "2030-01-01T23:59:59Z")
    assert.equal(0, works_at "2030-01-02T00:00:00Z")
  end)

  it("ends with what waits for delegates that are not here, and 'jobs --stuck' says so after it", function()
    local dir <close> = command.folder()
    local path = write(dir, "return {}")
    local code, _, err = command.run { "work", path, "--until-idle" }
    assert.equal(0, code)
    assert.matches("ended: nothing else is due; 1 job waits for what is not here: work\n$", err)
    local _, out = command.run { "jobs", path, "--stuck" }
    assert.matches("1 job  p work  delegate_missing", out)
    assert.matches('nothing is registered as "work"', out)
  end)

  it("runs closures of the Lua file, too, on its own thread", function()
    local dir <close> = command.folder()
    local path, lua = write(dir, ([[local text = "done"
      return function(engine)
        engine:register("work", function() io.open("%s/done", "w"):write(text):close() end)
      end]]):format(dir.path))
    local w <close> = worker(dir, path, "--lua", lua)
    w.sees("done", "done")
    w.signal "TERM"
    assert.equal(0, w.ends(), w.text "err")
    local engine <close> = orrery.open(path, { log = "none" })
    assert.equal(0, engine:count "instances")
  end)

  it("logs as JSON, as much as it is asked to, and refuses wrong orders", function()
    local dir <close> = command.folder()
    local path, lua = write(dir, [[return function(engine) engine:register("work", function() error("no luck", 0) end) end]])
    local code, events = command.events { "work", path, "--until-idle", "--lua", lua, "--json", "--log", "warning" }
    assert.equal(0, code)
    local seen = {}
    for _, e in ipairs(events) do seen[#seen + 1] = e.event == "log" and e.fields.event or e.event end
    assert.same({ "started", "job failed", "job failed", "job failed", "job incident", "progress", "ended" }, seen)
    local failed, _, err = command.run { "work", path, "--order", "size" }
    assert.equal(2, failed)
    assert.matches('%-%-order needs priority, timers or due, got "size"', err)
    assert.equal(2, (command.run { "work", dir.path .. "/none" }))
  end)

  it("exits with 1 when its store has failed for good", function()
    local dir <close> = command.folder()
    local path, lua = write(dir, [[return function(engine)
      engine:register("work", function() end)
      engine.store_state = function() return "failed" end -- as after a disk that lost what was written to it
    end]])
    local code, _, err = command.run { "work", path, "--lua", lua }
    assert.equal(1, code)
    assert.matches("the store failed and has to be opened again; the log tells why\n$", err)
  end)

  it("is told of by metrics and top, from another process", function()
    local dir <close> = command.folder()
    local path, lua = write(dir, [[return function(engine) engine:register("work", function() error("no luck", 0) end) end]])
    local w <close> = worker(dir, path, "--lua", lua, "--threads", "1", "--metrics", dir.path .. "/metrics", "--report", "0.1")
    w.sees "no retries are left"
    w.sees('orrery_job_failed_total{engine="default"} 3\n', "metrics")
    local _, events = command.events { "metrics", path, "--json" }
    assert.same({ 1, 1, 1 }, { #events[1].executors, events[1].incidents, events[1].jobs.exhausted })
    assert.equal(tonumber(w.pid), events[1].executors[1].pid)
    local _, out = command.run { "top", path }
    assert.matches("process " .. w.pid .. " on %S+: at 0 jobs", out)
    assert.matches("1  p:1 work  no luck  %(last", out)
    local _, text = command.run { "metrics", path, "--prometheus" }
    assert.matches('orrery_jobs_exhausted{engine="default"} 1\n', text)
    assert.is_nil(text:find "_total") -- of the command's own process
    local _, listed = command.run { "nodes", path }
    assert.matches("^PROCESS +STATE +HELD +RUNNING +ROOM", listed)
    assert.matches("\n%S+/" .. w.pid .. " +at work +0 +0 +%d+ +1 ", listed)
    local _, nodes = command.events { "nodes", path, "--json" }
    assert.same({ 1, tonumber(w.pid), "at work" }, { #nodes, nodes[1].pid, nodes[1].state })
    w.signal "TERM"
    assert.equal(0, w.ends())
    assert.matches("no executor runs on this store", (select(2, command.run { "top", path })))
  end)
end)
