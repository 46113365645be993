--- busted's plain output for spec/run. In the folder that ORRERY_RUN names it keeps three files:
---   doing    what is being tried, made anew as each spec begins: a file of specs that hangs can
---            tell nobody itself
---   counts   "passed failed", written at the end; a run that left none did not come to its end
---   skipped  a line for each spec that did not run: "reason" of the spec
local busted = require "busted"
local folder = os.getenv "ORRERY_RUN"

local function write(name, ...)
  local file <close> = assert(io.open(folder .. "/" .. name, "w"))
  file:write(...)
end

local function reasons(pendings)
  local out = {}
  for _, skipped in ipairs(pendings) do
    local reason = type(skipped.message) == "string" and skipped.message or skipped.name
    out[#out + 1] = reason:gsub("\n.*", ""):gsub("^%S+:%d+: ", "") .. "\n"
  end
  return table.concat(out)
end

--- busted stops calling who answers false, so each answers true.
local function tell_runner(handler)
  busted.subscribe({ "test", "start" }, function(element)
    write("doing", handler.getFullName(element), "\n")
    return nil, true
  end)
  busted.subscribe({ "exit" }, function()
    write("counts", handler.successesCount, " ", handler.failuresCount + handler.errorsCount, "\n")
    write("skipped", reasons(handler.pendings))
    return nil, true
  end)
end

return function(options)
  local handler = require "busted.outputHandlers.plainTerminal"(options)
  if folder then tell_runner(handler) end
  return handler
end
