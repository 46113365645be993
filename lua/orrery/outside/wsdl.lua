--- WSDL 1.1 and its schemas, read into what the SOAP task needs: operations with their addresses, and types by name.
--- Documents are texts by location; nothing here reaches outside.
local core = require "orrery.core"
local net = require "orrery.outside.net"

local wsdl = {}

local XSD, WSDL = "http://www.w3.org/2001/XMLSchema", "http://schemas.xmlsoap.org/wsdl/"
local SOAP = { ["http://schemas.xmlsoap.org/wsdl/soap/"] = "1.1", ["http://schemas.xmlsoap.org/wsdl/soap12/"] = "1.2" }
local DOCUMENTS_MAX = 100 -- that import each other

local function fail(message, ...) error(net.failure("soap.wsdl", message:format(...)), 0) end

-- Documents ---------------------------------------------------------------------------------------------

--- Every document that this one needs, as { element =, location = }; kind: wsdl or schema.
local function imports(root)
  local out = {}
  local function add(element, attribute)
    if element.attributes[attribute] then out[#out + 1] = element.attributes[attribute] end
  end
  local function walk(element)
    for _, child in ipairs(element) do
      if child.ns == WSDL and child.name == "import" then add(child, "location") end
      if child.ns == XSD and (child.name == "import" or child.name == "include") then add(child, "schemaLocation") end
      if child.name == "types" or child.name == "schema" then walk(child) end
    end
  end
  walk(root)
  return out
end

--- A location as seen from the document that names it.
local function resolve(base, location)
  if location:find "^%a[%w+.-]*:" then return location end
  local scheme, host, path = base:match "^(%a[%w+.-]*://)([^/]*)([^?]*)"
  if scheme and location:sub(1, 1) == "/" then return scheme .. host .. location end
  local folder = scheme and scheme .. host .. (path:match "^.*/" or "/") or base:match "^.*/" or ""
  local head, rest = (folder .. location):match "^(%a[%w+.-]*://[^/]*/)(.*)$"
  local parts = {}
  for part in (rest or folder .. location):gmatch "[^/]+" do
    if part == ".." and #parts > 0 then parts[#parts] = nil
    elseif part ~= "." and part ~= ".." then parts[#parts + 1] = part end
  end
  return (head or "") .. table.concat(parts, "/")
end

--- Loads a document and all that it imports: location -> root element, in `out`. read(location) -> text or nil.
function wsdl.load(location, read, out, order)
  out, order = out or {}, order or {}
  if out[location] then return out, order end
  if #order >= DOCUMENTS_MAX then fail("%s: more than %d documents import each other", location, DOCUMENTS_MAX) end
  local text = read(location) or fail("\"%s\" is not among the deployment's resources", location)
  local root, problem = core.xml_parse(text)
  if not root then fail("%s: %s", location, problem) end
  out[location] = root
  order[#order + 1] = location
  for _, other in ipairs(imports(root)) do wsdl.load(resolve(location, other), read, out, order) end
  return out, order
end

-- Names -------------------------------------------------------------------------------------------------

--- "tns:name" at an element -> "{namespace}name".
local function qname(element, text)
  if not text then return nil end
  local prefix, name = text:match "^%s*([^:%s]*):([^%s]+)%s*$"
  prefix, name = prefix or "", name or text:match "^%s*(%S+)%s*$"
  local at = element
  while at do
    if at.prefixes and at.prefixes[prefix] then return ("{%s}%s"):format(at.prefixes[prefix], name) end
    at = at.parent
  end
  if prefix ~= "" then fail("line %d: the prefix \"%s\" means nothing", element.line, prefix) end
  return "{}" .. name
end

local function children(element, name, ns)
  local i = 0
  return function()
    repeat i = i + 1 until not element[i] or (element[i].name == name and (not ns or element[i].ns == ns))
    return element[i]
  end
end

local function child(element, name) return children(element, name)() end

-- Schemas -----------------------------------------------------------------------------------------------

local parse_type

local function occurs(element)
  local most = element.attributes.maxOccurs
  return tonumber(element.attributes.minOccurs) or 1, most == "unbounded" and math.huge or tonumber(most) or 1
end

--- An element's declaration: { name =, ns = (nil: unqualified), type = name or type, min =, max =, nillable = } or { ref = }.
local function parse_element(schema, element, top)
  local min, max = occurs(element)
  local ref = qname(element, element.attributes.ref)
  if ref then return { ref = ref, min = min, max = max } end
  local form = element.attributes.form or schema.element_form
  local inner = child(element, "complexType") or child(element, "simpleType")
  return { name = element.attributes.name, ns = (top or form == "qualified") and schema.ns or "", min = min, max = max,
    nillable = element.attributes.nillable == "true",
    type = inner and parse_type(schema, inner) or qname(element, element.attributes.type) or ("{%s}anyType"):format(XSD) }
end

--- Adds the elements of a sequence, choice or all to a list; those within a choice are optional.
local function add_particles(schema, group, out, optional, many)
  local min, max = occurs(group)
  optional, many = optional or min == 0 or group.name == "choice", many or max > 1
  for _, particle in ipairs(group) do
    if particle.ns == XSD and particle.name == "element" then
      local declared = parse_element(schema, particle)
      if optional then declared.min = 0 end
      if many then declared.max = math.huge end
      out[#out + 1] = declared
    elseif particle.ns == XSD and (particle.name == "sequence" or particle.name == "choice" or particle.name == "all") then
      add_particles(schema, particle, out, optional, many)
    elseif particle.ns == XSD and particle.name == "any" then
      out.any = true
    end
  end
end

local function add_content(schema, holder, out)
  for _, part in ipairs(holder) do
    if part.ns == XSD and (part.name == "sequence" or part.name == "choice" or part.name == "all") then
      add_particles(schema, part, out.elements)
    elseif part.ns == XSD and part.name == "attribute" and part.attributes.name then
      out.attributes[#out.attributes + 1] = { name = part.attributes.name, required = part.attributes.use == "required",
        type = qname(part, part.attributes.type) or ("{%s}string"):format(XSD) }
    end
  end
end

local function parse_simple(element)
  local out = { simple = true }
  local restriction = child(element, "restriction")
  local list = child(element, "list")
  if restriction then
    out.base = qname(restriction, restriction.attributes.base) or ("{%s}string"):format(XSD)
    for enumeration in children(restriction, "enumeration") do
      out.values = out.values or {}
      out.values[enumeration.attributes.value] = true
    end
  elseif list then
    out.base, out.list = qname(list, list.attributes.itemType) or ("{%s}string"):format(XSD), true
  else
    out.base = ("{%s}string"):format(XSD) -- a union: its texts
  end
  return out
end

function parse_type(schema, element)
  if element.name == "simpleType" then return parse_simple(element) end
  local out = { elements = {}, attributes = {} }
  add_content(schema, element, out)
  local content = child(element, "complexContent") or child(element, "simpleContent")
  local derived = content and (child(content, "extension") or child(content, "restriction"))
  if derived then
    local base = qname(derived, derived.attributes.base)
    if content.name == "simpleContent" then out.content = base
    elseif derived.name == "extension" then out.extends = base end
    add_content(schema, derived, out)
  end
  return out
end

local function add_schema(element, model, chameleon)
  local schema = { ns = element.attributes.targetNamespace or chameleon or "",
    element_form = element.attributes.elementFormDefault or "unqualified" }
  for _, part in ipairs(element) do
    local name = part.attributes.name and ("{%s}%s"):format(schema.ns, part.attributes.name)
    if part.ns == XSD and part.name == "element" then
      model.elements[name] = parse_element(schema, part, true)
    elseif part.ns == XSD and (part.name == "complexType" or part.name == "simpleType") then
      model.types[name] = parse_type(schema, part)
    end
  end
end

-- Operations --------------------------------------------------------------------------------------------

local function soap_child(element, name)
  for _, part in ipairs(element) do
    if SOAP[part.ns] and part.name == name then return part, SOAP[part.ns] end
  end
end

local function read_messages(root, ns, model)
  for message in children(root, "message", WSDL) do
    local parts = {}
    for part in children(message, "part", WSDL) do
      parts[#parts + 1] = { name = part.attributes.name, element = qname(part, part.attributes.element),
        type = qname(part, part.attributes.type) }
    end
    model.messages[("{%s}%s"):format(ns, message.attributes.name)] = parts
  end
end

local function message_of(operation, name)
  local part = child(operation, name)
  return part and qname(part, part.attributes.message)
end

local function read_port_types(root, ns, model)
  for port_type in children(root, "portType", WSDL) do
    local operations = {}
    for operation in children(port_type, "operation", WSDL) do
      operations[operation.attributes.name] = { input = message_of(operation, "input"), output = message_of(operation, "output") }
    end
    model.port_types[("{%s}%s"):format(ns, port_type.attributes.name)] = operations
  end
end

local function read_binding(binding, version, style)
  local out = { type = qname(binding, binding.attributes.type), version = version, name = binding.attributes.name, operations = {} }
  for operation in children(binding, "operation", WSDL) do
    local soap = soap_child(operation, "operation")
    local input = child(operation, "input")
    local body = input and soap_child(input, "body")
    out.operations[operation.attributes.name] = { action = soap and soap.attributes.soapAction or "",
      style = soap and soap.attributes.style or style, use = body and body.attributes.use or "literal",
      ns = body and body.attributes.namespace }
  end
  return out
end

local function read_bindings(root, ns, model)
  for binding in children(root, "binding", WSDL) do
    local soap, version = soap_child(binding, "binding")
    if soap then
      model.bindings[("{%s}%s"):format(ns, binding.attributes.name)] = read_binding(binding, version, soap.attributes.style or "document")
    end
  end
  for service in children(root, "service", WSDL) do
    for port in children(service, "port", WSDL) do
      local address = soap_child(port, "address")
      model.ports[#model.ports + 1] = { service = service.attributes.name, name = port.attributes.name,
        binding = qname(port, port.attributes.binding), address = address and address.attributes.location, ns = ns }
    end
  end
end

--- A WSDL with all it imports: { elements, types, messages, port_types, bindings, ports }.
function wsdl.parse(location, read)
  local documents, order = wsdl.load(location, read)
  local model = { elements = {}, types = {}, messages = {}, port_types = {}, bindings = {}, ports = {} }
  for _, at in ipairs(order) do
    local root = documents[at]
    if root.ns == XSD and root.name == "schema" then
      add_schema(root, model)
    elseif root.ns == WSDL and root.name == "definitions" then
      local ns = root.attributes.targetNamespace or ""
      for types in children(root, "types", WSDL) do
        for schema in children(types, "schema", XSD) do add_schema(schema, model) end
      end
      read_messages(root, ns, model)
      read_port_types(root, ns, model)
      read_bindings(root, ns, model)
    else
      fail("%s is no WSDL 1.1 and no schema, but <%s>", at, root.name)
    end
  end
  return model
end

--- The operation of a name: { action, style, ns, version, input = parts, output = parts, address, port }.
--- `interface` may be the name of a service, port, binding or port type, to choose among several.
function wsdl.operation(model, name, interface)
  local found
  for _, port in ipairs(model.ports) do
    local binding = model.bindings[port.binding]
    local bound = binding and binding.operations[name]
    if bound then
      local type_name = binding.type:match "}(.*)$"
      local named = interface ~= nil and (interface == port.service or interface == port.name or interface == binding.name
        or interface == type_name)
      local better = not found or (named and not found.named) or (named == found.named and binding.version < found.version)
      if better then
        local messages = (model.port_types[binding.type] or {})[name] or {}
        found = { name = name, action = bound.action, style = bound.style, use = bound.use, ns = bound.ns, version = binding.version,
          input = model.messages[messages.input] or {}, output = messages.output and model.messages[messages.output],
          address = port.address, port = ("{%s}%s"):format(port.ns, port.name), named = named }
      end
    end
  end
  if not found then fail("the WSDL has no operation \"%s\" with a SOAP binding", name) end
  if found.use == "encoded" then fail("the operation \"%s\" is encoded, which no service should be any more", name) end
  return found
end

return wsdl
