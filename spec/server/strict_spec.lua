-- Every operation of Camunda's contract, each parameter and each member of a body by its type: one
-- of the right type is taken, one of another is refused as Camunda refuses it, and what commands
-- answer has the contract's fields. What differs stands below, with its reason.
local json = require "orrery".json
local seeded = require "spec.server.seeded"
local shapes = require "spec.server.shapes"
local support = require "spec.server.support"

local ours, queries = {}, {}
for _, subject in ipairs(require "server.subjects") do
  local t = require("server.table." .. subject[1])
  for _, op in ipairs(t.operations) do ours[op[1] .. " " .. op[2]] = op end
  for name, q in pairs(t.queries) do queries[name] = q end
end

-- ---- What differs, and why ---------------------------------------------------------------------

-- Parameters that mean nothing here: taken, whatever they say.
local NO_MEANING <const> = {
  deserializeValue = "values are never deserialized", deserializeValues = "the same",
  disableBinaryFetching = "the same", disableCustomObjectDeserialization = "the same",
}
-- Operations whose parameters or bodies nobody reads.
local UNREAD <const> = {
  forbidden = "refused whatever is asked: the server's file of users says who there is",
  none_such = "404 whatever is asked: there are no such things",
  nothing = "empty whatever is asked: there are no such things",
  zero = "none whatever is asked: there are no such things",
  password_policy = "404 whatever is asked: the host has the policy",
}

-- ---- What is sent ------------------------------------------------------------------------------

local TIME <const> = "2026-01-31T12:00:00.000+0000"
-- Texts to the published contract, which tells beside that they are dates.
local DATES <const> = {}
for name in ([[createdAfter createdBefore createdOn dueAfter dueBefore dueDate followUpAfter followUpBefore
  followUpBeforeOrNotExistent followUpDate updatedAfter]]):gmatch "%S+" do DATES[name] = true end
-- Objects to the published contract; any plain value in fact.
local ANY <const> = { variableValue = true }
-- What an operation wants beside the parameter or the member that is looked at.
local BESIDE <const> = {
  ["GET /authorization/check"] = "&permissionName=READ&resourceName=x&resourceType=6",
  ["GET /history/process-instance/report"] = "&reportType=duration&periodUnit=month",
  ["GET /history/task/report"] = "&reportType=duration&periodUnit=month",
  ["POST /external-task/fetchAndLock"] = '"workerId": "w", "maxTasks": 1, ',
}
local WORDS <const> = { delegationState = "PENDING", eventType = "message", incidentStatus = "open",
  periodUnit = "month", reportType = "duration", name = "job-successful" }
local TEXTS <const> = { variables = "a_eq_1", processVariables = "a_eq_1", taskVariables = "a_eq_1",
  variableValues = "a_eq_1", dueDates = "lt_" .. TIME, createTimes = "gt_" .. TIME }
local OBJECTS <const> = { createTimes = { operator = "gt", value = TIME }, dueDates =
  { operator = "lt", value = TIME }, orQueries = {} }

-- Of a type of the contract's: what a query string may say, and what it may not.
local function text_of(type, name)
  if type == "string" and DATES[name] then type = "time" end
  if name == "interval" then return "900" end
  if type == "boolean" then return "true" end
  if type == "integer" then return "1" end
  if type == "time" then return TIME end
  return WORDS[name] or TEXTS[name] or "1"
end
local WRONG_TEXT <const> = { boolean = "perhaps", integer = "x1", time = "soon" }

-- The same of a member of a body.
local function member_of(type, name)
  if type == "string" and DATES[name] then type = "time" end
  if type == "boolean" then return true end
  if type == "integer" then return 1 end
  if type == "time" then return TIME end
  if type == "strings" then return { "1" } end
  if type == "objects" then
    return { OBJECTS[name] or { name = "a", operator = "eq", value = 1 } }
  end
  if type == "any" or name == "variableValue" then return "x" end
  return WORDS[name] or "1"
end
local WRONG <const> = { boolean = { '"perhaps"', "{}" }, integer = { '"x1"', "{}" },
  time = { '"soon"', "{}" }, string = { "{}", "[1]" }, word = { "{}" },
  strings = { '"x"', "[{}]" }, objects = { "7", "[7]" }, object = { "7", "[1]" } }

local function escaped(text) return (text:gsub("%+", "%%2B")) end

describe("the contract, strictly,", function()
  local server, seed, fell

  setup(function() server, seed = seeded.serve() end)
  teardown(function() server:close() end)
  before_each(function() fell = {} end)

  local function note(format, ...) fell[#fell + 1] = format:format(...) end
  local function none_fell()
    table.sort(fell)
    assert.equal("", table.concat(fell, "\n"))
  end

  -- Our parameters and members of an operation, by their names.
  local function known(own, list)
    local out = {}
    for _, p in ipairs(own.query and queries[own.query].params or list or {}) do out[p[1]] = p[2] end
    return out
  end

  local function is_refusal(status, answer, name)
    return status == 400 and type(answer) == "table" and answer.type == "InvalidRequestException"
      and answer.code == 0 and tostring(answer.message):find(name, 1, true)
  end

  local function said(answer) return type(answer) == "table" and answer.message or tostring(answer) end

  -- Each operation that reads parameters, and those of the contract that are built.
  local function each_of_parameters(check)
    for _, op in ipairs(shapes.contract) do
      local own = ours[op.key]
      local kinds = known(own, type(own.args) == "table" and own.args)
      local built = {}
      for name in op.params:gmatch "[^,]+" do
        local paging = name:find "^sort" or name:find "Result"
        if kinds[name] ~= "unbuilt" and not (paging and own[3] ~= "list") then
          built[#built + 1] = name
        end
      end
      if not own.unbuilt and not UNREAD[own[3]] and #built > 0 then check(op, own, built) end
    end
  end

  it("takes each parameter of its type", function()
    local asked = 0
    each_of_parameters(function(op, own, names)
      if op.method ~= "GET" then return end
      local path = seeded.filled(seed, op.path)
      for _, name in ipairs(names) do
        if not name:find "^sort" then
          asked = asked + 1
          local value = text_of(shapes.type_of("param", name, op.key), name)
          local status, answer = server:ask("GET", ("%s?%s=%s%s"):format(path, name, escaped(value),
            BESIDE[op.key] or ""))
          local refused = is_refusal(status, answer, name)
          if refused or status >= 500 or (own.query and status ~= 200) then
            note("%s ?%s=%s: %d %s", op.key, name, value, status, said(answer))
          end
        end
      end
    end)
    none_fell()
    assert.is_true(asked > 1000, asked .. " parameters")
  end)

  it("refuses each parameter of another type", function()
    local asked = 0
    each_of_parameters(function(op, _, names)
      local path = seeded.filled(seed, op.path)
      for _, name in ipairs(names) do
        local wrong = WRONG_TEXT[shapes.type_of("param", name, op.key)]
        if wrong and not NO_MEANING[name] then
          asked = asked + 1
          local body = (op.method == "POST" or op.method == "PUT") and "{}" or nil
          local status, answer = server:ask(op.method, ("%s?%s=%s%s"):format(path, name, wrong,
            op.method == "GET" and BESIDE[op.key] or ""), body)
          if not is_refusal(status, answer, name) then
            note("%s ?%s=%s: %d %s", op.key, name, wrong, status, said(answer))
          end
        end
      end
    end)
    none_fell()
    assert.is_true(asked > 400, asked .. " parameters")
  end)

  -- Each operation that reads a body, with the contract's members.
  local function each_of_members(check)
    local keys = {}
    for key in pairs(shapes.bodies) do keys[#keys + 1] = key end
    table.sort(keys)
    for _, key in ipairs(keys) do
      local own = ours[key]
      local kinds = known(own, own.body)
      if not own.unbuilt and not UNREAD[own[3]] then
        for name in shapes.bodies[key]:gmatch "[^,]+" do
          check(key, own, name, kinds[name], shapes.type_of("member", name, key))
        end
      end
    end
  end

  it("takes each member of a query of its type", function()
    local asked = 0
    each_of_members(function(key, own, name, kind, type)
      if not own.query or kind == "unbuilt" or name == "sorting" then return end
      asked = asked + 1
      local body = json.encode { [name] = member_of(type, name) }
      local status, answer = server:ask("POST", key:match " (.*)", body)
      if status ~= 200 then note("%s %s: %d %s", key, body, status, said(answer)) end
    end)
    none_fell()
    assert.is_true(asked > 600, asked .. " members")
  end)

  it("refuses each member of a body of another type", function()
    local asked = 0
    each_of_members(function(key, _, name, _, type)
      local method, path = key:match "(%S+) (.*)"
      for _, wrong in ipairs(not ANY[name] and WRONG[type] or {}) do
        asked = asked + 1
        local body = ("{%s%q: %s}"):format(BESIDE[key] or "", name, wrong)
        local status, answer = server:ask(method, seeded.filled(seed, path), body)
        if not is_refusal(status, answer, name) then
          note("%s %s: %d %s", key, body, status, said(answer))
        end
      end
    end)
    none_fell()
    assert.is_true(asked > 1500, asked .. " members")
  end)
end)
