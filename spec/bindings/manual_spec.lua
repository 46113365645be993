-- The manual of the Lua API and the module agree both ways: what either has and the other lacks is a finding. The manual (docs/lua.md) is
-- made from the stubs in lua/orrery/_meta/, so whoever adds something public describes it there, and runs `make generate`.
local core = require "orrery.core"
local emit_lists = dofile "bindings/generate/emit_lists.lua"
local future = require "orrery.future"
local orrery = require "orrery"
local records = require "orrery.record"
local stubs = require "orrery.repl.stubs"

local api = stubs.read "lua/orrery/_meta"

local function sorted(names)
  local list = {}
  for name in pairs(names) do list[#list + 1] = name end
  table.sort(list)
  return list
end

--- What one side has and the other lacks, in words.
local function differences(what, described, there)
  local out = {}
  for _, name in ipairs(sorted(there)) do
    if not described[name] then out[#out + 1] = ("%s: %s is not described in lua/orrery/_meta"):format(what, name) end
  end
  for _, name in ipairs(sorted(described)) do
    if not there[name] then out[#out + 1] = ("%s: %s is described, and there is none"):format(what, name) end
  end
  return out
end

--- Those that read like fields are callable objects, which say how they are meant.
local function is_method(value)
  local meta = debug.getmetatable(value)
  return type(value) == "function" or type(meta) == "table" and rawget(meta, "__call") ~= nil
end

local function public_functions(class)
  local names = {}
  for name, value in pairs(class) do
    if is_method(value) and not name:find "^__" and name ~= "spelling" then names[name] = true end
  end
  return names
end

local function class_named(name) return assert(api.classes[name], name .. " has no stub") end

local function check_functions(class_name, class)
  local functions = stubs.members(api, class_named(class_name))
  assert.same({}, differences(class_name, functions, public_functions(class)))
end

describe("the stubs and the module have the same", function()
  it("in orrery", function()
    local functions, fields = stubs.members(api, class_named "orrery")
    local described = {}
    for name in pairs(functions) do described[name] = true end
    for name in pairs(fields) do described[name] = true end
    assert.same({}, differences("orrery", described, orrery))
    check_functions("orrery.Json", orrery.json)
  end)

  it("methods of the engine, executors, futures, answers and plans", function()
    local engine <close> = orrery.open()
    local executor <close> = orrery.executor()
    check_functions("orrery.Engine", getmetatable(engine))
    check_functions("orrery.Executor", getmetatable(executor))
    check_functions("orrery.Future", future.Future)
    check_functions("orrery.MigrationPlan", getmetatable(require "orrery.engine.migration".plan(engine, {})).__index)
    check_functions("orrery.HttpResponse", require "orrery.outside.net".Response)
  end)

  it("functions of orrery.testing, and methods of tests and collectors", function()
    local testing = require "orrery.testing"
    local functions = stubs.members(api, class_named "orrery.testing")
    assert.same({}, differences("orrery.testing", functions, public_functions(testing)))
    check_functions("orrery.Test", testing.Test)
    check_functions("orrery.Coverage", getmetatable(testing.coverage()))
  end)

  it("methods of records", function()
    for kind, class in pairs(records.classes()) do check_functions(emit_lists.title(kind), class) end
  end)

  it("methods of a delegate's execution", function()
    local metatable = debug.getregistry()["orrery.CallExecution"]
    local _, methods = debug.getupvalue(metatable.__index, 1)
    check_functions("orrery.CallExecution", methods)
  end)

  it("facts about a delegate's execution", function()
    local there = {}
    for path, marker in pairs { ["bindings/host/host_execution.c"] = "static bool push_special",
      ["runtime/command/instance/execution_commands.c"] = "static orr_value of_instance" } do
      local file <close> = assert(io.open(path))
      local text = file:read "a"
      for name in text:sub((assert(text:find(marker, 1, true), marker))):gmatch 'strcmp%(name, "([%w_]+)"%)' do there[name] = true end
    end
    local _, fields = stubs.members(api, class_named "orrery.CallExecution")
    assert.same({}, differences("execution", fields, there))
  end)
end)

-- What a call says it knows when it gets a key that is near to none.
local UNKNOWN <const> = "\u{263A}"
local function known_options(f, ...)
  local ok, problem = pcall(f, ...)
  assert.is_false(ok)
  local list = tostring(problem):match "known are ([%w_, ]+)"
  assert(list, tostring(problem))
  local names = {}
  for name in list:gmatch "[%w_]+" do names[name] = true end
  return names
end

describe("options", function()
  local engine
  setup(function()
    engine = orrery.open(nil, { clock = "manual", log = "none" })
    engine:deploy { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn"
      targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/><userTask id="u"/>
      <serviceTask id="x" o:type="external" o:topic="t"/><sequenceFlow id="f" sourceRef="s" targetRef="u"/>
      <sequenceFlow id="g" sourceRef="s" targetRef="x"/></process></definitions>]] }
    engine:start "p"
  end)
  teardown(function() engine:close() end)

  local wrong = { [UNKNOWN] = 1 }
  local calls = {
    OpenOptions = function() return orrery.open, nil, wrong end,
    SandboxOptions = function() return orrery.open, nil, { sandbox = wrong } end,
    ExecutorOptions = function() return engine.start_executor, engine, wrong end,
    EvaluateOptions = function() return engine.evaluate, engine, "1", wrong end,
    DeployOptions = function() return engine.deploy, engine, { ["a.txt"] = "a" }, wrong end,
    DefinitionKey = function() return engine.suspend_definition, engine, wrong end,
    DecideOptions = function() return engine.decide, engine, "d", {}, wrong end,
    StartOptions = function() return engine.start, engine, "p", wrong end,
    MigrationOptions = function() return engine.migration_plan, engine, "1", "2", wrong end,
    RestartOptions = function() return engine.restart, engine, "1", wrong end,
    MessageOptions = function() return engine.message, engine, "m", wrong end,
    SignalOptions = function() return engine.signal, engine, "s", wrong end,
    ConditionOptions = function() return engine.evaluate_conditions, engine, wrong end,
    BatchRequest = function() return engine.batch, engine, { action = "retry", [UNKNOWN] = 1 } end,
    FetchRequest = function() return engine.fetch_and_lock, engine, wrong end,
    FetchTopic = function()
      return engine.fetch_and_lock, engine, { worker = "w", max = 1, topics = { { name = "t", [UNKNOWN] = 1 } } }
    end,
    NewTask = function() return engine.create_task, engine, wrong end,
    NewAttachment = function() return engine.add_attachment, engine, "1", wrong end,
    DurationsOptions = function() return engine.durations, engine, wrong end,
    CleanHistoryOptions = function() return engine.schedule_clean_history, engine, wrong end,
    HttpRequest = function() return orrery.http, wrong end,
    Mail = function() return orrery.mail, wrong end,
    TypedOptions = function() return orrery.typed, wrong end,
    StubBehavior = function() return require "orrery.testing.stub".new, wrong end,
    TestOptions = function() return require "orrery.testing".new, wrong end,
    SpawnRequest = function() return orrery.spawn, wrong end,
    TaskChanges = function()
      local task = engine:task { key = "u" }
      return task.update, task, wrong
    end,
    ExternalFailure = function()
      local task = engine:external_task { topic = "t" }
      return task.fail, task, "w", wrong
    end,
  }
  for class, call in pairs(calls) do
    it("of " .. class .. " are those that there are", function()
      local _, fields = stubs.members(api, class_named("orrery." .. class))
      assert.same({}, differences(class, fields, known_options(call())))
    end)
  end

  it("that are written in place are those that there are", function()
    local places = { undeploy = { "1" }, delete_definition = { "1" }, suspend_definition = { "1" }, activate_definition = { "1" },
      trigger = { "1", {} }, serve = {}, set_limit = { { topic = "t" } }, clear_limit = {}, unlock_external_tasks = {},
      clean_history = {}, modify = { {} }, migrate = { {} } }
    for name, before in pairs(places) do
      local described = {}
      local f = stubs.members(api, class_named "orrery.Engine")[name]
      for key in f.params[#before + 1].type:gmatch "[{,] ([%w_]+)%??:" do described[key] = true end
      before[#before + 1] = wrong
      assert.same({}, differences(name, described, known_options(engine[name], engine, table.unpack(before))))
    end
  end)
end)

-- What a record has only in some places is no field of the list's.
local function is_elsewhere(field)
  local text = field.text or ""
  return text:find "alone$" or text:find "^in listeners" or text:find "of `fetch_and_lock`" or field.name == "engine"
end

describe("records", function()
  local engine
  setup(function() engine = orrery.open(nil, { log = "none" }) end)
  teardown(function() engine:close() end)

  --- "its fields are a, b; it also takes c, d": two sets of names.
  local function names_of_list(verb)
    local ok, problem = pcall(engine[verb], engine, { [UNKNOWN] = 1 })
    assert.is_false(ok)
    local fields, keys = {}, {}
    local first, second = problem.message:match "its fields are ([%w_, ]+); it also takes ([%w_, ]+)$"
    for name in first:gmatch "[%w_]+" do fields[name] = true end
    for name in second:gmatch "[%w_]+" do keys[name] = true end
    return fields, keys
  end

  for verb, one in pairs(require "orrery.gen.lists") do
    it("of " .. verb .. " have the fields and filters that are described", function()
      local title = emit_lists.title(one)
      local _, all = stubs.members(api, class_named(title))
      local described = {}
      for name, field in pairs(all) do described[name] = not is_elsewhere(field) or nil end
      local fields, keys = names_of_list(verb)
      assert.same({}, differences(title, described, fields))
      local _, filters = stubs.members(api, api.classes[title .. "Filter"] or class_named "orrery.Filter")
      filters["[string]"] = nil
      assert.same({}, differences(title .. "Filter", filters, keys))
    end)
  end

  local TYPES = { id = "orrery.Id", bool = "boolean", int = "integer", time = "orrery.Moment" }

  it("have the types that records.lua gives them", function()
    local out = {}
    for _, record in ipairs(dofile "runtime/record/records.lua") do
      local class = record.verb and class_named(emit_lists.title(record.name))
      for _, field in ipairs(class and record.fields or {}) do
        local name = field.api or field[1]
        local _, described = stubs.members(api, class)
        if field.api ~= false and not field.gone and described[name] and TYPES[field[2]] and described[name].type ~= TYPES[field[2]] then
          out[#out + 1] = ("%s.%s is %s, described as %s"):format(record.name, name, TYPES[field[2]], described[name].type)
        end
      end
    end
    assert.same({}, out)
  end)
end)

describe("the manual's pages", function()
  local pages = {}
  for path in io.popen "ls README.md docs/*.md":lines() do
    if path ~= "docs/api.md" then pages[#pages + 1] = path end
  end

  it("call methods that there are", function()
    local engine <close> = orrery.open()
    local classes, out = records.classes(), {}
    local objects = { engine = getmetatable(engine), orrery = orrery, task = classes.task, job = classes.job, instance = classes.instance,
      incident = classes.incident, definition = classes.definition }
    for _, path in ipairs(pages) do
      local number = 0
      for line in io.lines(path) do
        number = number + 1
        for object, separator, name in line:gmatch "%f[%w_](%l+)([:.])([%l_]+)%f[^%w_]%(" do
          local class = objects[object]
          local wanted = object == "orrery" and "." or ":"
          if class and separator == wanted and not class[name] then
            out[#out + 1] = ("%s:%d: there is no %s%s%s"):format(path, number, object, separator, name)
          end
        end
      end
    end
    assert.same({}, out)
  end)

  it("are all in the index", function()
    local file <close> = assert(io.open "docs/README.md")
    local text, out = file:read "a", {}
    for path in io.popen "ls docs/*.md":lines() do
      local name = path:match "[^/]+$"
      if name ~= "README.md" and not text:find(("[%s](%s)"):format(name, name), 1, true) then out[#out + 1] = name end
    end
    assert.same({}, out)
  end)

  it("lead to pages that there are", function()
    local out = {}
    for _, path in ipairs(pages) do
      local folder = path:match "^(.*/)" or ""
      local file <close> = assert(io.open(path))
      for target in file:read "a":gmatch "%]%(([^)#:]+)#?[^)]*%)" do
        local found <close> = io.open(folder .. target)
        if not found then out[#out + 1] = path .. ": " .. target end
      end
    end
    assert.same({}, out)
  end)
end)

describe("the header", function()
  it("names the lists that there are", function()
    local header = dofile("bindings/generate/header.lua").text "."
    local all = dofile "runtime/record/records.lua"
    emit_lists.check(all, header)
    local without = header:gsub("limits,[%s/]+batches", "limits")
    assert.error_matches(function() emit_lists.check(all, without) end, "does not name the verb batches")
    all[#all + 1] = { name = "new", verb = "news" }
    assert.error_matches(function() emit_lists.check(all, header) end, "does not name the verb news")
  end)
end)

describe("the stubs' reader", function()
  it("refuses a line that it cannot read, and names it", function()
    local dir <close> = require "spec.cli.command".folder()
    for _, name in ipairs(stubs.files) do dir.file(name .. ".lua", "---@meta x\n") end
    dir.file("orrery.lua", "---@meta x\n\n---@class orrery\nlocal orrery = {}\n\n---@parm x string\nfunction orrery.f(x) end\n")
    assert.error_matches(function() stubs.read(dir.path) end, "cannot read '%-%-%-@parm x string'")
  end)
end)

assert(core) -- the module of the build, not another's
