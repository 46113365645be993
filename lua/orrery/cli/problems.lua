--- Problems of models as compilers print theirs: file:line:column: kind: text.
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

return problems
