--- A bank as tests know it: out of reach at the first call, without money for card 4000.
local bank = {}

local calls = 0

--- true and a receipt, or false and why not; raises when the bank cannot be reached.
function bank.charge(card, cents)
  calls = calls + 1
  if calls == 1 then error "the bank does not answer" end
  if card == "4000" then return false, "no money on it" end
  return true, ("receipt %d over %.2f"):format(calls, cents / 100)
end

return bank
