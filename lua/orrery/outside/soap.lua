--- SOAP envelopes: Lua values to XML and back, by the types of a WSDL (lua/orrery/outside/wsdl.lua).
---
--- A value is a table by the names of elements and attributes; what may come several times is an array; whole numbers are integers;
--- times are numbers as everywhere; base64 is bytes. Elements that are not declared are left out when read.
local core = require "orrery.core"
local net = require "orrery.outside.net"

local soap = {}

local XSD = "http://www.w3.org/2001/XMLSchema"
local XSI = "http://www.w3.org/2001/XMLSchema-instance"
local ENVELOPES = { ["1.1"] = "http://schemas.xmlsoap.org/soap/envelope/", ["1.2"] = "http://www.w3.org/2003/05/soap-envelope" }
local DEPTH_MAX = 64

local function fail(message, ...) error(net.failure("soap.request", message:format(...)), 0) end

local function escape(text)
  return (text:gsub("[&<>\"\r]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["\r"] = "&#13;" }))
end

-- Simple types ------------------------------------------------------------------------------------------

local WHOLE = { integer = true, int = true, long = true, short = true, byte = true, nonNegativeInteger = true, positiveInteger = true,
  nonPositiveInteger = true, negativeInteger = true, unsignedInt = true, unsignedLong = true, unsignedShort = true, unsignedByte = true }
local RANGES = { int = { -2 ^ 31, 2 ^ 31 - 1 }, short = { -32768, 32767 }, byte = { -128, 127 }, unsignedByte = { 0, 255 },
  unsignedShort = { 0, 65535 }, unsignedInt = { 0, 2 ^ 32 - 1 }, nonNegativeInteger = { 0, math.huge }, positiveInteger = { 1, math.huge } }
local TIMES = { dateTime = true, date = true, time = true }

local function write_whole(kind, value, path)
  local number = math.tointeger(tonumber(tostring(value))) or fail("%s: a whole number expected, got %s", path, tostring(value))
  local range = RANGES[kind]
  if range and (number < range[1] or number > range[2]) then fail("%s: %d is beyond the type %s", path, number, kind) end
  return ("%d"):format(number)
end

local function write_float(value, path)
  local number = tonumber(tostring(value)) or fail("%s: a number expected, got %s", path, tostring(value))
  if number ~= number then return "NaN" end
  if number == math.huge or number == -math.huge then return number > 0 and "INF" or "-INF" end
  if type(value) == "string" then return value end -- exact, as it was given
  return core.json_encode(number)
end

local function write_builtin(kind, value, path)
  if type(value) == "table" then fail("%s: a %s expected, got a table", path, kind) end
  if WHOLE[kind] then return write_whole(kind, value, path) end
  if kind == "decimal" or kind == "double" or kind == "float" then return write_float(value, path) end
  if kind == "boolean" then
    local text = tostring(value)
    if text ~= "true" and text ~= "false" then fail("%s: true or false expected, got %s", path, text) end
    return text
  end
  if TIMES[kind] and type(value) == "number" then
    local text = core.time_format(value)
    return kind == "dateTime" and text or kind == "date" and text:sub(1, 10) or text:sub(12)
  end
  if kind == "base64Binary" then return core.base64_encode(tostring(value)) end
  return tostring(value)
end

local function read_builtin(kind, text, options)
  if kind ~= "string" and kind ~= "normalizedString" then text = text:match "^%s*(.-)%s*$" end
  if WHOLE[kind] then return math.tointeger(tonumber(text)) or tonumber(text) or text end
  if kind == "decimal" then return options.decimals == "text" and text or tonumber(text) or text end
  if kind == "double" or kind == "float" then
    return text == "INF" and math.huge or text == "-INF" and -math.huge or text == "NaN" and 0 / 0 or tonumber(text) or text
  end
  if kind == "boolean" then return text == "true" or text == "1" end
  if kind == "dateTime" then
    local ok, time = pcall(core.time_parse, text)
    return ok and time or text
  end
  if kind == "base64Binary" then return core.base64_decode(text) or text end
  return text
end

-- Types -------------------------------------------------------------------------------------------------

local function builtin(name) return type(name) == "string" and name:match("^{" .. XSD:gsub("%p", "%%%0") .. "}(.*)$") or nil end

local function type_of(model, name)
  if type(name) == "table" then return name end
  return model.types[name] or fail("the WSDL has no type %s", tostring(name))
end

--- All elements and attributes of a complex type, those of its bases first.
local function members(model, complex, depth)
  if not complex.extends or builtin(complex.extends) then return complex.elements or {}, complex.attributes or {} end
  if depth > DEPTH_MAX then fail "a type extends itself" end
  local elements, attributes = members(model, type_of(model, complex.extends), depth + 1)
  local all, every = table.move(elements, 1, #elements, 1, {}), table.move(attributes, 1, #attributes, 1, {})
  table.move(complex.elements, 1, #complex.elements, #all + 1, all)
  table.move(complex.attributes, 1, #complex.attributes, #every + 1, every)
  return all, every
end

local function declaration(model, declared)
  if not declared.ref then return declared end
  local found = model.elements[declared.ref] or fail("the WSDL has no element %s", declared.ref)
  return setmetatable({ min = declared.min, max = declared.max }, { __index = found })
end

-- Writing -----------------------------------------------------------------------------------------------

local write_element

local function write_simple(model, name, value, path)
  local kind = builtin(name)
  if kind then return write_builtin(kind, value, path) end
  local simple = type_of(model, name)
  if simple.list and type(value) == "table" then
    local out = {}
    for i, item in ipairs(value) do out[i] = write_simple(model, simple.base, item, path) end
    return table.concat(out, " ")
  end
  local text = write_simple(model, simple.base, value, path)
  if simple.values and not simple.values[text] then
    local known = {}
    for one in pairs(simple.values) do known[#known + 1] = one end
    table.sort(known)
    fail("%s: one of %s expected, got %s", path, table.concat(known, ", "), text)
  end
  return text
end

local function check_members(elements, attributes, value, path)
  local known = {}
  for _, one in ipairs(elements) do known[one.name] = true end
  for _, one in ipairs(attributes) do known[one.name] = true end
  for name in pairs(value) do
    if not known[name] then fail("%s has no member \"%s\"", path, tostring(name)) end
  end
end

local function write_complex(model, complex, value, path, ns, out, depth)
  if complex.content then
    local text = type(value) == "table" and value.value or value
    return escape(write_simple(model, complex.content, text, path))
  end
  if type(value) ~= "table" then fail("%s: a table expected, got a %s", path, type(value)) end
  local elements = {}
  local declared, attributes = members(model, complex, 1)
  for i, one in ipairs(declared) do elements[i] = declaration(model, one) end
  check_members(elements, attributes, value, path)
  for _, one in ipairs(elements) do write_element(model, one, value[one.name], path .. "." .. one.name, ns, out, depth + 1) end
  return nil
end

local function attribute_text(model, complex, value, path)
  local out = {}
  local _, attributes = members(model, complex, 1)
  for _, one in ipairs(attributes) do
    local given = type(value) == "table" and value[one.name]
    if given ~= nil and given ~= false then
      out[#out + 1] = (' %s="%s"'):format(one.name, escape(write_simple(model, one.type, given, path .. "@" .. one.name)))
    elseif one.required then
      fail("%s: the attribute \"%s\" is missing", path, one.name)
    end
  end
  return table.concat(out)
end

local function write_one(model, declared, value, path, ns, out, depth)
  if depth > DEPTH_MAX then fail("%s nests more than %d deep", path, DEPTH_MAX) end
  local own = declared.ns or ""
  local head = own ~= ns and (' xmlns="%s"'):format(escape(own)) or ""
  if value == nil or value == core.null then
    out[#out + 1] = ('<%s%s xmlns:xsi="%s" xsi:nil="true"/>'):format(declared.name, head, XSI)
    return
  end
  local kind = builtin(declared.type)
  local complex = not kind and type_of(model, declared.type)
  if kind or complex.simple then
    out[#out + 1] = ("<%s%s>%s</%s>"):format(declared.name, head, escape(write_simple(model, declared.type, value, path)), declared.name)
    return
  end
  out[#out + 1] = ("<%s%s%s>"):format(declared.name, head, attribute_text(model, complex, value, path))
  local text = write_complex(model, complex, value, path, own, out, depth)
  if text then out[#out + 1] = text end
  out[#out + 1] = ("</%s>"):format(declared.name)
end

function write_element(model, declared, value, path, ns, out, depth)
  if declared.max > 1 and type(value) == "table" then
    if #value == 0 and declared.min > 0 then fail("%s: at least %d expected, got none", path, declared.min) end
    if #value > declared.max then fail("%s: at most %d expected, got %d", path, declared.max, #value) end
    for i, item in ipairs(value) do write_one(model, declared, item, ("%s[%d]"):format(path, i), ns, out, depth) end
    return
  end
  if value == nil or value == core.null then
    if declared.nillable and (declared.min > 0 or value == core.null) then return write_one(model, declared, nil, path, ns, out, depth) end
    if declared.min > 0 then fail("%s is missing", path) end
    return
  end
  write_one(model, declared, value, path, ns, out, depth)
end

-- Reading -----------------------------------------------------------------------------------------------

local read_value

local function read_simple(model, name, text, options)
  local kind = builtin(name)
  if kind then return read_builtin(kind, text, options) end
  local simple = type_of(model, name)
  if not simple.list then return read_simple(model, simple.base, text, options) end
  local out = {}
  for item in text:gmatch "%S+" do out[#out + 1] = read_simple(model, simple.base, item, options) end
  return setmetatable(out, core.array)
end

local function read_complex(model, complex, element, options, depth)
  local out = {}
  local declared, attributes = members(model, complex, 1)
  for _, one in ipairs(attributes) do
    local text = element.attributes[one.name]
    if text then out[one.name] = read_simple(model, one.type, text, options) end
  end
  if complex.content then
    local value = read_simple(model, complex.content, element.text, options)
    if #attributes == 0 then return value end
    out.value = value
    return out
  end
  for _, one in ipairs(declared) do
    one = declaration(model, one)
    local list = one.max > 1 and setmetatable({}, core.array)
    for _, part in ipairs(element) do
      if part.name == one.name then
        local value = read_value(model, one.type, part, options, depth + 1)
        if list then list[#list + 1] = value else out[one.name] = value end
      end
    end
    if list then out[one.name] = list end
  end
  return out
end

--- What stands where any type may: a text, or its elements by name.
local function read_any(element, depth)
  if #element == 0 or depth > DEPTH_MAX then return element.text end
  local out = {}
  for _, part in ipairs(element) do out[part.name] = read_any(part, depth + 1) end
  return out
end

function read_value(model, name, element, options, depth)
  if depth > DEPTH_MAX then error(net.failure("soap.answer", "the answer nests too deep"), 0) end
  if element.attributes["nil"] == "true" or element.attributes["nil"] == "1" then return core.null end
  local kind = builtin(name)
  if kind == "anyType" then return read_any(element, depth) end
  if kind then return read_builtin(kind, element.text, options) end
  local complex = type_of(model, name)
  if complex.simple then return read_simple(model, name, element.text, options) end
  return read_complex(model, complex, element, options, depth)
end

-- Envelopes ---------------------------------------------------------------------------------------------

--- The one thing that the body of a message holds: an element's declaration. For rpc, a type made of its parts.
local function body_of(model, operation, parts, suffix)
  if operation.style ~= "rpc" then
    local part = parts[1]
    if not part then return nil end
    if not part.element then fail("the operation \"%s\" is document style, and its message has no element", operation.name) end
    return model.elements[part.element] or fail("the WSDL has no element %s", part.element)
  end
  local elements = {}
  for i, part in ipairs(parts) do
    elements[i] = { name = part.name, ns = "", type = part.type, ref = part.element, min = 1, max = 1, nillable = true }
  end
  return { name = operation.name .. suffix, ns = operation.ns or "", min = 1, max = 1, type = { elements = elements, attributes = {} } }
end

--- The envelope of a request as a text; `values` are the members of what the operation takes.
function soap.write(model, operation, values, headers)
  local out = { ('<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="%s">'):format(ENVELOPES[operation.version]) }
  if headers then out[#out + 1] = ("<soap:Header>%s</soap:Header>"):format(headers) end
  out[#out + 1] = "<soap:Body>"
  local body = body_of(model, operation, operation.input, "")
  if body then
    local plain = builtin(body.type) or type(body.type) == "string" and model.types[body.type] and model.types[body.type].simple
    local value = values
    if plain then value = values[body.name] end
    write_one(model, declaration(model, body), value, operation.name, "", out, 1)
  end
  out[#out + 1] = "</soap:Body></soap:Envelope>"
  return table.concat(out)
end

local function find(element, name)
  for _, part in ipairs(element or {}) do
    if part.name == name then return part end
  end
end

local function text_of(element) return element and element.text:match "^%s*(.-)%s*$" or nil end

--- A fault as an error: soap.fault, with soap.fault.<element> of each detail among its parents.
local function fault_error(fault)
  local code = text_of(find(fault, "faultcode")) or text_of(find(find(fault, "Code"), "Value")) or "?"
  local reason = text_of(find(fault, "faultstring")) or text_of(find(find(fault, "Reason"), "Text")) or "the service failed"
  local failure = net.failure("soap.fault", reason)
  failure.code = code
  local detail = find(fault, "detail") or find(fault, "Detail")
  for i, part in ipairs(detail or {}) do
    table.insert(failure.parents, i, "soap.fault." .. part.name)
    failure.detail = failure.detail or {}
    failure.detail[part.name] = read_any(part, 1)
  end
  return failure
end

--- What the service answered: the members of what the operation gives. Raises soap.fault, or soap.answer for what is no answer.
function soap.read(model, operation, text, options)
  local root, problem = core.xml_parse(text)
  local body = root and root.name == "Envelope" and find(root, "Body")
  if not body then error(net.failure("soap.answer", "the answer is no SOAP envelope: " .. (problem or "no Body")), 0) end
  local fault = find(body, "Fault")
  if fault then error(fault_error(fault), 0) end
  if not operation.output or not body[1] then return {} end
  local declared = body_of(model, operation, operation.output, "Response")
  if not declared then return {} end
  local value = read_value(model, declared.type, body[1], options, 1)
  if type(value) ~= "table" then return { [declared.name] = value } end
  return value
end

return soap
