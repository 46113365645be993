--- Problems of models as compilers print theirs: file:line:column: kind: text.
local files = require "orrery.files"
local stub = require "orrery.testing.stub"

local problems = {}

--- Prints them to the standard error (to the standard output with --json); `base` goes before the resources' names.
function problems.print(list, out, base)
  for _, p in ipairs(list) do
    local file = (base or "") .. (p.resource or "?")
    local kind = p.warning and "warning" or "error"
    if out.json then
      out:event { event = "problem", kind = kind, file = file, line = p.line, column = p.column, element = p.element, message = p.message }
    else
      out:problem(("%s:%d:%d: %s: %s"):format(file, p.line or 1, p.column or 1, kind, p.message))
    end
  end
end

--- Says which dialect each process model of a deployment has, and why.
function problems.print_dialects(engine, resources, out, base)
  local names = {}
  for name in pairs(resources) do
    if files.is_process_model(name) then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local dialect, reason = engine:model_dialect(resources[name])
    local file = (base or "") .. name
    if dialect then
      out:event({ event = "dialect", file = file, dialect = dialect, reason = reason },
        ("%s: the %s dialect: %s"):format(file, dialect, reason))
    end
  end
end

--- Says which delegates and beans the models ask for that are not here; a program may bring them.
function problems.print_missing(resources, module_path, out, path)
  local names, kinds = stub.missing_in(resources, {}, module_path)
  local told = {}
  for i, name in ipairs(names) do told[i] = ("%s %s (%s.lua)"):format(kinds[name], name,
    (name:gsub("%.", "/"))) end
  if #names == 0 then return end
  out:event({ event = "missing", file = path, delegates = names },
    ("%s: not here; register it, or put it beside the model: %s"):format(path, table.concat(told,
      ", ")))
end

--- What Lua says of a module that it cannot compile, as a problem of the resource.
local function not_compiled(resource, said)
  local line, text = said:match "^.-:(%d+): (.*)$"
  return { resource = resource, severity = "error", line = math.tointeger(tonumber(line)),
    message = "this is not Lua: " .. (text or said) }
end

local function by_resource(list)
  table.sort(list, function(a, b) return a.resource < b.resource end)
  return list
end

--- The modules among resources that do not compile: the engine would say so when one is needed.
function problems.of_lua(resources)
  local found = {}
  for name, text in pairs(resources) do
    local chunk, said = true, nil
    if name:find "%.lua$" then chunk, said = load(text, "=lua", "t") end
    if not chunk then found[#found + 1] = not_compiled(name, said) end
  end
  return by_resource(found)
end

--- The same of those in a folder that models ask for by name.
function problems.of_modules(resources, folder)
  local found = {}
  for name in pairs(stub.named_in(resources)) do
    local path = package.searchpath(name, folder .. "/?.lua")
    local chunk, said = true, nil
    if path then chunk, said = loadfile(path, "t") end
    if not chunk then found[#found + 1] = not_compiled(path:sub(#folder + 2), said) end
  end
  return by_resource(found)
end

return problems
