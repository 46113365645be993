--- Start forms of process definitions, by the process's key.
local core = require "orrery.core"
local errors = require "orrery.errors"
local ids = require "orrery.ids"

local start_form = {}

local null = core.null

--- options: version, tenant.
function start_form.show(engine, key, options)
  options = errors.check_options("start_form", 2, options, { "version", "tenant" })
  local found = engine:definition {
    key = errors.check_type("start_form", 1, key, "string"), version = options.version,
    latest = not options.version or nil,
    tenant = (options.tenant == nil or options.tenant == "") and null or options.tenant,
  }
  if not found then
    errors.raise("not_found", ('no definition with the key "%s" is deployed'):format(key))
  end
  return ids.fields(engine.core:start_form(found.id))
end

--- options: as for engine:start, but for variables, which are the form's values.
function start_form.submit(engine, key, values, options)
  local request = { key = errors.check_type("submit_start_form", 1, key, "string") }
  errors.check_type("submit_start_form", 2, values, "table", "nil")
  for name, option in pairs(errors.check_options("submit_start_form", 3, options,
    { "version", "tenant", "business_key", "initiator", "transient" })) do
    request[name] = option
  end
  if request.tenant == null then request.tenant = "" end
  request.variables = values
  return engine.core:submit_start_form(request)[1]
end

return start_form
