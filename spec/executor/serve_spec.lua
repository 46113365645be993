-- Ending in good order: what runs comes to its end, and no job is blamed for a restart.
-- Marks: threads
package.path = "spec/job/?.lua;spec/support/?.lua;" .. package.path
local orrery = require "orrery"
local folder = require "folder"
local model = require "model"
local module = assert(package.searchpath("orrery", package.cpath))
local command = module:match "^(.*)/" .. "/orrery"
local lua = os.getenv "ORRERY_LUA" or "lua5.4"
local it = folder.only(it, pending, "the command, too, has to find a store on disk there")

local store, begun, release, pid_file
before_each(function()
  store = folder.make()
  orrery.open(store, { log = "none" }):close() -- before other files lie there
  begun, release, pid_file = store .. "/begun", store .. "/release", store .. "/pid"
end)
after_each(function() folder.remove(store) end)

local function open() return orrery.open(store, { log = "none", package_path = "spec/job/?.lua;" .. package.path }) end

local function start(delegate, variables)
  local engine <close> = open()
  engine:deploy(model.task(('camunda:asyncBefore="true" camunda:class="delegates.%s"'):format(delegate)))
  engine:start("p", { variables = variables or { begun = begun, release = release } })
end

local function wait_for(path)
  local file
  repeat file = io.open(path) until file
  local text = file:read "a"
  file:close()
  return text
end

--- Its output, and its number once its delegate has begun.
local function process(interpreter, arguments)
  os.remove(begun)
  local out = assert(io.popen(("echo $$ > '%s'; exec %s spec/executor/serving.lua '%s' %s 2>/dev/null")
    :format(pid_file, interpreter, store, arguments)))
  wait_for(begun)
  return out, wait_for(pid_file):match "%d+"
end

local function touch(path) assert(io.open(path, "w")):close() end
local function kill(signal, pid) return os.execute(("kill -%s %s 2>/dev/null"):format(signal, pid)) end

--- Its parent, this process, has not asked for its end yet.
local function ended(pid) return wait_for("/proc/" .. pid .. "/stat"):match "^%d+ %b() (%a)" == "Z" end

local function assert_done()
  local engine <close> = open()
  assert.equal(0, engine:count("instances", {}))
  assert.equal(0, engine:count("incidents", {}))
  assert.same({}, engine:verify())
end

describe("engine:serve { signals = true }", function()
  for _, signal in ipairs { "TERM", "INT" } do
    it("lets what runs come to its end when SIG" .. signal .. " comes, and says so", function()
      start "patient"
      local out, pid = process(lua, "serve")
      kill(signal, pid)
      touch(release)
      assert.equal("SIG" .. signal, out:read "l")
      assert.is_true(out:close())
      assert_done()
    end)
  end

  it("keeps the lock of what runs until that has come to its end", function()
    start "patient"
    local out, pid = process(lua, "serve")
    local engine <close> = open()
    local function expires() return engine:jobs({})[1].lock_expires end
    kill("TERM", pid)
    local told = expires()
    repeat until expires() > told + 1 -- the lock's time: it stops long before that
    touch(release)
    assert.equal("SIGTERM", out:read "l")
    out:close()
    assert.equal(0, engine:count("instances", {}))
  end)

  it("ends at once at a second signal", function()
    start "patient"
    local out, pid = process(lua, "serve")
    repeat kill("TERM", pid) until ended(pid)
    assert.is_nil(out:read "l")
    out:close()
    touch(release)
    local engine <close> = open()
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(120))
    assert.equal(0, engine:count("instances", {}))
  end)

  it("ends when its executor is stopped, and after its time", function()
    local engine <close> = open()
    assert.equal("timeout", engine:serve { timeout = 0.01 })
    assert.is_false(engine:executor_active())
    engine:start_executor { threads = 1 }
    assert.equal("timeout", engine:serve { timeout = 0.01 })
    assert.has_error(function() engine:serve { signal = true } end)
  end)

  it("is refused to what the engine runs", function()
    local engine <close> = open()
    engine:register("d", function(execution) execution.engine:serve() end)
    engine:deploy(model.async())
    engine:start "p"
    engine:run_jobs()
    assert.matches("cannot be served by what it runs", engine:jobs({})[1].error)
  end)
end)

describe("the command", function()
  for _, doing in ipairs { "sleep", "nap" } do
    it("lets what runs come to its end when a signal interrupts its script, which does " .. doing, function()
      start "patient"
      local out, pid = process(("'%s' lua"):format(command), doing)
      kill("TERM", pid)
      touch(release)
      local _, how, code = out:close()
      assert.same({ "exit", 128 + 15 }, { how, code })
      assert_done()
    end)
  end
end)

describe("a process that is lost", function()
  local function run_once(arguments)
    local out = assert(io.popen(("exec timeout 120 %s spec/executor/%s 2>/dev/null"):format(lua, arguments)))
    local said = out:read "l"
    out:close()
    return said
  end

  it("while it stops blames none of its jobs", function()
    start "lingering"
    for _ = 1, 4 do -- each looks after the one before
      os.remove(begun)
      assert.is_nil(run_once(("serving.lua '%s' stop-when '%s'"):format(store, begun)))
      assert.is_truthy(io.open(begun), "the job was not begun again")
    end
    local engine <close> = open()
    assert.equal(0, engine:count("incidents", {}))
  end)

  it("blames a job no more that has run to an end since", function()
    local script = store .. "/script"
    local file = assert(io.open(script, "w"))
    file:write "dies dies fails dies dies succeeds"
    file:close()
    start("scripted", { script = script })
    for _ = 1, 4 do assert.is_nil(run_once(("process.lua '%s' 1"):format(store))) end
    assert.equal("idle", run_once(("process.lua '%s' 1"):format(store)))
    assert_done()
  end)
end)
