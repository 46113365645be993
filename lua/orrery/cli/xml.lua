--- XML as a tree, for the files of the DMN compatibility kit: { name =, attributes = {}, text =, … children }. Names lose their
--- prefix. No DOCTYPE, no entities but the five that XML has.
local xml = {}

local entities = { lt = "<", gt = ">", amp = "&", quot = '"', apos = "'" }

local function decode(text)
  return (text:gsub("&(#?)(x?)(%w+);", function(numeric, hex, name)
    if numeric == "" then return entities[hex .. name] end
    local code = tonumber(name, hex == "x" and 16 or 10)
    return code and utf8.char(code)
  end))
end

local function local_name(name) return name:match "[^:]+$" end

local function read_attributes(text)
  local attributes = {}
  for name, _, value in text:gmatch "([%w_:.-]+)%s*=%s*([\"'])(.-)%2" do attributes[local_name(name)] = decode(value) end
  return attributes
end

--- What stands outside elements: comments, CDATA, instructions. Returns where the next thing begins, and text that was in it.
local function skip(text, at)
  local stop = select(2, text:find("^<!%-%-.-%-%->", at)) or select(2, text:find("^<%?.-%?>", at))
  if stop then return stop + 1, "" end
  local _, last, inner = text:find("^<!%[CDATA%[(.-)%]%]>", at)
  if last then return last + 1, inner end
end

local function new_element(name, attributes)
  return { name = local_name(name), attributes = read_attributes(attributes), text = "" }
end

local function add_tag(text, at, open)
  local _, stop, closing, name, attributes, empty = text:find("^<(/?)([%w_:.-]+)(.-)(/?)>", at)
  if not stop then return nil, "a tag does not end" end
  if closing == "/" then
    if not open.parent or open.name ~= local_name(name) then return nil, ("</%s> closes nothing"):format(name) end
    return stop + 1, nil, open.parent
  end
  local element = new_element(name, attributes)
  open[#open + 1] = element
  element.parent = open
  return stop + 1, nil, empty == "" and element or open
end

--- The root element; nil and what is wrong with the text.
function xml.parse(text)
  local document = { name = "", text = "" }
  local open, at = document, 1
  while at <= #text do
    local tag = text:find("<", at, true) or #text + 1
    open.text = open.text .. decode(text:sub(at, tag - 1))
    at = tag
    if at > #text then break end
    local behind, inner = skip(text, at)
    if behind then
      open.text, at = open.text .. inner, behind
    else
      local next_at, problem, now_open = add_tag(text, at, open)
      if not next_at then return nil, problem end
      at, open = next_at, now_open
    end
  end
  if open ~= document or not document[1] then return nil, "an element does not end" end
  return document[1]
end

--- The children of a name.
function xml.children(element, name)
  local found = {}
  for _, child in ipairs(element or {}) do
    if child.name == name then found[#found + 1] = child end
  end
  return found
end

function xml.child(element, name) return xml.children(element, name)[1] end

return xml
