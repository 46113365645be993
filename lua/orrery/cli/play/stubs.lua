--- Stubs for the delegates that a model names and that are missing, for `orrery run --play`: each call is answered as a move is, by
--- the file of --answers, by a person at the terminal, or with nothing. Those of listeners do nothing.
local args = require "orrery.cli.args"
local ask = require "orrery.cli.play.ask"
local inspect = require "orrery.inspect"
local orrery = require "orrery"
local stub = require "orrery.testing.stub"

local stubs = {}

local fine = { error = true, fail = true, after = true, result = true }
local nothing = { variables = {}, orders = {} }

local function check(orders)
  for word in pairs(orders) do
    if not fine[word] then error(("$%s is no answer for a delegate"):format(word), 0) end
  end
end

--- What the person at the terminal says that the delegate does; an empty line, or the end of the input: nothing.
local function asked(player, name, asks, does)
  player.out:line("%s",
    ('%s: nothing is registered as "%s"; '
      .. "what does it do? (%s, $error=CODE, $fail=MESSAGE; empty: nothing)")
    :format(asks, name, does))
  while true do
    local line = player.read "stub> "
    if not line then return nothing end
    local ok, chosen, answer = pcall(ask.parse, line)
    if ok and not chosen then return answer end
    if not ok and not args.is_usage(chosen) then error(chosen, 0) end
    player.out:line("%s", ok and "a delegate is no choice: name=value" or tostring(chosen))
  end
end

local function text_of(name, answer)
  local parts, names = {}, {}
  for variable in pairs(answer.variables) do names[#names + 1] = variable end
  table.sort(names)
  for i, variable in ipairs(names) do parts[i] = (", %s = %s"):format(variable, inspect.value(answer.variables[variable])) end
  local orders = answer.orders
  local did = orders.error and "BPMN error " .. orders.error or orders.fail and "fails: " .. orders.fail or "done"
  if orders.result ~= nil then parts[#parts + 1] = ", gives " .. inspect.value(orders.result) end
  return ('a stub for "%s": %s%s'):format(name, did, table.concat(parts))
end

local function say(player, name, execution, answer)
  local move = { kind = "delegate", activity = execution.activity_id, name = name }
  player.say(move, answer, ("%s: %s"):format(execution.activity_id or "", text_of(name, answer)))
end

local function call(player, name, execution)
  local move = { activity = execution.activity_id, name = name }
  local answer = player.answers:peek(move)
  if answer then player.answers:take(move)
  else answer = player.read and asked(player, name, execution.activity_id, "name=value")
    or nothing end
  check(answer.orders)
  for variable, value in pairs(answer.variables) do execution:set(variable, value) end
  say(player, name, execution, answer)
  if answer.orders.error then orrery.bpmn_error(answer.orders.error) end
  if answer.orders.fail then error(answer.orders.fail, 0) end
end

--- The names of a deployment's delegates that are not there. `registered`: a set of names; `path`: where modules are looked up.
stubs.missing = stub.missing

--- A bean's method: no execution is known, so its answer goes by the bean's name, or the method's.
local function call_method(player, bean, method)
  local name = bean .. "." .. method
  local move = { activity = name, name = bean }
  local answer = player.answers:peek(move)
  if answer then player.answers:take(move)
  else answer = player.read and asked(player, bean, name, "$result=VALUE") or nothing end
  check(answer.orders)
  player.say({ kind = "delegate", name = name }, answer, text_of(name, answer))
  if answer.orders.error then orrery.bpmn_error(answer.orders.error) end
  if answer.orders.fail then error(answer.orders.fail, 0) end
  return answer.orders.result
end

--- Registers a stand-in for each of the names, also where they name listeners or beans. `player`
--- answers for them.
function stubs.register(engine, names, player)
  for _, name in ipairs(names) do
    engine:register(name, setmetatable({
      execute = function(_, execution) call(player, name, execution) end,
      notify = function(_, x) say(player, name, x.execution or x, nothing) end, -- a task listener gets the task
    }, stub.any_method(function(method) return call_method(player, name, method) end)))
  end
end

return stubs
