--- Prints every case that fails in the form of pending.txt, with the first line of why; the rest is for whoever writes the list.
---   ORRERY_CONFORMANCE=… orrery lua spec/conformance/run.lua [WORD]
local here = arg[0]:match "^(.*)/" or "."
package.path = here .. "/?.lua;" .. package.path
local cases = require "cases"

local folder = os.getenv "ORRERY_CONFORMANCE" or error("set ORRERY_CONFORMANCE to the folder of the cases", 0)
local known = cases.pending()
local passed, failed = 0, 0

local function first_line(failure)
  local text = type(failure) == "table" and tostring(failure.message or failure) or tostring(failure)
  return (text:gsub("\nstack traceback.*", ""):gsub("%s+", " "):sub(1, 200))
end

for _, case in ipairs(cases.all(folder)) do
  if not arg[1] or case.name:find(arg[1], 1, true) then
    local ok, failure = pcall(cases.run, folder, case)
    if ok then
      passed = passed + 1
      if known[case.name] then io.stderr:write(case.name, " passes now\n") end
    else
      failed = failed + 1
      print(("%s  %s"):format(case.name, known[case.name] or first_line(failure)))
      io.stdout:flush()
    end
  end
end
io.stderr:write(("%d passed, %d failed\n"):format(passed, failed))
