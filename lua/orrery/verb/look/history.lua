--- orrery history: what happened, to one instance as a timeline, or in a time to all.
local args = require "orrery.cli.args"
local clock = require "orrery.cli.clock"
local follow = require "orrery.cli.follow"
local list = require "orrery.cli.list"
local store = require "orrery.cli.store"
local timeline = require "orrery.cli.timeline"
local waits = require "orrery.cli.waits"
local lookup = require "orrery.cli.lookup"

local colors = { enter = "wait", done = "good", completed = "good", resolved = "good", cancel = "bad", failed = "bad", incident = "bad",
  terminated = "bad", started = "title", operation = "title" }

local function within(time, options)
  return not (options.since and time < options.since or options["until"] and time >= options["until"])
end

--- As wide as a time with milliseconds.
local function column(text) return ("%-" .. (clock.zone and 29 or 24) .. "s"):format(text) end

local function print_event(e, out)
  local word = out.paint(colors[e.event] or "key", ("%-10s"):format(e.event))
  out:event(e, ("%s  %s %s%s"):format(out.paint("other", column(clock.format(e.time))), word, ("  "):rep(e.depth),
    e.text))
end

--- What it waits for now, behind what happened.
local function print_waits(engine, row, out)
  local instance = engine:instance(row.id)
  for _, wait in ipairs(instance and waits.of(engine, instance) or {}) do
    wait.event = "waits"
    out:event(wait, ("%s  %s %s: %s"):format(column "now", out.paint("wait", ("%-10s"):format "waits"), wait.activity or "", wait.text))
  end
end

local function one(engine, options, out)
  for _, row in ipairs(lookup.past_instances(engine, options[2])) do
    local left = options.limit or math.huge
    for _, e in ipairs(timeline.of(engine, row, options)) do
      if within(e.time, options) and left > 0 then
        left = left - 1
        print_event(e, out)
      end
    end
    if not options["until"] then print_waits(engine, row, out) end
  end
  return 0
end

--- One instance, or several of one business key, as it happens.
local function follow_one(engine, options, out)
  local waited = ""
  follow.instances(engine, function() return lookup.past_instances(engine, options[2]) end, options,
    function(e) print_event(e, out) end,
    function(rows)
      local words = {}
      for _, row in ipairs(rows) do
        for _, wait in ipairs(waits.of(engine, row)) do words[#words + 1] = wait.id .. wait.text end
      end
      local text = table.concat(words, "\n")
      if text ~= waited then
        for _, row in ipairs(rows) do print_waits(engine, row, out) end
      end
      waited = text
    end)
  return 0
end

local columns = { { "ID", "id" }, { "PROCESS", "definition_key" }, { "BUSINESS KEY", "business_key" }, { "STATE", "state" },
  { "STARTED", list.time "started_at" }, { "ENDED", list.time "ended_at" },
  { "TOOK", function(row) return row.ended_at and clock.length(row.ended_at - row.started_at) end },
  { "AT", function(row) return row.delete_reason or row.end_activity end } }

--- Does a come before b, by fields and directions? What has no value comes last.
local function before(order, a, b)
  for _, by in ipairs(order) do
    local x, y = a[by[1]], b[by[1]]
    if x ~= y then
      if x == nil or y == nil then return y == nil end
      if by[2] == "desc" then return x > y end
      return x < y
    end
  end
  return false
end

--- What ran in the time: what ended since its begin, and what has not ended.
local function filters_of(options)
  local filters = { list.filter("history_instances", options) }
  if options.since then
    filters[2] = list.filter("history_instances", options)
    filters[1].ended_at_ge, filters[2].state_in = options.since, { "active", "suspended" }
  end
  for _, filter in ipairs(filters) do filter.started_before = options["until"] end
  return filters
end

--- Those that began, ended or ran in the time, the latest first.
local function many(engine, options, out)
  options.order_by = options.order_by or { "started_at:desc" }
  local limit, offset, rows, all, order = options.limit or list.PAGE, options.offset or 0, {}, 0, nil
  for _, filter in ipairs(filters_of(options)) do
    order, filter.limit = filter.order_by, limit + offset
    table.move(list.ask(engine, "history_instances", filter), 1, limit + offset, #rows + 1, rows)
    filter.order_by, filter.limit = nil, nil
    all = all + engine:count("history_instances", filter)
  end
  table.sort(rows, function(a, b) return before(order, a, b) end)
  local shown = table.move(rows, offset + 1, math.min(offset + limit, #rows), 1, {})
  list.print(shown, columns, out, "no instances in that time")
  local left = all - offset - #shown
  if left > 0 then out:problem(("%d more; see --offset, --limit and --where"):format(left)) end
  return 0
end

local function follow_many(engine, options, out)
  follow.all(engine, function(more)
    local filter = list.filter("history_instances", options)
    for key, value in pairs(more) do filter[key] = value end
    return list.ask(engine, "history_instances", filter)
  end, options.since, options.limit, function(e) print_event(e, out) end)
  return 0
end

local function run(options, out)
  if options.follow and (options["until"] or options.order_by or options.offset) then
    args.usage "--until, --order-by and --offset do not go with --follow"
  end
  if options[2] and (options.where or options.variable or options.order_by or options.offset) then
    args.usage "--where, --variable, --order-by and --offset are for the list of instances"
  end
  local engine <close> = store.open(options[1], options)
  if options.follow then return (options[2] and follow_one or follow_many)(engine, options, out) end
  return (options[2] and one or many)(engine, options, out)
end

return {
  spec = {
    name = "history", summary = "Tells what happened: to one instance in the order of time, or which instances there were.",
    arguments = { { "STORE", "the store's folder" }, { "INSTANCE", "its id or business key; none: a list of instances", optional = true } },
    options = {
      { "--since", "from then on: a time, today, yesterday, or how long ago, such as 2h, 3d or PT2H",
        value = "TIME", as = "moment" },
      { "--until", "before then", value = "TIME", as = "moment" },
      { "--follow", "keep telling what happens until Control-C or the instance's end; "
        .. "without INSTANCE: when instances start and end", short = "-f" },
      { "--variables", "variables, too: each value at the level full, else the last ones" },
      list.where, list.variable,
      { "--order-by", "in the order of this field; FIELD:desc for the highest first (started_at:desc)", value = "FIELD[:desc]",
        many = true },
      { "--limit", "at most so many (100)", value = "N", as = "count" },
      { "--offset", "leave out so many first", value = "N", as = "count" },
      { "--zone", "show times by the clocks of a zone such as Europe/Berlin; UTC otherwise", value = "NAME" },
      { "--json", "one JSON object a line" },
    },
    notes = "What is told depends on the level of history that the engine ran with: failures of jobs and closed incidents are\n"
      .. "kept at audit, what people did and each value of a variable at full. What was cleaned up is gone.\n\n"
      .. "ORRERY_HISTORY is the level at which orrery's own commands write (audit), ORRERY_USER who gives them (the system's user).",
  },
  run = run,
}
