-- FEEL's expressions, by chapter 10.3 of the DMN specification: literals, names, operators, paths, filters, iterations, functions.
local support = require "spec.decision.support"
local feel = support.feel

describe("literals", function()
  support.rows(it, [==[
    numbers
      1 => 1
      .5 => 0.5
      1.50 => 1.5
      -0 => 0
      1e3 => 1000
      1.5E-3 => 0.0015
      007 => 7
      9223372036854775807 => 9223372036854775807
      9223372036854775808 => 9223372036854775808
      1234567890123456789012345678901234 => 1234567890123456789012345678901234
      12345678901234567890123456789012345 => 12345678901234567890123456789012340
    strings
      "a" => a
      "a\"b\\c" => a"b\c
      "\u00e4\U01F40E\uD83D\uDCA9" => ä🐎💩
      "\d" => \d
      "\uD83D" => \uD83D
    others
      true => true
      null => null
      [] => []
      [1, [2, null]] => [1, [2, null]]
      {} => {}
      {a: 1, "b c": {d: 2}} => {a: 1, b c: {d: 2}}
      {a: 1, a: 2} => null!
      {a: 1, b: a + 1, c: {d: b + a}} => {a: 1, b: 2, c: {d: 3}}
      @"2020-01-31" => 2020-01-31
      @"P1D" => P1D
      @"10:00:00Z" => 10:00:00Z
      @"2020-01-31T10:00:00@Europe/Vienna" => 2020-01-31T10:00:00@Europe/Vienna
      @"x" => null!
    ranges
      [1..2] => [1..2]
      (1..2] => (1..2]
      ]1..2[ => (1..2)
      ["a".."c"] => ["a".."c"]
      [1.."a"] => null!
      [2..1] => null!
      [2..2] => [2..2]
      [[1]..[2]] => null!
      (< 5) => < 5
      >= 5 => >= 5
      != 5 => != 5
      [1..3[ => [1..3)
      [1..[3][1]] => [1..3]
      [[1..3[] => [[1..3)]
    comments
      1 + /* one */ 1 // and no more => 2
  ]==])
end)

describe("names", function()
  local function value(text, names, scope) return support.text(text, { names = names }, scope) end

  it("hold blanks and signs, and the longest one in scope is meant", function()
    local names = { { "a" }, { "b" }, { "a-b" }, { "a b" }, { "Pre-bureau risk" }, { "Student's name" }, { "x.y" }, { "for example" } }
    local scope = { a = 5, b = 2, ["a-b"] = "minus", ["a b"] = "both", ["Pre-bureau risk"] = "high", ["Student's name"] = "Ann",
      ["x.y"] = 9, ["for example"] = 7 }
    assert.equal("minus", value("a-b", names, scope))
    assert.equal("minus", value("a - b", names, scope))
    assert.equal("both", value("a b", names, scope))
    assert.equal("both", value("a  \n b", names, scope))
    assert.equal("high", value("Pre-bureau risk", names, scope))
    assert.equal("high", value("Pre - bureau risk", names, scope))
    assert.equal("Ann", value("Student's name", names, scope))
    assert.equal("10", value("x.y + 1", names, scope))
    assert.equal("7", value("for example", names, scope))
    assert.equal("10", value("a+a", names, scope))
    assert.equal("both", value("`a b`", names, scope))
  end)

  it("end where a longer word begins", function()
    assert.equal("1", value("if in stock > 0 then in stock else 0", { { "in stock" } }, { ["in stock"] = 1 }))
    assert.equal("3", value("inner", { { "in" }, { "inner" } }, { ["in"] = 1, inner = 3 }))
    assert.equal("4", value("format", { { "format" }, { "for" } }, { format = 4 }))
  end)

  it("of members follow from the type", function()
    local names = { { "a", "context<b c: number, b: number>" }, { "l", "list<context<unit-price: number>>" } }
    local scope = { a = feel.ctx { "b c", "b", ["b c"] = 1, b = 2 },
      l = feel.list { n = 1, feel.ctx { "unit-price", ["unit-price"] = 3 } } }
    assert.equal("1", value("a.b c", names, scope))
    assert.equal("3", value("a.b+1", names, scope))
    assert.equal("[3]", value("l.unit-price", names, scope))
    assert.equal("[{unit-price: 3}]", (value("l[unit-price > 2]", names, scope):gsub('"', "")))
  end)

  it("without a declaration are null, and listed", function()
    local result, diagnostics = support.eval("unit price + 1")
    assert.is_nil(result)
    assert.equal('there is no "unit price" here', diagnostics[1])
    local _, code = support.compile("unit price + a", { names = { { "a" } } })
    assert.same({ { "unit price" }, { "a" } }, { code.unknown, code.names })
  end)

  it("are asked for in an open scope", function()
    local scope = { get = function(name) return name == "unit price", 3 end }
    local value, diagnostics = support.eval("[unit price, other, [{unit price: 4}][unit price > 3]]", { open = true }, scope)
    assert.equal("[3, null, [{unit price: 4}]]", feel.string(value))
    assert.same({ 'there is no variable "other"' }, diagnostics)
  end)

  it("of the built-in functions may be members of items", function()
    assert.equal('[{number: 2}]', support.text "[{number: 1}, {number: 2}][number > 1]")
    assert.equal("[2]", support.text "[{count: 2}].count")
  end)

  it("may hold question marks and keywords", function()
    assert.equal("3", support.text "{what if?: 1, Profit and loss: 2, r: what if? + Profit and loss}.r")
  end)

  it("may begin with keywords, and hold dashes and any blank", function()
    assert.equal("3", support.text "{format: 1, index: 2, r: format + index}.r")
    assert.equal("6", support.text "{for sale: 1, some-thing: 2, in stock: 3, r: for sale + some-thing + in stock}.r")
    for _, blank in ipairs { "\t", "\n", "\u{A0}", "\u{2003}" } do
      assert.equal("3", support.text(("{net%sprice: 1, r: net price + 2}.r"):format(blank)))
      assert.equal("3", support.text(("{net price: 1, r: net%sprice + 2}.r"):format(blank)))
    end
  end)

  it("in any script", function()
    assert.equal("bar", support.text '{ 🐎: "bar", größe: 1 }.🐎')
    assert.equal("2", support.text "{größe\u{A0}x: 2}.größe x")
  end)
end)

describe("what is no FEEL", function()
  local function wrong(text, message, line, column, options)
    local code, got, _, at_line, at_column = require "orrery_inside".feel.compile(text, options)
    assert.is_nil(code)
    assert.equal(message, got:match "is no FEEL: (.*)$")
    assert.same({ line, column }, { at_line, at_column })
  end

  it("is refused with the place", function()
    wrong("", "an expression expected, but the text is empty at line 1, column 1", 1, 1)
    wrong("1 +", "an expression expected, but the text ends at line 1, column 4", 1, 4)
    wrong("1 +\n  *", 'an expression expected, found "*" at line 2, column 3', 2, 3)
    wrong("foo(1", '"," or ")" expected, but the text ends at line 1, column 6', 1, 6)
    wrong("[1, 2", '"," or "]" expected, but the text ends at line 1, column 6', 1, 6)
    wrong("{a 1}", 'a key expected, found "a" at line 1, column 2', 1, 2)
    wrong('"abc', [[a string without its closing '"' at line 1, column 1]], 1, 1)
    wrong("1 2", 'an operator or the end expected, found "2" at line 1, column 3', 1, 3)
    wrong("if a then b", "else expected, but the text ends at line 1, column 12", 1, 12)
    wrong("for x return 1", 'in expected, found "return" at line 1, column 7', 1, 7)
    wrong("some x in [1]", "satisfies expected, but the text ends at line 1, column 14", 1, 14)
    wrong("1 instance of foo", 'there is no type "foo" at line 1, column 15', 1, 15)
    wrong("a.1", 'the name of a member expected, found "1" at line 1, column 3', 1, 3)
  end)

  it("names characters, not bytes", function() wrong('"äöü" +', "an expression expected, but the text ends at line 1, column 8", 1, 8) end)
  it("is an open comment", function() wrong("1 /* x", "a comment that is not closed at line 1, column 3", 1, 3) end)
  it("is a `?` outside of tests", function()
    wrong("? > 1", '"?" means something in unary tests only at line 1, column 1', 1, 1)
  end)
  it("is a number that goes on as a name", function() wrong("1a", "a number that goes on as a name at line 1, column 2", 1, 2) end)
  it("is a name in backticks without an end", function() wrong("`a b", "a name without its closing '`' at line 1, column 1", 1, 1) end)
end)

describe("operators", function()
  support.rows(it, [==[
    equality (10.3.2.13)
      1 = 1.0 => true
      1 = 2 => false
      1 = "1" => null!
      1 != "1" => null!
      null = null => true
      null != null => false
      1 = null => false
      1 != null => true
      "a" = "a" => true
      [1, [2]] = [1, [2]] => true
      [1] = [2] => false
      {a: 1, b: 2} = {b: 2, a: 1} => true
      {a: 1} = {a: 1, b: null} => false
      [1..2] = [1..2] => true
      [1..2] = [1..2) => false
      @"10:00:00Z" = @"12:00:00+02:00" => true
      @"10:00:00Z" = @"10:00:00" => false
      @"10:00:00Z" = @"11:00:00" => false
      @"10:00:00Z" != @"10:00:00" => true
      @"10:00:00@Europe/Vienna" = @"10:00:00+01:00" => true
      @"10:00:00@Australia/Sydney" = @"10:00:00+10:00" => true
      @"10:00:00@Europe/Dublin" = @"10:00:00Z" => true
      @"10:00:00@Europe/Vienna" < @"10:00:01@Europe/Vienna" => true
      @"2020-01-01T00:00:00" = @"2020-01-01T00:00:00+05:00" => false
      @"2020-01-01T00:00:00" >= @"2020-01-01T00:00:00+05:00" => true
      @"2020-01-01T00:00:00" in [@"2020-01-01T00:00:00Z"..@"2020-01-02T00:00:00Z"] => true
      @"2020-01-01T00:00:00" < @"2020-01-01T00:00:01@Europe/Vienna" => true
      @"P1D" = @"PT24H" => true
      @"P1Y" = @"P12M" => true
      @"P1D" = @"P1M" => null!
      @"2020-01-01T00:00:00@Europe/Vienna" = @"2019-12-31T23:00:00Z" => true
    order
      1 < 2 => true
      2 <= 2 => true
      1.5 > 1 => true
      "a" < "b" => true
      "B" < "a" => true
      "a" < 1 => null!
      null < 1 => null!
      true < false => null!
      [1] < [2] => null!
      @"2020-01-01" < @"2020-01-02" => true
      @"10:00:00" < @"10:00:00.000000001" => true
      @"10:00:00Z" < @"10:00:00" => false
      @"10:00:00+05:00" < @"10:00:01" => true
      @"P1D" < @"PT25H" => true
      @"P1M" < @"P1D" => null!
    between and in
      2 between 1 and 3 => true
      1 between 2 and 3 => false
      1 between null and 3 => null!
      5 in (1..10) => true
      10 in (1..10) => false
      5 in (< 3, > 4) => true
      5 in [1, 2] => false
      2 in [1, 2] => true
      2 in ([1..3], 9) => true
      2 in [[1..3], 9] => true
      2 in (!= 2) => false
      "b" in ["a".."c"] => true
      2 in (? > 1) => true
      "x" in [1..2] => null!
      1 in 1 => true
      [1] in [[1], [2]] => true
      3 in (1 + 2) => true
    and, or
      true and true => true
      true and false => false
      false and null => false
      false and 1 => false
      true and null => null
      null and null => null
      true or null => true
      1 or true => true
      false or null => null
      false or false => false
      true and false or true => true
      true or false and false => true
    arithmetic
      1 + 2 * 3 => 7
      (1 + 2) * 3 => 9
      2 ** 3 ** 2 => 64
      -3 ** 2 => 9
      2 ** -1 => 0.5
      4 ** 0.5 => 2
      7 / 2 => 3.5
      1 / 3 => 0.3333333333333333333333333333333333
      1 / 0 => null!
      0.1 + 0.2 => 0.3
      10 - 4 - 3 => 3
      --1 => 1
      -"a" => null!
      "a" + "b" => ab
      "a" + 1 => null!
      "a" - "b" => null!
      null + 1 => null!
      true + true => null!
      9223372036854775807 + 1 => 9223372036854775808
      9223372036854775807 * 2 => 18446744073709551614
      3037000500 * 3037000500 => 9223372037000250000
      -9223372036854775808 - 1 => -9223372036854775809
      9223372036854775808 - 1 => 9223372036854775807
      1E6000 * 1E6000 => null!
    arithmetic of times
      @"2020-01-31" + @"P1M" => 2020-02-29
      @"2020-01-31" + @"P1D" => 2020-02-01
      @"2020-01-31" + @"PT36H" => 2020-02-01
      @"P1D" + @"2020-01-31" => 2020-02-01
      @"2020-01-31" - @"P1Y" => 2019-01-31
      @"2020-01-31" - @"2020-01-01" => P30D
      @"2020-01-31" + @"2020-01-01" => null!
      @"10:00:00" + @"PT15H" => 01:00:00
      @"10:00:00" - @"11:00:00" => -PT1H
      @"10:00:00" + @"P1M" => null!
      @"10:00:00Z" - @"10:00:00" => null!
      @"2020-03-29T01:30:00@Europe/Vienna" + @"PT1H" => 2020-03-29T03:30:00@Europe/Vienna
      @"2020-01-01T00:00:00" - @"2019-12-31T23:59:59.5" => PT0.5S
      @"2020-01-01T00:00:00Z" - @"2020-01-01" => PT0S
      @"999999999-12-31" + @"P1D" => null!
      @"P1D" + @"PT1H" => P1DT1H
      duration("P999999999999999D") => null!
      duration("P106751991167300D") + duration("PT15H30M6S") => P106751991167300DT15H30M6S
      duration("P106751991167300D") + duration("PT15H30M7S") => null!
      duration("P106751991167300D") * -1 => -P106751991167300D
      duration("P106751991167300D") * 2 => null!
      duration("P99999999999999Y") > duration("-P99999999999999Y") => true
      duration("P999999999999999Y") * 1000 => null!
      duration("P106751991167300D") > duration("-P106751991167300D") => true
      date("2024-01-01") + duration("P99999999999999Y") => null!
      date("2024-01-01") - duration("P106751991167300D") => null!
      @"2024-01-01T00:00:00Z" + duration("P106751991167300D") => null!
      @"10:00:00" + duration("P106751991167300D") => 10:00:00
      date("999999999-12-31") + duration("P1D") => null!
      date("999999999-12-31") + duration("-P1999999998Y") => -999999999-12-31
      count(for i in [9223372036854775806..9223372036854775807] return i) => 2
      count(for i in (9223372036854775806..9223372036854775807) return i) => 0
      @"P1Y" - @"P1M" => P11M
      @"P1D" + @"P1M" => null!
      @"P1D" * 1.5 => P1DT12H
      2 * @"P1M" => P2M
      @"P1M" * 1.5 => P1M
      @"P1D" / 2 => PT12H
      @"P1D" / @"PT1H" => 24
      @"P1Y" / @"P1M" => 12
      @"P1Y" / @"P1D" => null!
      @"P1D" / 0 => null!
      -@"P1D" => -P1D
      -@"2020-01-01" => null!
    instance of
      1 instance of number => true
      1.5 instance of number => true
      1 instance of string => false
      null instance of number => false
      null instance of Null => true
      1 instance of Any => true
      null instance of Any => false
      [1] instance of list => null!
      {} instance of context => null!
      {a: 1} instance of context<> => true
      [1] instance of list<Any> => true
      @"2020-01-01" instance of date => true
      @"2020-01-01" instance of date and time => false
      @"P1Y" instance of years and months duration => true
      [1, 2] instance of list<number> => true
      [1, "a"] instance of list<number> => false
      [] instance of list<string> => true
      {a: 1} instance of context<a: number> => true
      {a: 1, b: 2} instance of context<a: number> => true
      {} instance of context<a: number> => false
      [1..2] instance of range<number> => true
      [1..2] instance of range<string> => false
      (function(a: number) a) instance of function<number> -> Any => true
      (function(a: number) a) instance of function<string> -> Any => false
      (function(a: number, b) a) instance of function<number> -> Any => false
      (function() 123) instance of function<> -> string => false
      (function() 123) instance of function<> -> number => true
      (function(a: string) a) instance of function<string> -> number => false
      (function(a: number) [1..2]) instance of function<number> -> range<string> => false
      [function(a: string) 1, function(a: number) 1] instance of list<function<boolean> -> number> => true
      [function(a: string) 1, function(a: string) 1] instance of list<function<number> -> number> => false
      [function(a: string) 1, function(a: number) "a"] instance of list<function<string> -> number> => false
      1 + 1 instance of number => null!
  ]==])

  it("of a long chain nest no deeper than a short one", function()
    assert.equal("5001", support.text("1" .. (" + 1"):rep(5000)))
    assert.equal("true", support.text("true" .. (" and true"):rep(5000)))
    assert.equal("500", support.text((("if false then 1 else "):rep(500)) .. "500"))
  end)
end)

describe("members and filters", function()
  support.rows(it, [==[
    members
      {a: {b: 1}}.a.b => 1
      {a: 1}.b => null!
      null.a => null!
      1.a => null!
      [{a: 1}, {b: 2}, {a: null}].a => [1, null, null]
      @"2020-02-29".year => 2020
      @"2020-02-29".weekday => 6
      @"10:20:30Z".hour => 10
      @"10:20:30+01:30".time offset => PT1H30M
      @"10:20:30".time offset => null
      @"2020-02-29T10:20:30@Europe/Vienna".timezone => Europe/Vienna
      @"2020-02-29T10:20:30".second => 30
      @"-P1DT2H3M4.5S".days => -1
      @"-P1DT2H3M4.5S".seconds => -4
      @"P1Y2M".months => 2
      @"P1Y2M".days => null!
      @"P1Y2M".hours => null!
      [1..2).start => 1
      [1..2).end included => false
      (< 5).start => null
    filters
      [1, 2, 3][2] => 2
      [1, 2, 3][-1] => 3
      [1, 2, 3][0] => null!
      [1, 2, 3][4] => null!
      [1, 2, 3][1.5] => null!
      [1, 2, 3][item > 1] => [2, 3]
      [1, 2, 3][true] => [1, 2, 3]
      [1, 2, 3][false] => []
      [1, 2, 3][null] => []
      [1, 2, 3]["a"] => null!
      [1, 2, null][item = null] => [null]
      [{a: 1}, {a: 2}][a > 1] => [{a: 2}]
      [{a: 1}, {a: 2}][item.a > 1].a => [2]
      [{item: 1}, {item: 2}][item > 1] => [{item: 2}]
      [{a: 1}, {b: 2}][a = 1] => [{a: 1}]
      {b: 2, r: [{a: 2, b: 1}, {a: 2}][a = b]}.r => [{a: 2}]
      1[1] => 1
      1[2] => null!
      1[item > 0] => [1]
      null[1] => null!
      {i: 2, r: ["a", "b"][i]}.r => b
      [][1] => null!
      [[1, 2], [3]][item[1] > 1] => [[3]]
  ]==])
end)

describe("iterations and conditions", function()
  support.rows(it, [==[
    for
      for x in [1, 2] return x * 2 => [2, 4]
      for x in 1..3, y in [10, 20] return x + y => [11, 21, 12, 22, 13, 23]
      for x in [[1, 2], [3]], y in x return y => [1, 2, 3]
      for x in 3..1 return x => [3, 2, 1]
      for x in [1..3) return x => [1, 2]
      for x in [3..1] return x => null!
      for x in @"2020-02-28"..@"2020-03-01" return x => [2020-02-28, 2020-02-29, 2020-03-01]
      for x in "a".."c" return x => null!
      for x in null return x => null!
      for x in 5 return x => [5]
      for x in [] return x => []
      for i in 1..5 return if i < 3 then 1 else partial[-1] + partial[-2] => [1, 1, 2, 3, 5]
      for i in 1..3 return count(partial) => [0, 1, 2]
      for i in 1..3 return partial => [[], [[]], [[], [[]]]]
      for item price in [1] return item price => [1]
    some, every
      some x in [1, 2] satisfies x > 1 => true
      some x in [1, 2] satisfies x > 2 => false
      some x in [1, null] satisfies x > 2 => null!
      some x in [] satisfies x => false
      every x in [1, 2] satisfies x > 0 => true
      every x in [1, "a"] satisfies x > 0 => null!
      every x in [0, "a"] satisfies x > 0 => false
      every x in [] satisfies x => true
      some x in [1, 2], y in [2, 3] satisfies x = y => true
      every x in 1 satisfies x = 1 => true
    if
      if 1 < 2 then "a" else "b" => a
      if null then "a" else "b" => b
      if "x" then "a" else "b" => b
      if false then 1 else if true then null else 3 => null
      (if true then {a: 1} else null).a => 1
    functions
      (function(a, b) a + b)(1, 2) => 3
      (function(a, b) a + b)(b: 1, a: "x") => null!
      (function(a: number) a)("x") => null!
      (function(a: number) a)([1]) => 1
      (function(a: list<number>) a)(1) => [1]
      (function(a: context) a.b)({b: 1}) => 1
      (function(a: context) a)(1) => null!
      (function(a: list) a)(1) => [1]
      (function(a) a)() => null!
      (function(a) a)(1, 2) => null!
      (function(a) a)(b: 1) => null!
      (function(a, b) [a, b])(b: 1) => [null, 1]
      (function(a) function(b) a + b)(1)(2) => 3
      {f: function(x) x * 2, r: f(3)}.r => 6
      (function(a) external {java: {class: "x", method signature: "y"}})(1) => null!
      1(2) => null!
      foo(1) => null!
  ]==])
end)

describe("unary tests", function()
  local function holds(tests, input, type)
    local result = support.eval(tests, { form = "tests", input = "input", input_type = type }, nil, input)
    return result == true
  end

  it("compare with the input", function()
    assert.is_true(holds("-", 1))
    assert.is_true(holds('"a", "b"', "b", "string"))
    assert.is_false(holds('"a", "b"', "c", "string"))
    assert.is_true(holds("< 10", 5, "number"))
    assert.is_false(holds("< 10", nil, "number"))
    assert.is_true(holds("[1..3), > 5", 6, "number"))
    assert.is_false(holds("[1..3)", 3, "number"))
    assert.is_true(holds("null", nil, "number"))
    assert.is_true(holds("1.5", feel.number "1.50", "number"))
    assert.is_true(holds("true", true, "boolean"))
    assert.is_false(holds("true", nil, "boolean"))
    assert.is_false(holds("false", true))
    assert.is_true(holds('[@"2020-01-01"..@"2020-12-31"]', feel.date "2020-06-01"))
    assert.is_true(holds("1, 2", 2))
    assert.is_false(holds("1, 2", "2"))
  end)

  it("negate as a whole", function()
    assert.is_true(holds('not("a", "b")', "c", "string"))
    assert.is_false(holds('not("a", "b")', "b", "string"))
    assert.is_true(holds('not("a")', nil, "string"))
    assert.is_false(holds("not(< 5)", nil, "number"))
    assert.is_true(holds("not(< 5)", 5, "number"))
    assert.is_false(holds("not(< 5)", nil))
    assert.is_true(holds("not(null)", 1, "number"))
    assert.is_false(holds("not(null)", nil, "number"))
    assert.is_true(holds('not("a)", "b")', "c"))
  end)

  it("ask for it as `?`", function()
    assert.is_true(holds("? > 3 and ? < 5", 4, "number"))
    assert.is_true(holds("starts with(?, \"a\")", "ab"))
    assert.is_true(holds("? + 1", 1) == false)
    assert.is_true(holds("not(? > 3)", 2))
  end)

  it("are conditions, lists and values of other expressions", function()
    assert.is_true(holds("[1, 2]", 2))
    assert.is_true(holds("1 + 1", 2))
    assert.is_true(holds("2 > 1", "x"))
    assert.is_false(holds("2 > 1", false))
  end)

  it("need no support code for literals", function()
    local function lua(text, type)
      return require "orrery_inside".feel.compile(text, { form = "tests", input = "v", input_type = type }).lua
    end
    assert.equal('(v == "a" or v == "b")', lua('"a", "b"', "string"))
    assert.equal("(v == 1)", lua("1", "number"))
    assert.equal("((v ~= nil and v < 10))", lua("< 10", "number"))
    assert.equal("((v ~= nil and v >= 1 and v < 10))", lua("[1..10)", "number"))
    assert.equal("(not (v == true))", lua("not(true)", "boolean"))
    assert.equal("true", lua("-", "number"))
    for _, text in ipairs { '"a", "b"', "1, 2.5", "< 10", "not([1..3])", "null", "-" } do
      local type = text:find '"' and "string" or "number"
      assert.is_nil(lua(text, type):find "f%.", text)
    end
  end)
end)

describe("near the ends of what there is", function()
  local values = {
    "9223372036854775807", "-9223372036854775808", "1e6000", '@"P106751991167300DT15H30M6.9S"',
    '@"-P106751991167300DT15H30M6.9S"', '@"P99999999999999Y"', '@"-P99999999999999Y"',
    '@"-999999999-01-01"', '@"999999999-12-31T23:59:59.9@Europe/Vienna"',
    '@"-999999999-01-01T00:00:00+18:00"', '@"23:59:59.9-18:00"' }
  local forms = {
    "%s + %s", "%s - %s", "%s * %s", "%s / %s", "%s ** %s", "%s < %s", "%s = %s", "-(%s) - %s",
    "(%s).year + %s", "abs(%s) + %s", "(%s).days * %s", "years and months duration(%s, %s)",
    "date and time(%s, %s)", "week of year(%s) + %s", "modulo(%s, %s)", "decimal(%s, %s)",
    "round up(%s, %s)", "floor(%s, %s)", 'substring("abc", %s, %s)', "sublist([1, 2, 3], %s, %s)",
    "insert before([1], %s, %s)", "remove([1], %s) = %s", "[1, 2][%s] = %s", "sum(%s, %s)",
    "mean(%s, %s)", "stddev(%s, %s)", "median(%s, %s)", "date(%s, %s, 1)", "time(%s, %s, 0)",
    "even(%s) and odd(%s)", "sqrt(%s) + exp(%s)", "log(%s) + %s", "before(%s, %s)",
    "(%s)[item > %s]", "%s in [%s..1]", "string(%s) + string(%s)", "min(%s, %s)",
    "day of year(%s) + %s" }

  for _, form in ipairs(forms) do
    it("nothing but a value, null or a limit comes of " .. form:gsub("%%s", "…"), function()
      for _, a in ipairs(values) do
        for _, b in ipairs(values) do
          local text = form:format(a, b)
          for _, dialect in ipairs { false, "camunda" } do
            local ok, problem = pcall(support.text, text, { dialect = dialect or nil })
            local limit = type(problem) == "table" and problem.kind == "limit"
            assert.is_true(ok or limit, text .. ": " .. tostring(problem))
          end
        end
      end
    end)
  end
end)
