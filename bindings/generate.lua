-- The binding generator: the public header -> reader -> check -> emitters; and what records.lua and the stubs of the public layer say.
--   generate.lua --source <dir> --glue <file>   the C glue, into the build
--   generate.lua --source <dir> --write         the committed files, in place: stubs, manuals, tables of names
--   generate.lua --source <dir> --check         fails when a committed file differs from what would be written
local here = arg[0]:match "^(.*)/[^/]*$" or "."

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

--- The committed files, each after those that it is made from. `input` has source, api (of the header), types and records.
local committed = {
  { path = "lua/orrery/_meta/core.gen.lua", make = function(input) return require "emit_meta".source(input.api, input.types) end },
  { path = "docs/api.md", make = function(input)
    local head = assert(read_file(input.source .. "/bindings/generate/api_head.md"))
    return require "emit_docs".source(input.api, head, assert(read_file(input.source .. "/examples/embed/main.c")))
  end },
  { path = "lua/orrery/gen/lists.lua", make = function(input) return require "emit_lists".source(input.records) end },
  { path = "lua/orrery/_meta/lists.gen.lua", make = function(input)
    return require "emit_lists".stubs(input.records, assert(read_file(input.source .. "/lua/orrery/_meta/filters.lua")))
  end },
  { path = "lua/orrery/gen/options.lua", make = function(input) return require "emit_options".source(input.api) end },
  { path = "docs/modeler/orrery.json", make = function(input)
    local def = assert(read_file(input.source .. "/runtime/model/parse/extension.def"))
    return require "emit_templates".source(def, require "template_texts")
  end },
  { path = "docs/lua.md", make = function(input)
    local public = require "orrery.repl.stubs".read(input.source .. "/lua/orrery/_meta")
    return require "emit_manual".source(assert(read_file(input.source .. "/docs/lua.md")), public, input.api)
  end },
}

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

local function read_input(source)
  local types, check = require "types", require "check"
  local api = check.run(require "reader".read(require "header".parts(source)), types)
  check.lua_names(api, require "lua_names")
  return { source = source, types = types, api = api, records = dofile(source .. "/runtime/record/records.lua") }
end

local function main()
  local options = options_of(arg)
  local source = options.source or "."
  package.path = ("%s/generate/?.lua;%s/lua/?.lua;%s"):format(here, source, package.path)
  local input = read_input(source)
  if options.glue then write_file(options.glue, require "emit_glue".source(input.api, input.types)) end
  if options.check or options.write then require "emit_lists".check(input.records, require "header".text(source)) end
  for _, target in ipairs(options.write and committed or {}) do write_file(source .. "/" .. target.path, target.make(input)) end
  for _, target in ipairs(options.check and committed or {}) do
    if read_file(source .. "/" .. target.path) ~= target.make(input) then
      error(target.path .. " is not what bindings/generate.lua --write makes it; run `make generate` and commit", 0)
    end
  end
end

local ok, problem = pcall(main)
if not ok then
  io.stderr:write("bindings/generate.lua: ", tostring(problem), "\n")
  os.exit(1)
end
