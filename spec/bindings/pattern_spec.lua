--- The string functions of scripts answer as Lua's own do: the same patterns and subjects through both.
local core = require "orrery.core"

local own = string
local bounded = core.script_library { string = string, table = table, utf8 = utf8, basic = _G }

--- Results, or false and the message without its place.
local function outcome(f, ...)
  local results = table.pack(pcall(f, ...))
  if not results[1] then results[2] = tostring(results[2]):gsub("^.-:%d+: ", ""):gsub("'[%w_.?]*'", "'f'", 1) end
  return results
end

local function show(arguments)
  local out = {}
  for i = 1, arguments.n do out[i] = ("%q"):format(arguments[i]) end
  return table.concat(out, ", ")
end

local function same(name, ...)
  local expected, got = outcome(own[name], ...), outcome(bounded.string[name], ...)
  local arguments = table.pack(...)
  for i = 1, arguments.n do
    if type(arguments[i]) ~= "string" and type(arguments[i]) ~= "number" then arguments[i] = type(arguments[i]) end
  end
  if not expected[1] and not got[1] then
    -- a capture that is not there is told in two wordings by Lua itself
    assert.equal(expected[2]:match "^[%a ]+", got[2]:match "^[%a ]+", name .. "(" .. show(arguments) .. ")")
    return
  end
  assert.same(expected, got, name .. "(" .. show(arguments) .. ")")
end

local function all_matches(gmatch, ...)
  local out = {}
  for a, b in gmatch(...) do out[#out + 1] = { a, b } end
  return out
end

local function everything(subject, pattern)
  same("find", subject, pattern)
  same("match", subject, pattern)
  same("gsub", subject, pattern, "<%0>")
  same("gsub", subject, pattern, "%1%%", 2)
  local expected = outcome(all_matches, own.gmatch, subject, pattern)
  local got = outcome(all_matches, bounded.string.gmatch, subject, pattern)
  assert.same(expected[1], got[1])
  if expected[1] then assert.same(expected, got, subject .. " / " .. pattern) end
end

describe("the string functions of scripts", function()
  local subjects = { "", "a", "hello world from Lua", "THE (quick) fox", "a,b,,c", "   spaces  ", "x = 1, y = 22",
    "((a)(b))", "\0a\0b", "aaaaab", "f(a(b)c)d)", "2026-11-22", "näh", "%d %s", "[]]" }
  local patterns = { "", "a", ".", ".-", ".*", "a*", "a-b", "a+", "a?b", "^a", "^", "$", "a$", "^.-$", "%a+", "%s*",
    "(%w+)%s(%w+)", "()", "(()a)", "%b()", "%f[%w]%w+", "%f[%W]", "[a-c]", "[^a-c]+", "[%d,]+", "[]]", "[^]]", "[a-]", "[-a]",
    "[%]]", "(.)%1", "(a*(.)%w(%s*))", "%z", "\0", "%%",
    "(%d+)-(%d+)-(%d+)", "^%s*(.-)%s*$", "[[]", "%-", "a.-$", "x*", "(h)(.)(%0*)", "%g+", "%p", "%x+", "%u", "%C", "[%w_]*" }
  local broken = { "%", "[", "[^", "[a", "[%", "(", ")", "(a", "a)", "%b", "%bx", "%f", "%fa", "%1", "(%1)", "[]",
    ("("):rep(33), "%9" }

  it("find, match, replace and go through as Lua does", function()
    for _, subject in ipairs(subjects) do
      for _, pattern in ipairs(patterns) do everything(subject, pattern) end
      for _, pattern in ipairs(broken) do everything(subject, pattern) end
    end
  end)

  it("begin anywhere, as Lua does", function()
    for init = -8, 8 do
      for _, pattern in ipairs { "a", "", "^a", "a*", "()", "%w" } do
        same("find", "banana", pattern, init)
        same("match", "banana", pattern, init)
        same("find", "b.n.", ".", init, true)
        assert.same(all_matches(own.gmatch, "banana", pattern, init), all_matches(bounded.string.gmatch, "banana", pattern, init))
      end
    end
    for _, init in ipairs { math.mininteger, math.maxinteger } do same("find", "banana", "a", init) end
  end)

  it("replace by texts, tables and functions, as Lua does", function()
    for _, replacement in ipairs { "", "x", "%0%0", "%1", "%2", "%%", "%", "%a", 7, { a = "b", ["1"] = false, n = 2.5 },
      { a = {} }, string.upper, function() end, function() return false end, function() return {} end,
      function(...) return select("#", ...) end } do
      for _, pattern in ipairs { "a", "(a)", "()", "(b)(a)", "", "x*", "%w+" } do
        for most = -1, 3 do same("gsub", "banana 1", pattern, replacement, most) end
        same("gsub", "banana 1", pattern, replacement)
      end
    end
    for _, bad in ipairs { true, coroutine.create(print) } do same("gsub", "a", "a", bad) end
    same("gsub", "a", "a")
    same("find", {}, "a")
    same("match", "a")
    assert.equal("banana", (bounded.string.gsub("banana", "x", "y")))
  end)

  it("repeat, cut and count as Lua does", function()
    for n = -1, 4 do
      same("rep", "ab", n)
      same("rep", "", n, ",")
      same("rep", "", n)
      same("byte", "abc", n)
      for last = -4, 4 do same("byte", "abc", n, last) end
    end
    assert.equal("", bounded.string.rep("", math.maxinteger))
  end)

  it("answer the same at random", function()
    local seed = require("spec.support.random").seed()
    math.randomseed(seed)
    local pieces = { "a", "b", ".", "%w", "%a", "[ab]", "[^a]", "%s", "(", ")", "()", "*", "+", "-", "?", "^", "$", "%1",
      "%b()", "%f[a]", " ", "%" }
    local characters = { "a", "b", "c", " ", "(", ")" }
    local function text(from, most)
      local out = {}
      for i = 1, math.random(0, most) do out[i] = from[math.random(#from)] end
      return table.concat(out)
    end
    for _ = 1, tonumber(os.getenv "ORRERY_RANDOM") or 3000 do
      local ok, problem = pcall(everything, text(characters, 12), text(pieces, 6))
      assert(ok, ("seed %d: %s"):format(seed, tostring(problem)))
    end
  end)
end)

describe("the table functions of scripts", function()
  local function both(name, ...)
    local results = {}
    for i, library in ipairs { table, bounded.table } do
      local made = {}
      for n, argument in ipairs { ... } do
        made[n] = type(argument) == "table" and table.move(argument, 1, #argument, 1, {}) or argument
      end
      results[i] = { outcome(library[name], table.unpack(made)), made[1] }
    end
    if results[1][1][1] then assert.same(results[1], results[2])
    else assert.is_false(results[2][1][1]) end
  end

  it("do to tables what Lua's do", function()
    for at = -1, 5 do
      both("insert", { 1, 2, 3 }, at, "x")
      both("remove", { 1, 2, 3 }, at)
      both("concat", { 1, "b", 3 }, ",", at)
      both("concat", { 1, "b", 3 }, ",", at, 3)
      both("unpack", { 1, 2, 3 }, at)
      both("unpack", { 1, 2, 3 }, at, 4)
      both("move", { 1, 2, 3 }, at, 3, 2)
      both("move", { 1, 2, 3 }, 1, at, 3)
      both("move", { 1, 2, 3 }, tostring(at), "3", "2")
    end
    both("insert", { 1 }, 2)
    both("insert", { 1 })
    both("insert", { 1 }, 1, 2, 3)
    both("insert", {}, "x", 1)
    both("remove", {})
    both("remove", {}, 0)
    both("remove", {}, 1)
    both("concat", { {} })
    both("concat", {})
    both("sort", { 3, 1, 2 })
    both("sort", { 3, 1, 2 }, function(a, b) return a > b end)
    both("sort", { 3, "a" })
    both("unpack", nil)
    both("insert", nil, 1)
  end)
end)
