-- The binding generator: orrery.h -> reader -> check -> emitters.
--   generate.lua --source <dir> --glue <file>   the C glue, into the build
--   generate.lua --source <dir> --meta | --docs  the committed LuaCATS stubs and manual, written in place
--   generate.lua --source <dir> --check          fails when a committed file differs from what would be written
local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/generate/?.lua;" .. package.path

local committed = {
  meta = { path = "lua/orrery/_meta/core.gen.lua", emitter = "emit_meta" },
  docs = { path = "docs/api.md", emitter = "emit_docs" },
}

local function read_file(path)
  local file, why = io.open(path, "rb")
  if not file then return nil, why end
  local text = file:read "a"
  file:close()
  return text
end

local function write_file(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

local function options_of(args)
  local out, i = {}, 1
  while args[i] do
    local name = args[i]:match "^%-%-(%a+)$" or error("unknown argument " .. args[i], 0)
    local takes = name == "source" or name == "glue"
    out[name] = takes and (args[i + 1] or error("--" .. name .. " needs a path", 0)) or true
    i = i + (takes and 2 or 1)
  end
  return out
end

local function main()
  local options = options_of(arg)
  local source = options.source or "."
  local types = require "types"
  local header = assert(read_file(source .. "/runtime/include/orrery.h"))
  local api = require "check".run(require "reader".read(header), types)
  if options.glue then write_file(options.glue, require "emit_glue".source(api, types)) end
  for name, target in pairs(committed) do
    local path = source .. "/" .. target.path
    if options[name] then write_file(path, require(target.emitter).source(api, types)) end
    if options.check and read_file(path) ~= require(target.emitter).source(api, types) then
      error(target.path .. " is not what bindings/generate.lua --" .. name .. " writes; run it and commit", 0)
    end
  end
end

local ok, problem = pcall(main)
if not ok then
  io.stderr:write("bindings/generate.lua: ", tostring(problem), "\n")
  os.exit(1)
end
