-- Every conformance case passes but those in pending.txt, and those fail: a case that was mended must leave the list.
local here = debug.getinfo(1, "S").source:match "^@(.*)/" or "."
package.path = here .. "/?.lua;" .. package.path
local cases = require "cases"

local folder = os.getenv "ORRERY_CONFORMANCE"

local function check_pending(case, reason)
  local ok = pcall(cases.run, folder, case)
  assert(not ok, case.name .. " passes now: take it out of spec/conformance/pending.txt")
  pending(reason)
end

describe("conformance", function()
  if not folder then
    it("runs when ORRERY_CONFORMANCE names the folder of the cases", function() pending "it is not set" end)
    return
  end
  local known, exists = cases.pending(), {}
  for _, case in ipairs(cases.all(folder)) do
    exists[case.name] = true
    it(case.name, function()
      if known[case.name] then check_pending(case, known[case.name]) else cases.run(folder, case) end
    end)
  end

  it("lists as pending only cases that exist", function()
    if os.getenv "CASES" then return pending "only some cases were looked at" end
    for name in pairs(known) do assert(exists[name], "pending.txt names " .. name .. ", which is no case") end
  end)
end)
