-- Camunda's contract in short, and whether an answer has exactly its fields.
local differences = require "spec.server.differences"

-- The contract, in short.
local contract, shapes, bodies = {}, {}, {}
local kinds = { param = {}, member = {} } -- types by name, and by name and operation
local never_null = {}
for line in io.lines "spec/server/contract.txt" do
  local tier, method, path, answer, params = line:match "^op (%d) (%S+) (%S+) (%S+) (%S+)$"
  if tier then
    contract[#contract + 1] = { tier = tonumber(tier), method = method, path = path, key = method .. " " .. path,
      answer = answer ~= "-" and answer or nil, params = params ~= "-" and params or "" }
  end
  local body, members = line:match "^body (%S+ %S+) (%S+)$"
  if body then bodies[body] = members end
  local of, type, names = line:match "^(%l+) (%l+) ([^ ]+)$"
  if kinds[of] then
    for one in names:gmatch "[^,]+" do kinds[of][one] = type end
  end
  local what, member, is, operation = line:match "^but (%l+) (%S+) (%l+) (%S+ %S+)$"
  if what then kinds[what][member .. " " .. operation] = is end
  local set, filled = line:match "^set (%S+) (%S+)$"
  if set then
    never_null[set] = {}
    for one in filled:gmatch "[^,]+" do never_null[set][one] = true end
  end
  local name, fields = line:match "^dto (%S+) (.*)$"
  if name then
    shapes[name] = {}
    for field, type in fields:gmatch "([^:,]+):([^,]+)" do shapes[name][field] = type end
  end
end

local types = { string = "string", integer = "number", number = "number", boolean = "boolean" }

local function note(problems, path, text) problems[#problems + 1] = path .. ": " .. text end

local function fits(problems, path, type_name, value)
  local json = require "orrery".json
  if value == nil or value == json.null or value == require "orrery".null then return end
  local item, map = type_name:match "^%[(.*)%]$", type_name:match "^{(.*)}$"
  if item or map then
    if type(value) ~= "table" then return note(problems, path, "no " .. type_name) end
    for key, one in pairs(value) do fits(problems, path .. "." .. key, item or map, one) end
  elseif shapes[type_name] and next(shapes[type_name]) then
    if type(value) ~= "table" then return note(problems, path, "no " .. type_name) end
    local allowed = differences[type_name] or {}
    for field, of in pairs(shapes[type_name]) do
      if value[field] == nil and not allowed[field] then note(problems, path, type_name .. " without " .. field) end
      local null = value[field] == require "orrery".null or value[field] == json.null
      if null and (never_null[type_name] or {})[field] and not allowed[field] then
        note(problems, path, type_name .. " whose " .. field .. " is null")
      end
      fits(problems, path .. "." .. field, of, value[field])
    end
    for field in pairs(value) do
      if not shapes[type_name][field] and not allowed[field] then note(problems, path, type_name .. " with " .. field) end
    end
  elseif types[type_name] and type(value) ~= types[type_name] then
    note(problems, path, ("%s is no %s"):format(tostring(value), type_name))
  end
end

return { contract = contract, bodies = bodies, note = note, fits = fits,
  --- The type that the contract gives a parameter or a member of a body ("param", "member").
  type_of = function(of, name, operation)
    return kinds[of][name .. " " .. operation] or kinds[of][name]
  end,
  --- What is wrong with an answer of this type, as texts.
  problems = function(name, type_name, value)
    local problems = {}
    fits(problems, name, type_name, value)
    return problems
  end,
}
