-- Another process that has a store open, and does there what a spec tells it to.
local folder = require "spec.support.folder"

local LUA <const> = os.getenv "ORRERY_LUA" or "lua5.4"

local Child = {}
Child.__index = Child

--- Runs Lua there, where `store` is its store; `answer` gives what that returned.
function Child:send(code) assert(self.input:write(code, "\n")) end

--- What the last code returned, as text: "" for nothing, nil when the process has ended.
function Child:answer() return self.output:read "l" end

function Child:tell(code)
  self:send(code)
  return self:answer()
end

function Child:signal(name) os.execute(("kill -%s %d"):format(name, self.pid)) end

function Child:kill()
  self:signal "KILL"
  assert(not self:answer()) -- its files are closed
end

--- Is it stopped by a signal?
function Child:is_stopped()
  local file <close> = assert(io.open(("/proc/%d/stat"):format(self.pid)))
  return file:read("a"):find("%) [Tt] ") ~= nil
end

--- One that is stopped would never end. It must not be told to go on while it ends: LeakSanitizer
--- stops it then, and would wait for good for a stop that the signal has undone.
function Child:__close()
  if self:is_stopped() then self:signal "CONT" end
  self.input:close()
  self.output:close()
end

--- `room`: a folder for its files.
return function(room, path)
  local name = os.tmpname():gsub("^.*/", "")
  local script, pipe = ("%s/%s.lua"):format(room, name), ("%s/%s.in"):format(room, name)
  folder.write(script, ([[
    store = assert(require("orrery_inside").store.open { path = %q })
    for line in io.lines() do
      local answers = table.pack(assert(load(line))())
      for i = 1, answers.n do answers[i] = tostring(answers[i]) end
      print(table.concat(answers, " "))
      io.flush()
    end]]):format(path))
  assert(os.execute(("mkfifo '%s'"):format(pipe)))
  local output = assert(io.popen(("echo $$; exec %s '%s' <'%s'"):format(LUA, script, pipe)))
  local input = assert(io.open(pipe, "w"))
  input:setvbuf "no"
  local pid = math.tointeger(tonumber(output:read "l"))
  return setmetatable({ input = input, output = output, pid = pid }, Child)
end
