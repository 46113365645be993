--- Commands for the player of images; one that fails ends it with what the command printed.
local shell = {}

function shell.quote(word) return "'" .. tostring(word):gsub("'", "'\\''") .. "'" end

function shell.words(words)
  local quoted = {}
  for i, word in ipairs(words) do quoted[i] = shell.quote(word) end
  return table.concat(quoted, " ")
end

--- Runs a script of bash; returns whether it succeeded, and what it printed.
function shell.try(script)
  local pipe = assert(io.popen("bash -c " .. shell.quote(script) .. " 2>&1"))
  local out = pipe:read "a"
  return pipe:close() == true, out
end

function shell.run(script)
  local ok, out = shell.try(script)
  if not ok then error(("failed: %s\n%s"):format(script, out:sub(-4000)), 0) end
  return out
end

--- Tries a script until it succeeds, for at most a minute.
function shell.wait(what, script)
  local said
  for _ = 1, 300 do
    local ok
    ok, said = shell.try(script)
    if ok then return print("ok: " .. what) end
    shell.run "sleep 0.2"
  end
  error(("%s did not come about within a minute: %s"):format(what, said), 0)
end

return shell
