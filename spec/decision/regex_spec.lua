-- Patterns as XPath has them: what it knows and PCRE2 writes differently, and what it does not know.
local core = require "orrery.core"
local regex, find = core.feel.regex, core.feel.find

local function matched(pattern, text, flags)
  local made = assert(regex(pattern, flags))
  local first, last = find(made, text)
  return first and text:sub(first, last)
end

describe("a pattern", function()
  local rows = {
    { "[a-z-[aeiou]]+", "aeixyz", "xyz" },
    { "[^a-c-[^x]]", "abcyx", "x" },
    { "[\\w-[\\d]]+", "12ab", "ab" },
    { "\\i\\c*", "1_a-b.c", "_a-b.c" },
    { "[\\i]+", "12ab", "ab" },
    { "[^\\i]+", "ab12", "12" },
    { "[\\I]+", "ab12", "12" },
    { "[^\\I]+", "12ab", "ab" },
    { "[x\\C]+", "ab x", " x" },
    { "\\C+", "ab ,x", " ," },
    { "\\p{Lu}+", "abÄÖc", "ÄÖ" },
    { "\\P{L}+", "ab12c", "12" },
    { "\\p{IsGreek}+", "abγδ", "γδ" },
    { "[\\p{IsBasicLatin}]+", "äab", "ab" },
    { "\\P{IsBasicLatin}+", "abäö", "äö" },
    { "[\\P{IsBasicLatin}]+", "abäö", "äö" },
    { "\\d+", "a٣x", "٣" },
    { "\\D+", "12ab", "ab" },
    { "\\s+", "a \t\nb", " \t\n" },
    { "[\\S]+", " ab ", "ab" },
    { "\\W+", "ab.,c", ".," },
    { "(a)(b)?\\1", "aba", "aba" },
    { "(a)(b)?\\1", "aa", "aa" },
    { "(.)\\1", "abbc", "bb" },
    { "a{2,3}", "aaaa", "aaa" },
    { "a{2,}?", "aaaa", "aa" },
    { "a{2}", "aaa", "aa" },
    { "a|b|", "", "" },
    { ".", "\n", nil },
    { ".", "\r", nil },
    { ".", "\n", "\n", "s" },
    { "b$", "ab\n", nil },
    { "^b", "a\nb", "b", "m" },
    { "ÄB", "äb", "äb", "i" },
    { "a b [ c]", "ab ", "ab ", "x" },
    { "a \\ s + b", "a  b", "a  b", "x" },
    { "\\p{ I s B a s i c L a t i n } +", "äab", "ab", "x" },
    { "a { 2 , 3 } ?", "aaa", "aa", "x" },
    { "\\[ [ \\] ]+ \\ ]", "[ ] ]", "[ ] ]", "x" },
    { "a.b", "axb a.b", "a.b", "q" },
    { "\\.\\$\\^\\-\\{\\}\\[\\]\\(\\)\\|\\?\\*\\+\\\\", ".$^-{}[]()|?*+\\", ".$^-{}[]()|?*+\\" },
    { "[-a]+", "b-a", "-a" },
    { "[a-]+", "b-a", "-a" },
    { "#", "a#", "#" },
    { "~\"'", "~\"'", "~\"'" },
    { "(?:ab)+", "xabab", "abab" },
    { "💩", "x💩", "💩" },
    { "[🐎-💩]", "x🐏", "🐏" },
  }
  for _, row in ipairs(rows) do
    it(row[1] .. (row[4] and " with " .. row[4] or "") .. " in " .. row[2], function()
      assert.equal(row[3], matched(row[1], row[2], row[4]))
    end)
  end

  it("gives its groups", function()
    local made = regex "(a)(x)?(b)"
    assert.same({ 2, 3, 2, 2, false, false, 3, 3 }, { find(made, "cab") })
    assert.same({}, { find(made, "c") })
  end)
end)

describe("what XPath does not know", function()
  local wrong = { "(", ")", "[", "[]", "[a", "]", "{", "}", "*a", "a**", "a++", "a{2", "a{x}", "a{3,2}", "a{99999}",
    "(?=a)", "(?i)a", "(?<n>a)",
    "\\b", "\\Q", "\\x41", "\\", "\\1", "(a\\1)", "(a)\\2", "[a-\\d]",
    "[b-a]", "\\p", "\\p{", "\\p{Xy}", "\\p{IsNoBlock}", "\\p{Greek}",
    "[a-[b]c]", "[[a]]", "a{,2}" }
  for _, pattern in ipairs(wrong) do
    it("is refused: " .. pattern, function()
      local made, message, limit = regex(pattern)
      assert.is_nil(made)
      assert.match("regular expression", message)
      assert.is_false(limit)
    end)
  end

  it("is a flag of its own", function() assert.match('"g" is no flag', (select(2, regex("a", "g")))) end)
end)

describe("a text", function()
  it("is UTF-8", function()
    local made, text = regex "a", "a\xff"
    local first, message = find(made, text)
    assert.is_nil(first)
    assert.match("no UTF%-8", message)
  end)

  it("is looked at from any place in it", function()
    local made = regex "a"
    assert.equal(3, (find(made, "aba", 2)))
    assert.is_nil((find(made, "aba", 4)))
    assert.has_error(function() find(made, "aba", 5) end)
    assert.has_error(function() find(made, "aba", 0) end)
  end)
end)
