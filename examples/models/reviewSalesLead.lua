--- The first review finds that something is missing, so the lead goes back for details; the second one goes through.
local reviews = 0

local function answers(key)
  if key == "provideNewSalesLead" then return { customerName = "Statler", potentialProfit = 1000, details = "a box at the theatre" } end
  if key ~= "reviewProfitability" then return {} end
  reviews = reviews + 1
  return { notEnoughInformation = tostring(reviews == 1) }
end

return {
  options = { clock = "manual" },
  start = { initiator = "kermit" },
  step = function(engine, _, say)
    local task = engine:tasks({ order_by = "id", limit = 1 })[1]
    if not task then return false end
    say("%s: %s", task.assignee or "somebody", task.name)
    task:complete(answers(task.key))
    return true
  end,
}
