-- What lies on disk: each record's tag and fields in their order, with the layout that a field came
-- with, and the number
-- of each index. A later version may append fields and add records and indexes.
local records = dofile "runtime/record/records.lua"

local function fields_of(key)
  local out = {}
  for i, field in ipairs(key or {}) do out[i] = field[1] .. " " .. field[2] end
  return table.concat(out, ", ")
end

local function add_record(lines, record)
  lines[#lines + 1] = ("record %s: tag %s, key (%s)"):format(record.name, record.tag,
    fields_of(record.key))
  for i, field in ipairs(record.fields) do
    lines[#lines + 1] = ("record %s, field %d: %s %s%s"):format(record.name, i, field[1], field[2],
      field.since and ", since layout " .. field.since or "")
  end
end

--- Indexes are numbered through the whole file, those with a number of their own beside them
--- (generate.lua).
local function add_indexes(lines)
  local number = 0
  for _, record in ipairs(records) do
    for _, index in ipairs(record.indexes or {}) do
      if not index.number then number = number + 1 end
      lines[#lines + 1] = ("index %d: %s (%s)"):format(index.number or number, index[1],
        table.concat(index[2], ", "))
    end
  end
end

return function()
  local lines = { "format " .. records.format }
  for _, record in ipairs(records) do add_record(lines, record) end
  add_indexes(lines)
  return lines
end
