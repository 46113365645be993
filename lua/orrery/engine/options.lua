--- The options of orrery.open: which there are, and what each is to the core.
local errors = require "orrery.errors"
local outside = require "orrery.outside"
local sandbox = require "orrery.sandbox"
local zero = require "orrery.zero"

local M = {}

local plain = require "orrery.gen.options" -- the core takes these as they are
local special = {
  "clock", "durability", "package_path", "sandbox", "executor", "log", "http", "mail", "shell",
  "soap", "secrets",
}
local bounds = { "steps_max", "memory_max", "tokens_max" }
local levels = { none = 0, error = 1, warning = 2, info = 3, debug = 4 }
local limits = { "instructions", "memory", "seconds", "await_seconds", "libraries" }

M.known = table.move(special, 1, #special, #plain + 1, table.move(plain, 1, #plain, 1, {}))

--- What the core calls `value`; raises unless it is nil or one of the choices.
local function choice(name, value, choices)
  if value == nil or choices[value] ~= nil then return choices[value] end
  local names = {}
  for key in pairs(choices) do names[#names + 1] = key end
  table.sort(names)
  local expected = table.concat(names, ", ")
  errors.argument("open", 2, ("%s: one of %s expected, got %s"):format(name, expected, tostring(value)))
end

--- The options, once their names and the path are found right.
function M.check(path, options)
  errors.check_type("open", 1, path, "string", "nil")
  return errors.check_options("open", 2, options, M.known)
end

--- The core's configuration of an engine.
function M.config(path, options)
  local config = { path = path }
  for _, key in ipairs(plain) do config[key] = options[key] end
  zero.refuse("open", 2, options, "retries")
  config.acquisition = zero.executor("open", 2, options.acquisition)
  for _, key in ipairs(bounds) do
    if config[key] == 0 then config[key] = -1 end -- none; in C 0 is what is not given
  end
  config.manual_clock = choice("clock", options.clock, { system = false, manual = true })
  config.volatile_commits = choice("durability", options.durability, { commit = false, none = true })
  return config
end

--- What the script host wants to know.
function M.settings(options)
  local given = errors.check_options("open", 2, options.sandbox, limits)
  errors.check_type("open", 2, given.libraries, "table", "nil")
  if options.package_path ~= nil then errors.check_text("open", 2, options.package_path) end
  local settings = {
    module_path = options.package_path,
    instructions = given.instructions or sandbox.INSTRUCTIONS,
    memory = given.memory or sandbox.MEMORY,
    seconds = given.seconds or sandbox.SECONDS,
    await_seconds = given.await_seconds or sandbox.AWAIT_SECONDS,
    libraries = given.libraries and table.concat(sandbox.check_libraries(given.libraries), " "),
    outside = outside.check(options),
  }
  if type(options.log) == "string" then
    settings.log_level = choice("log", options.log, levels)
  elseif options.log ~= nil then
    settings.log = errors.check_type("open", 2, options.log, "function")
  end
  return settings
end

return M
