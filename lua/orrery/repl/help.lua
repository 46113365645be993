--- help() at the prompt: one page, a page for each topic, and the manual's words about each function (orrery/_meta).
local complete = require "orrery.repl.complete"
local orrery = require "orrery"
local records = require "orrery.record"
local stubs = require "orrery.repl.stubs"

local help = {}

local start = [[
engine                     the open engine; orrery is the module, _ the last value
instances() tasks() jobs() incidents() definitions()
                           lists, with a filter: tasks { assignee = "kermit" }
tree(instance or id)       where its tokens stand
reload()                   reads the program's modules again; an executor's threads keep theirs until it starts again
\e                         edits the last input
inspect.value(v)           any value as text
help(engine.start)         about a function; help(engine), help(task): what can be called on it
help "start"               more about one of: ]]

local topics = {
  deploy = [[
engine:deploy(path or { ["a.bpmn"] = xml }, { name = })    -> deployment; every problem is in the error's `problems`
engine:check(path)                                         -> problems, nothing is stored
engine:definitions { key =, latest = true }]],
  start = [[
engine:start(key, { variables = {}, business_key =, version =, initiator = })    -> instance
engine:start_by_message(name, { variables = {} })
instance:get(name)  instance:set(name, value)  instance:variables()
instance:active()  instance:tree()  instance:delete(reason)  instance:reload()]],
  tasks = [[
engine:tasks { assignee =, candidate_group =, instance =, unassigned = true }
task:claim(user)  task:complete { approved = true }  task:assign(user)  task:update { due =, priority = }]],
  messages = [[
engine:message(name, { business_key =, instance =, match = { order = 7 }, variables = {} })
engine:signal(name, { variables = {} })
engine:trigger(execution_id, variables)
engine:subscriptions { name =, instance = }]],
  jobs = [[
engine:jobs { instance =, with_error = true, no_retries = true }
job:why()  job:execute()  job:set_retries(3)  job:traceback()
engine:run_jobs()  engine:start_executor { threads = 4 }  engine:wait_idle(seconds)  engine:stop_executor()
engine:incidents {}]],
  time = [[
engine:now()  engine:advance "PT5M"  engine:set_time "2026-03-01T08:00:00Z"    (the last two with clock = "manual")
orrery.parse_time(text)  orrery.format_time(t)  orrery.parse_duration "P1DT2H"]],
  history = [[
engine:history_instances { state = "completed" }  engine:history_activities { instance = id, order_by = "sequence" }
engine:history_tasks {}  engine:history_variables { instance = id }  engine:history_jobs {}]],
}

function help.topics()
  local names = {}
  for name in pairs(topics) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- The public layer, as its stubs have it ------------------------------------------------------------------------------------------------

local api -- once it was asked for; false: the stubs are not installed

local function public()
  if api == nil then
    local ok, read = pcall(stubs.read)
    api = ok and read or false
  end
  return api or { classes = {}, sections = {} }
end

local function short(kind) return (kind:gsub("orrery%.(%u)", "%1")) end

local function add_keys(class, lines)
  for _, field in ipairs(class.fields) do
    if not field.pattern then lines[#lines + 1] = ("    %-24s %s"):format(field.name, field.text or short(field.type)) end
  end
end

--- A function's page: its form, what it does, its parameters, and the keys of its options.
local function page(f)
  local results = {}
  for i, r in ipairs(f.returns) do results[i] = short(r.type) .. (r.text and ", " .. r.text or "") end
  local lines = { stubs.form(f) .. (#results > 0 and "    -> " .. table.concat(results, "; ") or ""), "  " .. table.concat(f.doc, " ") }
  for _, p in ipairs(f.params) do
    local class = public().classes[p.type]
    local keys = class and #class.functions == 0 and #class.fields > 0
    if p.text or keys then lines[#lines + 1] = ("  %s: %s%s"):format(p.name, short(p.type), p.text and ", " .. p.text or "") end
    if keys then add_keys(class, lines) end
  end
  return table.concat(lines, "\n")
end

--- Every function that fits(f), a page each; nil: none does.
local function pages(fits)
  local found = {}
  for _, section in ipairs(public().sections) do
    for _, item in ipairs(section.items) do
      if item.kind == "function" and fits(item) then found[#found + 1] = page(item) end
    end
  end
  return #found > 0 and table.concat(found, "\n") or nil
end

--- What can be called on an object: the engine, a record, orrery itself.
local function about_object(object)
  local class = public().classes[object == orrery and "orrery" or stubs.class_of(object) or ""]
  if not class then return nil end
  local lines = {}
  for _, f in pairs((stubs.members(public(), class))) do lines[#lines + 1] = stubs.form(f) end
  table.sort(lines)
  return table.concat(lines, "\n")
end

--- Of a function of the public layer: the class that has it, and its name there.
local function place_of(f, engine)
  for name, value in pairs(orrery) do
    if value == f then return "orrery", name end
  end
  local kind, name = complete.name_of(engine, f)
  return kind and stubs.class_of(setmetatable({}, { __name = "orrery." .. kind })), name
end

local function about_function(f, engine)
  local class_name, name = place_of(f, engine)
  local class = class_name and public().classes[class_name]
  local described = class and (stubs.members(public(), class))[name]
  return described and page(described)
end

--- "start", "engine:start", "orrery.open".
local function about_name(text)
  local object, name = text:match "^([%w_.]-)[:.]?([%w_]+)$"
  if not name then return nil end
  return pages(function(f) return f.name == name and (object == "" or stubs.form(f):sub(1, #object) == object) end)
end

--- The page for a topic, a name, a function or an object; nil: the first page.
function help.text(topic, engine)
  if topic == nil then return start .. table.concat(help.topics(), ", ") end
  local found
  if type(topic) == "string" then found = topics[topic] or about_name(topic)
  elseif type(topic) == "function" or records.is_method(topic) then found = about_function(topic, engine)
  else found = about_object(topic) end
  if found then return found end
  local what = type(topic) == "string" and ('"%s"'):format(topic) or "that " .. type(topic)
  return ("no help about %s; there is some about every function of Orrery (help(engine.start)), about what can be called on an object "
    .. "(help(engine)), and about %s"):format(what, table.concat(help.topics(), ", "))
end

return help
