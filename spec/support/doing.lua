--- busted's plain output; in the file that ORRERY_DOING names, what is being tried: of a room that hangs nobody else can tell; and in the
--- end the files that took long, which is where to look when all together take too long.
local busted = require "busted"
local path = os.getenv "ORRERY_DOING"
local LONG <const> = 10 -- seconds

--- Writes down what is being tried.
local function tell_doing(handler)
  busted.subscribe({ "test", "start" }, function(element)
    local file <close> = assert(io.open(path, "w"))
    file:write(handler.getFullName(element), "\n")
    return nil, true
  end)
end

local function tell_long()
  local took = {}
  busted.subscribe({ "file", "end" }, function(element)
    if element.duration >= LONG then took[#took + 1] = element end
    return nil, true
  end)
  busted.subscribe({ "exit" }, function()
    table.sort(took, function(a, b) return a.duration > b.duration end)
    for _, element in ipairs(took) do print(("%6.0f s  %s"):format(element.duration, element.name)) end
    return nil, true
  end)
end

return function(options)
  local handler = require "busted.outputHandlers.plainTerminal"(options)
  if path then tell_doing(handler) end
  tell_long()
  return handler
end
