--- Writes what `make bench` has measured into the manual: lua5.4 spec/bench/table.lua [JSON [MANUAL]].
---
--- The table stands in the manual between two comments; what is said around it stays as it is.
local number = dofile "spec/bench/number.lua"

local json, manual = arg[1] or "build/bench.json", arg[2] or "docs/performance.md"
local BEGIN, END = "<!-- make numbers: begin -->", "<!-- make numbers: end -->"

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

--- Rows of the one form that run.lua writes: an object a line.
local function rows_of(text)
  local rows = {}
  for line in text:gmatch "[^\n]+" do
    local row = { name = line:match '"name": "([^"]*)"', unit = line:match '"unit": "([^"]*)"' }
    for _, field in ipairs { "value", "ratio", "bar", "ratio_bar" } do
      row[field] = tonumber(line:match('"' .. field .. '": ([-%d.e+]+)'))
    end
    row.most = line:find('"most": true', 1, true) ~= nil
    if row.name then rows[#rows + 1] = row end
  end
  return rows
end

local function holds(value, bar, most)
  return not (value and bar) or most and value <= bar or not most and value >= bar
end

local function bars(row)
  local word, said = row.most and "at most" or "at least", {}
  if row.bar then said[1] = ("%s %s"):format(word, number.text(row.bar)) end
  if row.ratio_bar then said[#said + 1] = ("ratio %s %s"):format(word, number.text(row.ratio_bar)) end
  local met = holds(row.value, row.bar, row.most) and holds(row.ratio, row.ratio_bar, row.most)
  return table.concat(said, ", ") .. (met and "" or ": **missed**")
end

local function table_of(rows)
  local lines = { "| benchmark | value | | ratio | bar |", "|---|---|---|---|---|" }
  for _, row in ipairs(rows) do
    local ratio = row.ratio and ("%.2f"):format(row.ratio) or ""
    lines[#lines + 1] = ("| `%s` | %s | %s | %s | %s |"):format(row.name, number.text(row.value), row.unit, ratio, bars(row))
  end
  return table.concat(lines, "\n")
end

local text = read(manual)
local before, from = text:find(BEGIN, 1, true)
local to = text:find(END, from or 1, true)
assert(before and to, manual .. " has no place for the table: " .. BEGIN .. " … " .. END)
local file <close> = assert(io.open(manual, "w"))
file:write(text:sub(1, from), "\n", table_of(rows_of(read(json))), "\n", text:sub(to))
