-- What each thread is at, as operators ask for it: `orrery nodes --stacks`, `orrery jobs --stuck --longer`, and SIGQUIT to
-- `orrery work` and `orrery serve`, which go on.
-- Marks: commands, threads
local command = require "spec.cli.command"
local gates = require "spec.executor.gate"
local orrery = require "orrery"
local serving = require "spec.server.support"

local model = command.one_node '<serviceTask id="pay" camunda:asyncBefore="true" camunda:class="work"/>'
local register = [[return function(engine)
  local gate <close> = require("spec.executor.gate").make()
  gate:register(engine)
end]]

local gate, dir
before_each(function()
  gate, dir = gates.make(), command.folder()
end)
after_each(function()
  gate:open()
  getmetatable(gate).__close(gate)
  getmetatable(dir).__close(dir)
end)

--- A store with an instance whose job waits at the gate.
local function store(how)
  local path = dir.path .. "/store"
  local engine <close> = orrery.open(path, { log = "none" })
  engine:deploy { ["p.bpmn"] = model }
  engine:start("p", { variables = gate:variables(how) })
  return path, dir.file("work.lua", register)
end

local function read(name)
  local file <close> = io.open(dir.path .. "/" .. name, "rb")
  return file and file:read "a" or ""
end

--- `orrery work` in the background, until it is told to end.
local function worker(path, lua, ...)
  local words = { command.path, "work", path, "--lua", lua, "--threads", "2", ... }
  for i, word in ipairs(words) do words[i] = ("'%s'"):format(word) end
  assert(os.execute(("%s >'%s/out' 2>'%s/err' & echo $! >'%s/pid'"):format(table.concat(words, " "), dir.path, dir.path, dir.path)))
  local pid = read "pid":match "%d+"
  local self = {}
  function self.signal(name) assert(os.execute(("kill -%s %s"):format(name, pid))) end
  return setmetatable(self, { __close = function()
    gate:open()
    os.execute(("kill -CONT %s; kill -TERM %s"):format(pid, pid))
    gates.until_true(function() return not os.execute(("kill -0 %s 2>/dev/null"):format(pid)) end)
  end })
end

local row = "running +%d+ +p pay +work +%S+ +%S*gate.lua:%d+, in C since %S+"

describe("a copy of a store that is in use", function()
  it("has none of the executors that work on the store", function()
    local path, lua = store "blocks"
    local copies = { dir.path .. "/copy", dir.path .. "/compact", dir.path .. "/plain" }
    local w <close> = worker(path, lua)
    gate:fills(1)
    assert.equal(0, (command.run { "copy", path, copies[1] }))
    assert.equal(0, (command.run { "copy", path, copies[2], "--compact" }))
    assert(os.execute(("cp -r '%s' '%s'"):format(path, copies[3])))
    for _, copy in ipairs(copies) do
      local code, out, err = command.run { "top", copy }
      assert.same({ 0, "" }, { code, err })
      assert.matches("1 locked.*no executor runs on this store", out)
      local _, nodes = command.events { "nodes", copy, "--json" }
      assert.same({ 1, "gone", false }, { #nodes, nodes[1].state, nodes[1].alive })
    end
    local _, out = command.run { "top", path }
    assert.matches("executors\n  process %d+ on %S+: at 1 job", out)
  end)
end)

describe("orrery nodes --stacks", function()
  it("shows what each thread of another process is at", function()
    local path, lua = store "blocks"
    local w <close> = worker(path, lua)
    gate:fills(1)
    local code, out, err = command.run { "nodes", "--stacks", path }
    assert.same({ 0, "" }, { code, err })
    assert.matches("PROCESS +THREAD +STATE +JOB +ELEMENT +DELEGATE +SINCE +LINE\n", out)
    assert.matches(row, out)
    assert.matches("%d +idle\n", out)
    local _, events = command.events { "nodes", "--stacks", "--json", path }
    assert.same({ 1, true, 2 }, { #events, events[1].answered, #events[1].threads })
  end)

  it("says who does not answer, and at which job it was", function()
    local path, lua = store "blocks"
    local w <close> = worker(path, lua)
    gate:fills(1)
    w.signal "STOP"
    local code, out, err = command.run { "nodes", "--stacks", path }
    assert.same({ 0, "" }, { code, out })
    assert.matches("does not answer; it was at job %d+\n", err)
  end)

  it("says when no executor runs", function()
    local path = store "blocks"
    local _, out = command.run { "nodes", "--stacks", path }
    assert.equal("no executor runs on this store\n", out)
  end)
end)

describe("orrery jobs --stuck --longer", function()
  it("lists the jobs that have been on a thread for longer", function()
    local path, lua = store "blocks"
    local w <close> = worker(path, lua)
    gate:fills(1)
    local code, out = command.run { "jobs", path, "--stuck", "--longer", "PT1H" }
    assert.same({ 0, "no job has been on a thread for longer than 1h\n" }, { code, out })
    gates.until_true(function()
      local _, text = command.run { "jobs", path, "--stuck", "--longer", "0" }
      out = text
      return out:find("1 job on a thread for longer than 0s\n", 1, true)
    end)
    assert.matches("^%d+  p pay  %d", out)
    assert.matches("    on thread %d of %S+/%d+ since %S+: work at %S*gate.lua:%d+, in C since", out)
  end)

  it("needs not be said of those that are over their time limit", function()
    local path, lua = store "blocks"
    local w <close> = worker(path, lua, "--delegate-timeout", "0.01")
    gate:fills(1)
    local out
    gates.until_true(function()
      _, out = command.run { "jobs", path, "--stuck" }
      return out:find("\n1 job on a thread beyond their time limits\n", 1, true)
    end)
    assert.matches("\n%d+  p pay  over its time limit by %d", "\n" .. out)
    assert.matches("\n    on thread %d of %S+/%d+ since %S+: work at %S*gate.lua:%d+, in C", out)
  end)

  it("leaves out those that await", function()
    local path, lua = store "awaits"
    local w <close> = worker(path, lua)
    gate:fills(1)
    gates.until_true(function() -- it is on its thread while it looks at the gate
      local _, out = command.run { "jobs", path, "--stuck", "--longer", "0" }
      return out == "no job has been on a thread for longer than 0s\n"
    end)
  end)
end)

describe("SIGQUIT", function()
  it("has orrery work tell what its threads are at, and go on", function()
    local path, lua = store "blocks"
    local w <close> = worker(path, lua)
    gate:fills(1)
    for n = 1, 2 do
      w.signal "QUIT"
      gates.until_true(function() return select(2, read "err":gsub(row, "")) == n end)
    end
    assert.matches("orrery work: what its threads are at:\n +PROCESS ", read "err")
    gate:open()
    gates.until_true(function()
      local engine <close> = orrery.open(path, { log = "none" })
      return engine:count "jobs" == 0
    end)
  end)

  it("has orrery work tell it also while what runs comes to its end", function()
    local path, lua = store "blocks"
    local w <close> = worker(path, lua)
    gate:fills(1)
    w.signal "TERM"
    gates.until_true(function() return read "err":find("what runs comes to its end", 1, true) end)
    for n = 1, 2 do
      w.signal "QUIT"
      gates.until_true(function() return select(2, read "err":gsub(row, "")) == n end)
    end
    gate:open()
    gates.until_true(function() return read "err":find("ended in good order", 1, true) end)
    local engine <close> = orrery.open(path, { log = "none" })
    assert.equal(0, engine:count "jobs")
  end)

  it("has orrery serve tell it also while what runs comes to its end", function()
    local path, lua = store "blocks"
    local server <close> = serving.serve { store = path, arguments = "--lua " .. lua }
    gate:fills(1)
    server:signal "TERM"
    gates.until_true(function() return server:ask("GET", "/health/live") == 0 end)
    for n = 1, 2 do
      server:signal "QUIT"
      gates.until_true(function() return select(2, server:log():gsub(row, "")) == n end)
    end
    gate:open()
    assert.equal("0", server:await "exit":match "%d+")
  end)

  it("has orrery serve tell it, and REST tells it as well", function()
    local path, lua = store "blocks"
    local server <close> = serving.serve { store = path, arguments = "--lua " .. lua }
    gate:fills(1)
    server:signal "QUIT"
    gates.until_true(function() return server:log():find(row) end)
    local status, nodes = server:ask("GET", "/orrery/threads")
    gate:open()
    assert.equal(200, status)
    local found
    for _, thread in ipairs(nodes[1].threads) do found = thread.activity_id and thread or found end
    assert.same({ true, "pay", "work", "running" }, { nodes[1].answered, found.activity_id, found.delegate, found.state })
    assert.matches("gate.lua:%d+$", found.line)
  end)
end)
