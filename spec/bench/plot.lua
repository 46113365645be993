--- Writes what `make scale` has measured into the manual, as a table and as a plot: lua5.4 spec/bench/plot.lua [JSON [MANUAL [SVG]]].
---
--- Both axes of the plot are logarithmic: what costs the same whatever the size is level, and what is read from end to end is steep.
local number = dofile "spec/bench/number.lua"

local json, manual, svg = arg[1] or "build/scale.json", arg[2] or "docs/performance.md", arg[3] or "docs/scale.svg"
local BEGIN, END = "<!-- make scale: begin -->", "<!-- make scale: end -->"

--- What scale.lua measures, as people say it, from the dearest at a small store down.
local measures = {
  { "open", "open" }, { "complete", "a user task found and completed, each a commit" }, { "page", "a page of 50 instances" },
  { "single", "`run_jobs`, job by job" }, { "start", "start, each a commit" },
  { "timers", "a timer that becomes due, with the job behind it" }, { "verify", "`verify`, an instance" },
  { "populate", "start, 1,000 to a commit" }, { "executor", "the executor, a job acquired and done" },
  { "clean", "history cleaned, an instance" }, { "by_key", "an instance by its business key" },
}

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

--- The measures by size, { [size] = { [name] = value } }, and the sizes, the smallest first.
local function measured(text)
  local values, sizes = {}, {}
  for size, name, value in text:gmatch '"scale%.(%d+)%.([%w_.]+)", "value": ([-%d.e+]+)' do
    size = math.tointeger(tonumber(size))
    if not values[size] then
      values[size], sizes[#sizes + 1] = {}, size
    end
    values[size][name] = tonumber(value)
  end
  assert(#sizes > 0, "nothing of scale was measured")
  table.sort(sizes)
  return values, sizes
end

-- The table ---------------------------------------------------------------------------------------------------------------------------

local function table_of(values, sizes)
  local head, rule = "| |", "|---|"
  for _, size in ipairs(sizes) do
    head, rule = ("%s beside %s |"):format(head, number.grouped(tostring(size))), rule .. "---|"
  end
  local lines = { head, rule }
  for _, m in ipairs(measures) do
    local line = ("| %s |"):format(m[2])
    for _, size in ipairs(sizes) do
      local value, pages = values[size][m[1]], values[size][m[1] .. ".pages"]
      line = ("%s %s%s |"):format(line, value and number.text(value) or "", pages and (", %.0f pages"):format(pages) or "")
    end
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n")
end

-- The plot ----------------------------------------------------------------------------------------------------------------------------

local WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 520, 70, 330, 20, 50
local LABEL = 15 -- between two labels, at least
local colors = { "#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d35400", "#16a085", "#7f8c8d", "#2c3e50", "#b7950b", "#a04000", "#4a69bd" }

local function decade(n) return math.log(n, 10) end

--- Places on the plane; from the decade below the least value to the one above the largest.
local function axes(values, sizes)
  local low, high = math.huge, -math.huge
  for _, size in ipairs(sizes) do
    for _, m in ipairs(measures) do
      local value = values[size][m[1]]
      if value then low, high = math.min(low, value), math.max(high, value) end
    end
  end
  low, high = math.floor(decade(low)), math.ceil(decade(high))
  local first, last = decade(sizes[1]), decade(sizes[#sizes])
  local a = { low = low, high = high }
  function a.x(size) return LEFT + (last > first and (decade(size) - first) / (last - first) or 0) * (WIDTH - LEFT - RIGHT) end
  function a.y(value) return HEIGHT - BOTTOM - (decade(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM) end
  return a
end

local function escaped(text) return (text:gsub("`", ""):gsub("&", "&amp;"):gsub("<", "&lt;")) end

local function draw_axes(out, a, sizes)
  for power = a.low, a.high do
    local y = a.y(10.0 ^ power)
    out('<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/>', LEFT, y, WIDTH - RIGHT, y)
    out('<text x="%d" y="%.1f" text-anchor="end">%s</text>', LEFT - 8, y + 4, number.text(10.0 ^ power))
  end
  for _, size in ipairs(sizes) do
    out('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ddd"/>', a.x(size), TOP, a.x(size), HEIGHT - BOTTOM)
    out('<text x="%.1f" y="%d" text-anchor="middle">%s</text>', a.x(size), HEIGHT - BOTTOM + 18, number.grouped(tostring(size)))
  end
  out('<text x="%.1f" y="%d" text-anchor="middle">waiting instances</text>', (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10)
  out('<text x="14" y="%.1f" transform="rotate(-90 14 %.1f)" text-anchor="middle">microseconds of processor time</text>',
    (TOP + HEIGHT - BOTTOM) / 2, (TOP + HEIGHT - BOTTOM) / 2)
end

local function draw_line(out, a, values, sizes, name, color)
  local points, last = {}, nil
  for _, size in ipairs(sizes) do
    local value = values[size][name]
    if value then
      last = a.y(value)
      points[#points + 1] = ("%.1f,%.1f"):format(a.x(size), last)
      out('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>', a.x(size), last, color)
    end
  end
  out('<polyline points="%s" fill="none" stroke="%s" stroke-width="1.6"/>', table.concat(points, " "), color)
  return last
end

--- The labels beside the lines' ends, pushed apart, each tied to its line.
local function draw_labels(out, labels)
  table.sort(labels, function(x, y) return x.at < y.at end)
  local place = -math.huge
  for _, l in ipairs(labels) do
    place = math.max(l.at, place + LABEL)
    l.place = place
  end
  local limit = HEIGHT - BOTTOM
  for i = #labels, 1, -1 do
    labels[i].place = math.min(labels[i].place, limit)
    limit = labels[i].place - LABEL
  end
  for _, l in ipairs(labels) do
    local x = WIDTH - RIGHT
    out('<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="%s" stroke-width="0.6"/>', x + 5, l.at, x + 22, l.place, l.color)
    out('<text x="%d" y="%.1f" fill="%s">%s</text>', x + 26, l.place + 4, l.color, escaped(l.text))
  end
end

local function plot_of(values, sizes)
  local lines, labels, a = {}, {}, axes(values, sizes)
  local function out(format, ...) lines[#lines + 1] = format:format(...) end
  out('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">', WIDTH, HEIGHT)
  out "<title>What a piece of work costs beside ever more waiting instances</title>"
  out('<rect width="%d" height="%d" fill="#fff"/>', WIDTH, HEIGHT)
  draw_axes(out, a, sizes)
  for i, m in ipairs(measures) do
    local at = draw_line(out, a, values, sizes, m[1], colors[i])
    if at then labels[#labels + 1] = { at = at, color = colors[i], text = m[2] } end
  end
  draw_labels(out, labels)
  out "</svg>"
  return table.concat(lines, "\n") .. "\n"
end

-- Both --------------------------------------------------------------------------------------------------------------------------------

local values, sizes = measured(read(json))
local text = read(manual)
local before, from = text:find(BEGIN, 1, true)
local to = text:find(END, from or 1, true)
assert(before and to, manual .. " has no place for the table: " .. BEGIN .. " … " .. END)
do
  local file <close> = assert(io.open(manual, "w"))
  file:write(text:sub(1, from), "\n", table_of(values, sizes), "\n", text:sub(to))
end
local file <close> = assert(io.open(svg, "w"))
file:write(plot_of(values, sizes))
