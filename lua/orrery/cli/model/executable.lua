--- Processes that say isExecutable="false", as drawing tools save them: finding them, and running
--- them all the same.
local files = require "orrery.files"

local executable = {}

--- Where the start tag that goes on at `from` ends: at the first ">" outside quotes.
local function tag_end(text, from)
  while true do
    local at, _, what = text:find("([\"'>])", from)
    if what == ">" or not at then return at end
    from = (text:find(what, at + 1, true) or #text) + 1
  end
end

--- The start tags of processes, one after another: where each begins, its prefix and its
--- attributes, and where it ends.
local function process_tags(text)
  local from = 1
  return function()
    while true do
      local begins, _, prefix, inside = text:find("<([%w_.-]*:?)process()%s", from)
      local ends = begins and tag_end(text, inside)
      if not ends then return nil end
      from = inside
      if prefix == "" or prefix:find ":$" then
        return begins, prefix, text:sub(inside, ends - 1), ends
      end
    end
  end
end

--- The value of an attribute of a start tag; nil when it has none.
local function attribute(tag, name)
  local before = "%s" .. name .. "%s*=%s*"
  return tag:match(before .. '"([^"]*)"') or tag:match(before .. "'([^']*)'")
end

--- The ids of the processes of a model that say they are not executable.
function executable.refused(text)
  local ids = {}
  for _, _, tag in process_tags(text) do
    local value = attribute(tag, "isExecutable")
    if value == "false" or value == "0" then ids[#ids + 1] = attribute(tag, "id") or "?" end
  end
  return ids
end

--- Why none of these resources' processes can be started, when that is because none is executable;
--- else nil.
function executable.reason(resources)
  local found = {}
  for name, text in pairs(resources) do
    local ids = files.is_process_model(name) and executable.refused(text) or {}
    for _, id in ipairs(ids) do found[#found + 1] = ('"%s"'):format(id) end
  end
  table.sort(found)
  if #found == 0 then return nil end
  local who = (#found == 1 and "process " or "processes ") .. table.concat(found, ", ")
  return ('%s %s isExecutable="false", as drawing tools save it, so that no engine runs it')
    :format(who, #found == 1 and "says" or "say")
end

local function allow(text)
  local out, from = {}, 1
  for begins, prefix, tag, ends in process_tags(text) do
    local without = tag:gsub("%sisExecutable%s*=%s*([\"']).-%1", "")
    out[#out + 1] = text:sub(from, begins - 1)
    out[#out + 1] = ('<%sprocess isExecutable="true"%s>'):format(prefix, without)
    from = ends + 1
  end
  return table.concat(out) .. text:sub(from)
end

--- The same resources, with every process executable.
function executable.allow(resources)
  local out = {}
  for name, text in pairs(resources) do
    out[name] = files.is_process_model(name) and allow(text) or text
  end
  return out
end

return executable
