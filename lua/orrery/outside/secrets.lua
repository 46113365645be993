--- `${secret.get('name')}`: what the engine's option `secrets` says, as a value that can be sent and not be read.
local core = require "orrery.core"
local errors = require "orrery.errors"
local outside = require "orrery.outside"

local secrets = {}

--- Looked up for the engine that runs the caller; called with or without ':'.
function secrets.get(self, name)
  if name == nil then name = self end
  errors.check_type("secret.get", 1, name, "string")
  local engine = core.running()
  local kept = engine and outside.of(engine).secrets
  local value = kept and kept[name]
  if value == nil and engine then
    local look = core.named "secrets of:"
    if type(look) == "function" then value = look(name) end
    if type(look) == "table" then value = look[name] end
  end
  if value == nil then errors.raise("not_found", ("there is no secret \"%s\""):format(name)) end
  return core.secret(value)
end

return secrets
