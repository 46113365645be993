-- Engines and models for the specs of this folder.
local assert = require "luassert"
local orrery = require "orrery"

local support = {}

--- A private engine with a manual clock; closed when the spec ends.
function support.engine(options)
  local merged = { clock = "manual", log = function() end }
  for key, value in pairs(options or {}) do merged[key] = value end
  return orrery.open(nil, merged)
end

function support.definitions(body)
  return [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:o="urn:orrery:bpmn" targetNamespace="spec">]] .. body .. "</definitions>"
end

--- A process that waits in the user task "wait" between `start` (an element) and its end.
function support.waiting(key, start)
  return ([[<process id="%s" isExecutable="true">%s<sequenceFlow id="f1" sourceRef="start" targetRef="wait"/>
    <userTask id="wait"/><sequenceFlow id="f2" sourceRef="wait" targetRef="end"/><endEvent id="end"/></process>]])
    :format(key, start or '<startEvent id="start"/>')
end

support.message_start = '<startEvent id="start"><messageEventDefinition messageRef="m"/></startEvent>'
function support.started_by(key, message)
  return support.definitions(('<message id="m" name="%s"/>'):format(message) .. support.waiting(key, support.message_start))
end

--- The error that `fn` raises, which must be of this kind.
function support.raises(kind, fn)
  local ok, err = pcall(fn)
  assert.is_false(ok, "no error")
  assert.equal(kind, type(err) == "table" and err.kind or tostring(err))
  return err
end

function support.each(list, field)
  local out = {}
  for i, record in ipairs(list) do out[i] = record[field] end
  table.sort(out)
  return out
end

return support
