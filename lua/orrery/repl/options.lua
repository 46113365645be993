--- Completion of options at the prompt: within the braces of a call, the names that the manual has for it.
local stubs = require "orrery.repl.stubs"

local options = {}

local closing <const> = { [")"] = "(", ["}"] = "{", ["]"] = "[" }

--- The brackets that are open at the end of a text, outside of quotes: { kind, place } each.
local function open_brackets(text)
  local stack, quote = {}, nil
  for at, c in text:gmatch "()([%(%)%[%]{}\"'\\])" do
    if quote then
      if c == quote and text:sub(at - 1, at - 1) ~= "\\" then quote = nil end
    elseif c == '"' or c == "'" then quote = c
    elseif closing[c] then
      if stack[#stack] and stack[#stack].kind == closing[c] then stack[#stack] = nil end
    else stack[#stack + 1] = { kind = c, place = at } end
  end
  return stack
end

--- The name of the function in whose braces the text ends, where a key may begin; nil: it ends elsewhere.
local function called(text)
  local stack = open_brackets(text)
  local brace, around = stack[#stack], stack[#stack - 1]
  if not (brace and brace.kind == "{") or not text:find "[{,]%s*[%w_]*$" then return nil end
  local head = text:sub(1, brace.place - 1)
  if around and around.kind == "(" and not head:find "[%w_]%s*$" then head = text:sub(1, around.place - 1) end
  return head:match "([%a_][%w_]*)%s*$"
end

local api -- once it was asked for; false: the stubs are not installed

local function public()
  if api == nil then
    local ok, read = pcall(stubs.read)
    api = ok and read or false
  end
  return api or { classes = {} }
end

local function add_class(names, class)
  local _, fields = stubs.members(public(), class)
  for field, f in pairs(fields) do
    if not f.pattern then names[field] = true end
  end
end

--- Adds what a parameter of this type may have; a filter also has the fields of what it filters.
local function add_fields(names, kind)
  for name in kind:gmatch "orrery%.%u%w*" do
    local class = public().classes[name]
    if class and #class.functions == 0 then
      add_class(names, class)
      add_class(names, public().classes[name:match "^(.+)Filter$"])
    end
  end
end

--- The keys that may stand at the end of the text, as a set; nil: none that are known.
function options.at(text)
  local name = called(text)
  if not name then return nil end
  local names = {}
  for _, class in pairs(public().classes) do
    for _, f in ipairs(class.functions) do
      for _, p in ipairs(f.name == name and f.params or {}) do add_fields(names, p.type) end
    end
  end
  return next(names) and names or nil
end

return options
