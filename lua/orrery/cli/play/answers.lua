--- The file of `orrery run --play --answers`: what people, workers and messages say, by the id of the activity (or the name of the
--- message or signal) that waits for it. JSON:
---   { "review": { "approved": true },
---     "pay":    [ { "$fail": "no answer" }, { "$error": "DECLINED" }, { "receipt": "r-1" } ],
---     "pack":   { "$after": "PT5H", "$user": "kermit" } }
--- An array's answers are taken in turn, and its last one for good. Names that begin with $ are no variables:
---   $after   how long it takes until it is answered        $user        who claims the task
---   $error   the code of a BPMN error instead of an answer  $escalation  the code of an escalation (user tasks)
---   $fail    the message of a worker's failure (external tasks)
---   $result  what a bean's method gives; its answer goes by "bean" or "bean.method"
local args = require "orrery.cli.args"
local core = require "orrery.core"
local orrery = require "orrery"

local answers = {}

local Answers = {}
Answers.__index = Answers

local words = { "$after", "$error", "$escalation", "$fail", "$result", "$user" }
local known = {}
for _, word in ipairs(words) do known[word] = true end

local function is_array(value) return getmetatable(value) == core.array or value[1] ~= nil end

--- The variables and the instructions of one answer. `where` is for complaints.
function answers.split(answer, where)
  local variables, orders = {}, {}
  for name, value in pairs(answer) do
    if name:sub(1, 1) ~= "$" then variables[name] = value
    elseif not known[name] then
      local near = core.nearest(name, words)
      args.usage("%s: %s is none of %s%s", where, name, table.concat(words, ", "), near and "; did you mean " .. near .. "?" or "")
    elseif type(value) ~= "string" and name ~= "$result" then args.usage("%s: %s must be a text",
      where, name)
    else orders[name:sub(2)] = value end
  end
  if orders.after then
    local ok, seconds = pcall(orrery.parse_duration, orders.after)
    orders.after = ok and seconds or args.usage("%s: $after needs a duration such as PT5M, got %q", where, orders.after)
  end
  return { variables = variables, orders = orders }
end

local function read_one(path, id, answer)
  local where = ("%s: %s"):format(path, id)
  if type(answer) ~= "table" then args.usage("%s: an object, or an array of objects, is expected", where) end
  if not is_array(answer) then return { answers.split(answer, where) } end
  local list = {}
  for i, one in ipairs(answer) do
    if type(one) ~= "table" or is_array(one) then args.usage("%s: answer %d is no object", where, i) end
    list[i] = answers.split(one, where)
  end
  if #list == 0 then args.usage("%s: an array of answers needs one at least", where) end
  return list
end

--- Reads the file; without one, nothing is answered.
function answers.load(path)
  local self = setmetatable({ lists = {}, taken = {}, asked = {} }, Answers)
  if not path then return self end
  local all = args.json(path, args.contents("--answers", path))
  if type(all) ~= "table" or is_array(all) then args.usage("%s: an object of answers by activity is expected", path) end
  for id, answer in pairs(all) do self.lists[id] = read_one(path, id, answer) end
  return self
end

local function key_of(self, move)
  if self.lists[move.activity or ""] then return move.activity end
  return move.name and self.lists[move.name] and move.name
end

--- The answer that is next for a move: { variables, orders }, or nil.
function Answers:peek(move)
  local key = key_of(self, move)
  local list = key and self.lists[key]
  if list then self.asked[key] = true end
  return list and list[math.min((self.taken[key] or 0) + 1, #list)]
end

--- It was given.
function Answers:take(move)
  local key = key_of(self, move)
  if key then self.taken[key] = (self.taken[key] or 0) + 1 end
end

--- The ids that nothing asked for, in order.
function Answers:unused()
  local out = {}
  for id in pairs(self.lists) do
    if not self.asked[id] then out[#out + 1] = id end
  end
  table.sort(out)
  return out
end

return answers
