-- coroutine.resume, wrap and close note what runs; to a program they are Lua's own. Each case runs
-- with ours, and in a plain Lua, whose answer is the right one.
local command = require "spec.cli.command"

local cases = {
  ["passes values in and out"] = [[
    local co = coroutine.create(function(...) local n = select("#", ...) say(n, coroutine.yield(...)) return "end", nil end)
    say(coroutine.resume(co, 1, nil, 3)) say(coroutine.resume(co, "x", nil)) say(coroutine.resume(co))]],
  ["gives the error and its object"] = [[
    local object = {}
    say(coroutine.resume(coroutine.create(function() error "no" end)))
    say(select(2, coroutine.resume(coroutine.create(function() error(object) end))) == object)
    say(pcall(coroutine.wrap(function() error "no" end)))
    say(pcall(coroutine.wrap(function() error("no", 0) end)))
    say(select(2, pcall(coroutine.wrap(function() error(object) end))) == object)]],
  ["refuses what is no coroutine, or not suspended"] = [[
    say(pcall(coroutine.resume, 1)) say(pcall(coroutine.wrap, 1)) say(pcall(coroutine.close, 1))
    say(coroutine.resume(coroutine.running())) say(pcall(coroutine.close, coroutine.running()))
    local dead = coroutine.wrap(function() end) dead() say(pcall(dead))
    local co co = coroutine.create(function() say(coroutine.resume(co)) say(pcall(coroutine.close, co)) end)
    coroutine.resume(co)]],
  ["closes, with handlers"] = [[
    local function made(how)
      local co = coroutine.create(function()
        local _ <close> = setmetatable({}, { __close = function(_, e)
          say("closes", e)
          if how == "bad" then error("worse", 0) end
        end })
        if how == "fails" then error("no", 0) end
        coroutine.yield()
      end)
      coroutine.resume(co)
      return co
    end
    for _, how in ipairs { "good", "bad", "fails" } do
      local co = made(how)
      say(how, coroutine.status(co)) say(coroutine.close(co)) say(coroutine.status(co)) say(coroutine.close(co))
    end
    say(coroutine.close(coroutine.create(print)))
    say(pcall(coroutine.wrap(function()
      local _ <close> = setmetatable({}, { __close = function(_, e) error("worse than " .. e, 0) end })
      error("no", 0)
    end)))]],
  ["is iterated, nested and yields across pcall"] = [[
    local function count(n) return coroutine.wrap(function() for i = 1, n do pcall(coroutine.yield, i) end end) end
    for i in count(3) do for j in count(i) do say(i, j, coroutine.isyieldable()) end end]],
  ["refuses endless nesting"] = [[
    local function nest() return coroutine.wrap(nest)() end
    say((select(2, pcall(nest)):match "C stack overflow"))]],
}

local head = [[
local function say(...)
  local out = table.pack(...)
  for i = 1, out.n do out[i] = tostring(out[i]) end
  print(table.concat(out, " ")) end
]]

describe("a coroutine of the program's", function()
  for name, body in pairs(cases) do
    it(name .. " as in plain Lua", function()
      local dir <close> = command.folder()
      local said = {}
      for i, first in ipairs { "", "local _ = require 'orrery' " } do
        local path = dir.file("x.lua", first .. head .. body)
        local process = io.popen((i == 1 and "lua5.4 %s" or command.path .. " lua %s"):format(path) .. " 2>&1")
        said[i] = process:read "a"
        process:close()
      end
      assert.is_true(#said[1] > 0)
      assert.equal(said[1], said[2])
    end)
  end
end)
