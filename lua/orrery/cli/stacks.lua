--- What each thread of a store's executors is at, as a table: for `orrery nodes --stacks`, and for SIGQUIT.
local bulk = require "orrery.cli.bulk"
local clock = require "orrery.cli.clock"
local inspect = require "orrery.inspect"

local stacks = {}

local colors = { running = "good", awaiting = "wait", committing = "good" }

function stacks.process(node) return node.host and ("%s/%d"):format(node.host, node.pid) or node.name end

--- Where an element is: its process, and itself.
local function place(row)
  return row.activity_id and ("%s %s"):format(row.definition_key or "-", row.activity_id) or row.definition_key
end

--- The line, and since when it has been in C.
function stacks.line(row)
  if not row.in_c_since then return row.line end
  return ("%s, in C since %s"):format(row.line, clock.format(row.in_c_since))
end

local function shown(process, row)
  return { process = process, thread = row.thread, state = row.state, color = colors[row.state], job = row.job, place = place(row),
    delegate = row.delegate or (row.listener and "a listener") or nil, since = clock.format(row.since), line = stacks.line(row) }
end

local columns = { { "PROCESS", "process" }, { "THREAD", "thread" }, { "STATE", "state", function(row) return row.color end },
  { "JOB", "job" }, { "ELEMENT", "place" }, { "DELEGATE", "delegate" }, { "SINCE", "since" }, { "LINE", "line" } }

--- The table of what `engine:threads` gives, as a text.
function stacks.text(nodes, paint)
  local rows = {}
  for _, node in ipairs(nodes) do
    for _, row in ipairs(node.threads or {}) do rows[#rows + 1] = shown(stacks.process(node), row) end
  end
  return #rows > 0 and inspect.rows(rows, columns, paint) or nil
end

--- A line for each process that has not answered.
function stacks.silent(nodes)
  local lines = {}
  for _, node in ipairs(nodes) do
    if not node.answered then
      local jobs = #node.jobs > 0 and ("; it was at %s %s"):format(#node.jobs == 1 and "job" or "jobs", table.concat(node.jobs, ", ")) or ""
      lines[#lines + 1] = ("%s does not answer%s"):format(stacks.process(node), jobs)
    end
  end
  return lines
end

--- Prints it; the exit code.
function stacks.print(nodes, out)
  if out.json then
    for _, node in ipairs(nodes) do out:event(node) end
    return 0
  end
  if #nodes == 0 then
    out:line "no executor runs on this store"
    return 0
  end
  local text = stacks.text(nodes, out.paint)
  if text then out:block(text) end
  for _, line in ipairs(stacks.silent(nodes)) do out:problem(line) end
  return 0
end

--- The jobs that hold a thread for longer than so many seconds, as rows with `process`; and the processes that do not say.
function stacks.longer(nodes, seconds, now)
  local rows = {}
  for _, node in ipairs(nodes) do
    for _, row in ipairs(node.threads or {}) do
      local lasts = row.since and now - row.since or 0
      if row.job and row.state ~= "awaiting" and lasts > seconds then
        row.process, row.lasts = stacks.process(node), lasts
        rows[#rows + 1] = row
      end
    end
  end
  table.sort(rows, function(a, b) return a.lasts > b.lasts end)
  return rows, stacks.silent(nodes)
end

--- The jobs that hold a thread although their time limit is over, as rows with `process`.
function stacks.over(nodes, now)
  local rows = {}
  for _, node in ipairs(nodes) do
    for _, row in ipairs(node.threads or {}) do
      if row.job and row.limit_at and row.limit_at <= now then
        row.process, row.lasts = stacks.process(node), now - row.limit_at
        rows[#rows + 1] = row
      end
    end
  end
  return rows
end

--- How many jobs that is, in a line.
function stacks.longer_summary(rows, seconds)
  local length = clock.length(seconds)
  if #rows == 0 then return ("no job has been on a thread for longer than %s"):format(length) end
  return ("%s on a thread for longer than %s"):format(bulk.count(#rows, "jobs"), length)
end

return stacks
