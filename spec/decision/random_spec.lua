-- Random texts: what compiles is Lua that loads, and that runs without any error but a limit's; what does not is refused with a place.
local support = require "spec.decision.support"
local feel = support.feel
local inside = require "orrery_inside"

local COUNT = tonumber(os.getenv "ORRERY_RANDOM") or 3000

local function pick(list) return list[math.random(#list)] end

local atoms = { "1", "2.5", '"a"', "true", "null", "x", "y z", "item", "?", '@"2020-01-01"', "[]", "{}", "-1", "[1..2]",
  "9223372036854775807", "-9223372036854775808", "1e6000", '@"P106751991167300D"', '@"-P99999999999999Y"', '@"-999999999-01-01"',
  '@"999999999-12-31T23:59:59@Europe/Vienna"', '@"23:59:59"' }

-- %1 is filled in with smaller expressions, from the left.
local forms = { "%1 + %1", "%1 = %1", "(%1)", "[%1, %1]", "{a: %1, b: a + %1}", "if %1 then %1 else %1", "for i in %1 return %1",
  "for i in %1, j in %1 return i", "some i in %1 satisfies %1", "function(p, q) %1", "(%1)[%1]", "(%1).a", "(%1)(%1)", "sum(%1, %1)",
  "substring(string: %1, start position: %1)", "%1 and %1", "%1 or %1", "-(%1)", "%1 between %1 and %1", "%1 in (%1, < %1)", "[%1..%1]",
  "%1 instance of number", "(< %1)", "(%1)[1]", "not(%1)", "string(%1)", "for i in 1..3 return [partial, %1]" }

-- One branch goes deep, the others stay short.
local function expression(depth)
  if depth == 0 then return pick(atoms) end
  local deep = true
  return (pick(forms):gsub("%%1", function()
    local text = expression(deep and depth - 1 or 0)
    deep = false
    return text
  end))
end

local inputs = { { "number", 1 }, { "number", nil }, { "string", "a" }, { "boolean", true }, { nil, 5 }, { nil, "x" } }

local function run(code, input)
  local fn = assert(load(("local f, scope, input = ... local K = %s return %s"):format(code.constants, code.lua)))
  local scope = { x = 1, ["y z"] = feel.list { n = 1, feel.ctx { "a", a = 1 } } }
  local ok, value = pcall(feel.with, { diagnostics = {} }, fn, feel, scope, input)
  if ok then ok, value = pcall(feel.string, value) end
  if not ok then assert.equal("limit", type(value) == "table" and value.kind or tostring(value)) end
end

local function try(text)
  local input = pick(inputs)
  local options = { form = math.random() < 0.3 and "tests" or nil, input = "input", input_type = input[1],
    names = { { "x", "number" }, { "y z", "list<context<a: number>>" } } }
  local code, message, number, line, column = inside.feel.compile(text, options)
  if code then
    run(code, input[2])
    return true
  end
  assert.is_true(number == -4 or number == -11, message)
  assert.is_true(line >= 1 and column >= 1)
  return false
end

-- A text with a few bytes changed, lost or doubled.
local function broken(text)
  for _ = 1, math.random(3) do
    local at = math.random(#text)
    local replacement = pick { "", text:sub(at, at):rep(2), pick { "(", ")", "[", "]", "{", "}", '"', "..", ",", ":", "\\", "\xff", "`",
      "?", "@", "/*", " in ", " and " } }
    text = text:sub(1, at - 1) .. replacement .. text:sub(at + 1)
    if text == "" then return "1" end
  end
  return text
end

describe("random expressions", function()
  local seed = tonumber(os.getenv "ORRERY_SEED") or 20260105

  it("compile to Lua that runs (seed " .. seed .. ")", function()
    math.randomseed(seed)
    local compiled = 0
    for _ = 1, COUNT do
      if try(expression(math.random(0, 40))) then compiled = compiled + 1 end
    end
    assert.is_true(compiled > COUNT // 3, compiled .. " compiled")
  end)

  it("are refused when they are broken", function()
    math.randomseed(seed)
    for _ = 1, COUNT do try(broken(expression(math.random(0, 8)))) end
  end)
end)
