--- Problems of models as compilers print theirs: file:line:column: kind: text.
local calls = require "orrery.cli.model.calls"
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

local function absent(wanted, there)
  local out = {}
  for id in pairs(wanted) do
    if not there[id] then out[#out + 1] = id end
  end
  table.sort(out)
  return out
end

--- Says which processes and decisions the models call that are not among `there`; the store may
--- have them.
function problems.print_not_called(resources, there, out, path)
  local wanted, have = calls.of(resources), calls.of(there)
  local processes = absent(wanted.called, have.processes)
  local decisions = absent(wanted.decided, have.decisions)
  if #processes + #decisions == 0 then return end
  local told = {}
  for _, id in ipairs(processes) do told[#told + 1] = "process " .. id end
  for _, id in ipairs(decisions) do told[#told + 1] = "decision " .. id end
  out:event({ event = "missing", file = path, processes = processes, decisions = decisions },
    ("%s: calls what is not here, and must be in the store by then: %s"):format(path,
      table.concat(told, ", ")))
end

return problems
