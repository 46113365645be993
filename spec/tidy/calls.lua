-- Functions of C by name: where each is defined, which headers declare it, and which file calls which. A call is a known function's
-- name before a parenthesis.
local sources = require "spec.tidy.sources"

local M = {}

M.rooms = { "base/", "runtime/", "store/", "bindings/", "server/" }

-- Code without comments, texts and directives, in as many lines.
local function bare(lines)
  local text = "\n" .. table.concat(lines, "\n") .. "\n"
  text = text:gsub("\\\n", "\n"):gsub("/%*.-%*/", function(comment) return (comment:gsub("[^\n]", "")) end)
  return (text:gsub('"[^"\n]*"', '""'):gsub("'[^'\n]*'", "' '"):gsub("\n#[^\n]*", "\n"))
end

-- The name of the function that a text from the margin up to a brace or semicolon is the head of.
local function head_name(head)
  head = head:gsub("__attribute__%s*%b()", "")
  if head:find "^typedef" or head:find "=" then return nil end
  return head:match "([%w_]+)%s*%b()%s*$"
end

-- By path; by name: { path, line, static }, the first where the preprocessor chooses. `twice`: what a second file defines as well.
M.code, M.defined, M.declared, M.twice = {}, {}, {}, {}

local function line_of(text, at) return select(2, text:sub(1, at):gsub("\n", "")) end

local function read_definitions(path, text)
  for at, head in text:gmatch "\n()([%a_][^;{}#]-%b())%s*{" do
    local name, line = head_name(head), line_of(text, at)
    local first = name and M.defined[name]
    if first and first.path ~= path then
      M.twice[#M.twice + 1] = ("%s:%d: %s is a function of %s too"):format(path, line, name, first.path)
    elseif name and not first then
      M.defined[name] = { path = path, line = line, static = head:find "^static" and true or path:find "%.h$" and true }
    end
  end
end

local function read_declarations(path, text)
  for at, head in text:gmatch "\n()([%a_][^;{}#]-%b()[^;{}#]*);" do
    local name = not head:find "^static" and head_name(head)
    if name then M.declared[#M.declared + 1] = { path = path, line = line_of(text, at), name = name } end
  end
end

for _, source in ipairs(sources.all) do
  if sources.is_in(source.path, M.rooms) and source.path:find "%.[ch]$" then
    local text = bare(source.lines)
    M.code[source.path] = text
    read_definitions(source.path, text)
    if source.path:find "%.h$" then read_declarations(source.path, text) end
  end
end

-- callees[path][other] = a function of the file `other` that the file `path` calls.
function M.callees()
  local out = {}
  for path, text in pairs(M.code) do
    if path:find "%.c$" then
      out[path] = {}
      for name in text:gmatch "([%w_]+)%s*%(" do
        local at = M.defined[name]
        if at and not at.static and at.path ~= path then out[path][at.path] = name end
      end
    end
  end
  return out
end

-- Groups of files of which each reaches each by calls (Tarjan), the largest first; files alone are none.
function M.circles()
  local callees, index, low, on, stack, count, out = M.callees(), {}, {}, {}, {}, 0, {}
  local function visit(path)
    count = count + 1
    index[path], low[path], on[path] = count, count, true
    stack[#stack + 1] = path
    for other in pairs(callees[path] or {}) do
      if not index[other] then visit(other) end
      if on[other] then low[path] = math.min(low[path], low[other]) end
    end
    if low[path] < index[path] then return end
    local circle = {}
    repeat
      local other = table.remove(stack)
      on[other] = nil
      circle[#circle + 1] = other
    until other == path
    table.sort(circle)
    if #circle > 1 then out[#out + 1] = circle end
  end
  for path in pairs(callees) do
    if not index[path] then visit(path) end
  end
  table.sort(out, function(a, b) return #a > #b or #a == #b and a[1] < b[1] end)
  return out
end

return M
