--- Numbers as the manual shows them: three digits that count, thousands apart.
local number = {}

--- The digits of a text, thousands apart.
function number.grouped(text)
  repeat
    local count
    text, count = text:gsub("^(%d+)(%d%d%d)", "%1,%2")
  until count == 0
  return text
end

function number.text(n) return n < 1000 and ("%.3g"):format(n) or number.grouped(("%.0f"):format(n)) end

return number
