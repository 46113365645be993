-- How a result is tested: `if (f())`, `if (!f())`. What a function gives as a number is compared.
-- Marks: load
local sources = require "spec.tidy.sources"

local rooms = { "base/", "store/", "runtime/", "bindings/", "server/", "spec/inside/", "spec/bench/" }

-- Functions whose int is a number, and those that tell an order or a sign by their name.
local numbers = { orr_engine_count = true, by_period = true, socket_waiting = true, packed_tag = true }

local function is_result(name, results)
  return results[name] and not numbers[name] and not name:find "compare" and not name:find "_sign$"
end

-- Names of functions that give an int everywhere they are.
local function results_of(all)
  local int, other = {}, {}
  for _, source in ipairs(all) do
    for _, line in ipairs(source.path:find "%.[ch]$" and source.lines or {}) do
      local kind, name = line:match "^([%a_][%w_ ()]-[ %*]+)([%w_]+)%("
      local bare = kind and kind:gsub("ORR_API%(%d%)", ""):gsub("static", ""):gsub("inline", ""):match "^%s*(.-)%s*$"
      if bare == "int" then int[name] = true elseif bare and bare ~= "" then other[name] = true end
    end
  end
  for name in pairs(other) do int[name] = nil end
  return int
end

-- Calls found(name) for each call of a result's function in a line that is compared with 0.
local function compared(line, results, found)
  for name, call, behind in line:gmatch "([%w_]+)(%b())%s*([!=]=%s0)%f[^%w]" do
    if is_result(name, results) and call and behind then found(name) end
  end
end

describe("a result", function()
  local results = results_of(sources.all)

  it("is tested as it is", function()
    local out = {}
    for _, source in ipairs(sources.all) do
      if sources.is_in(source.path, rooms) and source.path:find "%.[ch]$" then
        for number, line in ipairs(source.lines) do
          compared(line, results, function(name)
            out[#out + 1] = ("%s:%d: write if (%s(…)) or if (!%s(…))"):format(source.path, number, name, name)
          end)
        end
      end
    end
    assert.same({}, out)
  end)

  it("is found by its function's name", function()
    local found = {}
    compared("if (!x || unit_touch(c->u, y(z)) != 0) return strcmp(a, b) == 0;", { unit_touch = true, y = true },
      function(name) found[#found + 1] = name end)
    assert.same({ "unit_touch" }, found)
    assert.is_true(results.value_copy and results.unit_touch)
    assert.is_nil(results.value_size)
  end)
end)
