--- Reads the stubs of the public layer (lua/orrery/_meta/): for the manual, for help() at the prompt, and for the spec that compares them
--- with the module. It knows the LuaCATS that they are written in, and refuses every line that it cannot read.
local stubs = {}

--- In the order in which the manual has them.
stubs.files = { "orrery", "delegate", "engine", "jobs", "tasks", "queries", "filters", "lists.gen", "records", "history", "testing" }

local CLOSING <const> = { ["("] = ")", ["{"] = "}", ["["] = "]", ["<"] = ">" }

--- A type and what follows it: blanks within brackets and quotes, and behind "fun():", belong to it.
local function split_type(text)
  local open, quoted = {}, false
  for at = 1, #text do
    local c = text:sub(at, at)
    if c == '"' then quoted = not quoted
    elseif quoted then -- a literal
    elseif CLOSING[c] then open[#open + 1] = CLOSING[c]
    elseif c == open[#open] then open[#open] = nil
    elseif c == " " and #open == 0 and text:sub(at - 1, at - 1) ~= ":" then return text:sub(1, at - 1), text:sub(at + 1) end
  end
  return text, nil
end

local function read_named(text)
  local name, rest = text:match "^(%S+) (.+)$"
  if not name then return nil end
  if name == "[string]" then return { pattern = true, name = name, type = rest } end
  local kind, words = split_type(rest)
  return { name = (name:gsub("%?$", "")), optional = name:find "%?$" ~= nil, type = kind, text = words }
end

--- What each tag adds to the block of comments that it stands in.
local tags = {}

function tags.class(block, text)
  block.class, block.parent = text:match "^([%w_.]+):%s*([%w_.]+)$"
  block.class = block.class or text:match "^[%w_.]+$"
  return block.class
end

function tags.field(block, text)
  block.fields[#block.fields + 1] = read_named(text)
  return read_named(text)
end

function tags.param(block, text)
  block.params[#block.params + 1] = read_named(text)
  return read_named(text)
end

tags["return"] = function(block, text)
  local kind, words = split_type(text)
  block.returns[#block.returns + 1] = { type = kind, text = words and words:gsub("^#%s*", "") }
  return kind
end

function tags.core(block, text)
  block.core = text:match "^orr_[%w_]+$"
  return block.core
end

function tags.alias(block, text)
  local name, rest = text:match "^(%S+) (.+)$"
  local kind, words = split_type(rest or "")
  block.alias = { name = name, type = kind, text = words }
  return name
end

function tags.meta() return true end

local function new_block() return { doc = {}, fields = {}, params = {}, returns = {} } end

local function read_comment(block, line)
  local tag, text = line:match "^%-%-%-@(%a+) (.+)$"
  if tag then return tags[tag] ~= nil and tags[tag](block, text) end
  block.doc[#block.doc + 1] = line:match "^%-%-%-%s?(.*)$"
  return block.doc[#block.doc] ~= nil
end

local Reader = {}
Reader.__index = Reader

function Reader:add(item)
  item.file, item.line = self.file, self.number
  self.section.items[#self.section.items + 1] = item
end

--- Ends a block that is no function's: a class, or an alias.
function Reader:finish()
  local block = self.block
  if self.out.classes[block.class] then
    self.block.doc = {} -- named again, for an editor that reads this file alone
  elseif block.class then
    block.kind, block.name, block.functions = "class", block.class, {}
    self.out.classes[block.name] = block
    self:add(block)
  elseif block.alias then
    self.out.aliases[#self.out.aliases + 1] = block.alias
  end
  self.block = new_block()
end

function Reader:read_function(receiver, separator, name, parameters)
  local class = self.out.classes[self.variables[receiver]]
  local block = self.block
  block.kind, block.name, block.class, block.separator, block.parameters = "function", name, class.name, separator, parameters
  class.functions[#class.functions + 1] = block
  self:add(block)
  self.block = new_block()
end

function Reader:read_line(line)
  if line:find "^%-%-%-" then return read_comment(self.block, line) end
  local title = line:match "^%-%- # (.+)$"
  if title then
    self:finish()
    self.section = { title = title, items = {} }
    self.out.sections[#self.out.sections + 1] = self.section
    return true
  end
  local variable = line:match "^local ([%w_]+) = {}$"
  local class = self.block.class
  if variable or line == "" then self:finish() end
  if variable then self.variables[variable] = class end
  local receiver, separator, name, parameters = line:match "^function ([%w_]+)([.:])([%w_]+)%((.-)%) end$"
  if receiver and self.variables[receiver] then
    self:read_function(receiver, separator, name, parameters)
    return true
  end
  return variable ~= nil or line == "" or line:find "^%-%- " ~= nil or line:find "^error " ~= nil or line:find "^return " ~= nil
end

local own = debug.getinfo(1, "S").source:match "^@(.*)repl/stubs%.lua$" or ""

--- Reads the stubs of `folder` (default: those beside this file). Gives `sections` ({ title, items }, in order), `classes` by name (with
--- fields and functions), `aliases`.
function stubs.read(folder)
  folder = folder or own .. "_meta"
  local out = { sections = {}, classes = {}, aliases = {} }
  local variables = {}
  for _, name in ipairs(stubs.files) do
    local file = ("%s/%s.lua"):format(folder, name)
    local self = setmetatable({ file = file, number = 0, out = out, variables = variables, block = new_block(),
      section = { items = {} } }, Reader)
    for line in io.lines(file) do
      self.number = self.number + 1
      if not self:read_line(line) then error(("%s:%d: cannot read '%s'"):format(file, self.number, line), 0) end
    end
    self:finish()
  end
  return out
end

--- A class's own functions and fields and those that it inherits, by name.
function stubs.members(api, class)
  local functions, fields = {}, {}
  while class do
    for _, f in ipairs(class.functions) do functions[f.name] = functions[f.name] or f end
    for _, field in ipairs(class.fields) do fields[field.name] = fields[field.name] or field end
    class = api.classes[class.parent]
  end
  return functions, fields
end

--- How objects of a class are called in texts.
local names = { ["orrery"] = "orrery", ["orrery.Json"] = "orrery.json", ["orrery.CallExecution"] = "execution",
  ["orrery.Scope"] = "instance", ["orrery.MigrationPlan"] = "plan", ["orrery.HttpResponse"] = "answer", ["orrery.Test"] = "t",
  ["orrery.testing"] = "testing" }

--- "engine:start(key, options?)".
function stubs.form(f)
  local object = names[f.class] or f.class:match "[^.]+$":gsub("(%l)(%u)", "%1_%2"):lower()
  local parameters = {}
  for i, p in ipairs(f.params) do parameters[i] = p.name .. (p.optional and "?" or "") end
  return ("%s%s%s(%s)"):format(object, f.separator, f.name, table.concat(parameters, ", "))
end

--- The class of stubs that an object of the public layer is of, by its metatable's name; nil: of none.
function stubs.class_of(object)
  local meta = debug.getmetatable(object)
  local kind = type(meta) == "table" and rawget(meta, "__name")
  if type(kind) ~= "string" or not kind:find "^orrery%." then return nil end
  return "orrery." .. kind:match "%.(.+)$":gsub("^%l", string.upper):gsub("_(%l)", string.upper)
end

return stubs
