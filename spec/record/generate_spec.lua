-- runtime/record/generate.lua: what it refuses, and that the same description gives the same bytes.

local here = debug.getinfo(1, "S").source:match("^@(.*)spec/uow/[^/]*$")
local script = (here ~= "" and here or "./") .. "runtime/record/generate.lua"

local function folder()
  local name = os.tmpname()
  os.remove(name)
  assert(os.execute("mkdir " .. name))
  return name
end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

-- Runs the generator on a description; the two files, or nil and the message.
local function generate(records)
  local out = folder()
  local file = assert(io.open(out .. "/records.lua", "w"))
  file:write(records)
  file:close()
  local ok, message = pcall(assert(loadfile(script)), out .. "/records.lua", out)
  local header, source = ok and read(out .. "/records.h"), ok and read(out .. "/records.c")
  os.execute("rm -r " .. out)
  if not ok then return nil, message end
  return header, source
end

local function one(record) return "return { format = 1, " .. record .. " }" end

describe("the generator", function()
  it("gives the same bytes for the same description", function()
    local records = read((script:gsub("generate", "records")))
    local header, source = generate(records)
    local header_again, source_again = generate(records)
    assert.is_true(header == header_again and source == source_again)
  end)

  it("reads records of earlier layouts", function()
    local _, source = generate(one [[{ name = "a", tag = "A", fields = { { "x", "int" }, { "y", "int", since = 2 } } }]])
    assert.matches("case 1: set = codec_get_bits(&in, 1, 1)", source, 1, true)
    assert.matches("case 2: set = codec_get_bits(&in, 1, 2)", source, 1, true)
  end)

  it("writes the layout of before as long as no field of a later level is set", function()
    local _, source = generate(one [[{ name = "a", tag = "A",
      fields = { { "x", "int" }, { "y", "int", since = 2 }, { "z", "int", since = 3, level = 2 } } }]])
    assert.matches("uint8_t layout = 2;\n  size_t bytes = 1;\n  if (r->z != 0) {\n    layout = 3;", source, 1, true)
  end)

  it("keeps the place of a field that is gone, and reads past it", function()
    local header, source = generate(one [[{ name = "a", tag = "A",
      fields = { { "x", "int" }, { "old", "text", gone = true }, { "y", "int", since = 2 } } }]])
    assert.is_nil(header:find("old", 1, true))
    assert.matches("if (set >> 1 & 1) (void)codec_get_text(&in);", source, 1, true)
    assert.matches("if (set >> 2 & 1) r->y", source, 1, true)
    assert.matches("case 1: set = codec_get_bits(&in, 1, 2)", source, 1, true)
  end)

  it("numbers indexes through the file, but for those that have a number", function()
    local header = assert(generate(one [[
      { name = "a", tag = "A", fields = { { "x", "int" } }, indexes = { { "late", { "x" }, number = 40 }, { "first", { "x" } } } },
      { name = "b", tag = "B", fields = { { "x", "int" } }, indexes = { { "second", { "x" } } } }]]))
    for name, number in pairs { LATE = 40, FIRST = 1, SECOND = 2 } do
      assert.matches(("REC_INDEX_%s = %d,"):format(name, number), header, 1, true)
    end
  end)

  local refused = {
    ["unknown type 'uuid'"] = [[{ name = "a", tag = "A", fields = { { "x", "uuid" } } }]],
    ["tag A is taken by a"] = [[{ name = "a", tag = "A", fields = {} }, { name = "b", tag = "A", fields = {} }]],
    ["tag i is taken by index rows"] = [[{ name = "a", tag = "i", fields = {} }]],
    ["name a is taken by a"] = [[{ name = "a", tag = "A", fields = {} }, { name = "a", tag = "B", fields = {} }]],
    ["declared twice"] = [[{ name = "a", tag = "A", fields = { { "x", "int" }, { "x", "int" } } }]],
    ["the tag must be one letter"] = [[{ name = "a", tag = "AB", fields = {} }]],
    ["a key field cannot be a value"] = [[{ name = "a", tag = "A", key = { { "x", "value" } }, fields = {} }]],
    ["no field 'y'"] = [[{ name = "a", tag = "A", fields = { { "x", "int" } }, indexes = { { "by_y", { "y" } } } }]],
    ["'x' is a value: needs hash = true"] =
      [[{ name = "a", tag = "A", fields = { { "x", "value" } }, indexes = { { "by_x", { "x" } } } }]],
    ["'x' is a text: needs hash = true"] = [[{ name = "a", tag = "A", fields = { { "x", "text" } }, indexes = { { "by_x", { "x" } } } }]],
    ["'x' cannot be descending"] =
      [[{ name = "a", tag = "A", fields = { { "x", "id" } }, indexes = { { "by_x", { "x" }, desc = { x = true } } } }]],
    ["desc names 'z', which is not in it"] =
      [[{ name = "a", tag = "A", fields = { { "x", "int" } }, indexes = { { "by_x", { "x" }, desc = { z = true } } } }]],
    ["fields are only appended"] = [[{ name = "a", tag = "A", fields = { { "x", "int", since = 2 }, { "y", "int" } } }]],
    ["level 1 behind 2"] =
      [[{ name = "a", tag = "A", fields = { { "x", "int" }, { "y", "int", since = 2, level = 2 }, { "z", "int", since = 3 } } }]],
    ["index number 1 is taken by a"] =
      [[{ name = "a", tag = "A", fields = { { "x", "int" } }, indexes = { { "f", { "x" } }, { "g", { "x" }, number = 1 } } }]],
  }
  for message, records in pairs(refused) do
    it("refuses: " .. message, function()
      local header, problem = generate(one(records))
      assert.is_nil(header)
      assert.matches(message, problem, 1, true)
    end)
  end
end)
