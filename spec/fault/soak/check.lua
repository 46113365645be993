-- Checks a soak's store by its bytes. It shares no code with the engine: it reads LMDB's pages and Orrery's records as their formats are
-- written down (lmdb.h's page layout; runtime/record/codec.h), so that a fault of the engine's own reading cannot hide itself.
--   lua5.4 check.lua <data.mdb> <file of acknowledged instances> <what n must be>
local path, acknowledged_path, steps = ...
steps = math.tointeger(steps)

local PAGE <const> = 4096
local BRANCH <const>, LEAF <const>, OVERFLOW <const> = 1, 2, 4
local BIG_DATA <const>, SUB_DATA <const> = 1, 2
local TYPE_INT <const> = 3

local failures = 0
local function fail(format, ...)
  failures = failures + 1
  if failures <= 20 then print("check: " .. format:format(...)) end
end

-- Pages ---------------------------------------------------------------------------------------------------------------------------------

local file = assert(io.open(path, "rb"))
local seen = {} -- pages of the tree

local function read(number, pages)
  for i = number, number + pages - 1 do
    if seen[i] then error(("page %d is used twice"):format(i)) end
    seen[i] = true
  end
  file:seek("set", number * PAGE)
  return (assert(file:read(pages * PAGE), "a page lies behind the file's end"))
end

local function flags_of(page) return string.unpack("<I2", page, 11) end

local function newest_meta()
  file:seek("set", 0)
  local best, transaction = nil, -1
  for _ = 0, 1 do
    local page = file:read(PAGE)
    local number = string.unpack("<I8", page, 145)
    if number > transaction then best, transaction = page, number end
  end
  return best
end

local function database(bytes, at)
  local _, _, depth, _, _, _, entries, root = string.unpack("<I4I2I2I8I8I8I8I8", bytes, at)
  return { depth = depth, entries = entries, root = root }
end

--- The value of a leaf's node, from pages of its own when it is long.
local function value_of(page, at, size, flags)
  if flags & BIG_DATA == 0 then return page:sub(at, at + size - 1) end
  local number = string.unpack("<I8", page, at)
  local pages = (16 + size + PAGE - 1) // PAGE
  local long = read(number, pages)
  if flags_of(long) & OVERFLOW == 0 then error(("page %d is no overflow page"):format(number)) end
  return long:sub(17, 16 + size)
end

--- Calls visit(key, value, flags) for each entry, in order.
local function walk(number, visit)
  local page = read(number, 1)
  if string.unpack("<I8", page, 1) ~= number then error(("page %d says that it is another"):format(number)) end
  local kind, lower = flags_of(page), string.unpack("<I2", page, 13)
  for i = 1, (lower - 16) // 2 do
    local at = string.unpack("<I2", page, 17 + 2 * (i - 1)) + 1
    local low, high, flags, key_size = string.unpack("<I2I2I2I2", page, at)
    local size = low | high << 16
    if kind & BRANCH ~= 0 then
      walk(size | flags << 32, visit)
    elseif kind & LEAF ~= 0 then
      visit(page:sub(at + 8, at + 7 + key_size), value_of(page, at + 8 + key_size, size, flags), flags)
    else
      error(("page %d is neither branch nor leaf"):format(number))
    end
  end
end

-- Records -------------------------------------------------------------------------------------------------------------------------------

local crc_table = {}
for i = 0, 255 do
  local crc = i
  for _ = 1, 8 do crc = crc & 1 == 1 and crc >> 1 ~ 0x82F63B78 or crc >> 1 end
  crc_table[i] = crc
end

local function crc32c(bytes, from)
  local crc = 0xFFFFFFFF
  for i = from, #bytes do crc = crc_table[(crc ~ bytes:byte(i)) & 0xFF] ~ crc >> 8 end
  return crc ~ 0xFFFFFFFF
end

local function varint(bytes, at)
  local n, shift = 0, 0
  while true do
    local byte = bytes:byte(at)
    at = at + 1
    n = n | (byte & 0x7F) << shift
    if byte < 0x80 then return n, at end
    shift = shift + 7
  end
end

--- The fields of a history_instance up to its state: definition_id, definition_key, business_key, tenant, root_id, parent_id, state.
local instance_fields = { "id", "text", "text", "text", "id", "id", "text" }
local function state_of(value)
  local set, at = string.unpack("<I2", value, 10)
  local field
  for i, kind in ipairs(instance_fields) do
    field = nil
    if set >> (i - 1) & 1 == 1 then
      field, at = varint(value, at)
      if kind == "text" then field, at = value:sub(at, at + field - 1), at + field + 1 end
    end
  end
  return field
end

--- The integer that a history_variable holds.
local function integer_of(value)
  if value:byte(11) ~= TYPE_INT then return nil end
  local n = varint(value, 12)
  return n >> 1 ~ -(n & 1)
end

local states, counts, left, last, entries = {}, {}, {}, nil, 0
local running = { I = "instance", E = "execution", W = "job" }

local function visit(key, value)
  entries = entries + 1
  if last and not (last < key) then fail("entry %d is out of order", entries) end
  last = key
  local tag = key:sub(1, 1)
  if tag == "i" or tag == "r" then return end
  local crc, revision = string.unpack("<I4I4", value)
  if revision == 0 then fail("a record of kind %s has no revision", tag) end
  if (#value < 1000 or entries % 16 == 0) and crc32c(value, 5) ~= crc then fail("a record of kind %s is damaged", tag) end
  if running[tag] then left[tag] = (left[tag] or 0) + 1 end
  if tag == "a" then states[string.unpack(">I8", key, 2)] = state_of(value) or "" end
  if tag == "d" and key:find("n\0\1", 18, true) == 18 then counts[string.unpack(">I8", key, 2)] = integer_of(value) or -1 end
end

-- All -----------------------------------------------------------------------------------------------------------------------------------

local meta = newest_meta()
local records
walk(database(meta, 89).root, function(key, value, flags)
  if key == "records" and flags & SUB_DATA ~= 0 then records = database(value, 1) end
end)
walk(assert(records, "there is no database of records").root, visit)
if entries ~= records.entries then fail("%d entries, and the store counts %d", entries, records.entries) end
for tag, n in pairs(left) do fail("%d of kind %s are left over", n, running[tag]) end

local instances, acknowledged = 0, 0
for id, state in pairs(states) do
  instances = instances + 1
  if state ~= "completed" then fail("instance %d is %s", id, state) end
  if counts[id] ~= steps then fail("instance %d has run %s steps instead of %d", id, tostring(counts[id]), steps) end
end
for line in io.lines(acknowledged_path) do
  acknowledged = acknowledged + 1
  if not states[math.tointeger(line)] then fail("instance %s was acknowledged and is not there", line) end
end
print(("check: %d entries, %d instances (%d acknowledged), each of %d steps once; %d failures")
  :format(entries, instances, acknowledged, steps, failures))
os.exit(failures == 0 and instances >= acknowledged and acknowledged > 0)
