--- Runs the benchmarks: lua5.4 spec/bench/run.lua [--build DIRECTORY] [--json FILE] [--repeat N] [NAME[=ARGUMENT] ...]
---
--- Every repetition is a process of its own. Values are medians; they go to the standard output as a table and to FILE, build/bench.json.
--- `scale` runs when it is named: it takes minutes.
local names = { "jobs", "steps", "sync", "latency", "backlog", "fan", "loop", "blocking", "footprint", "costs", "cluster",
  "waits", "calls", "timers", "aging", "decisions", "server", "postgresql", "pg_nodes", "pg_latency" }

local function options()
  local o = { build = "build/release", json = "build/bench.json", times = 5, names = {} }
  local i = 1
  while arg[i] do
    if arg[i] == "--build" then o.build, i = arg[i + 1], i + 1
    elseif arg[i] == "--json" then o.json, i = arg[i + 1], i + 1
    elseif arg[i] == "--repeat" then o.times, i = math.tointeger(arg[i + 1]), i + 1
    elseif arg[i] == "--once" then o.once, i = arg[i + 1], i + 1
    else o.names[#o.names + 1] = arg[i] end
    i = i + 1
  end
  if #o.names == 0 then o.names = names end
  return o
end

-- One repetition --------------------------------------------------------------------------------------------------------------------

local here = arg[0]:match "^(.*)/" or "."

local function once(o)
  package.cpath = ("%s/?.so;%s"):format(o.build, package.cpath)
  package.path = ("%s/../../lua/?.lua;%s/../../lua/?/init.lua;%s/?.lua;%s"):format(here, here, here, package.path)
  local support = require "support"
  support.build = o.build
  local name, argument = o.once:match "^([^=]*)=?(.*)$"
  for _, row in ipairs(dofile(("%s/%s.lua"):format(here, name))(argument ~= "" and argument or nil)) do
    local optional = { row.ratio or "", row.bar or "", row.ratio_bar or "", row.most and "most" or "" }
    print(("%s\t%.17g\t%s\t%s"):format(row.name, row.value, row.unit, table.concat(optional, "\t")))
  end
end

-- All repetitions -------------------------------------------------------------------------------------------------------------------

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

--- Adds a repetition's rows to `rows`, by name.
local function collect(o, name, rows)
  local command = ("%s %s --build %s --once %s"):format(quote(arg[-1]), quote(arg[0]), quote(o.build), quote(name))
  local pipe = assert(io.popen(command))
  for line in pipe:lines() do
    local field = {}
    for word in (line .. "\t"):gmatch "([^\t]*)\t" do field[#field + 1] = word end
    local row = rows[field[1]]
    if not row then
      row = { name = field[1], unit = field[3], bar = tonumber(field[5]), ratio_bar = tonumber(field[6]), most = field[7] == "most" }
      row.values, row.ratios = {}, {}
      rows[#rows + 1], rows[field[1]] = row, row
    end
    row.values[#row.values + 1] = tonumber(field[2])
    row.ratios[#row.ratios + 1] = tonumber(field[4])
  end
  assert(pipe:close(), name .. " failed")
end

local function median(values)
  if #values == 0 then return nil end
  table.sort(values)
  local middle = #values // 2
  return #values % 2 == 1 and values[middle + 1] or (values[middle] + values[middle + 1]) / 2
end

local function meets(row)
  local function holds(value, bar)
    if not bar then return true end
    if row.most then return value <= bar end
    return value >= bar
  end
  return holds(row.value, row.bar) and holds(row.ratio, row.ratio_bar)
end

local function number(n)
  if n == nil then return "" end
  if math.abs(n) >= 1000 then return ("%.0f"):format(n) end
  return ("%.3g"):format(n)
end

local function bar_text(row)
  local sign = row.most and "<=" or ">="
  local bars = {}
  if row.bar then bars[#bars + 1] = ("%s %s"):format(sign, number(row.bar)) end
  if row.ratio_bar then bars[#bars + 1] = ("ratio %s %s"):format(sign, number(row.ratio_bar)) end
  if #bars == 0 then return "" end
  return table.concat(bars, ", ") .. (meets(row) and "  met" or "  MISSED")
end

local function print_row(row)
  print(("%-28s %12s %-22s %7s  %s"):format(row.name, number(row.value), row.unit, number(row.ratio), bar_text(row)))
end

local function write_json(path, rows)
  local function optional(n) return n and ("%.6g"):format(n) or "null" end
  local line = '  {"name": "%s", "value": %.6g, "unit": "%s", "ratio": %s, "bar": %s, "ratio_bar": %s, "most": %s}'
  local lines = {}
  for i, row in ipairs(rows) do
    lines[i] = line:format(row.name, row.value, row.unit, optional(row.ratio), optional(row.bar), optional(row.ratio_bar),
      tostring(row.most))
  end
  local file = assert(io.open(path, "w"))
  file:write("[\n", table.concat(lines, ",\n"), "\n]\n")
  file:close()
end

local function all(o)
  local rows, printed = {}, 0
  print(("%-28s %12s %-22s %7s  %s"):format("benchmark", "value", "unit", "ratio", "bar"))
  for _, name in ipairs(o.names) do
    for _ = 1, o.times do collect(o, name, rows) end
    for i = printed + 1, #rows do
      local row = rows[i]
      row.value, row.ratio = median(row.values), median(row.ratios)
      print_row(row)
    end
    printed = #rows
  end
  write_json(o.json, rows)
end

local o = options()
if o.once then once(o) else all(o) end
