--- Functions over lists of numbers.
return function(f, define)
  local N, nothing = f.numbers, f.nothing

  -- Are all items numbers, and is there at least one?
  local function are_numbers(name, list)
    if list.n == 0 then return nothing("%s: the list is empty", name) end
    for i = 1, list.n do
      if not f.is_number(list[i]) then return nothing("%s: %s is no number", name, f.describe(list[i])) end
    end
    return true
  end

  local function fold(list, step, start)
    local result = start
    for i = 1, list.n do
      result = step(result, list[i])
      if result == nil then return nothing "the result is too large" end
    end
    return result
  end

  local function sum(list) return fold(list, N.add, 0) end

  local function mean(list)
    local total = sum(list)
    return total and N.div(total, list.n)
  end

  define("sum", "list: items", function(list) return are_numbers("sum", list) and sum(list) or nil end)
  define("product", "list: items", function(list) return are_numbers("product", list) and fold(list, N.mul, 1) or nil end)
  define("mean", "list: items", function(list) return are_numbers("mean", list) and mean(list) or nil end)

  local function sorted(list)
    local out = table.move(list, 1, list.n, 1, {})
    table.sort(out)
    return out
  end

  define("median", "list: items", function(list)
    if not are_numbers("median", list) then return nil end
    local in_order, middle = sorted(list), (list.n + 1) // 2
    if list.n % 2 == 1 then return in_order[middle] end
    return N.div(N.add(in_order[middle], in_order[middle + 1]), 2)
  end)

  -- Of a sample: the squares are divided by one less than there are.
  define("stddev", "list: items", function(list)
    if not are_numbers("stddev", list) then return nil end
    if list.n < 2 then return nothing "stddev: of one number there is none" end
    local middle, squares = mean(list), 0
    for i = 1, list.n do
      local difference = N.sub(list[i], middle)
      squares = N.add(squares, N.mul(difference, difference))
    end
    return N.sqrt(N.div(squares, list.n - 1))
  end)

  define("mode", "list: items", function(list)
    local out, most, run = { n = 0 }, 0, 0
    if list.n == 0 then return f.list(out) end
    if not are_numbers("mode", list) then return nil end
    local in_order = sorted(list)
    for i, number in ipairs(in_order) do
      run = number == in_order[i - 1] and run + 1 or 1
      if run > most then out, most = { n = 0 }, run end
      if run == most then
        out.n = out.n + 1
        out[out.n] = number
      end
    end
    return f.list(out)
  end)
end
