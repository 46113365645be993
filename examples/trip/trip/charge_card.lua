--- A bank that says no raises a BPMN error, which the model catches: that is no failure, and nothing is tried again.
local orrery = require "orrery"
local agency = require "trip.agency"

return function(execution)
  if execution:get "card" == agency.refused_card then orrery.bpmn_error("CARD_DECLINED", "there is no money on it") end
end
