--- Numbers: integers while they fit, else decimals.
local core = require "orrery.core"

local decimal = core.feel.decimal
local dadd, dsub, dmul, ddiv = decimal.add, decimal.sub, decimal.mul, decimal.div
local mtype = math.type

return function(f)
  local N = {}
  f.numbers = N

  N.pow, N.modulo, N.sqrt, N.exp, N.log, N.round = decimal.pow, decimal.modulo, decimal.sqrt, decimal.exp, decimal.log, decimal.round
  N.compare, N.text = decimal.compare, decimal.text

  function N.add(a, b)
    if mtype(a) == "integer" and mtype(b) == "integer" then
      local sum = a + b
      if (a ~ sum) & (b ~ sum) >= 0 then return sum end
    end
    return dadd(a, b)
  end

  function N.sub(a, b)
    if mtype(a) == "integer" and mtype(b) == "integer" then
      local difference = a - b
      if (a ~ b) & (a ~ difference) >= 0 then return difference end
    end
    return dsub(a, b)
  end

  local HALF = 1 << 31 -- products of smaller ones fit

  function N.mul(a, b)
    if mtype(a) == "integer" and mtype(b) == "integer" and a < HALF and a > -HALF and b < HALF and b > -HALF then return a * b end
    return dmul(a, b)
  end

  --- nil for a divisor of 0.
  function N.div(a, b)
    if b == 0 then return nil end
    if mtype(a) == "integer" and mtype(b) == "integer" and b ~= -1 and a % b == 0 then return a // b end
    return ddiv(a, b)
  end

  function N.neg(a)
    if mtype(a) == "integer" and a ~= math.mininteger then return -a end
    return dsub(0, a)
  end

  function N.abs(a) return a < 0 and N.neg(a) or a end
  function N.is_whole(a) return mtype(a) == "integer" or N.round(a, 0, "floor") == a end

  --- A whole number as a Lua integer; nil when it is none, or too large.
  function N.integer(a) return mtype(a) == "integer" and a or nil end

  --- A text as XML Schema writes decimals, with an exponent if there is one, or a Lua number; nil
  -- when it is no number.
  function f.number(from)
    if type(from) == "number" then return decimal.of(from) end
    if type(from) ~= "string" then return f.is_number(from) and from or nil end
    local digits, exponent = from:match "^[-+]?([%d.]+)([eE]?[-+]?%d*)$"
    if not digits or not (digits:find "^%d+%.?%d*$" or digits:find "^%.%d+$") then return nil end
    if exponent ~= "" and not exponent:find "^[eE][-+]?%d+$" then return nil end
    return decimal.parse(from)
  end

  --- What a Lua program calculates with: an integer, or the float that is nearest.
  function f.to_lua(number)
    if mtype(number) then return number end
    return decimal.float(number)
  end
end
