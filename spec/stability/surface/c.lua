-- What a program in C was compiled against: functions, members in their places, enumerators,
-- constants. A struct whose
-- first member is `size` may grow at its end; any other keeps its number of members, too.
local header = dofile "bindings/generate/header.lua"

local function squeeze(text) return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")) end

-- What the generator reads beside the declarations is nothing to a compiler.
local function without_annotations(text)
  for _, word in ipairs { "API", "ERR", "CLASS", "BORROWED", "CALLBACK", "PRINTF" } do
    text = text:gsub("ORR_" .. word .. "%b()", " ")
  end
  for _, word in ipairs { "OPTIONS", "OPT", "OUT", "CONSUMES", "CALLBACK" } do
    text = text:gsub("%f[%w_]ORR_" .. word .. "%f[^%w_]", " ")
  end
  return squeeze(text)
end

local function without_comments(text) return (text:gsub("/%*.-%*/", " "):gsub("//[^\n]*", " ")) end

--- The statements of a text without comments and directives: what ends with a semicolon outside of
--- braces.
local function statements(text)
  local list, depth, from = {}, 0, 1
  for at, c in text:gmatch "()([{};])" do
    if c == "{" then depth = depth + 1
    elseif c == "}" and depth == 0 then from = at + 1 -- of extern "C"
    elseif c == "}" then depth = depth - 1
    elseif depth == 0 then
      list[#list + 1] = without_annotations(text:sub(from, at - 1))
      from = at + 1
    end
  end
  return list
end

local function add_struct(lines, name, body)
  local members = {}
  for member in body:gmatch "([^;]+);" do members[#members + 1] = squeeze(member) end
  for i, member in ipairs(members) do lines[#lines + 1] = ("struct %s, member %d: %s"):format(name,
    i, member) end
  if members[1] ~= "uint32_t size" then lines[#lines + 1] = ("struct %s has %d members"):format(name, #members) end
end

local function add_enum(lines, name, body)
  local place = 0
  for value in body:gmatch "[^,]*[^,%s][^,]*" do
    place = place + 1
    lines[#lines + 1] = ("enum %s, value %d: %s"):format(name, place, squeeze(value))
  end
end

local function add(lines, statement)
  local kind, body, name = statement:match "^typedef (%a+) [%w_]*%s*(%b{})%s*([%w_]+)$"
  if kind == "struct" or kind == "union" then return add_struct(lines, name, body:sub(2, -2)) end
  if kind == "enum" then return add_enum(lines, name, body:sub(2, -2)) end
  lines[#lines + 1] = statement
end

local function add_constants(lines, text)
  for name, value in text:gmatch "#define (ORR_[%w_]+) +([^\n\\]+)\n" do
    if not name:find "^ORR_VERSION" then lines[#lines + 1] = ("#define %s %s"):format(name,
      squeeze(value)) end
  end
  for name, number in text:gmatch 'X%(([%u_]+),%s*(%-%d+),' do
    lines[#lines + 1] = ("error ORR_E_%s = %s"):format(name, number)
  end
end

return function()
  local lines = {}
  local text = without_comments(header.text ".")
  add_constants(lines, text)
  text = text:gsub("\\\n", " "):gsub("#[^\n]*", " "):gsub('extern "C" {', " ")
  for _, statement in ipairs(statements(text)) do
    if statement ~= "" and statement ~= "}" then add(lines, statement) end
  end
  return lines
end
