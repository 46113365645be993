-- The house rules about words.
-- Marks: load
local sources = require "spec.tidy.sources"

describe("one spelling", function()
  -- American, as most names were; what others fix (elements of BPMN, properties of CSS) is spelled so anyway.
  local british = { "colour", "behaviour", "neighbour", "honour", "favour", "cancell[ei]", "signall[ei]",
    "labell[ei][dnr]%f[%A]", "modell[ei]", "travell[ei]", "[aei][lmnr]isation", "nalys[ei][^s]", "centre[^d]", "catalogue",
    "licence", "defence", "artefact", "%f[%a]ageing" }

  local function british_in(line)
    for _, word in ipairs(british) do
      local found = line:lower():match(word)
      if found then return found end
    end
  end

  it("is kept by names and comments", function()
    local out = sources.findings(nil, function(path, line)
      local found = path ~= "spec/tidy/words_spec.lua" and british_in(line)
      return found and ('"%s" is not how we spell it'):format(found)
    end)
    assert.same({}, out)
  end)

  it("is kept by the manuals and the page", function()
    local out = {}
    for _, path in ipairs(sources.lines_of_command "ls README.md CHANGELOG.md docs/*.md examples/*/README.md; find ui/src -type f") do
      local number = 0
      for line in io.lines(path) do
        number = number + 1
        local found = british_in(line)
        if found then out[#out + 1] = ('%s:%d: "%s" is not how we spell it'):format(path, number, found) end
      end
    end
    assert.same({}, out)
  end)
end)

describe("a comment", function()
  local ROOM = 40

  -- The text of a line within a comment of C, and whether the comment goes on behind it.
  local function comment_text(line, inside)
    local text = line:match "^%s*/%* (.*)$" or (inside and line:match "^%s*%*? ?(.*)$")
    if not text then return nil, false end
    local last = text:find("*/", 1, true) ~= nil
    return not last and text or text:match "^(.-)%s*%*/%s*$", not last
  end

  -- A sentence goes on to the margin: what breaks long before it is the remains of an earlier width. Lists and code may.
  it("fills its lines", function()
    local out = {}
    for _, source in ipairs(sources.all) do
      local inside, before, width = false, nil, 0
      for number, line in ipairs(source.path:find "%.[ch]$" and source.lines or {}) do
        local text
        text, inside = comment_text(line, inside)
        local word = text and text:match "^[%a`(][^%s]*"
        if before and word and width - #source.lines[number - 1] > #word + ROOM and before:find "[%l,]$" then
          out[#out + 1] = ("%s:%d: has room for more"):format(source.path, number - 1)
        end
        before = inside and text or nil
        width = inside and math.max(width, #line) or 0
      end
    end
    assert.same({}, out)
  end)
end)

describe("what a header declares", function()
  -- A sentence of its own stands above a function, or behind it; or one that ends with ':' stands above several, up to a blank line.
  -- What C needs before the function (a type's name, a constant) may stand between.
  local function declares(line)
    return line:find "^[%a_][%w_ *]-[%w_]+%(" and not line:find "^typedef" and not line:find "^static" and not line:find "{%s*$"
  end

  local function undescribed(source)
    local out, described, several, from = {}, false, false, nil
    for number, line in ipairs(source.lines) do
      if from or declares(line) then
        from = from or number
        if line:find "/%*" then described = true end
        if line:find ";" then
          if not described then out[#out + 1] = ("%s:%d: %s"):format(source.path, from, source.lines[from]) end
          described, from = several, nil
        end
      elseif line:find "^/%* [%w_]+%.c[;. ].*%*/$" or line:find "^/%* %-%-%-%-" then -- says where, not what
        several = line:find ": %*/$" ~= nil
        described = several
      elseif line:find "%*/$" and not line:find "^[%a#]" then
        described, several = true, line:find ": %*/$" ~= nil
      elseif line == "" or line:find "^}" then
        described, several = false, false
      end
    end
    return out
  end

  it("says what it promises", function()
    local out = {}
    for _, source in ipairs(sources.all) do
      local inner = sources.is_in(source.path, { "base/", "runtime/", "store/", "bindings/", "server/" }) and source.path:find "%.h$"
      if inner and not source.path:find "^runtime/include/" then table.move(undescribed(source), 1, #source.lines, #out + 1, out) end
    end
    assert.same({}, out)
  end)
end)
