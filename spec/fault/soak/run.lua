-- The soak: three processes with four threads each work on one store that grows all the time, with locks that last a second.
-- They are killed, told to end and stopped at random, and started again. In the end nothing may be lost, doubled or left
-- over, and nothing may ever have stood still. See work.lua for what the jobs do, check.lua for the check.
--   lua5.4 run.lua <seconds> <the command's path>
local seconds, orrery = tonumber(arg[1]) or 60, assert(arg[2], "the command's path")

local NODES <const> = 3
local STILL_MAX <const> = 60 -- seconds without an instance that was acknowledged
local here = arg[0]:match "^(.*)/[^/]*$"

local function shell(format, ...) return os.execute(format:format(...)) end

local function output(format, ...)
  local pipe = assert(io.popen(format:format(...)))
  local text = pipe:read "a":gsub("%s+$", "")
  pipe:close()
  return text
end

local folder = output "mktemp -d"
local seed = tonumber(os.getenv "ORRERY_SEED") or os.time()
math.randomseed(seed)
local nodes, counts = {}, { KILL = 0, TERM = 0, STOP = 0 }

local function start_node(i)
  local pid = output("ORRERY_SOAK='%s' '%s' lua '%s/node.lua' '%s' work >>'%s/log' 2>&1 & echo $!", folder, orrery, here, folder, folder)
  nodes[i] = { pid = pid }
end

--- One that has ended may be waited for by nobody, where the system's first process does not look after orphans.
local function alive(node)
  local file = io.open("/proc/" .. node.pid .. "/stat")
  local state = file and file:read "a":match "^%d+ %b() (%a)"
  if file then file:close() end
  return state ~= nil and state ~= "Z" and state ~= "X"
end

local function send(node, signal) shell("kill -%s %s 2>/dev/null", signal, node.pid) end

local function size_of(name)
  local file = io.open(folder .. "/" .. name)
  local size = file and file:seek "end" or 0
  if file then file:close() end
  return size
end

local failed
local function give_up(format, ...)
  failed = format:format(...)
  print("soak: " .. failed)
end

local function disturb()
  local node = nodes[math.random(NODES)]
  if node.stopped or node.ending then return end
  local signal = ({ "KILL", "TERM", "STOP", "STOP" })[math.random(4)]
  if not alive(node) then return give_up("process %s ended by itself: %s", node.pid, output("tail -n 5 '%s/log'", folder)) end
  send(node, signal)
  counts[signal] = counts[signal] + 1
  if signal == "STOP" then node.stopped = os.time() + math.random(0, 3) else node.ending = os.time() end
end

--- What was stopped goes on, what has ended begins anew; what was told to end and does not, hangs.
local function look_after(i)
  local node, now = nodes[i], os.time()
  if node.stopped and now >= node.stopped then
    send(node, "CONT")
    node.stopped = nil
  elseif node.ending and not alive(node) then
    start_node(i)
  elseif node.ending and now > node.ending + STILL_MAX then
    give_up("process %s was told to end and does not", node.pid)
  end
end

local function end_nodes(signal)
  for _, node in ipairs(nodes) do
    send(node, "CONT")
    send(node, signal)
  end
  local deadline = os.time() + STILL_MAX
  for _, node in ipairs(nodes) do
    while alive(node) and os.time() < deadline do shell "sleep 0.1" end
    if alive(node) then give_up("process %s does not end", node.pid) end
  end
end

print(("soak: %d seconds, seed %d, in %s"):format(seconds, seed, folder))
for i = 1, NODES do start_node(i) end
local until_then, size, moved = os.time() + seconds, 0, os.time()
while not failed and os.time() < until_then do
  shell("sleep %.2f", 0.2 + math.random() * 0.8)
  disturb()
  for i = 1, NODES do look_after(i) end
  local now = size_of "acknowledged"
  if now > size then size, moved = now, os.time() end
  if os.time() - moved > STILL_MAX then give_up("nothing was acknowledged for %d seconds: all stands still", STILL_MAX) end
end
if failed then
  print("soak: the processes " .. output("echo %s %s %s", nodes[1].pid, nodes[2].pid, nodes[3].pid) .. " are left as they are")
  os.exit(false)
end
end_nodes "TERM"
print(("soak: %d kills, %d orderly ends, %d stops"):format(counts.KILL, counts.TERM, counts.STOP))
local function must(what, ok)
  if not ok then give_up("%s", what) end
end
must("the rest was not finished", shell("ORRERY_SOAK='%s' timeout 300 '%s' lua '%s/node.lua' '%s' finish >>'%s/log' 2>&1", folder, orrery,
  here, folder, folder))
must("verify found something", shell("'%s' verify '%s/store'", orrery, folder))
must("a job did what it must not", size_of "violations" == 0)
must("the check failed", shell("lua5.4 '%s/check.lua' '%s/store/data.mdb' '%s/acknowledged' 5", here, folder, folder))
print(("soak: %d MB on disk"):format(tonumber(output("du -sm '%s/store' | cut -f1", folder))))
if failed then
  print(("soak: failed; its files are in %s"):format(folder))
  os.exit(false)
end
shell("rm -rf '%s'", folder)
