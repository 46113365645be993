--- What Orrery raises: a table with kind, message and details.
local core = require "orrery.core"

local errors = {}

local Error = core.error -- the metatable of everything that the core raises
Error.__name = "orrery.Error"

--- Its message, the activity where it happened unless that is in the message, and where Orrery was called, as far as that is known.
function errors.said(e)
  local at = e.activity_id
  local told = not at or e.message:find(('"%s"'):format(at), 1, true)
  return e.message .. (told and "" or (' (at activity "%s")'):format(at)) .. (e.where and (" [%s]"):format(e.where) or "")
end

Error.__tostring = function(e) return ("%s: %s"):format(e.kind, errors.said(e)) end

local own_files = debug.getinfo(1, "S").source:gsub("[^/]*$", "")
core.own_files(own_files)

--- "file:line" of the innermost code that is not Orrery's own; nil when there is none.
local function caller()
  for level = 3, 100 do
    local frame = debug.getinfo(level, "Sl")
    if not frame then return nil end
    if frame.currentline > 0 and frame.source:sub(1, #own_files) ~= own_files then return frame.short_src .. ":" .. frame.currentline end
  end
end

--- Raises an error that says where Orrery was called (`where`).
function errors.raise(kind, message, details)
  local e = details or {}
  e.kind, e.message, e.where = kind, message, e.where or caller()
  error(setmetatable(e, Error), 0)
end

--- bad argument #n to 'name' (message)
function errors.argument(name, n, message)
  errors.raise("argument", ("bad argument #%d to '%s' (%s)"):format(n, name, message))
end

--- "; did you mean 'x'?", or what there is when none of it is near.
function errors.suggestion(wrong, known)
  local near = core.nearest(wrong, known)
  if near then return ('; did you mean "%s"?'):format(near) end
  return "; known are " .. table.concat(known, ", ")
end

--- Refuses unknown keys of an option table, naming the nearest known one. `known` is a list.
function errors.check_options(name, n, options, known)
  if options == nil then return {} end
  if type(options) ~= "table" then errors.argument(name, n, "table of options expected, got " .. type(options)) end
  local set = {}
  for _, key in ipairs(known) do set[key] = true end
  for key in pairs(options) do
    if not set[key] then
      errors.argument(name, n, ('unknown option "%s"%s'):format(tostring(key), errors.suggestion(tostring(key), known)))
    end
  end
  return options
end

--- The option "progress" of such options: raises unless it is a function, or not given.
function errors.check_progress(name, n, options)
  local kind = type(options.progress)
  if kind ~= "function" and kind ~= "nil" then errors.argument(name, n, "progress: function expected, got " .. kind) end
  return options.progress
end

--- Raises unless `value` has one of up to four types.
function errors.check_type(name, n, value, a, b, c, d)
  local kind = type(value)
  if kind == a or kind == b or kind == c or kind == d then return value end
  errors.argument(name, n, ("%s expected, got %s"):format(table.concat({ a, b, c, d }, " or "), kind))
end

local metatable_of = debug.getmetatable

--- `f` behind a look at its self. Every call of a method goes through here, so those of few parameters get them by name, which costs
--- less than `...`.
local function guarded(f, own, refuse)
  local shape = debug.getinfo(f, "u")
  if shape.isvararg or shape.nparams > 4 then
    return function(self, ...)
      if own[metatable_of(self) or false] then return f(self, ...) end
      refuse()
    end
  end
  return function(self, a, b, c)
    if own[metatable_of(self) or false] then return f(self, a, b, c) end
    refuse()
  end
end

--- Has the methods of a class say so when they are called with '.' instead of ':'. `own`: its keys are the metatables of the objects.
function errors.guard_methods(Class, name, own)
  for method, f in pairs(Class) do
    if type(f) == "function" and type(method) == "string" and not method:find "^__" then
      Class[method] = guarded(f, own, function()
        local message = "%s.%s was called with '.', or on something else; call it with ':', as %s:%s(...)"
        errors.raise("argument", message:format(name, method, name, method))
      end)
    end
  end
end

--- Raises unless `value` is a text without zero bytes, which C would cut there.
function errors.check_text(name, n, value)
  errors.check_type(name, n, value, "string")
  if value:find("\0", 1, true) then errors.argument(name, n, "a text without zero bytes expected") end
  return value
end

--- What a raised BPMN error says. One that Orrery raised always has a message, to be read; what was said with it stands apart.
function errors.said_with_bpmn_error(raised)
  if raised.error_code then return raised.error_message end
  return raised.message
end

--- Raises a BPMN error from a delegate, listener or script.
function errors.bpmn_error(code, message, variables)
  errors.check_text("bpmn_error", 1, type(code) == "number" and tostring(code) or code)
  errors.check_type("bpmn_error", 2, message, "string", "nil")
  errors.check_type("bpmn_error", 3, variables, "table", "nil")
  code = tostring(code)
  errors.raise("bpmn_error", message or "BPMN error " .. code,
    { code = code, error_code = code, error_message = message, variables = variables })
end

return errors
