-- Every method of the engine and of records is called with whatever a program may come to hold by mistake. It may refuse, or do it; a
-- refusal is an error of Orrery's, in the words of the method that was called, and has changed nothing.
-- Marks: load
local fixture = require "spec.bindings.fixture"
local orrery = require "orrery"
local records = require "orrery.record"

local kinds = {}
for kind in ("argument not_found deployment expression bpmn_error conflict correlation suspended state limit unsupported"):gmatch "%S+" do
  kinds[kind] = true
end

-- Those that wait, end the engine, write outside of it or call what they are given: other specs are about them.
local left_out = { close = true, serve = true, wait_idle = true, copy_to = true, deploy = true, check = true, feed = true, send = true,
  received = true, spelling = true, stop_executor = true, start_executor = true, poll = true, transaction = true, as = true,
  running = true, advance = true, set_time = true, run_jobs = true, execute = true, route = true }

local cycle = {}
cycle.again = cycle

local function mistakes(f)
  return { true, 0, -1, 1.5, math.huge, 0 / 0, 1 << 62, "", "x", "a\0b", ("y"):rep(300), {}, { 1 }, { x = 1 }, { 1, x = 2 }, print,
    coroutine.create(print), orrery.null, f.engine, cycle, f.task.id, f.instance.id, f.deployment.id, "-5", "1e3", tostring(1 << 62),
    { id = f.task.id }, { {} }, { { x = 1 } }, io.stdout }
end

local function owners(f)
  return { engine = f.engine, instance = f.instance, task = f.task, job = f.job, external_task = f.external, deployment = f.deployment,
    definition = f.engine:definitions()[1], execution = f.engine:executions()[1], job_definition = f.job_definition,
    incident = f.incident, batch = f.batch }
end

local classes = records.classes()
do
  local engine <close> = orrery.open()
  classes.engine = getmetatable(engine)
end

local function methods(class)
  local out = {}
  for name, method in pairs(class) do
    local callable = type(method) == "function" or records.is_method(method)
    if callable and not name:find "^__" and not left_out[name] then out[#out + 1] = name end
  end
  table.sort(out)
  return out
end

describe("once its engine is closed,", function()
  it("every method says so", function()
    local f = fixture.open()
    f.batch = f.engine:batch { action = "set_priority", value = 1, filter = { id = f.job.id } }
    local of = owners(f)
    f.engine:close()
    local needs_none = { links = "definition" } -- what the snapshot itself has
    for kind, class in pairs(classes) do
      for _, name in ipairs(methods(class)) do
        local done, problem = pcall(class[name], of[kind], kind == "engine" and f.instance.id or "x", {}, {})
        local what = ("%s:%s: %s"):format(kind, name, tostring(problem))
        assert(not done or needs_none[name] == kind, what)
        assert(done or type(problem) == "table" and (problem.kind == "state" or problem.kind == "argument"), what)
      end
    end
  end)
end)

describe("with what is no argument of it,", function()
  local f
  local function fresh()
    if f then f.engine:close() end
    f = fixture.open()
    f.batch = f.engine:batch { action = "set_priority", value = 1, filter = { id = f.job.id } }
  end
  setup(fresh)
  teardown(function() f.engine:close() end)

  local function check_refusal(kind, name, given, problem)
    local what = ("%s:%s with %d arguments: %s"):format(kind, name, given, tostring(problem))
    assert(type(problem) == "table" and kinds[problem.kind], what)
    local index, verb = problem.message:match "bad argument #(%d+) to '([^']*)'"
    assert(not verb or verb == name, what)
    assert(not index or tonumber(index) <= math.max(given, 1) + 1, what)
  end

  local function try(kind, class, name, ...)
    local before = f.engine.core:changes()
    local owner = owners(f)[kind]
    local done, problem = pcall(class[name], owner, ...)
    local changed = f.engine.core:changes() ~= before
    if not done then
      check_refusal(kind, name, select("#", ...), problem)
      assert(not changed, ("%s:%s was refused, and has changed the store: %s"):format(kind, name, tostring(problem)))
    elseif changed then
      local found = f.engine:verify()
      fresh()
      if kind ~= "job" or name ~= "delete" then assert.same({}, found, kind .. ":" .. name) end -- what a deleted job leaves is its caller's
    end
  end

  for kind, class in pairs(classes) do
    for _, name in ipairs(methods(class)) do
      it(("%s:%s refuses, or does it"):format(kind, name), function()
        try(kind, class, name)
        for i = 1, #mistakes(f) do
          try(kind, class, name, mistakes(f)[i])
          try(kind, class, name, kind == "engine" and f.instance.id or "x", mistakes(f)[i])
          try(kind, class, name, "x", "y", mistakes(f)[i])
        end
      end)
    end
  end
end)
