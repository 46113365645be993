-- Writes a library of empty functions in C that has the ABI of the public headers, and nothing else:
-- lua5.4 spec/stability/abi_stub.lua [SOURCE]
-- Its debugging information has no type of the inside, and no optimization changes it.
package.path = "bindings/generate/?.lua;" .. package.path
local header = require "header"
local reader = require "reader"

local source = arg[1] or "."
local parts = header.parts(source)
local path = "orrery/lua.h" -- of liborrery-lua, which has all that liborrery has
local file <close> = assert(io.open(source .. "/runtime/include/" .. path))
parts[#parts + 1] = { name = path, text = file:read "a" }

print '#include "orrery/lua.h"'
for _, fn in ipairs(reader.read(parts).functions) do
  local params = {}
  for i, p in ipairs(fn.params) do params[i] = p.type .. " " .. p.name end
  print(("%s %s(%s) { __builtin_trap(); }"):format(fn.result, fn.name,
    #params > 0 and table.concat(params, ", ") or "void"))
end
