-- Several processes on one store, killed with -9 and stopped at random points (reliability P1-P4): what was acknowledged is done once,
-- exclusive jobs of one instance never overlap, the store stays sound. ORRERY_KILLS: how many ends of processes; ORRERY_NODES: at most so
-- many at once.
local orrery = require "orrery"
local folder = require "spec.support.folder"
local work = require "spec.fault.cluster_work"

local lua = os.getenv "ORRERY_LUA" or "lua5.4"

-- A cluster: the nodes that run, by name, and the log that all write.
local function start_node(cluster)
  cluster.names = cluster.names + 1
  local name = "n" .. cluster.names
  local pid_file = cluster.log .. "." .. name
  local pipe = assert(io.popen(("echo $$ > '%s'; ORRERY_CLUSTER_LOG='%s' ORRERY_CLUSTER_NODE=%s exec %s "
    .. "spec/fault/cluster_child.lua '%s' 2>/dev/null")
    :format(pid_file, cluster.log, name, lua, cluster.store), "w"))
  cluster.nodes[#cluster.nodes + 1] = { name = name, pipe = pipe, pid_file = pid_file }
end

local function mark(cluster, what, node)
  local file = assert(io.open(cluster.log, "a"))
  file:write(what, " ", node, " -\n")
  file:close()
end

local function pid_of(node)
  local pid
  repeat
    local file = io.open(node.pid_file)
    pid = file and file:read "l"
    if file then file:close() end
  until pid
  return pid
end

-- Its unfinished marks end where it was killed: the mark is written before anybody else takes over its jobs, which takes the lock time or
-- the start of another node.
local function end_node(cluster, kill)
  local node = table.remove(cluster.nodes, math.random(#cluster.nodes))
  if kill then os.execute("kill -9 " .. pid_of(node)) end
  node.pipe:close()
  if kill then mark(cluster, "killed", node.name) end
  os.remove(node.pid_file)
end

local function log_size(cluster)
  local file = io.open(cluster.log)
  if not file then return 0 end
  local size = file:seek "end"
  file:close()
  return size
end

-- Starts instances, then lets the nodes write some more marks, or come to the end of their work.
local function let_work(cluster, engine, acked)
  for _ = 1, math.random(0, 6) do acked[#acked + 1] = engine:start("chain", { variables = { n = 0 } }).id end
  local enough = log_size(cluster) + math.random(0, 600)
  while log_size(cluster) < enough and engine:count("jobs", {}) > 0 do end
end

local function assert_no_overlap(cluster, seed)
  local inside, begun = {}, 0
  for line in io.lines(cluster.log) do
    local what, node, instance = line:match "^(%a+) (%w+) (%S+)$"
    if what == "begin" then
      local other = inside[instance]
      assert.is_nil(other, ("%s: %s and %s run jobs of one instance; seed %d"):format(instance, node, tostring(other), seed))
      inside[instance] = node
      begun = begun + 1
    elseif what == "end" then
      inside[instance] = nil
    elseif what == "killed" then
      for key, holder in pairs(inside) do
        if holder == node then inside[key] = nil end
      end
    end
  end
  return begun
end

local function assert_all_done(engine, acked, seed)
  assert.same({}, engine:verify(), "seed " .. seed)
  assert.same({}, engine:instances { limit = 1 }, "an instance is stuck; seed " .. seed)
  assert.same({}, engine:incidents { limit = 1 }, "seed " .. seed)
  local states, results = {}, {}
  for _, row in ipairs(engine:history_instances {}) do states[row.id] = row.state end
  for _, row in ipairs(engine:history_variables { name = "n" }) do results[row.instance_id] = row.value end
  for _, id in ipairs(acked) do
    assert.equal("completed", states[id], "an acknowledged instance is lost; seed " .. seed)
    assert.equal(work.steps, results[id], "a delegate's result was lost or doubled; seed " .. seed)
  end
end

describe("several processes on one store, killed and stopped at random", function()
  it("do each job once, and exclusive jobs of an instance one after another", function()
    local kills, most = tonumber(os.getenv "ORRERY_KILLS") or 12, tonumber(os.getenv "ORRERY_NODES") or 4
    local seed = require("spec.support.random").seed()
    print(("cluster_spec: %d ends, seed %d"):format(kills, seed))
    math.randomseed(seed)
    local cluster = { store = folder.make(), log = os.tmpname(), nodes = {}, names = 0 }
    finally(function()
      while #cluster.nodes > 0 do end_node(cluster, true) end
      folder.remove(cluster.store)
      os.remove(cluster.log)
    end)
    local engine <close> = orrery.open(cluster.store, { history = "audit", log = "none" })
    engine:deploy { ["chain.bpmn"] = work.model }
    local acked, ended = {}, 0
    while ended < kills do
      if #cluster.nodes == 0 or (#cluster.nodes < most and math.random(2) == 1) then
        start_node(cluster)
      else
        end_node(cluster, math.random(3) > 1)
        ended = ended + 1
      end
      if #cluster.nodes > 0 then let_work(cluster, engine, acked) end
    end
    if #cluster.nodes == 0 then start_node(cluster) end
    local deadline = os.time() + 120
    while engine:count("jobs", { retries_gt = 0 }) > 0 do assert(os.time() < deadline, "work is left over; seed " .. seed) end
    while #cluster.nodes > 0 do end_node(cluster, false) end
    assert_all_done(engine, acked, seed)
    local begun = assert_no_overlap(cluster, seed)
    assert.is_true(begun >= work.steps * #acked)
  end)
end)
