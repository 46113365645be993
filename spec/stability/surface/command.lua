-- What a script says to the command: its verbs, their arguments and options, and which words an
-- option takes. The command
-- itself is asked, since lists make their options of the records' fields.
local ASK = [[
local cli = require "orrery.cli"
local function say(...) print(string.format(...)) end
for _, c in ipairs(cli.commands()) do
  for i, a in ipairs(c.spec.arguments or {}) do
    say("orrery %s, argument %d: %s%s%s", c.name, i, a[1], a.optional and ", optional" or "", a.many and ", many" or "")
  end
  say("orrery %s", c.name)
  for _, o in ipairs(c.spec.options or {}) do
    say("orrery %s %s%s%s%s", c.name, o[1], o.value and " " .. o.value or "", o.many and ", many" or "",
      o.short and ", short " .. o.short or "")
    for _, word in ipairs(o.choices or {}) do say("orrery %s %s %s", c.name, o[1], word) end
  end
end
]]

--- @param orrery string  the command of a build
return function(orrery)
  local path = os.tmpname()
  do
    local file <close> = assert(io.open(path, "w"))
    file:write(ASK)
  end
  local lines = {}
  local output <close> = assert(io.popen(("'%s' lua '%s'"):format(orrery, path)))
  for line in output:lines() do lines[#lines + 1] = line end
  os.remove(path)
  assert(#lines > 100, orrery .. " does not say what its commands are")
  return lines
end
