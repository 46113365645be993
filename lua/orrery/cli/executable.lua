--- Processes that say isExecutable="false", as drawing tools save them: finding them, and running them all the same.
local executable = {}

local PROCESS <const> = "<([%w_.-]*:?)process(%s[^<>]*)>"

--- The value of an attribute of a start tag; nil when it has none.
local function attribute(tag, name)
  return tag:match("%s" .. name .. '%s*=%s*"([^"]*)"') or tag:match("%s" .. name .. "%s*=%s*'([^']*)'")
end

local function is_model(name) return name:find "%.bpmn$" or name:find "%.bpmn20%.xml$" end

local function says_no(tag)
  local value = attribute(tag, "isExecutable")
  return value == "false" or value == "0"
end

--- The ids of the processes of a model that say they are not executable.
function executable.refused(text)
  local ids = {}
  for prefix, tag in text:gmatch(PROCESS) do
    if (prefix == "" or prefix:find ":$") and says_no(tag) then ids[#ids + 1] = attribute(tag, "id") or "?" end
  end
  return ids
end

--- Why none of these resources' processes can be started, when that is because none is executable; else nil.
function executable.reason(resources)
  local found = {}
  for name, text in pairs(resources) do
    for _, id in ipairs(is_model(name) and executable.refused(text) or {}) do found[#found + 1] = ('"%s"'):format(id) end
  end
  table.sort(found)
  if #found == 0 then return nil end
  return ('%s %s isExecutable="false", as drawing tools save it, so that no engine runs it'):format(
    (#found == 1 and "process " or "processes ") .. table.concat(found, ", "), #found == 1 and "says" or "say")
end

--- The same resources, with every process executable.
function executable.allow(resources)
  local out = {}
  for name, text in pairs(resources) do
    out[name] = not is_model(name) and text or text:gsub(PROCESS, function(prefix, tag)
      if prefix ~= "" and not prefix:find ":$" then return nil end
      local without = tag:gsub("%sisExecutable%s*=%s*([\"']).-%1", "")
      return ('<%sprocess isExecutable="true"%s>'):format(prefix, without)
    end)
  end
  return out
end

return executable
