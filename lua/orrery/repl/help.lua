--- help() at the prompt: one page, and a page for each topic.
local help = {}

local start = [[
engine                     the open engine; orrery is the module, _ the last value
instances() tasks() jobs() incidents() definitions()
                           lists, with a filter: tasks { assignee = "kermit" }
tree(instance or id)       where its tokens stand
inspect.value(v)           any value as text
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

--- The lines of all topics that tell of a method.
local function about(method)
  local lines = {}
  for _, name in ipairs(help.topics()) do
    for line in topics[name]:gmatch "[^\n]+" do
      if line:find("[:.]" .. method .. "%f[^%w_]") then lines[#lines + 1] = line end
    end
  end
  return #lines > 0 and table.concat(lines, "\n") or nil
end

function help.text(topic)
  if topic == nil then return start .. table.concat(help.topics(), ", ") end
  local method = type(topic) == "string" and topic:find "^[%w_]+$" and about(topic)
  local none = 'no help about "%s"; there is some about %s'
  return topics[topic] or method or none:format(tostring(topic), table.concat(help.topics(), ", "))
end

return help
