-- Appends its activity to the file named by the variable `notes`.
return function(execution)
  local file <close> = assert(io.open(execution:get "notes", "a"))
  file:write(execution.activity_id, " ")
end
