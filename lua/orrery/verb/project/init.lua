--- orrery init: a new project, which is one of the examples.
local core = require "orrery.core"
local errors = require "orrery.errors"
local files = require "orrery.files"

local EXAMPLES = { "hello", "trip", "approval", "automation", "quests", "worker" }

local left_out = { store = true, saves = true, files = true } -- what playing an example leaves in its folder

local own = package.searchpath("orrery.verb.project.init", package.path)
local root = own and own:match "^(.*)/verb/project/init%.lua$"

--- Where the examples lie: with the installed Lua files, or beside the lua/ of a source tree.
local function examples_folder()
  for _, place in ipairs { "/examples", "/../../examples" } do
    if root and core.file_type(root .. place .. "/hello") == "directory" then return root .. place end
  end
  errors.raise("not_found", "the examples are not installed beside Orrery's Lua files")
end

local function is_source(name) return name == "Makefile" or name:find "%.%w+$" and name:sub(1, 1) ~= "." and not name:find "%.o$" end

--- The files of an example as names below it.
local function files_of(folder, prefix, out)
  for _, name in ipairs(core.folder(folder)) do
    local path = folder .. "/" .. name
    if core.file_type(path) == "directory" then
      if not left_out[name] then files_of(path, prefix .. name .. "/", out) end
    elseif is_source(name) then
      out[#out + 1] = prefix .. name
    end
  end
  return out
end

local function check_free(target)
  local kind = core.file_type(target)
  if kind and kind ~= "directory" then errors.raise("state", ("%s is there already, and is no folder"):format(target)) end
  local names = kind and core.folder(target) or {}
  if #names > 0 then
    errors.raise("state", ("the folder %s is not empty: it has %s%s; orrery init NAME makes a new one"):format(target, names[1],
      #names > 1 and (" and %d more"):format(#names - 1) or ""))
  end
end

--- What a language server for Lua reads: the version, and where the stubs of the API lie.
local function editor_settings()
  return core.json_encode { ["runtime.version"] = "Lua 5.4", ["workspace.checkThirdParty"] = false,
    ["workspace.library"] = { root .. "/_meta" } } .. "\n"
end

local function run(options, out)
  local target, example = (options[1] or "."):gsub("(.)/+$", "%1"), options.from or "hello"
  local source = examples_folder() .. "/" .. example
  check_free(target)
  local names = files_of(source, "", {})
  for _, name in ipairs(names) do
    local _, bytes = next(files.read(source .. "/" .. name))
    files.write(target .. "/" .. name, bytes, true)
    out:event({ event = "made", file = target .. "/" .. name }, "made " .. name)
  end
  files.write(target .. "/.luarc.json", editor_settings(), true)
  out:event({ event = "made", file = target .. "/.luarc.json" }, "made .luarc.json")
  local go = target == "." and "" or ("cd %s && "):format(target)
  out:event({ event = "done", files = #names + 1 }, ("%s is ready: %smake run, make test; README.md tells more."):format(example, go))
  return 0
end

return {
  spec = {
    name = "init", summary = "Makes a new project from an example: model, delegates, tests, Makefile, README.",
    arguments = { { "NAME", "the folder to make; otherwise the current one, which must be empty", optional = true } },
    options = {
      { "--from", "which example: " .. table.concat(EXAMPLES, ", ") .. "; otherwise hello", value = "EXAMPLE", choices = EXAMPLES },
      { "--json", "one JSON object a line" },
    },
    notes = "What it makes is yours: change the model in any BPMN modeler, and the delegates in Lua.\n\n"
      .. ".luarc.json has a language server for Lua complete and check what is called of Orrery.",
  },
  run = run,
}
