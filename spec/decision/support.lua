--- FEEL for specs: texts compiled by the core and run with the library.
local feel = require "orrery.feel"
local inside = require "orrery_inside"
local luassert = require "luassert"

local M = { feel = feel }

--- A function of a scope for a text; raises what is wrong with it.
function M.compile(text, options)
  local code, message = inside.feel.compile(text, options)
  if not code then error(message, 2) end
  local chunk = ("local f, scope, input = ... local K = %s return %s"):format(code.constants, code.lua)
  local fn = assert(load(chunk, "=feel"))
  return function(scope, input) return fn(feel, scope or {}, input) end, code
end

--- The value of a text, and the diagnostics of its evaluation.
function M.eval(text, options, scope, input)
  local fn, diagnostics = M.compile(text, options), {}
  return feel.with({ now = 1767225600, diagnostics = diagnostics, dialect = options and options.dialect }, fn, scope, input), diagnostics
end

--- The value's text, as string() gives it; "null".
function M.text(text, options, scope, input)
  local value = M.eval(text, options, scope, input)
  return feel.string(value) or "null"
end

--- Checks rows of "expression => text of its value", one a line; lines without "=>" are titles of what follows. A value of null must have a
--- diagnostic where "null!" is written.
function M.rows(it, rows, options)
  local title = ""
  for line in rows:gmatch "[^\n]+" do
    local expression, expected = line:match "^%s*(.-)%s+=>%s*(.-)%s*$"
    if expression then
      it(title .. ": " .. expression, function()
        local value, diagnostics = M.eval(expression, options)
        luassert.equal((expected:gsub("!$", "")), feel.string(value) or "null")
        if expected == "null!" then luassert.is_true(#diagnostics > 0, "null without a diagnostic") end
      end)
    else
      title = line:match "^%s*(.-)%s*$"
    end
  end
end

return M
