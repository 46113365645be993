--- Management refuses the first request; the employee asks again for fewer days, and that is granted.
local asked = 0

local people = {}

function people.handleRequest()
  asked = asked + 1
  local granted = asked > 1
  return granted and "management grants it" or "management refuses it",
    { vacationApproved = tostring(granted), managerMotivation = granted and "enjoy" or "we need you in the first week" }
end

function people.adjustVacationRequestTask() return "kermit asks for fewer days", { resendRequest = "true", numberOfDays = 5 } end

return {
  options = { clock = "manual" },
  start = { initiator = "kermit",
    variables = { employeeName = "kermit", numberOfDays = 10, startDate = "2026-07-01", vacationMotivation = "the sea" } },
  step = function(engine, _, say)
    local task = engine:task {}
    if not task then return false end
    local answer = people[task.key]
    local text, variables = "it is read: " .. task.name, {}
    if answer then text, variables = answer() end
    say("%s", text)
    task:complete(variables)
    return true
  end,
}
