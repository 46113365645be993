-- The examples of Flowable's guide, chapter "BPMN 2.0 Constructs", as they stand there: models/<heading>_<number>.xml.
-- An example is a fragment, so a spec says what stands around it; where it leaves something out ("...", "false|true"), `fill` gives it.
local assert = require "luassert"
local orrery = require "orrery"

local seed = {}

local here = debug.getinfo(1, "S").source:match "^@(.*)/" or "."
local head <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:flowable="http://flowable.org/bpmn" xmlns:tns="Examples" targetNamespace="Examples">]]

function seed.text(name)
  local file = assert(io.open(here .. "/models/" .. name .. ".xml", "rb"))
  local text = file:read "a"
  file:close()
  return text
end

function seed.engine(options)
  local merged = { clock = "manual", dialect = "flowable", log = "none", durability = "none" }
  for key, value in pairs(options or {}) do merged[key] = value end
  return orrery.open(nil, merged)
end

local function replace(text, old, new)
  local from, to = text:find(old, 1, true)
  assert(from, ("the example has no %q"):format(old))
  return text:sub(1, from - 1) .. new .. text:sub(to + 1)
end

--- "a -> b" lines as sequence flows.
function seed.flows(lines)
  local out = {}
  for from, to in lines:gmatch "(%S+)%s*%->%s*(%S+)" do
    out[#out + 1] = ('<sequenceFlow id="_%d" sourceRef="%s" targetRef="%s"/>'):format(#out + 1, from, to)
  end
  return table.concat(out)
end

--- Deploys an example. around.process: what stands beside it in a process "p"; around.root: beside the process; around.whole: the example
--- is the process itself; around.file: it is the whole file. around.fill: { [left out] = text }.
function seed.deploy(engine, name, around)
  local text = seed.text(name)
  for old, new in pairs(around.fill or {}) do text = replace(text, old, new) end
  if not around.file then
    if not around.whole then
      text = '<process id="p" isExecutable="true">' .. text .. (around.process or "") .. seed.flows(around.flows or "") .. "</process>"
    end
    text = head .. (around.root or "") .. text .. "</definitions>"
  end
  return engine:deploy { [name .. ".bpmn"] = text }
end

seed.ends = '<startEvent id="s"/><endEvent id="e"/>'

--- Deploys an activity with this id between a start and an end, and starts the process.
function seed.run(engine, name, id, around, options)
  around = around or {}
  around.process = seed.ends .. (around.process or "")
  around.flows = ("s -> %s %s -> e "):format(id, id) .. (around.flows or "")
  seed.deploy(engine, name, around)
  return engine:start("p", options)
end

function seed.each(list, field)
  local out = {}
  for i, record in ipairs(list) do out[i] = record[field] end
  table.sort(out)
  return out
end

--- The deployment error's text.
function seed.refused(...)
  local ok, err = pcall(seed.deploy, ...)
  assert.is_false(ok, "it was deployed")
  assert.equal("deployment", err.kind)
  return tostring(err)
end

return seed
