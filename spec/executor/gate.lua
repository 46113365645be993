--- A gate at which delegates wait, so that a spec counts how many are inside at once. What they
--- wait for is a file; how they wait is what the spec is about: `blocks` in C, `computes` in Lua,
--- `computes in a coroutine` of its own, or `awaits` and leaves its thread to others.
local folder = require "spec.support.folder"
local orrery = require "orrery"

local LOOKS <const> = 60000 -- of a millisecond and more, before a spec gives up

local Gate = {}
Gate.__index = Gate
Gate.__close = function(gate) folder.remove(gate.path) end

--- The class "work". Its instance's variable `gate` is the gate's folder, `how` the way of waiting:
--- `how_a` that of activity a. Without a gate, or a way, it goes through. `opens_at`: when so many
--- are inside, the gate opens. One that blocks comes in by the program that it waits for, so that it
--- is in C once it is inside.
local function work(execution)
  local path = execution:get "gate"
  if not path then return end
  local activity = execution.activity_id
  local how = execution:get("how_" .. activity) or execution:get "how"
  local function note(name)
    local file <close> = assert(io.open(path .. "/" .. name, "a"))
    file:write "."
  end
  local function size(name)
    local file = io.open(path .. "/" .. name)
    local n = file and file:seek "end" or 0
    if file then file:close() end
    return n
  end
  local open = path .. "/open-" .. (execution:get("gate_" .. activity) or "all")
  local function is_open() return os.rename(open, open) end
  local full = execution:get "opens_at"
  local function come_in()
    note "inside"
    note("inside-" .. activity)
    if full and size "inside" - size "left" >= full then note "open-all" end
  end
  local function block()
    local lines = { ("cd '%s' || exit 1; printf . >>inside; printf . >>inside-%s"):format(path, activity),
      "n=0; until [ -e '" .. open .. "' ]; do n=$((n+1)); [ $n -lt 4800 ] || exit 1; sleep 0.05; done" }
    if full then
      table.insert(lines, 2, ("[ $(($(wc -c <inside)-$(cat left 2>/dev/null | wc -c))) -lt %d ] || : >open-all"):format(full))
    end
    assert(os.execute(table.concat(lines, "\n")))
  end
  local till = os.time() + 240
  if how == "blocks" then
    block()
  else
    come_in()
    local function compute()
      while not is_open() do assert(os.time() < till, "nobody opened the gate") end
    end
    if how == "computes" then
      compute()
    elseif how == "computes in a coroutine" then
      coroutine.wrap(function() coroutine.wrap(compute)() end)()
    elseif how == "awaits" then
      while not is_open() do require("orrery").sleep(0.01) end
    end
  end
  note "left"
  note("left-" .. activity)
end

local gate = { ways = { "blocks", "computes", "awaits" } }

function gate.make() return setmetatable({ path = folder.make() }, Gate) end

function gate.until_true(condition)
  for _ = 1, LOOKS do
    if condition() then return end
    orrery.sleep(0.001) -- wait_idle would have the store asked for jobs
  end
  error("it never came true", 2)
end

function Gate:register(engine) engine:register("work", work) end

local function size(path)
  local file = io.open(path)
  local n = file and file:seek "end" or 0
  if file then file:close() end
  return n
end

--- How many have ever come in, or come out; of an activity, or of all.
local function count(self, name, activity)
  return size(self.path .. "/" .. name .. (activity and "-" .. activity or ""))
end
function Gate:entered(activity) return count(self, "inside", activity) end
function Gate:left(activity) return count(self, "left", activity) end
function Gate:inside(activity) return self:entered(activity) - self:left(activity) end

--- Goes on once so many are inside.
function Gate:fills(n, activity)
  gate.until_true(function() return self:inside(activity) >= n end)
  local inside = self:inside(activity)
  if inside ~= n then error(("%d are inside, not %d"):format(inside, n), 2) end
end

--- A gate of an activity's own (variable `gate_<activity>`), or the one of all.
function Gate:open(name) folder.write(("%s/open-%s"):format(self.path, name or "all"), "") end

--- Variables of an instance at this gate.
function Gate:variables(how, more)
  local variables = { gate = self.path, how = how }
  for name, value in pairs(more or {}) do variables[name] = value end
  return variables
end

return gate
