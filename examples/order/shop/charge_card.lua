--- Charges the order's card. A bank that does not answer raises a plain error: the job fails and is tried again by its retry cycle. A bank
--- that says no raises a BPMN error, which the model catches.
local orrery = require "orrery"
local bank = require "shop.bank"

return function(execution)
  local ok, answer = bank.charge(execution:get "card", execution:get "total")
  if not ok then orrery.bpmn_error("CARD_DECLINED", answer) end
  execution:set("receipt", answer)
end
