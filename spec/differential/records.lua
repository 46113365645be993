-- Recorded runs: a line of JSON for each model that a real engine played.
local records = {}

local ESCAPES <const> = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }
local WORDS <const> = { ["true"] = true, ["false"] = false }

--- A reader of one text: its methods take what comes next, and step over it.
local reader = {}
reader.__index = reader

function reader:next() return self.text:match("^%s*()", self.at) end

function reader:take(pattern)
  local from = self:next()
  local first, last = self.text:find("^" .. pattern, from)
  if not first then error(("a record is broken at byte %d"):format(from), 0) end
  self.at = last + 1
  return self.text:sub(first, last)
end

function reader:sees(character) return self.text:sub(self:next(), self:next()) == character end

function reader:string()
  self:take '"'
  local from = self.at
  repeat
    local at = self.text:find('[\\"]', self.at)
    self.at = at + (self.text:sub(at, at) == "\\" and 2 or 1)
  until self.text:sub(at, at) == '"'
  local raw = self.text:sub(from, self.at - 2)
  return (raw:gsub("\\(.)(%x?%x?%x?%x?)", function(kind, digits)
    if kind == "u" then return utf8.char(tonumber(digits, 16)) end
    return (ESCAPES[kind] or kind) .. digits
  end))
end

--- What stands between brackets, separated by commas: `one` takes each.
function reader:several(open, close, one)
  self:take(open)
  while not self:sees(close) do
    one()
    if not self:sees(close) then self:take "," end
  end
  self:take("%" .. close)
end

function reader:value()
  local out = {}
  if self:sees '"' then return self:string() end
  if self:sees "{" then
    self:several("{", "}", function()
      local key = self:string()
      self:take ":"
      out[key] = self:value()
    end)
    return out
  end
  if self:sees "[" then
    self:several("%[", "]", function() out[#out + 1] = self:value() end)
    return out
  end
  local word = self:take "[%w+.-]+"
  if WORDS[word] ~= nil then return WORDS[word] end
  return math.tointeger(word) or tonumber(word) -- null is nothing
end

function records.decode(line) return setmetatable({ text = line, at = 1 }, reader):value() end

--- An iterator over the records of a file.
function records.of(path)
  local lines = io.lines(path)
  return function()
    local line = lines()
    return line and records.decode(line)
  end
end

return records
