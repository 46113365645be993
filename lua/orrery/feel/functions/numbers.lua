--- Functions of numbers.
return function(f, define)
  local N, T, nothing = f.numbers, f.temporal, f.nothing
  local SCALE_MIN, SCALE_MAX = -6111, 6176

  local function round(name, mode)
    return function(n, scale)
      local digits = scale == nil and 0 or N.integer(N.round(scale, 0, "down"))
      if not digits or digits < SCALE_MIN or digits > SCALE_MAX then
        return nothing("%s: a scale lies between %d and %d", name, SCALE_MIN, SCALE_MAX)
      end
      return N.round(n, digits, mode) or nothing("%s: the result is too large", name)
    end
  end

  define("decimal", "n: number; scale: number", round("decimal", "half even"))
  define("floor", "n: number; scale: number?", round("floor", "floor"))
  define("ceiling", "n: number; scale: number?", round("ceiling", "ceiling"))
  for _, mode in ipairs { "up", "down", "half up", "half down" } do
    define("round " .. mode, "n: number; scale: number", round("round " .. mode, mode))
  end

  define("abs", "n: number or duration", function(n)
    if f.is_number(n) then return N.abs(n) end
    local zero = f.kind(n) == "years and months duration" and T.months(0) or T.days(0)
    return T.compare(n, zero) < 0 and T.negate(n) or n
  end)

  define("modulo", "dividend: number; divisor: number", function(dividend, divisor)
    if divisor == 0 then return nothing "modulo: the divisor is 0" end
    return N.modulo(dividend, divisor) or nothing "modulo: there is no such number"
  end)

  local function partial(name, compute, describe)
    define(name, "number: number", function(n) return compute(n) or nothing("%s: %s", name, describe) end)
  end

  partial("sqrt", N.sqrt, "a negative number has no root")
  partial("log", function(n) return n > 0 and N.log(n) or nil end, "only numbers above 0 have one")
  partial("exp", N.exp, "the result is too large")

  define("odd", "number: number", function(n) return N.modulo(N.abs(n), 2) == 1 end)
  define("even", "number: number", function(n) return N.modulo(n, 2) == 0 end)
end
