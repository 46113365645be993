--- An engine that a host in C opens with orr_lua_use: what its settings say, and what it has once it is
--- open. Called by bindings/library/lua_use.c.
local engine = require "orrery.engine"
local errors = require "orrery.errors"
local open_options = require "orrery.engine.options"

local c_host = { adopt = engine.adopt }

local known = { "package_path", "sandbox", "http", "mail", "shell", "soap", "secrets", "allow" }

function c_host.settings(options)
  return open_options.settings(errors.check_options("open", 2, options, known))
end

return c_host
