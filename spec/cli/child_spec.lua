-- The process that copies, checks or upgrades a store ends with the one that waits for it.
local folder = require "spec.support.folder"

local build = assert(os.getenv "ORRERY_BUILD", "run the specs with spec/run")

local function read(path)
  local file = io.open(path)
  local text = file and file:read "a"
  if file then file:close() end
  return text
end

local function wait(ask, what)
  local begun = os.time()
  repeat
    local answer = ask()
    if answer then return answer end
    os.execute "sleep 0.01"
  until os.time() - begun > 60
  error("waited in vain for " .. what)
end

-- Works without an end in a child; with `catch` as copy does, which cleans up behind it.
local PARENT <const> = [[
local core = require "orrery.core"
local release = arg[2] == "catch" and core.signals_catch() or function() end
local code, signal = core.in_child(function()
  release()
  local file = io.open(arg[1] .. "/child.new", "w")
  file:write((io.open "/proc/self/stat":read "a":match "^%d+"))
  file:close()
  os.rename(arg[1] .. "/child.new", arg[1] .. "/child")
  while true do end
end)
local file = io.open(arg[1] .. "/said", "w")
file:write(tostring(code), " ", tostring(signal))
file:close()
]]

-- Begins it, and sends a signal to the parent; what the parent said of the child, nil: nothing.
local function signaled(name, catch)
  local here = folder.make()
  local file = assert(io.open(here .. "/parent.lua", "w"))
  file:write(PARENT)
  file:close()
  -- Who runs the specs may ignore signals, and a child would inherit that.
  -- Its child does not outlive a spec that fails for long.
  assert(os.execute(("(ulimit -t 60; env --default-signal=HUP,INT,TERM %s/orrery lua %s/parent.lua %s %s & \z
    echo $! >%s/parent; wait $!; touch %s/over) >/dev/null 2>&1 &")
    :format(build, here, here, catch or "", here, here)))
  local child = wait(function() return read(here .. "/child") end, "the child")
  assert(os.execute(("kill -%s $(cat %s/parent)"):format(name, here)))
  wait(function() return read(here .. "/over") end, "the parent's end")
  local alive = ("kill -0 %s 2>/dev/null"):format(child)
  wait(function() return not os.execute(alive) end, "the child's end")
  local said = read(here .. "/said")
  folder.remove(here)
  return said
end

describe("a signal to a command whose work is done by a child", function()
  for _, name in ipairs { "TERM", "HUP", "KILL" } do
    it("reaches the child: " .. name, function() assert.is_nil(signaled(name)) end)
  end

  it("reaches the child where the command catches it, which then goes on", function()
    assert.equal("nil SIGTERM", signaled("TERM", "catch"))
    assert.is_nil(signaled("KILL", "catch"))
  end)
end)
