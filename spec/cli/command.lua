--- Runs the orrery command of the build whose module the specs load, or of the folder that ORRERY_INSTALLED names.
local folders = require "spec.support.folder"

local command = {}

local function build()
  local module = assert(package.searchpath("orrery", package.cpath), "the build's folder must be on LUA_CPATH")
  return module:match "^(.*)/[^/]*$"
end

command.build = os.getenv "ORRERY_INSTALLED" or build()
command.path = command.build .. "/orrery"

local function quote(word) return "'" .. tostring(word):gsub("'", "'\\''") .. "'" end

--- A folder that is gone when the spec is over: `local dir <close> = command.folder()`.
function command.folder()
  local path = os.tmpname()
  os.remove(path)
  assert(os.execute("mkdir " .. quote(path)))
  local folder = { path = path }
  function folder.file(name, text)
    folders.write(path .. "/" .. name, text)
    return path .. "/" .. name
  end
  return setmetatable(folder, { __close = function() os.execute("rm -rf " .. quote(path)) end })
end

--- Runs a program; returns its exit code, standard output and standard error. `input` is its standard input.
function command.execute(words, input)
  local dir <close> = command.folder()
  local parts = {}
  for i, word in ipairs(words) do parts[i] = quote(word) end
  local out, err = dir.path .. "/out", dir.path .. "/err"
  local _, _, code = os.execute(("%s <%s >%s 2>%s"):format(table.concat(parts, " "), quote(dir.file("in", input or "")), quote(out),
    quote(err)))
  return code, folders.read(out), folders.read(err)
end

function command.run(words, input) return command.execute({ command.path, table.unpack(words) }, input) end

--- Runs it with --json; returns the exit code, an array of the lines as tables of their plain fields, and the standard error.
function command.events(words)
  local code, out, err = command.run { table.unpack(words) }
  local read, events = require("dkjson").decode, {}
  for line in out:gmatch "[^\n]+" do events[#events + 1] = assert(read(line), line) end
  return code, events, err
end

--- One process; `body` goes inside it.
function command.model(body, key)
  return ([[<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="cli">
<process id="%s" isExecutable="true" camunda:historyTimeToLive="P1D">%s</process></definitions>]]):format(key or "p", body)
end

--- Start, one node, end.
function command.one_node(node)
  local id = node:match 'id="([^"]+)"'
  return command.model(('<startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="%s"/>%s'
    .. '<sequenceFlow id="f2" sourceRef="%s" targetRef="end"/><endEvent id="end"/>'):format(id, node, id))
end

return command
