--- Two commands in all 70 orders of their steps {read, validate, commit, acknowledge}, over spec/inside/races.c.
local inside = require("orrery_inside").races

local race = {}

local STEPS = { "read", "validate", "commit", "acknowledge" }

-- Every sequence of four "a" and four "b".
local function orders()
  local out = {}
  local function extend(text, a, b)
    if a + b == 8 then out[#out + 1] = text end
    if a < 4 then extend(text .. "a", a + 1, b) end
    if b < 4 then extend(text .. "b", a, b + 1) end
  end
  extend("", 0, 0)
  return out
end

race.orders = orders()

-- Models -----------------------------------------------------------------------------------------------------------------------------

local HEAD = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  xmlns:o="urn:orrery:bpmn" targetNamespace="spec"><message id="m" name="order"/><message id="m2" name="other"/>
  <signal id="sig" name="alarm"/>]]

--- A process: its elements, and its flows as "a -> b b -> c". It begins at "s" unless `elements` say where.
function race.process(elements, flows, key)
  local text = { HEAD, ('<process id="%s" isExecutable="true">'):format(key or "p"), elements }
  if not elements:find '<startEvent id="s"' then text[#text + 1] = '<startEvent id="s"/>' end
  for from, to in flows:gmatch "(%S+)%s*%->%s*(%S+)" do
    text[#text + 1] = ('<sequenceFlow id="%s-%s" sourceRef="%s" targetRef="%s"/>'):format(from, to, from, to)
  end
  text[#text + 1] = "</process></definitions>"
  return table.concat(text)
end

-- Engines ----------------------------------------------------------------------------------------------------------------------------

local Engine = {}
Engine.__index = Engine

function race.open(history)
  return setmetatable({ inside = inside.open(history), history = history ~= "none" }, Engine)
end

Engine.__close = function(self) self.inside:close() end

function Engine:call(verb, arguments) return self.inside:call(verb, arguments) end
function Engine:deploy(xml, options)
  options = options or {}
  options.resources = { ["p.bpmn"] = xml }
  return self:call("deploy", options)[1]
end
function Engine:list(verb, filter) return self:call("list", { verb = verb, filter = filter }) end
function Engine:count(verb, filter) return self:call("count", { verb = verb, filter = filter }) end
function Engine:advance(ms) self.inside:advance(ms) end
function Engine:runs() return self.inside:runs() end
function Engine:owners() return self.inside:owners() end
function Engine:run_jobs() return self:call "run_jobs" end

--- The one record of a list.
function Engine:only(verb)
  local list = self:list(verb)
  if #list ~= 1 then error(("there are %d %s"):format(#list, verb), 2) end
  return list[1]
end

--- A variable of the only instance, or of history. With neither there is no telling: nil.
function Engine:variable(name)
  local instance = self:list("instances")[1]
  if instance then return self:call("get_variables", { scope = instance.id })[name] end
  for _, row in ipairs(self:list "history_variables") do
    if row.name == name then return row.value end
  end
end

--- The keys of the open tasks, sorted.
function Engine:tasks()
  local keys = {}
  for i, task in ipairs(self:list "tasks") do keys[i] = task.key end
  table.sort(keys)
  return table.concat(keys, " ")
end

--- Does all of a command; its answer.
function Engine:does(name, arguments)
  local command = self.inside:command(name, arguments)
  local answer
  for _, step in ipairs(STEPS) do answer = command[step](command) end
  return answer
end

-- Races ------------------------------------------------------------------------------------------------------------------------------

local function run(engine, a, b, order)
  local commands = { a = engine.inside:command(a[1], a[2]), b = engine.inside:command(b[1], b[2]) }
  local at, answers = { a = 0, b = 0 }, {}
  for who in order:gmatch "." do
    at[who] = at[who] + 1
    answers[who] = commands[who][STEPS[at[who]]](commands[who]) or answers[who]
  end
  return answers.a, answers.b
end

local function verified(findings, stranded, name, order)
  if #findings ~= stranded then error(("%s, %s: %s"):format(name, order, findings[1] or "no token is stranded"), 0) end
end

--- Runs every order, with and without history, since without it less is written that two commands could meet in.
--- setup(engine) gives the two commands { name, arguments } and facts for check(engine, a, b, order, facts), which looks at the outcome;
--- a and b tell whether a command was told "ok". It gives back how many tokens were left stranded, as by the deletion of their jobs.
--- `answers` lists every pair of answers that there may be: "ok" or the kind of an error.
function race.every(name, xml, answers, setup, check)
  local allowed, seen = {}, {}
  for _, pair in ipairs(answers) do allowed[pair] = true end
  for _, history in ipairs { "default", "none" } do
    for _, order in ipairs(race.orders) do
      local engine <close> = race.open(history)
      if xml then
        engine:deploy(xml)
        engine:call("start", { key = "p" })
      end
      local a, b, facts = setup(engine)
      local of_a, of_b = run(engine, a, b, order)
      local pair = of_a .. " " .. of_b
      local where = history .. " history, " .. order .. ": " .. pair
      if not allowed[pair] then error(("%s, %s: not among the answers"):format(name, where), 0) end
      seen[pair] = true
      local findings = engine:call "verify"
      local stranded = check(engine, of_a == "ok", of_b == "ok", where, facts) or 0
      verified(findings, stranded, name, where)
      verified(engine:call "verify", stranded, name, where .. ", later")
    end
  end
  for _, pair in ipairs(answers) do
    if not seen[pair] then error(("%s: no order is answered %s"):format(name, pair), 0) end
  end
end

--- Runs jobs of one instance side by side: `order` names one for each step, by its activity. The
-- answers, by activity.
function race.siblings(engine, order)
  local commands, at, answers = {}, {}, {}
  for _, job in ipairs(engine:list "jobs") do
    commands[job.activity_id] = engine.inside:command("run_job", { job = job.id, beside = true })
    at[job.activity_id] = 0
  end
  for _, who in ipairs(order) do
    at[who] = at[who] + 1
    answers[who] = commands[who][STEPS[at[who]]](commands[who]) or answers[who]
  end
  return answers
end

--- An order of the steps of all `names`, by `random(n)`. As a committer does, what was made into a
-- batch first is committed first.
function race.siblings_order(names, random)
  local order, at, made, left = {}, {}, {}, { table.unpack(names) }
  while #left > 0 do
    local i = random(#left)
    local who = left[i]
    local step = (at[who] or 0) + 1
    if step ~= 3 or made[1] == who then
      order[#order + 1], at[who] = who, step
      if step == 2 then made[#made + 1] = who end
      if step == 3 then table.remove(made, 1) end
      if step == 4 then table.remove(left, i) end
    end
  end
  return order
end

--- Whether b was committed before a, by the order in `where`: the third step of each is its commit.
function race.second_first(where)
  local order, commits = where:match "history, (%a+):", {}
  local steps = { a = 0, b = 0 }
  for at = 1, #order do
    local who = order:sub(at, at)
    steps[who] = steps[who] + 1
    if steps[who] == 3 then commits[who] = at end
  end
  return commits.b < commits.a
end

return race
