-- The built-in functions, by the tables of chapter 10.3.4 of the DMN specification: what each gives, and null with a reason for
-- what does not fit: too few or too many arguments, arguments of other kinds, null, names that no parameter has.
local support = require "spec.decision.support"

describe("conversion functions", function()
  support.rows(it, [==[
    date
      date("2017-12-31") => 2017-12-31
      date("-2017-01-01") => -2017-01-01
      date("999999999-12-31") => 999999999-12-31
      date("-999999999-12-31") => -999999999-12-31
      date("2000-02-29") => 2000-02-29
      date("2001-02-29") => null!
      date("17-01-01") => null!
      date("02017-01-01") => null!
      date("2017-1-1") => null!
      date("9999999999-01-01") => null!
      date(2017, 12, 31) => 2017-12-31
      date(2017, 13, 31) => null!
      date(2017, 1.5, 31) => null!
      date(1000000000, 12, 31) => null!
      date(date and time("2017-08-14T14:25:00")) => 2017-08-14
      date(date("2017-08-14")) => 2017-08-14
      date(from: "2017-12-31") => 2017-12-31
      date(year: 2017, month: 12, day: 31) => 2017-12-31
      date(year: 2017, month: 12) => null!
      date(form: "2017-12-31") => null!
      date(null) => null!
      date() => null!
      date(1) => null!
      date(["2017-12-31"]) => 2017-12-31
    time
      time("23:59:01") => 23:59:01
      time("23:59:01.123456789") => 23:59:01.123456789
      time("23:59:01.100Z") => 23:59:01.1Z
      time("11:00:00+05:00:01") => 11:00:00+05:00:01
      time("11:00:00@Europe/Paris") => 11:00:00@Europe/Paris
      time("24:00:00") => 00:00:00
      time("24:00:01") => null!
      time("11:60:00") => null!
      time("11:00") => null!
      time("1:00:00") => null!
      time("11:00:00+19:00") => null!
      time("11:00:00+01:00@Europe/Paris") => null!
      time("11:00:00@Foo/Bar") => null!
      time(date and time("2017-08-10T10:20:00Z")) => 10:20:00Z
      time(date("2017-08-10")) => 00:00:00Z
      time(time("10:20:00")) => 10:20:00
      time(11, 59, 45) => 11:59:45
      time(11, 59, 45.5) => 11:59:45.5
      time(11, 59, 45, duration("-PT2H1M")) => 11:59:45-02:01
      time(11, 59, 45, null) => 11:59:45
      time(11, 59, 45, 1) => null!
      time(11, 59, 45, duration("PT19H")) => null!
      time(24, 0, 0) => null!
      time(11, 60, 0) => null!
      time(hour: 11, minute: 59, second: 0, offset: duration("PT1H")) => 11:59:00+01:00
      time(hour: 11, minute: 59, second: 0) => 11:59:00
      time(null) => null!
    date and time
      date and time("2017-12-31T11:22:33") => 2017-12-31T11:22:33
      date and time("2017-12-31") => 2017-12-31T00:00:00
      date and time("2017-12-31T11:22:33@Europe/Paris") => 2017-12-31T11:22:33@Europe/Paris
      date and time("2017-12-31T24:00:00") => 2018-01-01T00:00:00
      date and time("-99999-12-31T11:22:33Z") => -99999-12-31T11:22:33Z
      date and time("2017-12-31T25:00:00") => null!
      date and time("2017-12-31T11:22:33+01:00@Europe/Paris") => null!
      date and time("11:22:33") => null!
      date and time(date("2017-01-01"), time("23:59:01Z")) => 2017-01-01T23:59:01Z
      date and time(date and time("2017-01-01T00:00:00+02:00"), time("23:59:01")) => 2017-01-01T23:59:01
      date and time(date: date("2017-01-01"), time: time("23:59:01")) => 2017-01-01T23:59:01
      date and time(date("2017-01-01"), null) => null!
      date and time(1) => null!
      date and time(date("2017-01-01")) => 2017-01-01T00:00:00Z
    duration
      duration("P1DT2H3M4.5S") => P1DT2H3M4.5S
      duration("-P1Y2M") => -P1Y2M
      duration("PT36H") => P1DT12H
      duration("P14M") => P1Y2M
      duration("PT0.999999999S") => PT0.999999999S
      duration("P0D") => PT0S
      duration("P0Y") => P0M
      duration("P1Y1D") => null!
      duration("PT") => null!
      duration("P") => null!
      duration("P1H") => null!
      duration("P1M1Y") => null!
      duration("1D") => null!
      duration("PT1.S") => PT1S
      duration("PT0.S") => PT0S
      duration("PT.S") => null!
      duration("PT.5S") => null!
      duration(from: "P1D") => P1D
      duration(1) => null!
      duration(null) => null!
    years and months duration
      years and months duration(date("2011-12-22"), date("2013-08-24")) => P1Y8M
      years and months duration(date("2013-08-24"), date("2011-12-22")) => -P1Y8M
      years and months duration(date("2016-01-31"), date("2016-02-29")) => P0M
      years and months duration(date and time("2011-12-22T00:00:00"), date("2013-08-24")) => P1Y8M
      years and months duration(from: date("2011-12-22"), to: date("2013-08-24")) => P1Y8M
      years and months duration(date("2011-12-22"), null) => null!
      years and months duration(date("2011-12-22")) => null!
    string
      string(1.10) => 1.1
      string(1E3) => 1000
      string(1E-7) => 0.0000001
      string("a") => a
      string(true) => true
      string(null) => null
      string([1, "a", null]) => [1, "a", null]
      string({a: 1, "b c": "x", "{": 2}) => {a: 1, b c: "x", "{": 2}
      string([1..3)) => [1..3)
      string(date("2017-01-01")) => 2017-01-01
      string(from: 1) => 1
      string() => null!
      string(1, 2) => null!
    number
      number("1,000.05", ",", ".") => 1000.05
      number("1 000,05", " ", ",") => 1000.05
      number("1.000,05", ".", ",") => 1000.05
      number("1000.05", null, ".") => 1000.05
      number("1000", null, null) => 1000
      number("-1E2", null, null) => -100
      number("1,5", ",", ",") => null!
      number("1,5", "x", ".") => null!
      number("1,5", ",", "x") => null!
      number("abc", ",", ".") => null!
      number("1.5.5", ",", ".") => null!
      number(from: "1,000.05", grouping separator: ",", decimal separator: ".") => 1000.05
      number(null, ",", ".") => null!
      number(1, ",", ".") => null!
      number("twelve", null, null) => null!
      number("12.5") => null!
      number(from: "1 000.5", grouping separator: " ") => 1000.5
      number(from: "12,5", decimal separator: ",") => 12.5
      number(grouping separator: " ") => null!
    context
      context([{key: "a", value: 1}, {key: "b", value: null}]) => {a: 1, b: null}
      context({key: "a", value: 1}) => {a: 1}
      context([]) => {}
      context(entries: [{key: "a", value: 1, other: 2}]) => {a: 1}
      context([{key: "a", value: 1}, {key: "a", value: 2}]) => null!
      context([{key: 1, value: 1}]) => null!
      context([{key: "a"}]) => null!
      context(["a"]) => null!
      context(null) => null!
    range
      range("[18..21)") => [18..21)
      range("(\"a\"..\"c\"]") => ("a".."c"]
      range("[@\"2020-01-01\"..@\"2021-01-01\"]") => [2020-01-01..2021-01-01]
      range("[date(\"2020-01-01\")..date(\"2021-01-01\")]") => [2020-01-01..2021-01-01]
      range("[-2..-1]") => [-2..-1]
      range("]1..2[") => (1..2)
      range("(..2]") => <= 2
      range("[1..)") => >= 1
      range("[2..1]") => null!
      range("[1..\"a\"]") => null!
      range("(..)") => null!
      range("[a..b]") => null!
      range("[null..2]") => null!
      range("[1..null]") => null!
      range("[null..null]") => null!
      range("1..2") => null!
      range(from: "[1..2]") => [1..2]
      range(null) => null!
    others
      not(true) => false
      not(false) => true
      not(null) => null!
      not("true") => null!
      not(negand: true) => false
      not() => null!
      is(1, 1.0) => true
      is(1, "1") => false
      is(null, null) => true
      is(@"23:00:50", @"23:00:50Z") => false
      is(@"23:00:50Z", @"23:00:50+00:00") => true
      is(@"12:00:00Z", @"13:00:00+01:00") => false
      is(date("2012-12-25"), date and time("2012-12-25T00:00:00")) => false
      is(value1: 1, value2: 2) => false
      is(value1: 1, value2: 1, value3: 2) => true
      is(value1: 1, value3: 1) => null!
      is(1) => null!
      now() => 2026-01-01T00:00:00Z
      today() => 2026-01-01
      now(1) => null!
      today(1) => null!
  ]==])
end)

describe("string functions", function()
  support.rows(it, [==[
    substring
      substring("foobar", 3) => obar
      substring("foobar", 3, 3) => oba
      substring("foobar", -2, 1) => a
      substring("foobar", 3.8) => obar
      substring("foobar", 3, 4) => obar
      substring("foobar", 3, 5) => null!
      substring("foobar", 0) => null!
      substring("foobar", 7) => null!
      substring("foobar", -7) => null!
      substring("foobar", 1, 0) => null!
      substring("foobar", 1, null) => null!
      substring("\U01F40Eab", 2) => ab
      substring(string: "foobar", start position: 3, length: 1) => o
      substring(string: "foobar", start position: 3) => obar
      substring(string: "foobar", start: 3) => null!
      substring(1, 1) => null!
      substring("foobar") => null!
    string length
      string length("") => 0
      string length("\uD83D\uDCA9x") => 2
      string length(string: "abc") => 3
      string length(null) => null!
    case
      upper case("aBc4äé") => ABC4ÄÉ
      lower case("AbDÄÉ") => abdäé
      upper case("ÿσж🐎") => ŸΣЖ🐎
      lower case("ΑΒΓ") => αβγ
      upper case(1) => null!
      lower case() => null!
    before and after
      substring before("foobar", "bar") => foo
      substring before("foobar", "xyz") =>
      substring before("foobar", "") =>
      substring after("foobar", "ob") => ar
      substring after("foobar", "") => foobar
      substring after("foobar", "x") =>
      substring before("foobar", null) => null!
      substring after(string: "foobar", match: "b") => ar
    contains
      contains("foobar", "of") => false
      contains("foobar", "oba") => true
      contains("foobar", "") => true
      starts with("foobar", "fo") => true
      starts with("foobar", "o") => false
      ends with("foobar", "r") => true
      ends with("foobar", "") => true
      ends with("foobar", "a") => false
      contains("a.b", ".") => true
      contains("axb", ".") => false
      contains(null, "a") => null!
      starts with("a") => null!
      ends with("a", 1) => null!
    string join
      string join(["a", "b", "c"], "_and_") => a_and_b_and_c
      string join(["a", null, "c"], ", ") => a, c
      string join(["a", "b"]) => ab
      string join(["a", "b"], null) => ab
      string join([], "x") =>
      string join("a", "x") => a
      string join(["a", 1], "x") => null!
      string join(["a"], 1) => null!
      string join(null) => null!
      string join(list: ["a", "b"], delimiter: "-") => a-b
    split
      split("John Doe", "\s") => ["John", "Doe"]
      split("a;b;c;;", ";") => ["a", "b", "c", "", ""]
      split("", ";") => [""]
      split("abc", "") => ["a", "b", "c"]
      split("foo", "(") => null!
      split("foo", null) => null!
    matches
      matches("foobar", "^fo*bar") => true
      matches("foobar", "FOO", "i") => true
      matches("foobar", "f o o", "x") => true
      matches("foo\nbar", "o.b") => false
      matches("foo\nbar", "o.b", "s") => true
      matches("foo\nbar", "^bar$") => false
      matches("foo\nbar", "^bar$", "m") => true
      matches("a.b", "a.b", "q") => true
      matches("axb", "a.b", "q") => false
      matches("foo\n", "o$") => false
      matches("foobar", "[", "i") => null!
      matches("foobar", "o", "k") => null!
      matches("foobar", "^fo*bar", null) => true
      matches(input: "foobar", pattern: "X", flags: null) => false
      matches("foobar", "o", 1) => null!
      matches("foobar", null) => null!
    replace
      replace("abracadabra", "bra", "*") => a*cada*
      replace("abracadabra", "a.*?a", "*") => *c*bra
      replace("abracadabra", "a(.)", "a$1$1") => abbraccaddabbra
      replace("abc", "(b)", "[$0$12]") => a[bb2]c
      replace("abc", "b", "\\$") => a$c
      replace("abc", "B", "x", "i") => axc
      replace("a.c", ".", "$1", "q") => a$1c
      replace("abc", ".*?", "x") => null!
      replace("abc", "b", "$x") => null!
      replace("abc", "b", "\\x") => null!
      replace("abc", "b", "$") => null!
      replace(input: "abc", pattern: "b", replacement: "x", flags: "") => axc
      replace("abc", "b") => null!
      replace("AAAA", "A+?", "b") => bbbb
      replace("darted", "^(.*?)d(.*)$", "$1c$2") => carted
  ]==])
end)

describe("list functions", function()
  support.rows(it, [==[
    list contains
      list contains([1, 2, 3], 2) => true
      list contains([1, 2, null], null) => true
      list contains([[1], [2]], [2]) => true
      list contains(1, 1) => true
      list contains(null, 1) => null!
      list contains(list: [1], element: 2) => false
    count
      count([1, null, 3]) => 3
      count([]) => 0
      count(1) => 1
      count(1, 2) => null!
      count(list: [1]) => 1
      count(null) => null!
      count() => null!
    min and max
      min([1, 2, 3]) => 1
      min(3, 1.5, 2) => 1.5
      max("a", "c", "b") => c
      max([@"2020-01-01", @"2021-01-01"]) => 2021-01-01
      min([]) => null!
      min([1, "a"]) => null!
      max([1, null]) => null!
      max([true]) => null!
      min(list: [2, 1]) => 1
    sum, product, mean
      sum([1, 2, 3.5]) => 6.5
      sum(1, 2) => 3
      sum([]) => null!
      sum([1, null]) => null!
      sum([1, "a"]) => null!
      product([2, 3, 4]) => 24
      product([]) => null!
      mean([1, 2, 3]) => 2
      mean(1, 2) => 1.5
      mean([]) => null!
      mean(list: [2]) => 2
    median, stddev, mode
      median([8, 2, 5, 3, 4]) => 4
      median([6, 1, 2, 3]) => 2.5
      median([]) => null!
      stddev([2, 4, 7, 5]) => 2.081665999466132735282297706979931
      stddev([47]) => null!
      stddev([1, null]) => null!
      mode([6, 3, 9, 6, 6]) => [6]
      mode([6, 1, 9, 6, 1]) => [1, 6]
      mode([]) => []
      mode([1, null]) => null!
      mode() => null!
    all and any
      all([true, true]) => true
      all([false, null]) => false
      all([true, null]) => null!
      all([]) => true
      all(true, 1) => null!
      any([false, true]) => true
      any([false, null]) => null!
      any([]) => false
      any(false) => false
      all(list: [true]) => true
    sublist
      sublist([4, 5, 6], 1, 2) => [4, 5]
      sublist([4, 5, 6], 2) => [5, 6]
      sublist([4, 5, 6], -2, 1) => [5]
      sublist([4, 5, 6], 0) => null!
      sublist([4, 5, 6], 4) => null!
      sublist([4, 5, 6], 2, 3) => null!
      sublist([4, 5, 6], 1, 0) => null!
      sublist(list: [1, 2], start position: 2) => [2]
    append, concatenate, union
      append([1], 2, 3) => [1, 2, 3]
      append([1], [2]) => [1, [2]]
      append(1, null) => [1, null]
      append([]) => null!
      concatenate([1, 2], [3]) => [1, 2, 3]
      concatenate([1], 2) => [1, 2]
      concatenate([1], null) => null!
      union([1, 2], [2, 3]) => [1, 2, 3]
      union([1, null], [null, "a"]) => [1, null, "a"]
      flatten([[1, 2], [[3]], 4]) => [1, 2, 3, 4]
      distinct values([1, 2, 1, null, null, [1], [1]]) => [1, 2, null, [1]]
      distinct values([@"2020-01-01", @"2020-01-01", 1.5, 1.50]) => [2020-01-01, 1.5]
    insert, remove, replace
      insert before([1, 3], 1, 2) => [2, 1, 3]
      insert before([1, 3], -1, 2) => [1, 2, 3]
      insert before([1, 3], 3, 2) => null!
      insert before([1, 3], 1, null) => [null, 1, 3]
      remove([1, 2, 3], 2) => [1, 3]
      remove([1, 2, 3], -1) => [1, 2]
      remove([1], 0) => null!
      list replace([1, 2, 3], 2, 4) => [1, 4, 3]
      list replace([2, 4, 7, 8], function(item, newItem) item < newItem, 5) => [5, 5, 7, 8]
      list replace([1], function(item) true, 5) => null!
      list replace([1], function(item, newItem) item, 5) => null!
      list replace([1], 2, 5) => null!
      list replace(list: [1], position: 1, newItem: 2) => [2]
    order
      reverse([1, 2, 3]) => [3, 2, 1]
      index of([1, 2, 3, 2], 2) => [2, 4]
      index of([1, null], null) => [2]
      index of([1], 2) => []
      sort([3, 1, 2], function(x, y) x < y) => [1, 2, 3]
      sort([{a: 2, b: 1}, {a: 1, b: 2}, {a: 2, b: 3}], function(x, y) x.a < y.a) => [{a: 1, b: 2}, {a: 2, b: 1}, {a: 2, b: 3}]
      sort([], function(x, y) x < y) => []
      sort([1, "a"], function(x, y) x < y) => null!
      sort([1, 2], function(x) true) => null!
      sort(list: [2, 1], precedes: function(x, y) x < y) => [1, 2]
      sort([2, 1], "a") => null!
  ]==])
end)

describe("numeric functions", function()
  support.rows(it, [==[
    rounding
      decimal(1/3, 2) => 0.33
      decimal(1.5, 0) => 2
      decimal(2.5, 0) => 2
      decimal(1234, -2) => 1200
      decimal(1, 6177) => null!
      decimal(1, -6112) => null!
      decimal(n: 1.115, scale: 2) => 1.12
      decimal(1) => null!
      floor(-1.5) => -2
      floor(-1.56, 1) => -1.6
      ceiling(1.2) => 2
      ceiling(-1.56, 1) => -1.5
      floor(1.5, null) => null!
      round up(5.5, 0) => 6
      round up(-5.5, 0) => -6
      round up(1.121, 2) => 1.13
      round down(5.5, 0) => 5
      round down(-1.126, 2) => -1.12
      round half up(5.5, 0) => 6
      round half up(-5.5, 0) => -6
      round half up(-1.126, 2) => -1.13
      round half down(5.5, 0) => 5
      round half down(-5.5, 0) => -5
      round half down(5.51, 0) => 6
      round half down(1.126, 2) => 1.13
      round half down(n: 2.5, scale: 0) => 2
      round up(1) => null!
    others
      abs(-10) => 10
      abs(-1.5) => 1.5
      abs(@"-PT5H") => PT5H
      abs(@"-P1Y") => P1Y
      abs("1") => null!
      abs(n: -1) => 1
      modulo(12, 5) => 2
      modulo(-12, 5) => 3
      modulo(12, -5) => -3
      modulo(10.1, 4.5) => 1.1
      modulo(5, 0) => null!
      sqrt(16) => 4
      sqrt(2) => 1.414213562373095048801688724209698
      sqrt(-1) => null!
      log(1) => 0
      log(10) => 2.302585092994045684017991454684364
      log(0) => null!
      exp(0) => 1
      exp(1) => 2.718281828459045235360287471352662
      exp(99999) => null!
      odd(5) => true
      odd(-5) => true
      odd(2) => false
      even(2) => true
      even(-3) => false
      even(2.5) => false
      odd("1") => null!
      sqrt(number: 4) => 2
  ]==])
end)

describe("date functions", function()
  support.rows(it, [==[
    parts
      day of year(date(2019, 9, 17)) => 260
      day of year(@"2020-12-31T10:00:00") => 366
      day of week(date(2019, 9, 17)) => Tuesday
      day of week(date(-1, 1, 1)) => Friday
      month of year(date(2019, 9, 17)) => September
      week of year(date(2019, 9, 17)) => 38
      week of year(date(2003, 12, 29)) => 1
      week of year(date(2004, 1, 4)) => 1
      week of year(date(2005, 1, 1)) => 53
      week of year(date: date(2005, 1, 3)) => 1
      day of week("2019-09-17") => null!
      week of year(null) => null!
      month of year(day: date(2019, 9, 17)) => null!
  ]==])
end)

describe("range functions", function()
  support.rows(it, [==[
    before
      before(1, 10) => true
      before(10, 1) => false
      before(1, [1..10]) => false
      before(1, (1..10]) => true
      before([1..10], 10) => false
      before([1..10), 10) => true
      before([1..10], 15) => true
      before([1..10), [10..20]) => true
      before([1..10], [10..20]) => false
      before(1, "a") => null!
      before(null, 1) => null!
      before(point1: 1, point2: 2) => true
      before(range: [1..2], point: 3) => true
      before(1, < 5) => false
      before(1, > 5) => true
    after
      after(10, 5) => true
      after(12, [1..10]) => true
      after([11..20], 10) => true
      after([11..20], [1..11)) => true
      after((11..20], [1..11]) => true
      after([11..20], [1..11]) => false
    meets
      meets([1..5], [5..10]) => true
      meets([1..5), [5..10]) => false
      met by([5..10], [1..5]) => true
      met by([5..10], [1..5)) => false
      meets(1, [1..2]) => null!
    overlaps
      overlaps([1..5], [3..8]) => true
      overlaps([1..5), [5..8]) => false
      overlaps([1..5], [5..8]) => true
      overlaps([1..5], [6..8]) => false
      overlaps before([1..5], [3..8]) => true
      overlaps before([1..5], [1..5]) => false
      overlaps before([1..5], (1..5]) => true
      overlaps after([3..8], [1..5]) => true
      overlaps after([1..5], [1..5]) => false
      overlaps after((1..5], [1..5)) => true
    finishes, starts
      finishes(10, [1..10]) => true
      finishes(10, [1..10)) => false
      finishes([5..10], [1..10]) => true
      finishes([1..10), [5..10]) => false
      finished by([1..10], 10) => true
      finished by([1..10], [5..10]) => true
      starts(1, [1..10]) => true
      starts(1, (1..10]) => false
      starts([1..5], [1..10]) => true
      starts([1..10], [1..10]) => true
      started by([1..10], 1) => true
      started by([1..10], [1..5)) => true
    includes
      includes([1..10], 5) => true
      includes([1..10], 12) => false
      includes([1..10), 10) => false
      includes([1..10], [4..6]) => true
      includes((1..10], [1..6]) => false
      includes(> 5, 6) => true
      during(5, [1..10]) => true
      during([4..6], [1..10]) => true
      during([1..10], (1..10]) => false
      coincides(5, 5) => true
      coincides([1..5], [1..5]) => true
      coincides([1..5), [1..5]) => false
      coincides(@"2020-01-01", @"2020-01-01") => true
      coincides(1, [1..1]) => null!
  ]==])
end)

describe("context functions", function()
  support.rows(it, [==[
    get
      get value({a: "foo"}, "a") => foo
      get value({a: null}, "a") => null
      get value({a: 1}, "b") => null!
      get value(1, "a") => null!
      get value(m: {a: 1}, key: "a") => 1
      get entries({a: 1, b: null}) => [{key: "a", value: 1}, {key: "b", value: null}]
      get entries({}) => []
      get entries(m: {a: 1}) => [{key: "a", value: 1}]
      get entries(1) => null!
    put and merge
      context put({x: 1}, "y", 2) => {x: 1, y: 2}
      context put({x: 1, y: 0}, "x", null) => {x: null, y: 0}
      context put({x: 1, y: {a: 0}}, ["y", "a"], 2) => {x: 1, y: {a: 2}}
      context put({x: 1, y: {a: 0}}, [], 2) => null!
      context put({x: 1}, ["y", "a"], 2) => null!
      context put({x: 1}, 1, 2) => null!
      context put(null, "a", 2) => null!
      context put(context: {}, key: "a", value: 2) => {a: 2}
      context put(context: {}, keys: ["a"], value: 2) => {a: 2}
      context merge([{x: 1}, {y: 2, x: 3}]) => {x: 3, y: 2}
      context merge([]) => {}
      context merge({x: 1}) => {x: 1}
      context merge([{x: 1}, 2]) => null!
      context merge(contexts: [{x: 1}]) => {x: 1}
      context merge(null) => null!
  ]==])
end)

describe("the compiler's list of functions", function()
  it("is the library's", function()
    local compiled, library = {}, {}
    for line in io.lines "runtime/decision/feel/builtin.def" do
      local name = line:match '^BUILTIN%("(.-)"' or line:match '^CAMUNDA%("(.-)"'
      if name then compiled[#compiled + 1] = name end
    end
    for name in pairs(support.feel.functions) do library[#library + 1] = name end
    table.sort(compiled)
    table.sort(library)
    assert.same(library, compiled)
    assert.is_true(#library > 80)
  end)

  it("gives functions as values, too", function()
    assert.equal("3", support.text "{f: sum, r: f([1, 2])}.r")
    assert.equal("[1, 2]", support.text "sort([2, 1], function(a, b) before(a, b))")
    assert.equal("null", support.text "{f: sum, r: f()}.r")
    assert.equal("true", support.text "[sum, count][1] instance of function<list<Any>> -> Any")
  end)
end)
