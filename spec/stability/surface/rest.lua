-- What a client of the server sends and reads: operations with role, parameters and bodies,
-- queries, the fields of what
-- is answered. What only the operator's page asks for, below /orrery/, is not part of it.
package.path = "./?.lua;" .. package.path
local subjects = require "server.subjects"

local left_out = { operator = true, session = true, unbuilt = true }

local function sorted(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function add_operation(lines, op)
  local head = op[1] .. " " .. op[2]
  lines[#lines + 1] = ("%s: role %s, answers %s"):format(head, op.role or "read", op.returns
    or op.query or "nothing")
  for _, parameter in ipairs(op.args
    or {}) do lines[#lines + 1] = ("%s, parameter %s: %s"):format(head, parameter[1],
    parameter[2]) end
  for _, member in ipairs(type(op.body) == "table" and op.body or {}) do
    lines[#lines + 1] = ("%s, member %s: %s"):format(head, member[1], member[2])
  end
end

local function add_query(lines, name, query)
  for _, parameter in ipairs(query.params) do
    if parameter[2] ~= "unbuilt" then lines[#lines + 1] = ("query %s, %s: %s"):format(name,
      parameter[1], parameter[2]) end
  end
  for _, sort in ipairs(sorted(query.sorts
    or {})) do lines[#lines + 1] = ("query %s, sorted by %s"):format(name, sort) end
end

local function add_shape(lines, name, shape)
  if shape.extends then lines[#lines + 1] = ("%s extends %s"):format(name, shape.extends) end
  for _, field in ipairs(shape) do
    lines[#lines + 1] = ("%s.%s: %s"):format(name, field[1], tostring(field.type or field[2]))
  end
end

return function()
  local lines = {}
  for _, subject in ipairs(subjects) do
    if not left_out[subject[1]] then
      local t = require("server.table." .. subject[1])
      for _, op in ipairs(t.operations) do add_operation(lines, op) end
      for _, name in ipairs(sorted(t.queries)) do add_query(lines, name, t.queries[name]) end
      for _, name in ipairs(sorted(t.dtos)) do add_shape(lines, name, t.dtos[name]) end
    end
  end
  return lines
end
