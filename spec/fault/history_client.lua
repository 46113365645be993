-- A client of history_spec.lua: adds one to random pairs of groups and puts down which, until it has done so many; each addition that was
-- acknowledged it prints. Arguments: the store's URL, its own name, how many additions, a seed.
local inside = require("orrery_inside").store
local url, name, rounds, seed = ...
local GROUPS = 8
math.randomseed(tonumber(seed))

local function opened()
  local store, message = inside.open { path = url }
  return store or error(message, 0)
end

local store = opened()
print "open"
io.flush()

--- Every other group is a record as tokens are, which lie together.
local function key_of(group)
  return group % 2 == 0 and "g/" .. group or "E" .. string.pack(">I8", 1 << 23 | group)
end

--- The revision that a group has, 0 when there is none yet; nil: the store did not answer.
local function revision(view, group)
  local value, number, code = view:get(key_of(group))
  if value then return number end
  if code == nil or code == -2 then return 0 end
end

local function pair()
  local a = math.random(GROUPS)
  return a, (a + math.random(GROUPS - 1) - 1) % GROUPS + 1
end

--- true: acknowledged; false: certainly not made; nil: nobody knows.
local function add(n)
  local a, b = pair()
  local view = store:snapshot()
  if not view then return false end
  local ra, rb = revision(view, a), revision(view, b)
  view:close()
  if not (ra and rb) then return false end
  local statuses = store:commit { { { "put", key_of(a), "", expected = ra, revision = ra + 1 },
    { "put", key_of(b), "", expected = rb, revision = rb + 1 },
    { "put", ("h/%s/%d/%d/%d"):format(name, n, a, b), "", expected = 0, revision = 1 } } }
  if statuses then return statuses[1].status == 0 and ("h/%s/%d/%d/%d"):format(name, n, a, b) end
end

for n = 1, tonumber(rounds) do
  local done
  repeat done = add(n) until done ~= false
  print(done or "unknown")
  io.flush()
  if not done then store:close() store = opened() end
end
store:close()
print "end"
