-- What the house rules look at: the project's sources as lines, by path. The specs run in its root.
local M = {}

function M.lines_of_command(command)
  local out = {}
  local pipe = assert(io.popen(command))
  for line in pipe:lines() do out[#out + 1] = line end
  pipe:close()
  return out
end

function M.read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

-- Sources by path, as arrays of lines. What is generated is not written to be read.
M.all = {}
for _, path in ipairs(M.lines_of_command "find base runtime store bindings server lua spec examples -type f | LC_ALL=C sort") do
  if path:match "%.[ch]$" or path:match "%.lua$" or path:match "%.def$" then
    if not path:find "%.gen%.lua$" then
      local lines = {}
      for line in io.lines(path) do lines[#lines + 1] = line end
      M.all[#M.all + 1] = { path = path, lines = lines }
    end
  end
end

function M.is_in(path, rooms)
  if not rooms then return true end
  for _, room in ipairs(rooms) do
    if path:sub(1, #room) == room then return true end
  end
  return false
end

-- Calls check(path, line) for the sources of some rooms (nil: of all); what it returns is a finding.
function M.findings(rooms, check)
  local out = {}
  for _, source in ipairs(M.all) do
    if M.is_in(source.path, rooms) then
      for number, line in ipairs(source.lines) do
        local finding = check(source.path, line)
        if finding then out[#out + 1] = ("%s:%d: %s"):format(source.path, number, finding) end
      end
    end
  end
  return out
end

return M
