-- The delegate of postgresql_spec.lua that marks its begin and its end in `log`; between them it keeps its thread while the file `gate` is
-- there.
local function note(execution, what)
  local file <close> = assert(io.open(execution:get "log", "a"))
  file:write(what, "\n")
end

return function(execution)
  note(execution, "begin")
  local gate
  repeat
    gate = io.open(execution:get "gate")
    if gate then gate:close() end
  until not gate
  note(execution, "end")
end
