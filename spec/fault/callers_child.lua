-- The victim of callers_spec.lua: the process ends at the given point of a commit of eight callers.
-- It says on standard output what the engine has acknowledged.
local store, point = ...
local inside = require("orrery_inside").callers

local engine = inside.open(store)
io.stdout:setvbuf "no"

assert(engine:answer(engine:begin("start", "before")) == "ok") -- takes ids for many from the store
engine:stop "taken"
local first = engine:begin("start", "first")
engine:stopped()
local numbers = {}
for i = 1, 8 do numbers[i] = engine:begin("start", "k" .. i) end
engine:queued(8)
engine:stop "waiting"
assert(engine:answer(first) == "ok")
io.write "first\n"
engine:stopped() -- the eight's
if point ~= "told" then engine:die(point) end
engine:release()
for i, number in ipairs(numbers) do
  assert(engine:answer(number) == "ok")
  io.write("k", i, "\n")
end
engine:die "taken"
engine:answer(engine:begin("start", "last"))
