-- What the stubs say of types is what a language server for Lua understands: every type that is named is declared, once, and every one
-- that is declared is used. Its grammar is that of LuaCATS, as far as the stubs need it.
local FOLDER = "lua/orrery/_meta/"

local builtin = {}
for name in ("nil any true false boolean string number integer function table thread userdata lightuserdata unknown self"):gmatch "%S+" do
  builtin[name] = true
end

-- ---- Types -----------------------------------------------------------------------------------------------------------------------

--- Reads a type at the beginning of a text. `named(name)` is called for every name in it; what follows is returned, or nil and what is
--- wrong.
local function type_reader(named)
  local read_union

  local function fail(text, what) error({ problem = ("%s at '%s'"):format(what, text) }, 0) end

  local function expect(text, sign)
    local rest = text:match("^%s*" .. sign:gsub("%p", "%%%0") .. "(.*)$")
    return rest or fail(text, sign .. " expected")
  end

  --- name, name: type, name?: type, ...: type; up to `close`.
  local function read_members(text, close, needs_type)
    while not text:find("^%s*" .. close:gsub("%p", "%%%0")) do
      local rest = text:match "^%s*[%a_][%w_]*%??%s*(.*)$" or text:match "^%s*%.%.%.%s*(.*)$" or text:match "^%s*%[(.*)$"
      if not rest then fail(text, "a name expected") end
      if text:find "^%s*%[" then rest = expect(read_union(rest), "]") end
      if rest:find "^%s*:" then rest = read_union(rest:match "^%s*:(.*)$") elseif needs_type then fail(rest, ": expected") end
      text = rest:match "^%s*,%s*(.*)$" or rest
      if text == rest and not text:find("^%s*" .. close:gsub("%p", "%%%0")) then fail(text, close .. " expected") end
    end
    return expect(text, close)
  end

  local function read_function(text)
    text = read_members(expect(text, "("), ")")
    if not text:find "^:" then return text end
    text = text:sub(2)
    repeat
      text = read_union(text)
      local more = text:match "^%s*,%s*(.*)$"
      text = more or text
    until not more
    return text
  end

  local function read_name(text)
    local name, rest = text:match "^([%a_][%w_.]*)(.*)$"
    if not name then fail(text, "a type expected") end
    if name == "fun" then return read_function(rest) end
    named(name)
    if not rest:find "^<" then return rest end
    rest = read_union(rest:sub(2))
    while rest:find "^%s*," do rest = read_union(expect(rest, ",")) end
    return expect(rest, ">")
  end

  local function read_one(text)
    text = text:match "^%s*(.*)$"
    local rest = text:match '^"[^"]*"(.*)$' or text:match "^'[^']*'(.*)$" or text:match "^%-?%d+(.*)$"
    if not rest and text:find "^%(" then rest = expect(read_union(text:sub(2)), ")")
    elseif not rest and text:find "^{" then rest = read_members(text:sub(2), "}", true)
    elseif not rest then rest = read_name(text) end
    while rest:find "^%[%]" or rest:find "^%?" do rest = rest:gsub("^%[%]", ""):gsub("^%?", "") end
    return rest
  end

  function read_union(text)
    local rest = read_one(text)
    while rest:find "^%s*|%s*[^|%s]" do rest = read_one(rest:match "^%s*|(.*)$") end
    return rest
  end

  return function(text)
    local ok, rest = pcall(read_union, text)
    if ok then return rest end
    if type(rest) ~= "table" then error(rest, 0) end
    return nil, rest.problem
  end
end

-- ---- Stubs -----------------------------------------------------------------------------------------------------------------------

--- Reads all stubs: what they declare, what they name, and what cannot be read.
local function read_stubs()
  local found = { declared = {}, used = {}, problems = {}, twice = {} }
  local place

  local function problem(text) found.problems[#found.problems + 1] = ("%s: %s"):format(place, text) end

  local read = type_reader(function(name) found.used[name] = found.used[name] or place end)

  --- What follows a type is nothing, or words behind a blank.
  local function check(text)
    local rest, wrong = read(text)
    if not rest then problem(wrong) elseif rest ~= "" and not rest:find "^%s" then problem(("'%s' behind a type"):format(rest)) end
  end

  local function declare(name, kind)
    local known = found.declared[name]
    if known and (kind == "alias" or known.kind == "alias") then found.twice[#found.twice + 1] = ("%s: %s"):format(place, name) end
    found.declared[name] = { kind = kind, place = place, functions = known and known.functions }
  end

  local tags = {}
  function tags.class(text)
    local name, parents = text:match "^([%w_.]+):%s*(.+)$"
    declare(name or text, "class")
    if parents then check(parents) end
  end
  function tags.alias(text)
    local name, rest = text:match "^(%S+)%s*(.*)$"
    declare(name, "alias")
    if rest ~= "" then check(rest) end
  end
  tags["return"] = check
  function tags.field(text) check(text:match "^%[.-%] (.+)$" or text:match "^%S+ (.+)$" or "") end
  tags.param = tags.field
  for _, name in ipairs { "core", "error", "meta" } do tags[name] = function() end end

  local function read_line(line, variables, class)
    local tag, text = line:match "^%-%-%-@(%a+)%s*(.*)$"
    if tag and not tags[tag] then problem("@" .. tag .. " is no tag that is known here") elseif tag then tags[tag](text) end
    local literal = line:match "^%-%-%-|%s*(.+)$"
    if literal then check((literal:gsub("%s*#.*$", ""))) end
    local variable = line:match "^local ([%w_]+) = {}$"
    if variable then variables[variable] = class end
    local receiver = line:match "^function ([%w_]+)[.:]"
    local owner = receiver and found.declared[variables[receiver] or ""]
    if receiver and not owner then problem(receiver .. " is no class's variable") elseif receiver then owner.functions = true end
    return tag == "class" and text:match "^[%w_.]+" or class
  end

  for path in io.popen(("ls %s*.lua"):format(FOLDER)):lines() do
    local number, variables, class = 0, {}, nil
    for line in io.lines(path) do
      number = number + 1
      place = ("%s:%d"):format(path, number)
      class = read_line(line, variables, class)
    end
  end
  return found
end

describe("the types of the stubs", function()
  local found = read_stubs()

  it("can be read", function()
    assert.same({}, found.problems)
    assert.is_true(next(found.declared) ~= nil)
  end)

  it("stand in files that are Lua", function()
    for path in io.popen(("ls %s*.lua"):format(FOLDER)):lines() do assert(loadfile(path)) end
  end)

  it("are declared where they are named", function()
    local out = {}
    for name, place in pairs(found.used) do
      if not builtin[name] and not found.declared[name] then out[#out + 1] = ("%s: %s is not declared"):format(place, name) end
    end
    table.sort(out)
    assert.same({}, out)
  end)

  it("are declared once", function()
    assert.same({}, found.twice)
  end)

  -- What is raised is no function's result, and the core's own types stand for the whole of orrery.h.
  it("are used, or have functions of their own", function()
    local out = {}
    for name, type in pairs(found.declared) do
      local apart = name == "orrery.Error" or name:find "^orrery%.core%."
      local used = found.used[name] or type.functions or apart
      if not used then out[#out + 1] = ("%s: %s is used nowhere"):format(type.place, name) end
    end
    table.sort(out)
    assert.same({}, out)
  end)

  it("have a reader that finds what is wrong", function()
    local named = {}
    local read = type_reader(function(name) named[#named + 1] = name end)
    for _, text in ipairs { "string", "a.B[]?", "(fun(x: A, y?: B): C, D)|nil", "table<string, A|B>", "{ a: A, b?: B[], [string]: C }",
      '"x"|"y"', "fun()", "fun(...: A): B?" } do
      assert.equal("", read(text), text)
    end
    assert.equal(" then words", read "A|B then words")
    for _, text in ipairs { "", "table<string", "{ a A }", "fun(x", "|A", "(A", "[]" } do assert.is_nil((read(text)), text) end
    assert.equal("string", named[1])
  end)
end)
