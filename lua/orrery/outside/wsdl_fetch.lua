--- The WSDLs that models import, before they are deployed: those that are no resources are fetched and
--- stored beside the model, with all that they import themselves, so that a definition stays what it was
--- when it was deployed. What is wrong with them is a problem of the deployment.
local core = require "orrery.core"
local errors = require "orrery.errors"
local future = require "orrery.future"
local lazy = require "orrery.lazy"

local net = lazy.module "orrery.outside.net" -- each deployment comes by here, and few import a WSDL
local wsdl = lazy.module "orrery.outside.wsdl"

local M = {}

local IMPORT = "schemas.xmlsoap.org/wsdl"

--- { { resource =, line =, location = }, … } of the models among the resources.
local function imports_of(resources)
  local out = {}
  for name, text in pairs(resources) do
    local model = type(name) == "string" and type(text) == "string" and name:find "%.bpmn" and text:find(IMPORT, 1, true)
    for _, child in ipairs(model and core.xml_parse(text) or {}) do
      if child.name == "import" and (child.attributes.importType or ""):find(IMPORT, 1, true) and child.attributes.location then
        out[#out + 1] = { resource = name, line = child.line, location = child.attributes.location }
      end
    end
  end
  return out
end

local function fetch(engine, location)
  local response = future.await(net.http_for(engine, { url = location }))
  if response.status ~= 200 then error(net.failure("soap.wsdl", ("%s answered %d"):format(location, response.status)), 0) end
  return response.body
end

--- The resources with what had to be fetched; raises kind deployment.
function M.fetch(engine, resources)
  local imports = imports_of(resources)
  if #imports == 0 then return resources end
  local all, problems = {}, {}
  for name, text in pairs(resources) do all[name] = text end
  local function read(location)
    local known = all[location] or all[location:match "[^/]+$"]
    if known or not location:find "^https?://" then return known end
    all[location] = fetch(engine, location)
    return all[location]
  end
  for _, import in ipairs(imports) do
    local ok, problem = pcall(wsdl.parse, import.location, read)
    if not ok then
      local message = type(problem) == "table" and problem.message or tostring(problem)
      problems[#problems + 1] = { resource = import.resource, line = import.line, column = 1, element = "import", message = message }
    end
  end
  if #problems > 0 then
    local first = problems[1]
    errors.raise("deployment", ("%s:%d: %s"):format(first.resource, first.line, first.message), { problems = problems })
  end
  return all
end

return M
